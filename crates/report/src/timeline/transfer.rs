//! Transfers over the networks, from the call to the last that happens because of it.

use std::collections::BTreeMap;

use tilewright_check::of_class;
use tilewright_machine::{
    CoreCoord, Event, EventKind, NocAddress, NocId, ProcessorId, Site, Target, TransferId,
};

use super::lane::Total;
use super::traffic::Traffic;

/// What a transfer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TransferKind {
    /// Bytes into this core's L1.
    Read,
    /// Bytes out of it.
    Write,
    /// An addition to a word elsewhere.
    Atomic,
}

impl TransferKind {
    /// The word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            TransferKind::Read => "read",
            TransferKind::Write => "write",
            TransferKind::Atomic => "atomic",
        }
    }
}

/// The far end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FarEnd {
    /// A bank of DRAM.
    Dram,
    /// L1 of a core, or of several.
    L1,
}

impl FarEnd {
    /// The word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            FarEnd::Dram => "DRAM",
            FarEnd::L1 => "L1",
        }
    }
}

/// One transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Whose it is.
    pub owner: ProcessorId,
    /// Its number, unique on its core.
    pub id: TransferId,
    /// What it does.
    pub kind: TransferKind,
    /// The network.
    pub noc: NocId,
    /// Where the other end is.
    pub far: FarEnd,
    /// The bank, if that end is in DRAM.
    pub bank: Option<u8>,
    /// That end in words, such as `DRAM bank 3` or `(0,1)`.
    pub place: String,
    /// How many bytes; an atomic has four.
    pub bytes: u32,
    /// When it was asked for.
    pub begin: u64,
    /// When it was over: landed, acknowledged, or if it is posted, departed and arrived.
    pub end: u64,
    /// Whether it was under way when the run ended.
    pub is_open: bool,
    /// The cores it reached, and when.
    pub arrivals: Vec<(CoreCoord, u64)>,
    /// The call.
    pub site: Site,
    is_posted: bool,
}

/// All transfers of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Transfers {
    /// Those that are over, in the order of their ends.
    pub(super) done: Vec<Transfer>,
    /// By owner, kind and far end: how long, how often, and how many bytes.
    pub(super) totals: BTreeMap<(ProcessorId, TransferKind, FarEnd), (Total, u64)>,
    /// How many were counted and not kept.
    pub(super) left_out: u64,
    /// Bytes over time.
    pub(super) traffic: Traffic,
    under_way: BTreeMap<(CoreCoord, TransferId), Transfer>,
    limit: usize,
}

impl Transfers {
    pub(super) fn new(limit: usize) -> Transfers {
        Transfers { limit, ..Transfers::default() }
    }

    pub(super) fn event(&mut self, event: &Event) {
        let (cycle, key) = (event.cycle.0, |id| (event.processor.core, id));
        match event.kind {
            EventKind::ReadIssued { id, channel, from, bytes, .. } => {
                self.begin(event, id, (TransferKind::Read, channel.noc), Target::One(from), bytes);
            }
            EventKind::WriteIssued { id, channel, to, bytes, posted, .. } => {
                self.begin(event, id, (TransferKind::Write, channel.noc), to, bytes);
                if let Some(transfer) = self.under_way.get_mut(&key(id)) {
                    transfer.is_posted = posted;
                }
            }
            EventKind::AtomicIssued { id, channel, to, .. } => {
                self.begin(event, id, (TransferKind::Atomic, channel.noc), to, 4);
            }
            EventKind::Arrived { id, core, .. } => self.arrived(key(id), core, cycle),
            EventKind::WriteDeparted { id } => {
                let is_over = |it: &Transfer| it.is_posted && it.far == FarEnd::Dram;
                if self.under_way.get(&key(id)).is_some_and(is_over) {
                    self.finish(key(id), cycle, false);
                }
            }
            EventKind::ReadLanded { id }
            | EventKind::WriteAcknowledged { id }
            | EventKind::AtomicAcknowledged { id } => self.finish(key(id), cycle, false),
            EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::BarrierPassed { .. }
            | of_class!(Ring, Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting)
            | of_class!(Unpack, Matrix, Vector, Pack, Word, Kernel) => {}
        }
    }

    fn begin(
        &mut self,
        event: &Event,
        id: TransferId,
        (kind, noc): (TransferKind, NocId),
        target: Target,
        bytes: u32,
    ) {
        let (far, place) = match target {
            Target::One(NocAddress::Dram(at)) => (FarEnd::Dram, format!("DRAM bank {}", at.bank)),
            Target::One(NocAddress::L1 { core, .. }) => (FarEnd::L1, core.to_string()),
            Target::Cores { range, .. } => (FarEnd::L1, range.to_string()),
        };
        let bank = match target {
            Target::One(NocAddress::Dram(at)) => Some(at.bank),
            Target::One(NocAddress::L1 { .. }) | Target::Cores { .. } => None,
        };
        let (owner, site, begin) = (event.processor, event.site, event.cycle.0);
        let transfer = Transfer {
            owner,
            id,
            kind,
            noc,
            far,
            bank,
            place,
            bytes,
            begin,
            end: begin,
            is_open: false,
            arrivals: Vec::new(),
            site,
            is_posted: false,
        };
        self.under_way.insert((owner.core, id), transfer);
    }

    /// Nobody acknowledges a posted write: its first arrival is its end.
    fn arrived(&mut self, key: (CoreCoord, TransferId), core: CoreCoord, cycle: u64) {
        let Some(transfer) = self.under_way.get_mut(&key) else { return };
        transfer.arrivals.push((core, cycle));
        if transfer.is_posted {
            self.finish(key, cycle, false);
        }
    }

    fn finish(&mut self, key: (CoreCoord, TransferId), cycle: u64, is_open: bool) {
        let Some(mut transfer) = self.under_way.remove(&key) else { return };
        transfer.end = cycle.max(transfer.begin);
        transfer.is_open = is_open;
        let of = (transfer.owner, transfer.kind, transfer.far);
        let (total, bytes) = self.totals.entry(of).or_default();
        total.cycles += transfer.end - transfer.begin;
        total.times += 1;
        *bytes += u64::from(transfer.bytes);
        self.traffic.add(&transfer);
        if self.done.len() < self.limit {
            self.done.push(transfer);
        } else {
            self.left_out += 1;
        }
    }

    /// Ends what is under way with the run.
    pub(super) fn end(&mut self, cycle: u64) {
        let open: Vec<_> = self.under_way.keys().copied().collect();
        open.into_iter().for_each(|key| self.finish(key, cycle, true));
    }
}
