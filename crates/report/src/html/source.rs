//! The lines of source around the marks of findings, if they can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde::Serialize;

use crate::record::Run;

/// Lines shown before and after a marked one.
const AROUND: u32 = 2;

/// Lines of one file.
#[derive(Serialize)]
pub(super) struct Excerpt {
    file: String,
    /// Numbers and texts, in order.
    lines: Vec<(u32, String)>,
}

/// The lines around every mark, by file.
pub(super) fn excerpts(run: &Run) -> Vec<Excerpt> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for mark in run.findings.iter().flat_map(|finding| &finding.marks) {
        let callers = mark.called_from.iter().map(|caller| (&caller.file, caller.line));
        for (file, line) in callers.chain([(&mark.file, mark.line)]) {
            let lines = line.saturating_sub(AROUND)..=line + AROUND;
            wanted.entry(file).or_default().extend(lines);
        }
    }
    let excerpt = |(file, wanted): (&str, BTreeSet<u32>)| {
        let text = fs::read_to_string(file).ok()?;
        let lines = text.lines().zip(1..).filter(|(_, number)| wanted.contains(number));
        let lines = lines.map(|(line, number)| (number, line.to_owned())).collect();
        Some(Excerpt { file: file.to_owned(), lines })
    };
    wanted.into_iter().filter_map(excerpt).collect()
}
