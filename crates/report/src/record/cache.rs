//! The answer of `tilewright cache`.

use schemars::JsonSchema;
use serde::Serialize;

/// What the cache of compiled kernels holds, and what was removed from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cache {
    /// Its folder.
    pub folder: String,
    /// Entries that it holds.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that it may take before the entries used longest ago are removed.
    pub bytes_max: u64,
    /// Entries that this command removed.
    pub removed_entries: u64,
    /// Their bytes.
    pub removed_bytes: u64,
}
