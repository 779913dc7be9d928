//! The answer of `tilewright trace` and `tilewright report`: the run, and the files drawn of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Diff, Run, RunVerdict};
use crate::timeline::Timeline;

/// A run and the files that show it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Drawn {
    /// What the run comes to, as for `tilewright run`; so is the exit code.
    pub verdict: RunVerdict,
    /// The files that were written.
    pub files: Vec<Written>,
    /// The programs that ran, one after the other.
    pub programs: Vec<DrawnProgram>,
    /// The run itself: the answer of `tilewright run` for the same request.
    pub run: Run,
}

/// A program on two devices, and the files that show it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DrawnDevices {
    /// The worse of the two.
    pub verdict: RunVerdict,
    /// The page that compares both, then the page of each.
    pub files: Vec<Written>,
    /// What differs: the answer of `tilewright diff` for the same request.
    pub diff: Diff,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Written {
    /// Where.
    pub path: String,
    /// What it is: `perfetto`, `jsonl`, `html` or `capture`.
    pub format: String,
    /// Its size.
    pub bytes: u64,
}

/// How much of a program is in the files. Cycles are estimates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawnProgram {
    /// Its name.
    pub name: String,
    /// When it began, counted from the first program's beginning.
    pub begin: u64,
    /// How long it took.
    pub cycles: u64,
    /// Cores that have a kernel.
    pub cores: usize,
    /// Slices of all processors.
    pub slices: usize,
    /// Slices before any were joined for want of room.
    pub slices_seen: u64,
    /// Levels of all circular buffers.
    pub levels: usize,
    /// Transfers that are drawn.
    pub transfers: usize,
    /// Transfers in all.
    pub transfers_seen: u64,
}

impl From<&Timeline> for DrawnProgram {
    fn from(timeline: &Timeline) -> DrawnProgram {
        let lanes = || timeline.cores.iter().flat_map(|core| &core.lanes);
        let rings = timeline.cores.iter().flat_map(|core| &core.rings);
        let joined = lanes().flat_map(|lane| &lane.slices).map(|slice| u64::from(slice.joined));
        DrawnProgram {
            name: timeline.program.clone(),
            begin: timeline.start,
            cycles: timeline.cycles,
            cores: timeline.cores.len(),
            slices: lanes().map(|lane| lane.slices.len()).sum(),
            slices_seen: joined.sum(),
            levels: rings.map(|ring| ring.levels.len()).sum(),
            transfers: timeline.transfers.len(),
            transfers_seen: timeline.transfers.len() as u64 + timeline.transfers_left_out,
        }
    }
}
