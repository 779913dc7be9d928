//! What lines of kernels cost: a call counts for its own line and for the lines that led to it.

use std::collections::{BTreeMap, BTreeSet};

use tilewright_machine::Processor;

use super::Timeline;

/// Cycles of a line on a processor, over all cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineTotal {
    /// Cycles of work.
    pub work: u64,
    /// Cycles of waits.
    pub waits: u64,
    /// Calls and waits.
    pub times: u64,
}

/// A file, a line and a processor.
pub type LineKey = (&'static str, u32, Processor);

impl Timeline {
    /// What each line costs on each processor; lines of no file are left out.
    pub fn line_totals(&self) -> BTreeMap<LineKey, LineTotal> {
        let mut sums: BTreeMap<LineKey, LineTotal> = BTreeMap::new();
        for lane in self.cores.iter().flat_map(|core| &core.lanes) {
            for (doing, site, total) in lane.totals() {
                let all = std::iter::once(site).chain(site.callers());
                let places: BTreeSet<_> = all.map(|it| (it.file, it.line)).collect();
                for (file, line) in places.into_iter().filter(|(file, _)| !file.is_empty()) {
                    let sum = sums.entry((file, line, lane.processor)).or_default();
                    *(if doing.is_stall() { &mut sum.waits } else { &mut sum.work }) +=
                        total.cycles;
                    sum.times += total.times;
                }
            }
        }
        sums
    }
}
