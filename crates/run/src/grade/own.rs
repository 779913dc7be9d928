//! Tests that compare by themselves: a host program by its exit code, a Python test by its
//! assertions. Whoever runs them tries the faults; here they are listed and counted.

use serde::{Deserialize, Serialize};

use super::comparison::{Comparison, Distance};
use super::fault::Fault;
use super::places::Places;
use super::trial::Trial;
use super::{Graded, tally, wire};
use crate::injection::Injection;
use crate::record;

/// A witness that lists the faults of a run; its testimony is a JSON list of [`ListedFault`].
pub type FaultLister = Places;

/// A fault that fits a run, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListedFault {
    /// Its kind, such as `dropped-tile`.
    pub class: String,
    /// What is changed.
    pub edit: String,
    /// The source file, if it is a call.
    pub file: Option<String>,
    /// The line, if it is a call.
    pub line: Option<u32>,
    /// The change itself, for [`ListedFault::injection`].
    pub form: serde_json::Value,
}

impl ListedFault {
    pub(super) fn of(fault: &Fault) -> Option<ListedFault> {
        let site = fault.site();
        Some(ListedFault {
            class: fault.class.name().to_owned(),
            edit: fault.text(),
            file: site.map(|site| site.file.to_owned()),
            line: site.map(|site| site.line),
            form: wire::form(fault)?,
        })
    }

    /// The fault for a run; nothing if it was listed by another version.
    pub fn injection(&self) -> Option<Injection> {
        match self.fault()?.cause {
            super::Cause::Injected(injection) => Some(injection),
            super::Cause::Reported(..) => None,
        }
    }

    fn fault(&self) -> Option<Fault> {
        wire::fault(self.form.clone())
    }
}

/// What came of a test with one fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The fault.
    pub fault: ListedFault,
    /// The number of the run that it was injected into, if the test makes several.
    pub program: usize,
    /// Whether the run did not complete.
    pub ended: bool,
    /// Whether a value of an output is another one.
    pub changed: bool,
    /// Kinds of findings that the test without a fault does not have.
    pub findings: Vec<String>,
    /// Whether the test fails.
    pub noticed: bool,
}

/// The grade of a test that compares by itself, in words: `its exit code`.
pub fn own_grade(name: &str, comparison: &str, tried: &[Tried]) -> record::Grade {
    let all = tried.iter().filter_map(|it| Some((located(it)?, trial(it))));
    let graded = Graded {
        echo: record::Request::unknown(name),
        rtol: None,
        clean: Distance::NONE,
        notes: Vec::new(),
        justified_atol: None,
        faults: all.collect(),
        hint: "other inputs may show them",
    };
    // A test that accepts has no distance from what it wants, and one that fails an infinite one.
    let exact = Comparison { atol: Some(0.0), ..Comparison::default() };
    let mut grade = tally::record(&graded, exact);
    grade.comparison.atol = None;
    grade.comparison.own = Some(comparison.to_owned());
    grade.uncaught.iter_mut().for_each(|fault| fault.atol_needed = None);
    grade
}

/// The fault with the number of its run.
fn located(tried: &Tried) -> Option<Fault> {
    let mut fault = tried.fault.fault()?;
    if let super::Cause::Injected(injection) = &mut fault.cause {
        injection.program = tried.program;
    }
    Some(fault)
}

fn trial(tried: &Tried) -> Trial {
    let ended = tried.ended.then(|| "does not complete".to_owned());
    let atol = if tried.noticed { f64::INFINITY } else { 0.0 };
    let distance = Distance { atol, ..Distance::NONE };
    let mut trial = Trial::new(ended, tried.findings.clone(), distance);
    trial.is_changed = tried.changed;
    trial
}
