//! The seven stages of an operation, run in order, against the state of the last run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use tilewright_run::Progress;
use tilewright_run::record::{
    Failure, Number, Stage, StageChange, StageFinding, StageStatus, Stages,
};

use crate::scaffold::Language;
use crate::{breadcrumbs, cargo, pytest, python, state};

/// The names of the stages.
pub const STAGES: [&str; 7] = [
    "API exists",
    "parameters validated",
    "registered",
    "device operation",
    "program factory",
    "stub kernels run",
    "kernels correct",
];

/// What to run.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The operation's folder.
    pub directory: PathBuf,
    /// The last stage to run.
    pub through: u32,
    /// The Python to use; otherwise it is looked for.
    pub python: Option<PathBuf>,
    /// The host's time for all tests of an operation in Python, or those of a stage in Rust.
    pub timeout: Option<Duration>,
}

/// What came of one test, as test runners tell it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Told {
    /// The stage that the test belongs to.
    pub(crate) stage: u32,
    /// `passed`, `failed` or `skipped`.
    pub(crate) outcome: String,
    /// The test.
    pub(crate) test: String,
    /// Why it failed.
    #[serde(default)]
    pub(crate) message: Option<String>,
    /// The finding that fails it.
    #[serde(default)]
    pub(crate) finding: Option<StageFinding>,
    /// Seconds that it took.
    pub(crate) seconds: f64,
}

/// The files with the tests of each stage that is asked for.
pub(crate) type Files = Vec<(u32, PathBuf)>;

/// Runs the stages in order, up to the first that fails, and records the state.
pub fn run(asked: &Asked, progress: &Progress) -> Result<Stages, Failure> {
    let directory = &asked.directory;
    let (language, files) = tests_of(directory)?;
    let files: Files = files.into_iter().filter(|(stage, _)| *stage <= asked.through).collect();
    let last = state::load(directory)?;
    let python = match language {
        Language::Python => Some(python::find(asked.python.as_deref())?),
        Language::Rust => None,
    };
    let folder = state::folder(directory)?;
    let operation = name_of(directory);
    breadcrumbs::start(directory, &operation)?;
    let told = match &python {
        _ if files.is_empty() => Vec::new(),
        Some(python) => pytest::run((asked, python), &files, &folder, progress)?,
        None => cargo::run(asked, &files, &folder, progress)?,
    };
    let stages = stages(&told, last.as_ref(), directory);
    let of = |wanted: fn(&&Stage) -> bool| stages.iter().filter(wanted);
    let record = Stages {
        operation,
        directory: directory.display().to_string(),
        language: language.name().to_owned(),
        passed: of(|stage| stage.status == StageStatus::Pass).count(),
        regressions: of(|stage| stage.change == StageChange::Regression)
            .map(|stage| stage.number)
            .collect(),
        stages,
    };
    state::save(directory, &record)?;
    breadcrumbs::complete(directory, &record)?;
    Ok(record)
}

/// The state of the last run.
pub fn last(directory: &Path) -> Result<Stages, Failure> {
    state::load(directory)?.ok_or_else(|| {
        Failure::new(format!("{} has no recorded state", directory.display()))
            .help("run `tilewright stages` without --show first")
    })
}

fn name_of(directory: &Path) -> String {
    let whole = directory.canonicalize();
    let name = whole.as_deref().unwrap_or(directory).file_name();
    name.map_or_else(|| "operation".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The files with the tests of an operation, by stage: `tests/test_4_device_operation.py` or
/// `tests/stage_4_device_operation.rs`.
fn tests_of(directory: &Path) -> Result<(Language, Files), Failure> {
    let tests = directory.join("tests");
    let entries = fs::read_dir(&tests).map_err(|error| {
        Failure::new(format!("{} cannot be read: {error}", tests.display())).help(
            "give the folder of an operation with tests in `tests`; `tilewright new` makes one",
        )
    })?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let of = |start: &str, end: &str| -> Files {
        let stage = |path: &PathBuf| {
            let name = path.file_name()?.to_str()?;
            let (number, _) = name.strip_prefix(start)?.strip_suffix(end)?.split_once('_')?;
            let number = number.parse().ok().filter(|it| (1..=7).contains(it))?;
            Some((number, path.clone()))
        };
        paths.iter().filter_map(stage).collect()
    };
    let (python, rust) = (of("test_", ".py"), of("stage_", ".rs"));
    match (python.is_empty(), rust.is_empty()) {
        (false, true) => Ok((Language::Python, python)),
        (true, false) => Ok((Language::Rust, rust)),
        (true, true) => Err(Failure::new(format!("{} has no test of a stage", tests.display()))
            .help("tests of stage 4 are in `test_4_NAME.py` or `stage_4_NAME.rs`")),
        (false, false) => {
            Err(Failure::new(format!("{} has tests of Python and of Rust", tests.display()))
                .help("keep one of `test_N_NAME.py` and `stage_N_NAME.rs`"))
        }
    }
}

/// What tests come to, stage by stage.
fn stages(told: &[Told], last: Option<&Stages>, directory: &Path) -> Vec<Stage> {
    let failed = told.iter().filter(|it| it.outcome == "failed").map(|it| it.stage).min();
    let stage = |(place, name): (usize, &&str)| {
        let number = place as u32 + 1;
        let before = last.and_then(|last| last.stages.get(place));
        let own = || told.iter().filter(|it| it.stage == number);
        let failure = own().find(|it| it.outcome == "failed");
        let has_passed_tests = own().any(|it| it.outcome == "passed");
        let (status, blocker) = match (failed, failure) {
            (Some(first), _) if number > first => {
                let name = STAGES[first as usize - 1];
                (StageStatus::Blocked, Some(format!("stage {first}, {name}, fails")))
            }
            (_, Some(failure)) => (StageStatus::Fail, Some(reason(failure))),
            (_, None) if has_passed_tests => (StageStatus::Pass, None),
            (_, None) => (StageStatus::NotRun, None),
        };
        let has_passed = before.is_some_and(|it| it.has_passed) || status == StageStatus::Pass;
        Stage {
            number,
            name: (*name).to_owned(),
            status,
            blocker,
            finding: failure
                .filter(|_| status == StageStatus::Fail)
                .and_then(|it| it.finding.clone())
                .map(|finding| shown(finding, directory)),
            tests: own().filter(|it| it.outcome != "skipped").count(),
            seconds: Number(own().map(|it| it.seconds).sum()),
            change: change(status, before),
            has_passed,
        }
    };
    STAGES.iter().enumerate().map(stage).collect()
}

/// The failed test and its message.
fn reason(failure: &Told) -> String {
    let test = failure.test.rsplit("::").next().unwrap_or(&failure.test);
    match &failure.message {
        Some(message) => format!("{test}: {message}"),
        None => test.to_owned(),
    }
}

fn change(status: StageStatus, before: Option<&Stage>) -> StageChange {
    let Some(before) = before else { return StageChange::First };
    match status {
        StageStatus::Fail if before.has_passed => StageChange::Regression,
        _ if status == before.status => StageChange::Same,
        StageStatus::Pass => StageChange::PassesNow,
        StageStatus::Fail | StageStatus::Blocked | StageStatus::NotRun => StageChange::Changed,
    }
}

/// The finding with its file as the user would name it: below the operation's folder.
fn shown(finding: StageFinding, directory: &Path) -> StageFinding {
    let whole = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let file = finding.file.map(|file| {
        // Test runners work in the operation's folder.
        let inside = Path::new(&file).strip_prefix(&whole).unwrap_or(Path::new(&file));
        directory.join(inside).display().to_string()
    });
    StageFinding { file, ..finding }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stage: u32, outcome: &str) -> Told {
        Told {
            stage,
            outcome: outcome.to_owned(),
            test: "tests/test.py::test_it".to_owned(),
            message: Some("it does not hold".to_owned()),
            finding: None,
            seconds: 0.5,
        }
    }

    fn record(stages: Vec<Stage>) -> Stages {
        Stages {
            operation: "swish".to_owned(),
            directory: ".".to_owned(),
            language: "python".to_owned(),
            passed: 0,
            regressions: Vec::new(),
            stages,
        }
    }

    fn words(stages: &[Stage]) -> Vec<(&str, &str)> {
        stages.iter().map(|it| (it.status.name(), it.change.name())).collect()
    }

    #[test]
    fn stages_after_the_first_failure_are_blocked() {
        let all = [told(1, "passed"), told(2, "passed"), told(2, "failed"), told(4, "failed")];
        let stages = stages(&all, None, Path::new("."));
        let first = ("blocked", "first");
        let wanted = [("pass", "first"), ("fail", "first"), first, first, first, first, first];
        assert_eq!(words(&stages), wanted);
        assert_eq!(stages[1].blocker.as_deref(), Some("test_it: it does not hold"));
        assert_eq!(stages[3].blocker.as_deref(), Some("stage 2, parameters validated, fails"));
        assert_eq!((stages[1].tests, stages[1].seconds.0), (2, 1.0));
    }

    #[test]
    fn what_has_passed_and_fails_is_a_regression_even_after_it_was_blocked() {
        let first = record(stages(&[told(1, "passed"), told(2, "passed")], None, Path::new(".")));
        let broken = record(stages(&[told(1, "failed")], Some(&first), Path::new(".")));
        assert_eq!(words(&broken.stages)[..2], [("fail", "regression"), ("blocked", "changed")]);
        let later = [told(1, "passed"), told(2, "failed")];
        let later = record(stages(&later, Some(&broken), Path::new(".")));
        assert_eq!(words(&later.stages)[..2], [("pass", "passes-now"), ("fail", "regression")]);
        let same = stages(&[told(1, "passed"), told(2, "failed")], Some(&later), Path::new("."));
        assert_eq!(words(&same)[..2], [("pass", "same"), ("fail", "regression")]);
    }
}
