//! Several programs: each as `check` shows one, then a line about all.

use annotate_snippets::renderer::AnsiColor;

use super::figures::counted;
use super::{Paint, Prints, check, failure};
use crate::record::{Checked, CheckedProgram};

/// What `tilewright check` shows of several programs.
pub fn checked(checked: &Checked, prints: Prints, paint: Paint) -> String {
    let programs: String = checked.programs.iter().map(|it| one(it, prints, paint)).collect();
    let counts: Vec<String> = checked
        .counts
        .iter()
        .map(|(verdict, count)| format!("{count} {}", paint.strong(verdict)))
        .collect();
    let all = counted(checked.programs.len() as u64, "program");
    let mut text = format!("{programs}\n{all}: {}\n", counts.join(", "));
    if checked.known > 0 {
        let known = counted(checked.known as u64, "finding");
        let note = paint.bold(AnsiColor::Yellow, "note");
        text += &format!(" {note}: {known} of the baseline left out\n");
    }
    text
}

fn one(program: &CheckedProgram, prints: Prints, paint: Paint) -> String {
    let run = program.run.as_ref().map(|run| check(run, prints, paint));
    let failed = program.failure.as_ref().map(|it| failure(it, paint));
    run.or(failed).unwrap_or_default()
}
