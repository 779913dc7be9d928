//! The results of a sweep on disk: one line of JSON a run as it ends, and a table at the end.
//!
//! Whatever interrupts a sweep, whole lines count and the rest is run again.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::row::SweepRow;
use crate::record::{Failure, Number};

/// The first line of the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepHead {
    /// A fingerprint of the plan: results of another sweep are not mixed in.
    pub sweep: String,
    /// How many runs there are in all.
    pub runs: usize,
    /// The plan.
    pub plan: Plan,
}

/// The file with the results so far.
pub(super) struct Store {
    path: PathBuf,
    file: File,
}

impl Store {
    /// Opens the results in a folder, with the rows that an earlier attempt has left there.
    pub(super) fn open(folder: &Path, head: &SweepHead) -> Result<(Store, Vec<SweepRow>), Failure> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let path = folder.join("results.jsonl");
        let rows = match fs::read_to_string(&path) {
            Ok(text) => left(&path, &text, head)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(unwritable(&path, &error)),
        };
        write(&path, &lines(head, &rows))?;
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.map_err(|error| unwritable(&path, &error))?;
        Ok((Store { path, file }, rows))
    }

    /// Adds a row; after an interruption it is there or not, and never half.
    pub(super) fn add(&mut self, row: &SweepRow) -> Result<(), Failure> {
        let line = line(row);
        self.file.write_all(line.as_bytes()).map_err(|error| unwritable(&self.path, &error))
    }

    /// Writes all rows in their order, and as a table.
    pub(super) fn finish(self, head: &SweepHead, rows: &[SweepRow]) -> Result<(), Failure> {
        write(&self.path, &lines(head, rows))?;
        write(&self.path.with_extension("csv"), &table(head, rows))
    }
}

/// The whole rows of an earlier attempt at the same sweep.
fn left(path: &Path, text: &str, head: &SweepHead) -> Result<Vec<SweepRow>, Failure> {
    let mut lines = text.lines();
    let Some(first) = lines.next() else { return Ok(Vec::new()) };
    let is_same = serde_json::from_str::<SweepHead>(first).is_ok_and(|it| it.sweep == head.sweep);
    if !is_same {
        return Err(Failure::new(format!("{} has results of another sweep", path.display()))
            .help("give another folder with --output, or remove this one"));
    }
    let mut rows: Vec<SweepRow> =
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
    rows.retain(|row| row.index < head.runs);
    rows.sort_by_key(|row| row.index);
    rows.dedup_by_key(|row| row.index);
    Ok(rows)
}

fn lines(head: &SweepHead, rows: &[SweepRow]) -> String {
    rows.iter().fold(line(head), |text, row| text + &line(row))
}

fn line(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect("plain JSON") + "\n"
}

/// Rows as comma-separated values, a column for each axis.
fn table(head: &SweepHead, rows: &[SweepRow]) -> String {
    let axes: Vec<String> = head.plan.axes().into_iter().map(|(name, _)| name).collect();
    let others = ["verdict", "findings", "worst_ratio", "max_abs_error", "cycles", "message"];
    let columns = axes.iter().map(String::as_str).chain(others);
    let mut text = columns.map(cell).collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        let number = |number: Option<Number>| number.map_or(String::new(), |it| it.0.to_string());
        let cells = axes.iter().map(|axis| row.point.get(axis).cloned().unwrap_or_default());
        let cells = cells.chain([
            row.verdict.name().to_owned(),
            row.findings.join(" "),
            number(row.worst_ratio),
            number(row.max_abs_error),
            row.cycles.map_or(String::new(), |cycles| cycles.to_string()),
            row.message.clone().unwrap_or_default(),
        ]);
        let cells: Vec<String> = cells.map(|it| cell(&it)).collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// A cell, in quotation marks if it needs them (RFC 4180).
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Replaces a file as a whole.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let part = path.with_extension("part");
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{} cannot be written: {error}", path.display()))
}
