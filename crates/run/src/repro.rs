//! The published failure of LayerNorm backward, reproduced: the faulty kernel and ours on the tests
//! that were reported, and those tests graded.

use std::sync::Arc;

use tilewright_metal::{Device, Ending, Prepared, RunOptions};
use tilewright_ops::OpError;
use tilewright_ops::judge::judge;
use tilewright_ops::layernorm::graded::{GradedTest, TESTS};
use tilewright_ops::layernorm::published::Faults;
use tilewright_ops::layernorm::reference;
use tilewright_ops::layernorm::repro::{CASES, Case, prepare_ours, prepare_published};

use crate::grade::{Comparison, Grading, published};
use crate::progress::{FrontEnd, Progress};
use crate::record::{self, Failure};
use crate::request::Request;

/// The card of the report.
const CARD: &str = "n150";

/// What a case gives here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The test.
    pub case: Case,
    /// The largest error of the faulty kernel's dx.
    pub faulty_max: f64,
    /// Its mean error, summed one after another in f32, as the report's script did.
    pub faulty_mean: f64,
    /// The largest error of our dx.
    pub ours_max: f64,
    /// How near our worst element came to its bound; at most 1 is inside.
    pub ours_worst_ratio: f64,
}

/// What all tests give here.
#[derive(Clone, Debug)]
pub struct Reproduced {
    /// The reported tests.
    pub rows: Vec<Row>,
    /// Those that are graded, with their grades.
    pub graded: Vec<(GradedTest, record::Grade)>,
}

/// Runs the reported tests whose names contain a text, or all of them.
pub fn reproduce(
    only: Option<&str>,
    threads: Option<usize>,
    front: &Arc<dyn FrontEnd>,
) -> Result<Reproduced, Failure> {
    let (cases, tests) = chosen(only)?;
    let usual = RunOptions::default();
    let options = RunOptions { threads: threads.unwrap_or(usual.threads), ..usual };
    let progress = Progress::new(front);
    let mut rows = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        progress.bar("reported tests", index as u64, cases.len() as u64);
        let wrong = |error| Failure::new(format!("{}: {error}", case.name));
        let card = || Device::named(CARD).expect("it is known");
        rows.push(Row::of(case, &card, options).map_err(wrong)?);
    }
    drop(progress);
    let grade = |test: &GradedTest| {
        let grading = published(*test);
        let request = Request { threads, ..grading.request.clone() };
        let graded = Grading { request, ..grading }.run_with(front)?;
        let comparison = Comparison { atol: Some(test.atol), ..Comparison::default() };
        Ok((*test, graded.record(comparison)?))
    };
    Ok(Reproduced { rows, graded: tests.iter().map(grade).collect::<Result<_, Failure>>()? })
}

/// The tests whose names contain a text, and those that are graded.
fn chosen(only: Option<&str>) -> Result<(Vec<Case>, Vec<GradedTest>), Failure> {
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
            .help(format!("known: {}", names.join(", "))));
    }
    Ok((cases, graded))
}

impl Row {
    /// Runs the faulty kernel and ours on the same data, each on a device of its own.
    pub fn of(
        case: &Case,
        device: &dyn Fn() -> Device,
        options: RunOptions,
    ) -> Result<Row, OpError> {
        let (shape, inputs) = (case.shape(), case.inputs());
        let mut card = device();
        let (program, outputs) =
            prepare_published(&mut card, &shape, &inputs, Faults::PUBLISHED, 0.0)?;
        completed("the published kernel", &Prepared::from(program), &mut card, options)?;
        let faulty = outputs.dx.to_host(&mut card)?.to_f32();
        let exact = reference::dx(&inputs);
        let errors = faulty.iter().zip(&exact);
        let errors = errors.map(|(got, exact)| (f64::from(*got) - exact.value).abs() as f32);
        let errors: Vec<f32> = errors.collect();
        let mut card = device();
        let mut prepared = prepare_ours(&mut card, &shape, inputs)?;
        // The first program makes dx, the second the rest.
        prepared.programs.truncate(1);
        completed("our kernel", &prepared, &mut card, options)?;
        let ours = judge(&prepared.outputs[0].tensor.to_host(&mut card)?.to_f32(), &exact);
        Ok(Row {
            case: *case,
            faulty_max: f64::from(errors.iter().copied().fold(0.0, f32::max)),
            faulty_mean: f64::from(sequential_mean(&errors)),
            ours_max: ours.max_abs_error,
            ours_worst_ratio: ours.worst.ratio,
        })
    }
}

/// Runs programs that are expected to complete.
fn completed(
    who: &str,
    prepared: &Prepared,
    device: &mut Device,
    options: RunOptions,
) -> Result<(), OpError> {
    let outcomes = prepared.run(device, options, &mut [])?;
    match outcomes.last().map(|outcome| &outcome.ending) {
        Some(Ending::Completed) => Ok(()),
        ending => Err(OpError::Invalid(format!("{who} did not complete: {ending:?}"))),
    }
}

/// f32 additions one after another, which lose digits as the sum grows: that is how the report's
/// mean came to lie above its maximum.
fn sequential_mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}
