//! The answer of `tilewright capture`.

use schemars::JsonSchema;
use serde::Serialize;

use super::Written;

/// A capture that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Capture {
    /// The file.
    pub file: Written,
    /// The names of the programs in it, in the order in which they run.
    pub programs: Vec<String>,
    /// How many files of source code are in it: kernels, and headers that they include.
    pub sources: usize,
    /// How many tensors are in it.
    pub tensors: usize,
    /// The outputs of which it holds what they must be.
    pub compared: Vec<String>,
    /// The seed that its runs have unless another is given.
    pub seed: u64,
}
