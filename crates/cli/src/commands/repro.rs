//! `tilewright repro`: the published failure of LayerNorm backward beside our kernel.

use tilewright_metal::RunOptions;
use tilewright_ops::layernorm::graded::{GradedTest, TESTS};
use tilewright_ops::layernorm::repro::{CASES, Case};
use tilewright_report::record::{self, Failure};
use tilewright_report::{json, terminal};
use tilewright_run::Request;
use tilewright_run::grade::{Comparison, Grading, published};

use crate::args::Repro;
use crate::output::{Output, Status};

/// Runs the reported tests and shows what was published, what the faulty kernel gives here, and
/// what ours gives.
pub fn repro(asked: &Repro, output: &Output) -> Result<Status, Failure> {
    let (cases, tests) = cases(asked.only.as_deref())?;
    let options = RunOptions { threads: asked.threads.count(), ..RunOptions::default() };
    let progress = output.progress();
    let mut rows = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        progress.show(&format!("{} of {}: {}", index + 1, cases.len(), case.name));
        let wrong = |error| Failure::new(format!("{}: {error}", case.name));
        rows.push(case.run(options).map_err(wrong)?);
    }
    drop(progress);
    let mut graded = Vec::new();
    for test in &tests {
        let grading = published(*test);
        let request = Request { threads: asked.threads.asked(), ..grading.request.clone() };
        let grade = Grading { request, ..grading }.run_with(&output.front())?;
        let comparison = Comparison { atol: Some(test.atol), ..Comparison::default() };
        graded.push(record::ReproGrade::new(test, &grade.record(comparison)?));
    }
    let repro = record::Repro::new(&rows, graded);
    let status = if repro.is_in_bound() { Status::Clean } else { Status::Found };
    let text = |paint| terminal::repro(&repro, paint);
    Ok(output.answer(|| json::text(&repro), text, status))
}

/// The tests whose names contain a text, and those that are graded.
fn cases(only: Option<&str>) -> Result<(Vec<Case>, Vec<GradedTest>), Failure> {
    let Some(only) = only else { return Ok((CASES.to_vec(), TESTS.to_vec())) };
    let cases: Vec<Case> = CASES.into_iter().filter(|case| case.name.contains(only)).collect();
    let graded_name = |test: &GradedTest| format!("graded {}", test.name);
    let graded = TESTS.into_iter().filter(|test| graded_name(test).contains(only));
    let graded: Vec<GradedTest> = graded.collect();
    if cases.is_empty() && graded.is_empty() {
        let names = CASES.iter().map(|case| case.name.to_owned());
        let names = names.chain(TESTS.iter().map(graded_name));
        let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        return Err(Failure::new(format!("--only: no test has `{only}` in its name"))
            .help(format!("there is {}", names.join(", "))));
    }
    Ok((cases, graded))
}
