//! `tilewright doctor`: what this computer has, and what each is needed for.

use tilewright_report::{json, terminal};
use tilewright_run::doctor;

use crate::output::{Output, Status};

/// Shows everything that was looked for.
pub fn doctor(output: &Output) -> Status {
    let doctor = doctor::examine();
    let text = |paint| terminal::doctor(&doctor, paint);
    output.answer(|| json::text(&doctor), text, Status::Clean)
}
