//! Stages of an operation in Rust: `cargo test` for each, one after the other.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tilewright_run::Progress;
use tilewright_run::record::{Failure, StageFinding};

use crate::process;
use crate::pytest::tail;
use crate::stages::{Asked, Files, STAGES, Told};

/// Runs the tests of the stages in order, up to the first stage that fails.
pub(crate) fn run(
    asked: &Asked,
    files: &Files,
    folder: &Path,
    progress: &Progress,
) -> Result<Vec<Told>, Failure> {
    let mut told = Vec::new();
    for (stage, file) in files {
        progress.bar("stages", u64::from(*stage) - 1, STAGES.len() as u64);
        let name = file.file_stem().unwrap_or_default().to_os_string();
        told.extend(one(asked, (*stage, name), folder)?);
        if told.iter().any(|it| it.outcome == "failed") {
            break;
        }
    }
    Ok(told)
}

/// The tests of one file.
fn one(asked: &Asked, (stage, name): (u32, OsString), folder: &Path) -> Result<Vec<Told>, Failure> {
    let output = folder.join("cargo.txt");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args(["test", "--quiet", "--color=never", "--test"]).arg(&name);
    command.args(["--", "--test-threads=1", "--format=pretty"]);
    command.current_dir(&asked.directory);
    #[expect(clippy::disallowed_methods, reason = "the user is told how long tests take")]
    let started = Instant::now();
    let ended = process::wait(&mut command, &output, asked.timeout, &mut || {});
    let ended = ended.map_err(|error| {
        Failure::new(format!("{} did not start: {error}", cargo.display()))
            .help("operations in Rust are tested by cargo; https://rustup.rs has it")
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let text = fs::read_to_string(&output).unwrap_or_default();
    let file = name.to_string_lossy().into_owned();
    let fail = |message: String| Told {
        stage,
        outcome: "failed".to_owned(),
        test: file.clone(),
        finding: finding(&text),
        message: Some(message),
        seconds,
    };
    let Some(status) = ended else {
        let limit = asked.timeout.unwrap_or_default().as_secs_f64();
        return Ok(vec![fail(format!("its tests took longer than {limit} s and were ended"))]);
    };
    let mut told = results(stage, &text);
    if let Some(first) = told.first_mut() {
        first.seconds = seconds;
    }
    let has_failed = told.iter().any(|it| it.outcome == "failed");
    if status.success() || has_failed {
        return Ok(told);
    }
    match text.lines().find(|line| line.starts_with("error")) {
        Some(line) => Ok(vec![fail(line.to_owned())]),
        None => Err(Failure::new(format!("cargo did not run: {status}")).help(tail(&output))),
    }
}

/// The tests in the output of Rust's test harness.
fn results(stage: u32, text: &str) -> Vec<Told> {
    let line = |line: &str| {
        let (test, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
        let is_failed = result.trim() == "FAILED";
        let said = if is_failed { said(text, test) } else { String::new() };
        Some(Told {
            stage,
            outcome: if is_failed { "failed" } else { "passed" }.to_owned(),
            test: test.to_owned(),
            message: is_failed.then(|| first_line(&said)),
            finding: finding(&said),
            seconds: 0.0,
        })
    };
    text.lines().filter_map(line).collect()
}

/// What a failed test printed.
fn said(text: &str, test: &str) -> String {
    let head = format!("---- {test} stdout ----");
    let Some((_, rest)) = text.split_once(&head) else { return String::new() };
    rest.split("\n---- ").next().unwrap_or(rest).trim().to_owned()
}

/// The message of a panic, which comes after the line that names its place.
fn first_line(said: &str) -> String {
    let mut lines = said.lines().skip_while(|line| !line.contains(" panicked at "));
    let message = lines.nth(1).or_else(|| said.lines().next());
    message.unwrap_or("no reason is given").trim().to_owned()
}

/// The first finding that is printed as on a terminal: `error[ID]: TITLE`, then `--> FILE:LINE`.
fn finding(said: &str) -> Option<StageFinding> {
    let mut lines = said.lines().map(str::trim);
    let (id, title) = lines.find_map(|line| {
        let (_, rest) = line.split_once("error[")?;
        let (id, title) = rest.split_once("]: ")?;
        // Errors of the compiler have ids, too: E0425.
        id.contains('-').then_some((id, title))
    })?;
    let rest: Vec<&str> = lines.collect();
    let place = rest.iter().find_map(|line| line.strip_prefix("--> "));
    let mut place = place.unwrap_or_default().splitn(3, ':');
    let help = rest.iter().find_map(|line| line.strip_prefix("= help: "));
    Some(StageFinding {
        id: id.to_owned(),
        title: title.to_owned(),
        file: place.next().filter(|file| !file.is_empty()).map(str::to_owned),
        line: place.next().and_then(|line| line.parse().ok()),
        help: help.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "
running 2 tests
test good ... ok
test values ... FAILED

failures:

---- values stdout ----
thread 'values' (7) panicked at tests/stage_7_kernels.rs:9:5:
the program fails
error[missing-startup]: `tilize_init` is called before start-up
   --> src/kernels/compute.cpp:41:5
    = help: call `compute_kernel_hw_startup(...)` first

failures:
    values
";

    #[test]
    fn failures_are_read_with_their_findings() {
        let told = results(7, SAID);
        assert_eq!(told.len(), 2);
        assert_eq!(told[0].outcome, "passed");
        assert_eq!(told[1].message.as_deref(), Some("the program fails"));
        let finding = told[1].finding.as_ref().expect("a finding");
        assert_eq!(finding.id, "missing-startup");
        let place = (finding.file.as_deref(), finding.line);
        assert_eq!(place, (Some("src/kernels/compute.cpp"), Some(41)));
        assert!(finding.help.as_deref().is_some_and(|help| help.starts_with("call ")));
    }
}
