//! The source of kernels, whole, and the lines around the marks of findings in other files, if they
//! can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde::Serialize;

use crate::record::Run;

/// Lines shown before and after a marked one.
const AROUND: u32 = 2;

/// Bytes of kernels that a page has; of files beyond that only the lines around marks are shown.
const BYTES: usize = 400_000;

/// Lines of one file.
#[derive(Serialize)]
pub(super) struct Excerpt {
    file: String,
    /// Whether these are all lines of the file.
    whole: bool,
    /// Numbers and texts, in order.
    lines: Vec<(u32, String)>,
}

/// The files of kernels, and the lines around every mark, by file.
pub(super) fn excerpts(run: &Run, kernels: &BTreeSet<&str>) -> Vec<Excerpt> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for mark in run.findings.iter().flat_map(|finding| &finding.marks) {
        let callers = mark.called_from.iter().map(|caller| (&caller.file, caller.line));
        for (file, line) in callers.chain([(&mark.file, mark.line)]) {
            let lines = line.saturating_sub(AROUND)..=line + AROUND;
            wanted.entry(file).or_default().extend(lines);
        }
    }
    for kernel in kernels.iter().filter(|file| !file.is_empty()) {
        wanted.entry(kernel).or_default();
    }
    let mut room = BYTES;
    let excerpt = |(file, wanted): (&str, BTreeSet<u32>)| {
        let text = fs::read_to_string(file).ok()?;
        let whole = kernels.contains(file) && text.len() <= room;
        room -= if whole { text.len() } else { 0 };
        let lines = text.lines().zip(1..).filter(|(_, line)| whole || wanted.contains(line));
        let lines = lines.map(|(line, number)| (number, line.to_owned())).collect();
        Some(Excerpt { file: file.to_owned(), whole, lines })
    };
    wanted.into_iter().filter_map(excerpt).collect()
}
