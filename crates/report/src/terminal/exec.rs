//! A host program: the findings of its launches and its own, then what it comes to.

use annotate_snippets::renderer::AnsiColor;

use super::Paint;
use super::figures::counted;
use super::run::{findings, reason, verdict};
use crate::record::{Run, RunVerdict};

/// What `tilewright exec` shows after what the program itself prints.
pub fn exec(run: &Run, paint: Paint) -> String {
    let mut text = findings(run, paint);
    let what = paint.strong(&run.request.operation);
    let launches = counted(run.programs.len() as u64, "program");
    text += &format!("{} {what}: {launches} launched, {}\n", verdict(run, paint), why(run));
    // What a program that passes has printed says enough.
    for note in run.notes.iter().filter(|_| run.verdict != RunVerdict::Pass) {
        text += &format!(" {}: {note}\n", paint.bold(AnsiColor::Yellow, "note"));
    }
    text
}

fn why(run: &Run) -> String {
    match run.verdict {
        RunVerdict::Pass => {
            "no findings; the program read its results and exited with status 0".into()
        }
        RunVerdict::Unjudged => "no findings; the program read no result".into(),
        RunVerdict::Fail if run.findings.is_empty() => {
            "no findings; the program itself reports a failure".into()
        }
        RunVerdict::Fail | RunVerdict::Hang | RunVerdict::Error | RunVerdict::Paused => reason(run),
    }
}
