//! `tilewright explain`: the manuals of findings.

use tilewright_check::FindingId;
use tilewright_metal::nearest;
use tilewright_report::record::{self, Failure};
use tilewright_report::{json, terminal};

use crate::args::Explain;
use crate::output::{Output, Status};

/// Shows one manual, or every id with its first sentence.
pub fn explain(asked: &Explain, output: &Output) -> Result<Status, Failure> {
    let explain = match &asked.id {
        None => record::Explain::new(FindingId::ALL),
        Some(name) => record::Explain::new(&[id(name)?]),
    };
    let text = |paint| match asked.id {
        None => terminal::findings(&explain, paint),
        Some(_) => terminal::manual(&explain, paint),
    };
    Ok(output.answer(|| json::text(&explain), text, Status::Clean))
}

fn id(name: &str) -> Result<FindingId, Failure> {
    FindingId::from_name(name).ok_or_else(|| {
        let failure = Failure::new(format!("there is no finding `{name}`"));
        match nearest(name, FindingId::ALL.iter().map(|id| id.name())) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure.help("`tilewright explain` shows all"),
        }
    })
}
