//! `tilewright list`: what can be run.

use tilewright_metal::Family;
use tilewright_ops::formulas::formulas;
use tilewright_ops::operations;
use tilewright_report::{json, record, terminal};

use crate::output::{Output, Status};

/// Shows every operation.
pub fn list(output: &Output) -> Status {
    let list = record::List::new(operations(), Family::ALL, formulas());
    output.answer(|| json::text(&list), |paint| terminal::list(&list, paint), Status::Clean)
}
