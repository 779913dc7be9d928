//! `tilewright grade`: which faults would a test notice?

use tilewright_report::record::{Failure, Number};
use tilewright_report::{json, terminal};
use tilewright_run::grade::{Comparison, Grading};

use crate::args::Grade;
use crate::output::{Output, Status};

/// Injects single faults into a test's run and shows who notices them.
pub fn grade(asked: &Grade, output: &Output) -> Result<Status, Failure> {
    let comparison = Comparison { atol: asked.atol, rtol: asked.rtol, pcc: asked.pcc };
    let grading = Grading { rtol: asked.rtol, ..Grading::new(asked.run.request()?) };
    let front = output.front();
    let graded = grading.run_with(&front)?;
    let mut record = match asked.suggest {
        true => grading.suggest(&graded, comparison, &front)?,
        false => graded.record(comparison)?,
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
