//! Transfers under way when the kernel that asked for them returns.

use tilewright_machine::{Cycle, Event, EventKind, ProcessorId, Site, TransferId};

use crate::class::Class;
use crate::ending::count_of;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};

manual! {
    /// # What it finds
    /// A kernel that returns while reads, writes or atomics that it asked for are under way.
    /// # Why it matters
    /// The next program may run before they arrive: writes come late or overwrite its data, reads
    /// land in memory that is somebody else's by then.
    /// # Instead
    /// Call the barrier of the transfer's kind before returning.
    pub struct UnflushedAtExit {
        /// By processor, the earliest first.
        under_way: PerCore<[Vec<Transfer>; 5]>,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    PostedWrite,
    Atomic,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::PostedWrite => "posted write",
            Kind::Atomic => "atomic",
        }
    }

    fn barrier(self) -> &'static str {
        match self {
            Kind::Read => "noc_async_read_barrier",
            Kind::Write => "noc_async_write_barrier",
            Kind::PostedWrite => "noc_async_posted_writes_flushed",
            Kind::Atomic => "noc_async_atomic_barrier",
        }
    }
}

struct Transfer {
    id: TransferId,
    kind: Kind,
    site: Site,
    cycle: Cycle,
}

impl UnflushedAtExit {
    fn of(&mut self, who: ProcessorId) -> &mut Vec<Transfer> {
        &mut self.under_way.at(who.core)[who.processor as usize]
    }

    fn issued(&mut self, event: &Event, id: TransferId, kind: Kind) {
        let transfer = Transfer { id, kind, site: event.site, cycle: event.cycle };
        self.of(event.processor).push(transfer);
    }

    fn done(&mut self, event: &Event, id: TransferId) {
        let under_way = self.of(event.processor);
        if let Some(place) = under_way.iter().position(|transfer| transfer.id == id) {
            under_way.remove(place);
        }
    }

    fn finished(&mut self, event: &Event, found: &mut Found) {
        let left = self.of(event.processor);
        for transfer in left.iter() {
            let same = |other: &&Transfer| other.site == transfer.site;
            let count = left.iter().filter(same).count();
            report(event, transfer, count, found);
        }
    }
}

impl Checker for UnflushedAtExit {
    fn classes(&self) -> &'static [Class] {
        &[Class::Network, Class::Kernel]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        match event.kind {
            EventKind::ReadIssued { id, .. } => self.issued(event, id, Kind::Read),
            EventKind::WriteIssued { id, posted, .. } => {
                let kind = if posted { Kind::PostedWrite } else { Kind::Write };
                self.issued(event, id, kind);
            }
            EventKind::AtomicIssued { id, .. } => self.issued(event, id, Kind::Atomic),
            EventKind::WriteDeparted { id } => {
                let is_it = |it: &Transfer| it.id == id && it.kind == Kind::PostedWrite;
                if self.of(event.processor).iter().any(is_it) {
                    self.done(event, id);
                }
            }
            EventKind::ReadLanded { id }
            | EventKind::WriteAcknowledged { id }
            | EventKind::AtomicAcknowledged { id } => {
                self.done(event, id);
            }
            EventKind::KernelFinished => self.finished(event, found),
            _ => {}
        }
    }
}

fn report(event: &Event, transfer: &Transfer, count: usize, found: &mut Found) {
    let (id, who) = (FindingId::UnflushedAtExit, event.processor);
    found.add(id, transfer.site, (transfer.cycle, who.core), || {
        let (kind, barrier) = (transfer.kind.name(), transfer.kind.barrier());
        let (name, count) = (who.processor, count_of(count as u64, kind));
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        Finding {
            title: format!("{name} on core {} returns with {count} under way", who.core),
            marks: vec![
                mark(transfer.site, format!("{name} asks for a {kind}")),
                mark(Site::KERNEL, format!("{name} returns, and {count} of (1) under way")),
            ],
            facts: vec![
                format!("proof: no `{barrier}` has ended between (1) and (2)"),
                format!("cycle {}", event.cycle),
            ],
            help: Some(format!("call `{barrier}()` before the kernel returns")),
            ..Finding::of(id)
        }
    });
}
