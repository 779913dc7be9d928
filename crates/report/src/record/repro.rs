//! The answer of `tilewright repro`.

use schemars::JsonSchema;
use serde::Serialize;
use tilewright_ops::layernorm::graded::GradedTest;
use tilewright_run::repro::{Reproduced, Row};

use super::{Grade, Number};

/// The published failure of LayerNorm backward and our kernel, on the tests that were reported.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Repro {
    /// One for each test. The exit code is 0 if every `ours_worst_ratio` is at most 1, else 1.
    pub rows: Vec<ReproRow>,
    /// The reported tests in small, graded by the faults that they notice; empty if `--only` leaves
    /// them out.
    pub graded: Vec<ReproGrade>,
}

/// A reported test in small, graded: the repaired kernel with single faults injected, and with each
/// of those that were reported.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReproGrade {
    /// Its name.
    pub test: String,
    /// The shape of x.
    pub shape: String,
    /// Its absolute tolerance.
    pub atol: Number,
    /// Faults that change a value of a gradient.
    pub changed: usize,
    /// Those that the test's tolerance catches.
    pub caught_by_test: usize,
    /// Those that tools report.
    pub caught_by_tool: usize,
    /// Those that the derived bounds catch.
    pub caught_by_bound: usize,
    /// `caught_by_test` over `changed`; null if nothing changes.
    pub score: Option<Number>,
    /// The reported faults that change a value and get past the test.
    pub missed: Vec<String>,
}

impl ReproGrade {
    /// The grade of a test.
    fn new(test: &GradedTest, grade: &Grade) -> ReproGrade {
        let reported = grade.uncaught.iter().filter(|fault| fault.class == "reported");
        ReproGrade {
            test: test.name.to_owned(),
            shape: test.shape().to_string(),
            atol: Number(test.atol),
            changed: grade.changed,
            caught_by_test: grade.caught_by_test,
            caught_by_tool: grade.caught_by_tool,
            caught_by_bound: grade.caught_by_bound,
            score: grade.score,
            missed: reported.map(|fault| fault.edit.clone()).collect(),
        }
    }
}

/// One reported test. Errors are differences of dx from its exact value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReproRow {
    /// Its name.
    pub test: String,
    /// The largest error that was reported for the card; null if none was.
    pub published_max: Option<Number>,
    /// The largest error of the faulty kernel in simulation.
    pub faulty_max: Number,
    /// The mean error that was reported for the card; null if none was.
    pub published_mean: Option<Number>,
    /// The mean error of the faulty kernel in simulation, summed one after another in f32 as the
    /// report's script did; it may exceed the largest error.
    pub faulty_mean: Number,
    /// The largest error of our kernel in simulation.
    pub ours_max: Number,
    /// Our largest error over bound; at most 1 is inside.
    pub ours_worst_ratio: Number,
    /// The tolerance that the test judged by; null if it judged by none.
    pub tolerance: Option<Number>,
}

impl From<&Reproduced> for Repro {
    fn from(all: &Reproduced) -> Repro {
        let graded = all.graded.iter().map(|(test, grade)| ReproGrade::new(test, grade));
        Repro { rows: all.rows.iter().map(ReproRow::from).collect(), graded: graded.collect() }
    }
}

impl Repro {
    /// Whether our kernel is inside its bounds on every row.
    pub fn is_in_bound(&self) -> bool {
        self.rows.iter().all(ReproRow::is_in_bound)
    }
}

impl ReproRow {
    /// Whether our kernel is inside its bounds.
    pub fn is_in_bound(&self) -> bool {
        self.ours_worst_ratio.0 <= 1.0
    }
}

impl From<&Row> for ReproRow {
    fn from(row: &Row) -> ReproRow {
        ReproRow {
            test: row.case.name.to_owned(),
            published_max: row.case.published_max.map(Number),
            faulty_max: Number(row.faulty_max),
            published_mean: row.case.published_mean.map(Number),
            faulty_mean: Number(row.faulty_mean),
            ours_max: Number(row.ours_max),
            ours_worst_ratio: Number(row.ours_worst_ratio),
            tolerance: row.case.tolerance.map(Number),
        }
    }
}
