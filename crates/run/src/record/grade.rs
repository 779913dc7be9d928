//! The answer of `tilewright grade`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Request;
use super::number::Number;

/// How many single faults of a program a test would notice.
///
/// Every injected fault is one of: `ended`, `changed`, `latent` or `equivalent`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grade {
    /// What the test runs.
    pub request: Request,
    /// How it compares its outputs.
    pub comparison: GradeComparison,
    /// Faults that were tried, one run each.
    pub injected: usize,
    /// Faults with which the run does not complete: every test notices, so that they do not count.
    pub ended: usize,
    /// Faults that change a value of an output.
    pub changed: usize,
    /// Faults that change no value here, but that a tool finds.
    pub latent: usize,
    /// Faults that change no value here and that no tool finds; never counted as caught.
    pub equivalent: usize,
    /// Value-changing faults that the test's own comparison catches.
    pub caught_by_test: usize,
    /// Value-changing faults that a tool finds, whether or not the test catches them.
    pub caught_by_tool: usize,
    /// Value-changing faults that take an element outside its derived bound.
    pub caught_by_bound: usize,
    /// Value-changing faults that neither the test nor a tool nor the bound catches.
    pub caught_by_nobody: usize,
    /// `caught_by_test` over `changed`; null if no fault changes a value.
    pub score: Option<Number>,
    /// The least score that is enough; null unless given. The exit code is 1 below it, else 0.
    pub threshold: Option<Number>,
    /// The same by kinds of faults.
    pub classes: Vec<GradedClass>,
    /// Value-changing faults that the test's own comparison misses.
    pub uncaught: Vec<GradedFault>,
    /// Faults that change no value, with the reason.
    pub equivalents: Vec<EquivalentFault>,
    /// The tests that the grade is of, the worst first, if they compare by themselves and are
    /// several; left out otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<GradedTest>,
    /// What `--suggest` proposes; left out without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<TestPlan>,
    /// What a reader should know before trusting the score.
    pub notes: Vec<String>,
}

/// One of several tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GradedTest {
    /// The test.
    pub test: String,
    /// Faults that change a value.
    pub changed: usize,
    /// Value-changing faults that the test catches.
    pub caught_by_test: usize,
    /// `caught_by_test` over `changed`; null if no fault changes a value.
    pub score: Option<Number>,
}

/// A test's own comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GradeComparison {
    /// The absolute tolerance; null if there is none.
    pub atol: Option<Number>,
    /// The tolerance relative to the right value; null if there is none.
    pub rtol: Option<Number>,
    /// The least correlation with the right values; null if there is none.
    pub pcc: Option<Number>,
    /// Whether every element is compared with its derived bound, or the manifest's tolerance: so if
    /// all three are null.
    pub is_bound: bool,
    /// What a test that compares by itself goes by, such as its exit code; left out for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
}

/// Faults of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GradedClass {
    /// The kind, such as `dropped-tile`.
    pub class: String,
    /// What is wrong with such a kernel.
    pub about: String,
    /// Faults that were tried.
    pub injected: usize,
    /// Faults with which the run does not complete.
    pub ended: usize,
    /// Faults that change a value.
    pub changed: usize,
    /// Value-changing faults that the test catches.
    pub caught_by_test: usize,
    /// Value-changing faults that a tool finds.
    pub caught_by_tool: usize,
    /// Value-changing faults that the derived bound catches.
    pub caught_by_bound: usize,
}

/// A fault that gets past a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GradedFault {
    /// Its kind.
    pub class: String,
    /// What is changed.
    pub edit: String,
    /// The source file; null if it is no call.
    pub file: Option<String>,
    /// The line; null if it is no call.
    pub line: Option<u32>,
    /// The program, counted from 0.
    pub program: usize,
    /// Kinds of findings by which tools notice it.
    pub findings: Vec<String>,
    /// Whether an element is outside its derived bound.
    pub is_beyond_bound: bool,
    /// The least absolute tolerance that accepts the faulty outputs, with the test's `rtol`; null
    /// where the test compares by itself.
    pub atol_needed: Option<Number>,
    /// The smallest change to the test that was seen to catch it; null if none was tried or found.
    pub suggestion: Option<String>,
}

/// A fault that changes no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EquivalentFault {
    /// Its kind.
    pub class: String,
    /// What is changed.
    pub edit: String,
    /// The source file; null if it is no call.
    pub file: Option<String>,
    /// The line; null if it is no call.
    pub line: Option<u32>,
    /// Why no value changes.
    pub reason: String,
    /// Whether that holds for all inputs and schedules.
    pub is_proven: bool,
}

/// The fewest tests that catch everything that any tried test catches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestPlan {
    /// The tests, the present one first, with the tolerance that its bounds justify.
    pub tests: Vec<PlannedTest>,
    /// Faults that change a value in any test that was tried.
    pub catchable: usize,
    /// How many of them the plan catches.
    pub caught: usize,
    /// Tests that were tried.
    pub tried: usize,
}

/// One test of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedTest {
    /// What the inputs hold.
    pub input: String,
    /// The shape of the first input.
    pub shape: String,
    /// The absolute tolerance that the bounds justify; null where elements are compared with them.
    pub atol: Option<Number>,
    /// Faults that this test catches and those before it do not.
    pub catches: usize,
    /// The command that grades it.
    pub command: String,
}
