//! `tilewright grade`: which faults would a test notice?

use tilewright_report::record::{self, Failure, Number};
use tilewright_report::{json, terminal};
use tilewright_run::grade::{Comparison, Grading};

use crate::args::Grade;
use crate::output::{Output, Status};

/// Injects single faults into a test's run and shows who notices them.
pub fn grade(asked: &Grade, output: &Output) -> Result<Status, Failure> {
    let mut record = match subject(&asked.run.name) {
        Subject::Run => of_run(asked, output)?,
        Subject::HostProgram => {
            refuse_comparison(asked)?;
            of_host_program(asked, output)?
        }
        Subject::PythonTest => {
            refuse_comparison(asked)?;
            let progress = output.progress();
            tilewright_develop::grade_tests(&asked.run.name, asked.python.as_deref(), &progress)?
        }
    };
    record.threshold = asked.threshold.map(Number);
    let is_enough = match (record.score, record.threshold) {
        (Some(score), Some(least)) => score.0 >= least.0,
        (None, Some(_)) => false,
        (_, None) => true,
    };
    let status = if is_enough { Status::Clean } else { Status::Found };
    Ok(output.answer(|| json::text(&record), |paint| terminal::grade(&record, paint), status))
}

/// What is graded.
enum Subject {
    /// A run, with a comparison that the arguments state.
    Run,
    /// A host program, by its exit code.
    HostProgram,
    /// Tests in Python, by their assertions.
    PythonTest,
}

fn subject(name: &str) -> Subject {
    let file = name.split("::").next().unwrap_or(name);
    let ends = |endings: &[&str]| endings.iter().any(|end| file.ends_with(end));
    match (ends(&[".py"]), ends(&[".cpp", ".cc", ".cxx"])) {
        (true, _) => Subject::PythonTest,
        (_, true) => Subject::HostProgram,
        (false, false) => Subject::Run,
    }
}

/// Grades the run that the arguments describe.
fn of_run(asked: &Grade, output: &Output) -> Result<record::Grade, Failure> {
    let comparison = Comparison { atol: asked.atol, rtol: asked.rtol, pcc: asked.pcc };
    let grading = Grading { rtol: asked.rtol, ..Grading::new(asked.run.request()?) };
    let front = output.front();
    let graded = grading.run_with(&front)?;
    match asked.suggest {
        true => grading.suggest(&graded, comparison, &front),
        false => graded.record(comparison),
    }
}

/// Programs and tests that compare by themselves take no comparison.
fn refuse_comparison(asked: &Grade) -> Result<(), Failure> {
    let given = [
        ("--atol", asked.atol.is_some()),
        ("--rtol", asked.rtol.is_some()),
        ("--pcc", asked.pcc.is_some()),
        ("--suggest", asked.suggest),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((flag, _)) => {
            Err(Failure::new(format!("{flag}: `{}` compares by itself", asked.run.name)).help(
                "an operation, a manifest or a capture can be graded with a comparison of yours",
            ))
        }
    }
}

#[cfg(target_os = "linux")]
fn of_host_program(asked: &Grade, output: &Output) -> Result<record::Grade, Failure> {
    let file = std::path::PathBuf::from(&asked.run.name);
    let host = tilewright_host::Exec {
        program: tilewright_host::HostProgram::Source {
            file,
            include_paths: Vec::new(),
            arguments: Vec::new(),
        },
        arguments: Vec::new(),
        request: tilewright_run::Request {
            is_repeated_on_few_cores: false,
            ..asked.run.request()?
        },
        streams: tilewright_host::Streams::Kept,
        launch: 1,
        is_captured: false,
    };
    tilewright_host::grade(&host, &output.front())
}

#[cfg(not(target_os = "linux"))]
fn of_host_program(_: &Grade, _: &Output) -> Result<record::Grade, Failure> {
    Err(Failure::new("C++ host programs run on Linux only"))
}
