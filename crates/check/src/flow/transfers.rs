//! Values on the networks: reads copy when they land, writes when their bytes depart.

use tilewright_machine::{
    CoreCoord, Event, EventKind, L1Address, NocAddress, Snapshot, Target, TransferId,
};
use tilewright_metal::reserved_l1::ZEROS;

use super::{Birth, BornId, Fact, Flow, Sources, Step};
use crate::of_class;
use crate::per_core::PerCore;
use crate::trace::Traces;

/// A transfer under way.
struct Flight {
    id: TransferId,
    bytes: usize,
    what: What,
    /// The findings that its bytes carry on.
    traces: Traces,
}

enum What {
    Read {
        from: NocAddress,
        to: L1Address,
    },
    /// Bytes of L1 that have not departed.
    Write {
        from: L1Address,
        to: Target,
    },
    /// Bytes that have departed to so many cores.
    Departed {
        left: usize,
        snapshot: usize,
    },
}

/// Transfers under way, and room for what departed bytes were.
#[derive(Default)]
pub(crate) struct Flights {
    /// By the core that asked for them.
    cores: PerCore<Vec<Flight>>,
    snapshots: Vec<Snapshot<Fact>>,
    free: Vec<usize>,
    scratch: Snapshot<Fact>,
}

impl Flights {
    fn add(&mut self, core: CoreCoord, flight: Flight) {
        self.cores.at(core).push(flight);
    }

    fn take(&mut self, core: CoreCoord, id: TransferId) -> Option<Flight> {
        let flights = self.cores.at(core);
        let place = flights.iter().position(|flight| flight.id == id)?;
        Some(flights.swap_remove(place))
    }

    fn snapshot(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.snapshots.push(Snapshot::default());
            self.snapshots.len() - 1
        })
    }
}

impl Flow {
    /// Takes an event of the networks.
    pub(super) fn transfer(&mut self, event: &Event, touched: Traces) {
        let core = event.processor.core;
        match event.kind {
            EventKind::ReadIssued { id, from, to, bytes, .. } => {
                self.note_read(from);
                let (bytes, what) = (bytes as usize, What::Read { from, to });
                let traces = self.asked(event, touched);
                self.flights.add(core, Flight { id, bytes, what, traces });
            }
            EventKind::ReadLanded { id } => {
                let Some(mut flight) = self.flights.take(core, id) else { return };
                let What::Read { from, to } = flight.what else { return };
                let to = NocAddress::L1 { core, address: to };
                flight.traces.join(touched);
                self.copy(event, (from, to), flight.bytes, flight.traces);
                self.note_zeros(from, to, flight.bytes);
            }
            EventKind::WriteIssued { id, from: Some(from), to, bytes, .. } => {
                let (bytes, what) = (bytes as usize, What::Write { from, to });
                let traces = self.asked(event, touched);
                self.flights.add(core, Flight { id, bytes, what, traces });
            }
            EventKind::WriteIssued {
                from: None,
                to: Target::One(at @ NocAddress::Dram(_)),
                bytes,
                ..
            } => self.write_word(event, at, bytes),
            EventKind::WriteDeparted { id } => self.departed(event, id, touched),
            EventKind::Arrived { id, core: there, to, bytes } => {
                self.arrived(event, id, NocAddress::L1 { core: there, address: to }, bytes);
            }
            EventKind::WriteIssued { from: None, .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::BarrierPassed { .. }
            | of_class!(Ring, Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting)
            | of_class!(Unpack, Matrix, Vector, Pack, Word, Kernel) => {}
        }
    }

    /// The findings that the bytes of a transfer inherit from the processor that issues it.
    fn asked(&mut self, event: &Event, touched: Traces) -> Traces {
        let mut traces = self.core(event.processor.core).traces_of(event.processor.processor);
        traces.join(touched);
        traces
    }

    /// Notes that zeros were read.
    fn note_zeros(&mut self, from: NocAddress, to: NocAddress, bytes: usize) {
        if let (NocAddress::L1 { address: from, .. }, NocAddress::L1 { core, address: to }) =
            (from, to)
            && ZEROS.contains(&from.0)
        {
            self.core(core).zeroed(to.0 as usize, bytes);
        }
    }

    /// Notes that bytes of a core's L1 are written.
    fn note_written(&mut self, to: NocAddress, bytes: usize) {
        if let NocAddress::L1 { core, address } = to {
            self.core(core).note_written(address.0 as usize, bytes);
        }
    }

    fn write_word(&mut self, event: &Event, at: NocAddress, bytes: u32) {
        self.note_written(at, bytes as usize);
        let fact = Fact { writer: Step::of(event), sources: Sources::NONE, born: BornId::NOT };
        let (shadow, at) = self.memory(at);
        shadow.write(at, bytes as usize, fact);
    }

    fn departed(&mut self, event: &Event, id: TransferId, touched: Traces) {
        let core = event.processor.core;
        let Some(mut flight) = self.flights.take(core, id) else { return };
        let What::Write { from, to } = flight.what else { return };
        flight.traces.join(touched);
        flight.traces.join(self.core(core).ring_traces(from.0 as usize));
        let from = NocAddress::L1 { core, address: from };
        let left = match to {
            Target::One(at @ NocAddress::Dram(_)) => {
                self.note_replaced(at);
                return self.copy(event, (from, at), flight.bytes, flight.traces);
            }
            Target::One(NocAddress::L1 { .. }) => 1,
            Target::Cores { range, include_self, .. } => {
                range.cores().filter(|to| include_self || *to != core).count()
            }
        };
        let snapshot = self.flights.snapshot();
        let mut taken = std::mem::take(&mut self.flights.snapshots[snapshot]);
        self.remember(event, from, flight.bytes, &mut taken);
        self.flights.snapshots[snapshot] = taken;
        let what = What::Departed { left, snapshot };
        self.flights.add(core, Flight { what, ..flight });
    }

    /// Bytes of a write, a word that a request carried, or a sum of an atomic are there.
    fn arrived(&mut self, event: &Event, id: TransferId, to: NocAddress, bytes: u32) {
        let Some(mut flight) = self.flights.take(event.processor.core, id) else {
            return self.write_word(event, to, bytes);
        };
        let What::Departed { left, snapshot } = &mut flight.what else { return };
        *left = left.saturating_sub(1);
        let (is_last, snapshot) = (*left == 0, *snapshot);
        let taken = std::mem::take(&mut self.flights.snapshots[snapshot]);
        self.note_written(to, flight.bytes);
        self.put(event, to, (flight.bytes, flight.traces), &taken);
        self.flights.snapshots[snapshot] = taken;
        if is_last {
            self.flights.free.push(snapshot);
        } else {
            self.flights.add(event.processor.core, flight);
        }
    }

    fn copy(
        &mut self,
        event: &Event,
        (from, to): (NocAddress, NocAddress),
        bytes: usize,
        traces: Traces,
    ) {
        self.note_written(to, bytes);
        let (shadow, at) = self.memory(from);
        if let Some(mut fact) = shadow.whole(at, bytes).copied() {
            fact.sources.traces.join(traces);
            let (shadow, at) = self.memory(to);
            return shadow.write(at, bytes, Fact { writer: Step::of(event), ..fact });
        }
        let mut snapshot = std::mem::take(&mut self.flights.scratch);
        self.remember(event, from, bytes, &mut snapshot);
        self.put(event, to, (bytes, traces), &snapshot);
        self.flights.scratch = snapshot;
    }

    fn put(
        &mut self,
        event: &Event,
        to: NocAddress,
        (bytes, traces): (usize, Traces),
        snapshot: &Snapshot<Fact>,
    ) {
        let (shadow, at) = self.memory(to);
        let writer = Step::of(event);
        shadow.restore(at, bytes, snapshot, |fact| {
            let mut fact = Fact { writer, ..*fact };
            fact.sources.traces.join(traces);
            fact
        });
    }

    /// Reads a span as a transfer does. What no kernel has touched and the host may have written is
    /// taken to be initialised.
    fn remember(
        &mut self,
        event: &Event,
        from: NocAddress,
        bytes: usize,
        snapshot: &mut Snapshot<Fact>,
    ) {
        let nobody = |born| Fact {
            writer: super::host(tilewright_machine::Site::KERNEL),
            sources: Sources::NONE,
            born,
        };
        let output = self.output_at(from).map(|(output, _)| Birth::Output { output });
        match from {
            NocAddress::Dram(_) => {
                let born = output.map_or(BornId::NOT, |birth| self.births.id(birth, None));
                let (shadow, at) = self.memory(from);
                let untouched = (nobody(born), born == BornId::NOT);
                shadow.remember(at, bytes, snapshot, |_| untouched);
            }
            NocAddress::L1 { core, address } => {
                let (flow, births) = self.core_and_births(core);
                let at = address.0 as usize;
                let born = match flow.birth(at, None).or(output) {
                    // Only the transfer says how this memory is reached.
                    Some(birth @ Birth::L1 { .. }) => {
                        births.id(birth, Some((event.site, event.processor)))
                    }
                    Some(birth) => births.id(birth, None),
                    None => BornId::NOT,
                };
                let untouched = (nobody(born), born == BornId::NOT);
                flow.l1.remember(at, bytes, snapshot, |_| untouched);
                self.date(core, at, snapshot);
            }
        }
    }

    /// Bytes that were left from an earlier lap say so wherever they go.
    fn date(&mut self, core: CoreCoord, at: usize, snapshot: &mut Snapshot<Fact>) {
        if snapshot.is_defined() {
            return;
        }
        let (flow, births) = self.core_and_births(core);
        for fact in snapshot.undefined_facts() {
            if let (BornId::NOT, Some(birth)) = (fact.born, flow.birth(at, Some(fact))) {
                fact.born = births.id(birth, None);
            }
        }
    }

    fn note_replaced(&mut self, at: NocAddress) {
        if self.replaced.len() >= super::REPLACED_MAX {
            return;
        }
        let (shadow, start) = self.memory(at);
        let before = shadow.fact_at(start).copied();
        if let (Some(fact), Some((output, page))) = (before, self.output_at(at)) {
            self.replaced.push((output, page, fact));
        }
    }
}
