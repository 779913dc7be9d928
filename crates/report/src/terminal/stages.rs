//! How far an operation is: a table of its stages, and what keeps the first failing one from
//! passing.

use annotate_snippets::renderer::AnsiColor;

use super::figures::counted;
use super::{Paint, table};
use crate::record::{New, Stage, StageChange, StageFinding, StageStatus, Stages};

/// What `tilewright new` shows.
pub fn new(new: &New, paint: Paint) -> String {
    let files = counted(new.files.len() as u64, "file");
    let head = format!("{}: {files} in {}", new.name, new.directory);
    let mut text = paint.bold(AnsiColor::Green, &head) + "\n";
    for file in &new.files {
        text += &format!("  {file}\n");
    }
    text + &format!("next: `tilewright stages {}`, then SPECIFICATION.md\n", new.directory)
}

/// What `tilewright stages` shows.
pub fn stages(stages: &Stages, paint: Paint) -> String {
    let row = |stage: &Stage| {
        vec![
            stage.number.to_string(),
            stage.name.clone(),
            status(stage.status, paint),
            stage.tests.to_string(),
            format!("{:.1} s", stage.seconds.0),
            change(stage.change).to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = stages.stages.iter().map(row).collect();
    let head = ["", "stage", "status", "tests", "time", "since last run"];
    let mut text = format!("{}\n\n", stages.operation);
    text += &table(paint, &head, &rows, &[0, 3, 4]);
    text.push('\n');
    for stage in stages.stages.iter().filter(|it| it.status == StageStatus::Fail) {
        text += &failure(stage, paint);
    }
    let (passed, all) = (stages.passed, stages.stages.len());
    let colour = if passed == all { AnsiColor::Green } else { AnsiColor::Yellow };
    text + &paint.bold(colour, &format!("{passed} of {all} stages pass")) + "\n"
}

fn status(status: StageStatus, paint: Paint) -> String {
    match status {
        StageStatus::Pass => paint.bold(AnsiColor::Green, status.name()),
        StageStatus::Fail => paint.bold(AnsiColor::Red, status.name()),
        StageStatus::Blocked | StageStatus::NotRun => status.name().to_owned(),
    }
}

/// What is different from the last run, in words.
pub(crate) fn change(change: StageChange) -> &'static str {
    match change {
        StageChange::First => "-",
        StageChange::Same => "same",
        StageChange::PassesNow => "passes now",
        StageChange::Regression => "REGRESSION: has passed before",
        StageChange::Changed => "changed",
    }
}

fn failure(stage: &Stage, paint: Paint) -> String {
    let title = format!("stage {}, {}, fails", stage.number, stage.name);
    let mut text = paint.bold(AnsiColor::Red, &title);
    match &stage.finding {
        Some(finding) => {
            text += &format!(": {}\n", place(finding));
            text += &format!("  {}: {}\n", finding.id, finding.title);
            finding.help.iter().for_each(|help| text += &format!("  help: {help}\n"));
        }
        None => text += &format!("\n  {}\n", stage.blocker.as_deref().unwrap_or("-")),
    }
    text + "\n"
}

/// Where a finding is.
pub(crate) fn place(finding: &StageFinding) -> String {
    match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        (None, _) => "at no line".to_owned(),
    }
}
