//! The two networks: who may be addressed, how long a transfer takes, and the counters that
//! barriers read.
//!
//! Bytes land when a transfer completes, not when it is issued.

use crate::architecture::Architecture;
use crate::grid::CoreCoord;
use crate::processor::Barrier;
use crate::timing::Timing;
use crate::units::{DramAddress, L1Address};

/// One of the two networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NocId {
    /// NoC 0.
    Zero,
    /// NoC 1, which flows the other way.
    One,
}

/// A place that a transfer can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NocAddress {
    /// A core's L1.
    L1 {
        /// The core.
        core: CoreCoord,
        /// The byte.
        address: L1Address,
    },
    /// A bank of DRAM.
    Dram(DramAddress),
}

impl NocAddress {
    /// The part of the address that alignment rules apply to.
    pub fn low_bits(self) -> u64 {
        match self {
            NocAddress::L1 { address, .. } => u64::from(address.0),
            NocAddress::Dram(at) => at.offset,
        }
    }
}

impl NocAddress {
    /// The byte so many after it, in the same memory.
    pub fn offset_by(self, bytes: u64) -> NocAddress {
        match self {
            NocAddress::L1 { core, address } => {
                NocAddress::L1 { core, address: L1Address(address.0.wrapping_add(bytes as u32)) }
            }
            NocAddress::Dram(at) => {
                let offset = at.offset.wrapping_add(bytes);
                NocAddress::Dram(DramAddress { bank: at.bank, offset })
            }
        }
    }
}

/// When transfers land.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NocMode {
    /// After the latency of the timing table.
    #[default]
    Timed,
    /// So late that nothing but a barrier can have waited for them: a missing barrier then shows
    /// in the values too. Data waits, once to leave and once to land; credits (words that a
    /// request carries, atomics) do not, except behind data on the same way.
    Late,
}

/// Cycles by which `NocMode::Late` delays a read, or a write's departure: far more than a tile's
/// work on any processor, so that an unawaited transfer loses every race.
const LATE_CYCLES: u64 = 200_000;

/// Cycles by which it delays a write's landing: more than a late read takes that a credit caused.
const LATE_LANDING_CYCLES: u64 = 4 * LATE_CYCLES;

impl NocMode {
    /// By how much a read, or the departure of a write, is late.
    pub(crate) fn delay(self) -> u64 {
        match self {
            NocMode::Timed => 0,
            NocMode::Late => LATE_CYCLES,
        }
    }

    /// By how much a write that has left lands late.
    pub(crate) fn landing_delay(self) -> u64 {
        match self {
            NocMode::Timed => 0,
            NocMode::Late => LATE_LANDING_CYCLES,
        }
    }
}

/// How many transfers of one processor on one network are under way, by transaction id.
#[derive(Clone, Default)]
pub struct NocCounters {
    reads: [u32; 16],
    writes: [u32; 16],
    departing: [u32; 16],
    posted: [u32; 16],
    atomics: [u32; 16],
}

impl NocCounters {
    /// The counters that a barrier looks at.
    pub(crate) fn of(&mut self, barrier: Barrier) -> &mut [u32; 16] {
        match barrier {
            Barrier::Reads => &mut self.reads,
            Barrier::Writes => &mut self.writes,
            Barrier::WritesDeparted => &mut self.departing,
            Barrier::PostedWritesDeparted => &mut self.posted,
            Barrier::Atomics => &mut self.atomics,
        }
    }

    /// Transfers under way that the barrier would wait for. One counter a transaction id holds
    /// whatever is answered, another whatever leaves L1 (NoC/Counters.md: `REQS_OUTSTANDING_ID`,
    /// `WRITE_REQS_OUTGOING_ID`), so barriers with an id wait for more than their name says.
    pub fn under_way(&self, barrier: Barrier, transaction: Option<u8>) -> u32 {
        let Some(id) = transaction else {
            return match barrier {
                Barrier::Reads => self.reads.iter().sum(),
                Barrier::Writes => self.writes.iter().sum(),
                Barrier::WritesDeparted => self.departing.iter().sum(),
                Barrier::PostedWritesDeparted => self.posted.iter().sum(),
                Barrier::Atomics => self.atomics.iter().sum(),
            };
        };
        let id = usize::from(id & 15);
        match barrier {
            Barrier::Reads | Barrier::Writes | Barrier::Atomics => {
                self.reads[id] + self.writes[id] + self.atomics[id]
            }
            Barrier::WritesDeparted | Barrier::PostedWritesDeparted => {
                self.departing[id] + self.posted[id]
            }
        }
    }
}

/// Hops from one core to a target. NoC 0 goes right and down, NoC 1 left and up, both on a torus
/// (ISA documentation, NoC/RoutingPaths.md). DRAM sits at the edge: half a row away, about.
pub(crate) fn hops(arch: &Architecture, noc: NocId, from: CoreCoord, to: NocAddress) -> u64 {
    let NocAddress::L1 { core, .. } = to else { return u64::from(arch.grid_columns) / 2 };
    let torus = |from: u8, to: u8, size: u8| {
        let (from, to, size) = (u64::from(from), u64::from(to), u64::from(size));
        match noc {
            NocId::Zero => (to + size - from) % size,
            NocId::One => (from + size - to) % size,
        }
    };
    torus(from.x, core.x, arch.grid_columns) + torus(from.y, core.y, arch.grid_rows)
}

/// Cycles that a link is busy with `bytes` of payload and a header.
pub(crate) fn flits(timing: &Timing, bytes: u32) -> u64 {
    1 + u64::from(bytes).div_ceil(timing.noc_bytes_per_cycle)
}

/// Cycles from departure to arrival, never below the least that windows rely on.
pub(crate) fn flight(arch: &Architecture, noc: NocId, from: CoreCoord, to: NocAddress) -> u64 {
    let timing = &arch.timing;
    let memory = match to {
        NocAddress::L1 { .. } => 0,
        NocAddress::Dram(_) => timing.dram,
    };
    let flight = timing.noc_endpoint + hops(arch, noc, from, to) * timing.noc_hop + memory;
    flight.max(timing.noc_least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_networks_flow_opposite_ways_round_the_torus() {
        let arch = Architecture::wormhole_n150();
        let to = NocAddress::L1 { core: CoreCoord::new(1, 0), address: L1Address(0) };
        let from = CoreCoord::new(0, 0);
        assert_eq!(hops(&arch, NocId::Zero, from, to), 1);
        assert_eq!(hops(&arch, NocId::One, from, to), 7);
    }

    #[test]
    fn no_flight_is_shorter_than_a_window() {
        let arch = Architecture::wormhole_n150();
        for core in arch.grid().cores() {
            let to = NocAddress::L1 { core, address: L1Address(0) };
            let least = arch.timing.noc_least;
            assert!(flight(&arch, NocId::Zero, CoreCoord::new(3, 3), to) >= least);
            assert!(flight(&arch, NocId::One, CoreCoord::new(3, 3), to) >= least);
        }
    }
}
