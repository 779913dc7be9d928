//! The answer of `tilewright vectors`.

use schemars::JsonSchema;
use serde::Serialize;
use tilewright_golden::{self as golden, Conformance};

/// Golden data against the simulated machine, bit for bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Vectors {
    /// What it comes to. The exit code is 0 for `pass`, 1 for `fail` and 2 for `unjudged`.
    pub verdict: VectorsVerdict,
    /// Cases that gave every bit.
    pub passed: usize,
    /// Cases that did not.
    pub failed: usize,
    /// Whole kernels in the folder, which this check does not run.
    pub kernels_not_checked: usize,
    /// The counts of each group.
    pub groups: Vec<Group>,
    /// How each failed case failed, in the order of the files.
    pub mismatches: Vec<Mismatch>,
}

/// What golden data comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VectorsVerdict {
    /// There are cases, and every one gave every bit.
    Pass,
    /// There is no case that this command checks.
    Unjudged,
    /// At least one case did not.
    Fail,
}

/// How many cases of a group passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Group {
    /// The group: the name of its file.
    pub name: String,
    /// Cases that gave every bit.
    pub passed: usize,
    /// Cases that did not.
    pub failed: usize,
}

/// How a case failed: the first value that differs, or why there is none to compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mismatch {
    /// The group that the case is in.
    pub group: String,
    /// The case.
    pub case: String,
    /// The field of the case; for a table, the column.
    pub field: String,
    /// The first value that differs, counted through all arrays of the field; for a table, the
    /// row; null if nothing could be compared.
    pub index: Option<usize>,
    /// The bits in the golden data, hexadecimal after `0x`.
    pub wanted_bits: Option<String>,
    /// The bits that came out, hexadecimal after `0x`.
    pub got_bits: Option<String>,
    /// How many values of the field differ.
    pub differences: usize,
    /// Why nothing could be compared.
    pub refusal: Option<String>,
}

impl From<&golden::Summary> for Vectors {
    fn from(summary: &golden::Summary) -> Vectors {
        let group = |group: &golden::GroupCount| Group {
            name: group.name.clone(),
            passed: group.passed,
            failed: group.failed,
        };
        let verdict = match summary.conformance() {
            Conformance::Unjudged => VectorsVerdict::Unjudged,
            Conformance::Full => VectorsVerdict::Pass,
            Conformance::Broken => VectorsVerdict::Fail,
        };
        Vectors {
            verdict,
            passed: summary.passed,
            failed: summary.failed.len(),
            kernels_not_checked: summary.kernels_not_checked,
            groups: summary.groups.iter().map(group).collect(),
            mismatches: summary.failed.iter().map(Mismatch::from).collect(),
        }
    }
}

impl From<&golden::Mismatch> for Mismatch {
    fn from(mismatch: &golden::Mismatch) -> Mismatch {
        let is_compared = mismatch.refusal.is_none();
        let bits = |bits: u32| is_compared.then(|| format!("{bits:#x}"));
        Mismatch {
            group: mismatch.group.clone(),
            case: mismatch.case.clone(),
            field: mismatch.field.clone(),
            index: is_compared.then_some(mismatch.index),
            wanted_bits: bits(mismatch.wanted_bits),
            got_bits: bits(mismatch.got_bits),
            differences: mismatch.differences,
            refusal: mismatch.refusal.clone(),
        }
    }
}
