//! A program as data: what every front end produces, and all that a run needs besides the tensors'
//! values.
//!
//! The fields are those of tt-metal's `ProgramDescriptor`, and what the author says about tensors.
//! Nothing here depends on a device: `Program::new` checks a description against one and gives
//! buffers their addresses.
//!
//! ```
//! use tilewright_metal::{Device, Program, ProgramDescription};
//!
//! let text = r#"{
//!   "name": "one kernel",
//!   "kernels": [{
//!     "name": "reader",
//!     "source": {"text": {"name": "reader.cpp", "text": "void kernel_main() {}"}},
//!     "core_ranges": [{"start": [0, 0], "end": [1, 0]}],
//!     "config": {"kind": "reader"},
//!     "runtime_args": [{"core": [0, 0], "args": [1024]}]
//!   }],
//!   "cbs": [{
//!     "total_size": 4096,
//!     "core_ranges": [{"start": [0, 0], "end": [1, 0]}],
//!     "format_descriptors": [{"buffer_index": 0, "data_format": "Float16_b", "page_size": 2048}]
//!   }]
//! }"#;
//! let description = ProgramDescription::from_json(text)?;
//! assert_eq!(description.circular_buffers[0].specs[0].pages, 2);
//! let program = Program::new(description, &Device::n150())?;
//! assert_eq!(program.cores().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod circular_buffer;
mod kernel;
mod tensors;
pub(crate) mod words;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::kernel::{
    DataMovementConfig, DataMovementProcessor, KernelConfig, KernelDescription, KernelSource,
    NocSharing, RustKernel, SourceText,
};
pub(crate) use self::tensors::declarations;
pub use self::tensors::{
    ContributionDescription, PaddingRule, RowSumDescription, TensorDescription, TensorRole,
};
use crate::cb_spec::CbDescription;
use crate::core_set::CoreSet;

/// A program: kernels, circular buffers and semaphores on cores, and what is said of tensors.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramDescription {
    /// What reports call it.
    pub name: String,
    /// Its kernels.
    pub kernels: Vec<KernelDescription>,
    /// Its circular buffers.
    #[serde(default, rename = "cbs")]
    #[schemars(with = "Vec<circular_buffer::Form>")]
    pub circular_buffers: Vec<CbDescription>,
    /// Its semaphores.
    #[serde(default)]
    pub semaphores: Vec<SemaphoreDescription>,
    /// The tensors that it reads and makes, and others that lie beside them.
    #[serde(default)]
    pub tensors: Vec<TensorDescription>,
    /// Input tiles that each output must include.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contributions: Vec<ContributionDescription>,
    /// Input tiles that buffers must include.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub row_sums: Vec<RowSumDescription>,
    /// Kinds of findings that its author means.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowances: Vec<Allowance>,
}

/// A semaphore and its first value on cores (tt-metal's `SemaphoreDescriptor`). One id may have
/// several of them on disjoint cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SemaphoreDescription {
    /// Its number; kernels ask for its address by it.
    pub id: u32,
    /// The cores whose word gets the value.
    #[serde(rename = "core_ranges")]
    #[schemars(with = "Vec<words::Rectangle>")]
    pub cores: CoreSet,
    /// The value.
    #[serde(rename = "initial_value")]
    pub initial: u32,
}

/// A kind of finding that the program's author means, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Allowance {
    /// The finding's id, as reports show it.
    pub id: String,
    /// Why it is meant.
    pub reason: String,
}

impl ProgramDescription {
    /// A program without parts.
    pub fn new(name: &str) -> ProgramDescription {
        ProgramDescription { name: name.to_owned(), ..ProgramDescription::default() }
    }

    /// Reads a description.
    pub fn from_json(text: &str) -> Result<ProgramDescription, DescriptionError> {
        serde_json::from_str(text).map_err(|error| DescriptionError::Json(error.to_string()))
    }

    /// Writes the description. Fails if a kernel is in Rust.
    pub fn to_json(&self) -> Result<String, DescriptionError> {
        self.check_serialisable()?;
        let text = serde_json::to_string_pretty(self);
        text.map_err(|error| DescriptionError::Json(error.to_string()))
    }

    /// The JSON schema of descriptions.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(ProgramDescription).into()
    }

    /// Whether all of it is data.
    pub(crate) fn check_serialisable(&self) -> Result<(), DescriptionError> {
        let in_rust = |kernel: &&KernelDescription| matches!(kernel.source, KernelSource::Rust(_));
        let names = self.kernels.iter().filter(in_rust).map(|kernel| kernel.name.clone());
        let kernels: Vec<String> = names.collect();
        if kernels.is_empty() { Ok(()) } else { Err(DescriptionError::RustKernels { kernels }) }
    }
}

/// Why a description cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DescriptionError {
    /// These kernels are functions of this process.
    RustKernels {
        /// Their names.
        kernels: Vec<String>,
    },
    /// The text is not a description.
    Json(String),
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DescriptionError::RustKernels { kernels } => write!(
                f,
                "kernels in Rust are functions of this process and cannot be serialised: `{}`; \
                 use C++ kernels",
                kernels.join("`, `")
            ),
            DescriptionError::Json(why) => write!(f, "not a program description: {why}"),
        }
    }
}

impl std::error::Error for DescriptionError {}
