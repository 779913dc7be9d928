//! Would a test notice a fault? Single faults are injected into the run that a test makes, and
//! each is classified by who notices it: the test's own comparison, a tool, the derived bound,
//! nobody. The score of a test is the share of value-changing faults that its comparison catches.
//!
//! ```
//! use tilewright_run::grade::{Comparison, Grading};
//! use tilewright_run::prelude::*;
//!
//! let request = Request::new("eltwise").shape("32x64".parse()?);
//! let loose = Comparison { atol: Some(100.0), ..Comparison::default() };
//! let graded = Grading::new(request).run()?;
//! assert_eq!(graded.record(loose)?.score.map(|score| score.0), Some(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod comparison;
mod fault;
mod own;
mod places;
mod pool;
#[cfg(target_os = "linux")]
mod process;
mod published;
mod suggest;
mod tally;
mod trial;
mod wire;

use std::sync::Arc;

pub use comparison::Comparison;
pub use fault::FaultClass;
pub use own::{FaultLister, ListedFault, Tried, own_grade};
pub use published::published;

use self::comparison::Distance;
use self::fault::{Cause, Fault};
use self::trial::{TestBed, Trial};
use crate::ask::Ask;
use crate::progress::{FrontEnd, Progress, Silent};
use crate::record::{self, Failure};
use crate::request::Request;

/// What is to be graded.
#[derive(Clone, Debug)]
pub struct Grading {
    /// What the test runs: a program that is right.
    pub request: Request,
    /// Programs with faults that were reported, by name: their outputs are those of `request`.
    pub reported: Vec<(String, Request)>,
    /// The tolerance relative to the right value that comparisons have.
    pub rtol: Option<f64>,
}

/// A test whose faults have all been tried.
#[derive(Debug)]
pub struct Graded {
    echo: record::Request,
    rtol: Option<f64>,
    /// How far the outputs without a fault are from the right values.
    clean: Distance,
    notes: Vec<String>,
    /// The least absolute tolerance that accepts every kernel inside its bounds.
    justified_atol: Option<f64>,
    faults: Vec<(Fault, Trial)>,
    /// What may help with faults that have no effect.
    hint: &'static str,
}

impl Grading {
    /// Grades a test of one program.
    pub fn new(request: Request) -> Grading {
        Grading { request, reported: Vec::new(), rtol: None }
    }

    /// The same, with a fault that was reported: a request for the faulty program.
    pub fn reported(mut self, name: &str, request: Request) -> Grading {
        self.reported.push((name.to_owned(), request));
        self
    }

    /// Tries every fault, and shows nobody how far it is.
    pub fn run(&self) -> Result<Graded, Failure> {
        let front: Arc<dyn FrontEnd> = Arc::new(Silent);
        self.run_with(&front)
    }

    /// Tries every fault.
    pub fn run_with(&self, front: &Arc<dyn FrontEnd>) -> Result<Graded, Failure> {
        #[cfg(target_os = "linux")]
        let _guard = process::guarded(&self.request)?;
        let progress = Progress::new(front);
        let ask = Ask::new(&self.request, &progress)?;
        let reported = self.reported.iter().map(|(_, request)| Ask::new(request, &progress));
        let reported = reported.collect::<Result<Vec<_>, _>>()?;
        drop(progress);
        let (test_bed, clean, mut faults) = test_bed(&ask, &reported, self.rtol)?;
        faults.extend(self.reported.iter().enumerate().map(|(number, (name, _))| Fault {
            class: FaultClass::Reported,
            cause: Cause::Reported(name.clone(), number),
            proof: None,
        }));
        let all: Vec<&Fault> = faults.iter().collect();
        let trials = pool::attempt_all(&test_bed, &ask, &all, (front, "faults"))?;
        let mut notes = Vec::new();
        if !clean.findings.is_empty() {
            let ids = clean.findings.join(", ");
            notes.push(format!("found without a fault, and so counted for none: {ids}"));
        }
        Ok(Graded {
            echo: ask.echo(),
            rtol: self.rtol,
            clean: clean.distance(),
            notes,
            justified_atol: test_bed.justified_atol(),
            faults: faults.into_iter().zip(trials).collect(),
            hint: "--suggest tries other ones",
        })
    }

    /// Tries other inputs and shapes on the faults that get past a test, and adds to its grade what
    /// would catch them.
    pub fn suggest(
        &self,
        graded: &Graded,
        comparison: Comparison,
        front: &Arc<dyn FrontEnd>,
    ) -> Result<record::Grade, Failure> {
        #[cfg(target_os = "linux")]
        let _guard = process::guarded(&self.request)?;
        let mut grade = graded.record(comparison)?;
        suggest::suggest(self, graded, comparison, (&mut grade, front))?;
        Ok(grade)
    }
}

/// A test bed that knows the run without a fault, that run, and the faults that fit it.
fn test_bed<'a>(
    ask: &'a Ask<'a>,
    reported: &'a [Ask<'a>],
    rtol: Option<f64>,
) -> Result<(TestBed<'a>, Trial, Vec<Fault>), Failure> {
    let comparison = Comparison { rtol, ..Comparison::default() };
    let mut test_bed = TestBed::new(ask, reported, comparison)?;
    let (clean, trial, faults) = pool::clean(&test_bed, ask)?;
    if let Some(how) = &trial.ended {
        return Err(Failure::new(format!("{}: the run without a fault {how}", ask.name()))
            .help("`tilewright run` says why; a test can be graded once its kernels complete"));
    }
    test_bed.set_clean(clean);
    Ok((test_bed, trial, faults))
}

impl Graded {
    /// The grade of a test that compares in this way; an error if the test fails without a fault,
    /// or has another relative tolerance than the faults were tried with.
    pub fn record(&self, comparison: Comparison) -> Result<record::Grade, Failure> {
        let rtol = |rtol: Option<f64>| rtol.unwrap_or(0.0);
        if rtol(comparison.rtol) != rtol(self.rtol) {
            let (has, tried) = (rtol(comparison.rtol), rtol(self.rtol));
            return Err(Failure::new(format!(
                "the faults were tried with rtol {tried}, not {has}"
            )));
        }
        if !comparison.accepts(&self.clean) {
            return Err(self.fails_without_a_fault(&comparison));
        }
        Ok(tally::record(self, comparison))
    }

    fn fails_without_a_fault(&self, comparison: &Comparison) -> Failure {
        let name = &self.echo.operation;
        let Distance { atol, pcc, .. } = self.clean;
        let failure = Failure::new(format!("{name}: the test fails without any fault"));
        if comparison.is_bound() {
            return failure.help("`tilewright run` shows the elements outside their bounds");
        }
        failure.help(format!("it passes with an atol of {atol:.3e} and a pcc of {pcc:.6}"))
    }
}
