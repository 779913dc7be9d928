//! Stages of an operation in Python: one session of pytest with our plugin.

use std::fs;
use std::path::Path;
use std::process::Command;

use tilewright_run::Progress;
use tilewright_run::record::Failure;

use crate::process;
use crate::stages::{Asked, Files, STAGES, Told};
use crate::state::unwritable;

/// Lines of a runner's output that are shown when it fails itself.
const SHOWN: usize = 20;

/// Runs the tests of the stages in order, up to the first stage that fails.
pub(crate) fn run(
    (asked, python): (&Asked, &Path),
    files: &Files,
    folder: &Path,
    progress: &Progress,
) -> Result<Vec<Told>, Failure> {
    let folder = folder.canonicalize().map_err(|error| unwritable(folder, &error))?;
    let (events, output) = (folder.join("events.jsonl"), folder.join("pytest.txt"));
    fs::write(&events, "").map_err(|error| unwritable(&events, &error))?;
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "--tilewright", "-q", "-p", "no:cacheprovider"]);
    command.args(["-o", "addopts=", "--rootdir=.", "--continue-on-collection-errors"]);
    command.arg(format!("--tilewright-stages={}", events.display()));
    command.arg(format!("--tilewright-captures={}", folder.join("captures").display()));
    for (_, file) in files {
        command.arg(Path::new("tests").join(file.file_name().unwrap_or_default()));
    }
    // The user's folder stays as it is.
    command.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(&asked.directory);
    let mut look = || {
        if progress.is_shown() {
            let stage = read(&events).iter().map(|it| it.stage).max().unwrap_or(1);
            progress.bar("stages", u64::from(stage) - 1, STAGES.len() as u64);
        }
    };
    let ended = process::wait(&mut command, &output, asked.timeout, &mut look)
        .map_err(|error| Failure::new(format!("{} did not start: {error}", python.display())))?;
    let mut told = read(&events);
    let Some(status) = ended else {
        told.push(overdue(asked, files, &told));
        return Ok(told);
    };
    // 0 and 1 are passed and failed tests; 5 is none at all.
    match status.code() {
        Some(0 | 1 | 5) => Ok(told),
        // Errors at collection are told as failed stages.
        Some(2) if told.iter().any(|it| it.outcome == "failed") => Ok(told),
        _ => Err(Failure::new(format!("pytest did not run: {status}")).help(tail(&output))),
    }
}

/// What has been told so far.
fn read(events: &Path) -> Vec<Told> {
    let text = fs::read_to_string(events).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The stage whose tests were running when the time was over.
fn overdue(asked: &Asked, files: &Files, told: &[Told]) -> Told {
    let stage = told.iter().map(|it| it.stage).max().unwrap_or(files[0].0);
    let seconds = asked.timeout.unwrap_or_default().as_secs_f64();
    Told {
        stage,
        outcome: "failed".to_owned(),
        test: "pytest".to_owned(),
        message: Some(format!("its tests took longer than {seconds} s and were ended")),
        finding: None,
        seconds,
    }
}

/// The last lines of what a runner printed.
pub(crate) fn tail(output: &Path) -> String {
    let text = fs::read_to_string(output).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let shown = &lines[lines.len().saturating_sub(SHOWN)..];
    format!("it printed:\n{}", shown.join("\n"))
}
