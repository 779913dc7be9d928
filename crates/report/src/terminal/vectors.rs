//! Golden data: each case that differs, the counts of each group, and the last line.

use annotate_snippets::renderer::AnsiColor;

use super::figures::counted;
use super::{Paint, table};
use crate::record::{Group, Mismatch, Vectors, VectorsVerdict};

/// What `tilewright vectors` shows. The last line is `N passed, M failed`, which scripts read.
pub fn vectors(vectors: &Vectors, paint: Paint) -> String {
    let mut text = String::new();
    for mismatch in &vectors.mismatches {
        text += &format!("{} {}\n", paint.bold(AnsiColor::Red, "differs"), line(mismatch));
    }
    if !vectors.mismatches.is_empty() {
        text.push('\n');
    }
    let row = |group: &Group| {
        vec![group.name.clone(), group.passed.to_string(), group.failed.to_string()]
    };
    let rows: Vec<Vec<String>> = vectors.groups.iter().map(row).collect();
    text += &table(paint, &["group", "passed", "failed"], &rows, &[1, 2]);
    if vectors.kernels_not_checked > 0 {
        let kernels = counted(vectors.kernels_not_checked as u64, "whole kernel");
        let note = format!("{kernels} in the folder, not checked by this command");
        text += &format!("\n {}: {note}\n", paint.bold(AnsiColor::Yellow, "note"));
    }
    if vectors.verdict == VectorsVerdict::Unjudged {
        let note = "nothing was checked: the folder has no case of `vectors` or `chains`";
        text += &format!("\n {}: {note}\n", paint.bold(AnsiColor::Yellow, "note"));
    }
    let colour = match vectors.verdict {
        VectorsVerdict::Pass => AnsiColor::Green,
        VectorsVerdict::Unjudged => AnsiColor::Yellow,
        VectorsVerdict::Fail => AnsiColor::Red,
    };
    let last = format!("{} passed, {} failed", vectors.passed, vectors.failed);
    text + "\n" + &paint.bold(colour, &last) + "\n"
}

fn line(mismatch: &Mismatch) -> String {
    let Mismatch { group, case, field, differences, .. } = mismatch;
    let field = if field.is_empty() { String::new() } else { format!(" `{field}`") };
    let start = format!("{group}: {case}:{field}");
    let none = || "nothing".to_owned();
    match (&mismatch.refusal, mismatch.index) {
        (Some(why), _) => format!("{start} {why}"),
        (None, index) => format!(
            "{start} element {} has bits {}, wanted {}; {differences} in all differ",
            index.unwrap_or_default(),
            mismatch.got_bits.clone().unwrap_or_else(none),
            mismatch.wanted_bits.clone().unwrap_or_else(none),
        ),
    }
}
