//! `tilewright sweep`: every combination of a sweep file, as a table and a page.

use std::path::PathBuf;

use tilewright_report::record::Failure;
use tilewright_report::{html, json, terminal};
use tilewright_run::sweep::{Plan, Sweep as Runs};

use crate::args::Sweep;
use crate::output::{self, Output, Status};

/// Runs what has not run yet, and writes the results.
pub fn sweep(asked: &Sweep, output: &Output) -> Result<Status, Failure> {
    let plan = Plan::read(&asked.file)?;
    let named = || PathBuf::from(asked.file.file_stem().unwrap_or("sweep".as_ref()));
    let folder = asked.output.clone().unwrap_or_else(named);
    let runs = Runs { threads: asked.threads.asked(), ..Runs::new(plan, &folder) };
    let mut swept = runs.run_with(&output.front())?;
    let page = html::sweep_page(&runs.plan, &swept);
    let written = output::write(&folder.join("sweep.html"), "html", page.as_bytes())?;
    swept.summary.files.push(written.path);
    let is_clean = swept.summary.fail + swept.summary.hang + swept.summary.error == 0;
    let status = if is_clean { Status::Clean } else { Status::Found };
    let lines = || {
        let rows: String = swept.rows.iter().map(json::line).collect();
        rows + &json::line(&swept.summary)
    };
    Ok(output.answer(lines, |paint| terminal::sweep(&swept.summary, paint), status))
}
