//! `tilewright repro`: the published failure of LayerNorm backward beside our kernel.

use tilewright_metal::RunOptions;
use tilewright_ops::layernorm::repro::{CASES, Case};
use tilewright_report::record::{self, Failure};
use tilewright_report::{json, terminal};

use crate::args::Repro;
use crate::output::{Output, Status};

/// Runs the reported tests and shows what was published, what the faulty kernel gives here, and
/// what ours gives.
pub fn repro(asked: &Repro, output: &Output) -> Result<Status, Failure> {
    let cases = cases(asked.only.as_deref())?;
    let options = RunOptions { threads: asked.threads.count(), ..RunOptions::default() };
    let progress = output.progress();
    let mut rows = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        progress.show(&format!("{} of {}: {}", index + 1, cases.len(), case.name));
        let wrong = |error| Failure::new(format!("{}: {error}", case.name));
        rows.push(case.run(options).map_err(wrong)?);
    }
    drop(progress);
    let repro = record::Repro::new(&rows);
    let status = if repro.is_in_bound() { Status::Clean } else { Status::Found };
    let text = |paint| terminal::repro(&repro, paint);
    Ok(output.answer(|| json::text(&repro), text, status))
}

/// The tests whose names contain a text.
fn cases(only: Option<&str>) -> Result<Vec<Case>, Failure> {
    let Some(only) = only else { return Ok(CASES.to_vec()) };
    let cases: Vec<Case> = CASES.into_iter().filter(|case| case.name.contains(only)).collect();
    if cases.is_empty() {
        let names: Vec<String> = CASES.iter().map(|case| format!("\"{}\"", case.name)).collect();
        return Err(Failure::new(format!("--only: no test has `{only}` in its name"))
            .help(format!("there is {}", names.join(", "))));
    }
    Ok(cases)
}
