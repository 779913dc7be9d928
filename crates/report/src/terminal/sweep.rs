//! A sweep: how many runs passed, the worst, and the smallest that fails.

use std::collections::BTreeMap;

use annotate_snippets::renderer::AnsiColor;

use super::Paint;
use super::figures::{counted, value};
use crate::record::Sweep;

/// Digits of an error over its bound.
const DIGITS: usize = 4;

/// What `tilewright sweep` shows.
pub fn sweep(sweep: &Sweep, paint: Paint) -> String {
    let is_clean = sweep.fail + sweep.hang + sweep.error == 0;
    let colour = if is_clean { AnsiColor::Green } else { AnsiColor::Red };
    let runs = paint.bold(colour, &counted(sweep.runs as u64, "run"));
    let mut text = format!(
        "{runs} of {}: {} pass, {} fail, {} hang, {} unjudged, {} could not run\n",
        sweep.subject, sweep.pass, sweep.fail, sweep.hang, sweep.unjudged, sweep.error
    );
    if sweep.resumed > 0 {
        text += &format!("{} had been done before\n", counted(sweep.resumed as u64, "run"));
    }
    if let Some(worst) = &sweep.worst
        && let Some(ratio) = worst.worst_ratio
    {
        let (ratio, point) = (value(ratio.0, DIGITS), point(&worst.point));
        text += &format!("worst error/bound {ratio}: {point}\n");
    }
    if let Some(smallest) = &sweep.smallest_failure {
        let what = match smallest.findings.as_slice() {
            [] => smallest.verdict.name().to_owned(),
            findings => findings.join(", "),
        };
        text += &format!("smallest failing run: {} ({what})\n", point(&smallest.point));
        smallest.replay.iter().for_each(|replay| text += &format!("  {replay}\n"));
        smallest.capture.iter().for_each(|file| text += &format!("  captured in {file}\n"));
    }
    text + &format!("written: {}\n", sweep.files.join(", "))
}

fn point(point: &BTreeMap<String, String>) -> String {
    let words: Vec<String> = point.iter().map(|(axis, value)| format!("{axis} {value}")).collect();
    words.join(", ")
}
