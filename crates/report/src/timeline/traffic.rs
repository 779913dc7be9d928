//! Bytes over the networks and to the banks of DRAM, over simulated time.
//!
//! A transfer counts in the span of time in which it ended. Spans are doubled while a run grows, so
//! that there are never more than a chart shows.

use std::collections::BTreeMap;

use super::transfer::{Transfer, TransferKind};

/// Where bytes went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Series {
    /// Over a network, into the L1 of the core that asked for them.
    Read {
        /// The network, 0 or 1.
        noc: u8,
    },
    /// Over a network, out of it; atomics count with their four bytes.
    Written {
        /// The network, 0 or 1.
        noc: u8,
    },
    /// To or from a bank of DRAM.
    Bank(u8),
}

impl Series {
    /// The words that reports use.
    pub fn name(self) -> String {
        match self {
            Series::Read { noc } => format!("NoC {noc} reads"),
            Series::Written { noc } => format!("NoC {noc} writes"),
            Series::Bank(bank) => format!("DRAM bank {bank}"),
        }
    }
}

/// Spans that are kept.
const SPANS: usize = 256;

/// Bytes by span of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Cycles of a span.
    pub grain: u64,
    /// Bytes in each span; spans after the last that has any are left out.
    pub series: BTreeMap<Series, Vec<u64>>,
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic { grain: 16, series: BTreeMap::new() }
    }
}

impl Traffic {
    pub(super) fn add(&mut self, transfer: &Transfer) {
        let noc = transfer.noc as u8;
        let network = match transfer.kind {
            TransferKind::Read => Series::Read { noc },
            TransferKind::Write | TransferKind::Atomic => Series::Written { noc },
        };
        let bank = transfer.bank.map(Series::Bank);
        for series in std::iter::once(network).chain(bank) {
            self.put(series, transfer.end, u64::from(transfer.bytes));
        }
    }

    fn put(&mut self, series: Series, cycle: u64, bytes: u64) {
        while cycle / self.grain >= SPANS as u64 {
            self.grain *= 2;
            for spans in self.series.values_mut() {
                *spans = spans.chunks(2).map(|pair| pair.iter().sum()).collect();
            }
        }
        let (spans, at) = (self.series.entry(series).or_default(), (cycle / self.grain) as usize);
        spans.resize(spans.len().max(at + 1), 0);
        spans[at] += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_grow_with_the_run_and_no_byte_is_lost() {
        let mut traffic = Traffic::default();
        for turn in 0..10_000 {
            traffic.put(Series::Read { noc: 0 }, 7 * turn, 32);
            traffic.put(Series::Bank((turn % 3) as u8), 7 * turn, 32);
        }
        assert_eq!(traffic.grain, 512, "70,000 cycles in 256 spans");
        assert!(traffic.series.values().all(|spans| spans.len() <= SPANS));
        let sum = |series: Series| traffic.series[&series].iter().sum::<u64>();
        assert_eq!(sum(Series::Read { noc: 0 }), 320_000);
        assert_eq!((0..3).map(|bank| sum(Series::Bank(bank))).sum::<u64>(), 320_000);
    }
}
