//! The answer of `tilewright check` for several devices.

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

/// An output on two devices.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OutputDifference {
    /// The output.
    pub name: String,
    /// The first device, and the other one.
    pub devices: [String; 2],
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

/// A finding that not all devices have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FindingDifference {
    /// Its kind.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The devices that have it.
    pub devices: Vec<String>,
}
