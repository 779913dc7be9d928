//! The answer of `tilewright doctor`.

use schemars::JsonSchema;
use serde::Serialize;

/// What this computer has, and what each is needed for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Doctor {
    /// One entry for each thing that was looked for.
    pub facts: Vec<Fact>,
}

/// One thing that was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fact {
    /// What was looked for.
    pub what: String,
    /// Whether it is there.
    pub is_there: bool,
    /// What was found, or where it was looked for.
    pub detail: String,
    /// What it is needed for.
    pub needed_for: String,
    /// What to do if it is missing and wanted.
    pub help: Option<String>,
}
