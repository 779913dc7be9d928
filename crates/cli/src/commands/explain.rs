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
        Some(name) => record::Explain::new(&ids(name)?),
    };
    let text = |paint| match explain.findings.len() {
        1 => terminal::manual(&explain, paint),
        _ => terminal::findings(&explain, paint),
    };
    Ok(output.answer(|| json::text(&explain), text, Status::Clean))
}

/// The finding with a name, or all that have it as a part of theirs.
fn ids(name: &str) -> Result<Vec<FindingId>, Failure> {
    if let Some(id) = FindingId::from_name(name) {
        return Ok(vec![id]);
    }
    let part = name.to_lowercase();
    let all = FindingId::ALL.iter().copied();
    let found: Vec<_> = all.filter(|id| !part.is_empty() && id.name().contains(&part)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let failure = Failure::new(format!("unknown finding `{name}`"));
    Err(match nearest(name, FindingId::ALL.iter().map(|id| id.name())) {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help("`tilewright explain` shows all"),
    })
}
