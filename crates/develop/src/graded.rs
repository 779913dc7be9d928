//! Python tests, graded by pytest with our plugin.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use tilewright_run::Progress;
use tilewright_run::grade::own_grade;
use tilewright_run::record::{Failure, Grade, GradedClass, GradedTest, Number};

use crate::pytest::tail;
use crate::{process, python};

/// What pytest tells of its tests.
#[derive(Deserialize)]
struct Told {
    /// The grades, in the order of the tests.
    tests: Vec<Grade>,
    /// Tests without a grade.
    not_graded: Vec<NotGraded>,
}

/// A test without a grade.
#[derive(Deserialize)]
struct NotGraded {
    test: String,
    reason: String,
}

/// Grades the tests of a pytest node, such as `tests/test_op.py::test_values`.
pub fn grade_tests(
    node: &str,
    interpreter: Option<&Path>,
    progress: &Progress,
) -> Result<Grade, Failure> {
    let file = node.split("::").next().unwrap_or(node);
    if !Path::new(file).is_file() {
        return Err(Failure::new(format!("there is no file {file}")));
    }
    let python = python::find(interpreter)?;
    let folder = std::env::temp_dir().join(format!("tilewright-grade-{}", std::process::id()));
    let unwritable = |error| Failure::new(format!("{}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(unwritable)?;
    let graded = in_folder(node, &python, &folder, progress);
    // What is left in the folder for temporary files is of no use to anybody.
    drop(fs::remove_dir_all(&folder));
    graded
}

fn in_folder(
    node: &str,
    python: &Path,
    folder: &Path,
    progress: &Progress,
) -> Result<Grade, Failure> {
    let (answer, output) = (folder.join("grades.json"), folder.join("pytest.txt"));
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "--tilewright", "-q", "-p", "no:cacheprovider"]);
    command.arg("--tilewright-captures=").arg(node);
    command.arg(format!("--tilewright-grade-json={}", answer.display()));
    let ended = process::wait(&mut command, &output, None, &mut || progress.stage("grading"))
        .map_err(|error| Failure::new(format!("{} did not start: {error}", python.display())))?;
    let code = ended.and_then(|status| status.code());
    let text = fs::read(&answer).ok().filter(|_| matches!(code, Some(0 | 1)));
    let graded = text.and_then(|text| serde_json::from_slice::<Told>(&text).ok());
    let Some(graded) = graded else {
        return Err(Failure::new(format!("{node}: pytest did not run")).help(tail(&output)));
    };
    if graded.tests.is_empty() {
        let why = graded.not_graded.first().map_or_else(
            || "no test passes and runs a program".to_owned(),
            |it| format!("{}: {}", it.test, it.reason),
        );
        return Err(Failure::new(format!("{node}: nothing was graded: {why}")));
    }
    Ok(merged(node, graded))
}

/// The grade of several tests: all their faults together, each counted where it was tried.
fn merged(node: &str, told: Told) -> Grade {
    let Told { tests, not_graded } = told;
    let mut all = own_grade(node, "its assertions", &[]);
    for test in &tests {
        all.injected += test.injected;
        all.ended += test.ended;
        all.changed += test.changed;
        all.latent += test.latent;
        all.equivalent += test.equivalent;
        all.caught_by_test += test.caught_by_test;
        all.caught_by_tool += test.caught_by_tool;
        all.caught_by_nobody += test.caught_by_nobody;
        all.uncaught.extend(test.uncaught.iter().cloned());
        all.equivalents.extend(test.equivalents.iter().cloned());
        test.classes.iter().for_each(|class| add(&mut all.classes, class));
    }
    all.score = (all.changed > 0).then(|| Number(all.caught_by_test as f64 / all.changed as f64));
    let why = not_graded.iter().map(|it| format!("not graded: {}: {}", it.test, it.reason));
    all.notes = why.collect();
    if tests.len() > 1 {
        all.tests = tests.iter().map(one).collect();
        let score = |test: &GradedTest| test.score.map_or(-1.0, |score| score.0);
        all.tests.sort_by(|one, other| score(one).total_cmp(&score(other)));
    }
    all
}

fn one(grade: &Grade) -> GradedTest {
    GradedTest {
        test: grade.request.operation.clone(),
        changed: grade.changed,
        caught_by_test: grade.caught_by_test,
        score: grade.score,
    }
}

/// Adds the counts of a kind of fault.
fn add(all: &mut Vec<GradedClass>, class: &GradedClass) {
    match all.iter_mut().find(|it| it.class == class.class) {
        None => all.push(class.clone()),
        Some(known) => {
            known.injected += class.injected;
            known.ended += class.ended;
            known.changed += class.changed;
            known.caught_by_test += class.caught_by_test;
            known.caught_by_tool += class.caught_by_tool;
        }
    }
}
