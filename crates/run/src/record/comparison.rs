//! Answers about several runs: `tilewright check` for several devices, and `tilewright diff`.

use schemars::JsonSchema;
use serde::Serialize;

use super::number::Number;
use super::run::{Run, RunVerdict};

/// One program on several devices, and what differs between them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Devices {
    /// The worst of all. A difference in bits alone makes it no worse.
    pub verdict: RunVerdict,
    /// The run on each device, in the order asked for; `request.device` names it.
    pub runs: Vec<Run>,
    /// Outputs, each on a device against the same on the first; left out where one of the two runs
    /// did not complete.
    pub outputs: Vec<OutputDifference>,
    /// Findings that some devices have and others do not.
    pub findings: Vec<FindingDifference>,
}

/// Two programs beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Diff {
    /// Whether verdicts, findings, cycles and every bit of every output are the same.
    pub is_same: bool,
    /// What was run, as it was named.
    pub names: [String; 2],
    /// The two runs.
    pub runs: [Run; 2],
    /// Outputs that both have; left out where one of the two runs did not complete.
    pub outputs: Vec<OutputDifference>,
    /// Outputs that only one of the two has.
    pub other_outputs: Vec<String>,
    /// Findings that only one of the two has.
    pub findings: Vec<FindingDifference>,
    /// Lines of kernels whose cycles differ, the largest difference first.
    pub lines: Vec<LineDifference>,
}

/// What a line of a kernel costs in two runs, over all cores and processors. A line that calls a
/// function has the function's cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineDifference {
    /// The file's name, without its folder.
    pub file: String,
    /// The line's text; empty if the file could not be read.
    pub text: String,
    /// Its number in each run; null where the file has no such line, or nothing executed it.
    pub line: [Option<u32>; 2],
    /// Cycles of work.
    pub work: [u64; 2],
    /// Cycles of waits.
    pub waits: [u64; 2],
}

/// An output of two runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OutputDifference {
    /// The output.
    pub name: String,
    /// The two runs: devices or names.
    pub between: [String; 2],
    /// Elements in all.
    pub elements: u64,
    /// Elements whose bits differ.
    pub differing: u64,
    /// The first of them, in row-major order; null if there is none.
    pub first_index: Option<u64>,
    /// The largest difference between two elements of finite value.
    pub max_abs_difference: Number,
    /// Whether both are inside their bounds; null if one was compared with nothing.
    pub in_bound: Option<bool>,
}

/// A finding that not all runs have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FindingDifference {
    /// Its kind.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its line, if it has one.
    pub place: Option<String>,
    /// What would help.
    pub help: Option<String>,
    /// The runs that have it: devices or names.
    pub found_in: Vec<String>,
}
