//! The answer of `tilewright completions`.

use schemars::JsonSchema;
use serde::Serialize;

/// What a shell needs to complete commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Completions {
    /// The shell.
    pub shell: String,
    /// The script for it.
    pub script: String,
}
