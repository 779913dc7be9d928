//! Transfers that no barrier has covered when the kernel that asked for them returns.

use tilewright_machine::{Channel, Cycle, Event, EventKind, NocId, ProcessorId, Site};

use crate::FindingId;
use crate::class::Class;
use crate::covered::{Covered, Passed, TransferKind};
use crate::declaration::{Cause, declare};
use crate::ending::count_of;
use crate::finding::{Finding, Mark};
use crate::of_class;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A kernel that returns without a barrier that covers every read, write and atomic it asked
    /// for: of its kind, on its NoC, by its processor and after it. Whether the transfer happened
    /// to be complete by then does not count. Reads, writes and atomics must have been waited for
    /// to their end: `noc_async_writes_flushed` only waits until a write's bytes have left. For a
    /// posted write, which nobody acknowledges, `noc_async_posted_writes_flushed` is all there is.
    /// A barrier with a transaction id covers the transfers with this id.
    ///
    /// tt-metal's firmware asserts at the end of each kernel that nothing is outstanding
    /// (brisck.cc and ncrisck.cc, "NKFW": reads and atomics complete, writes departed; with dynamic
    /// NoCs, brisc.cc, writes complete), and its NoC debug dump lists writes that were only flushed
    /// as missing a write barrier.
    /// # Why it matters
    /// The next program may run before they arrive: writes come late or overwrite its data, reads
    /// land in memory that is somebody else's by then. On a quiet chip it goes well.
    /// # Instead
    /// Call the barrier of the transfer's kind before returning.
    pub struct UnflushedAtExit {
        /// By processor, in the order of their first calls.
        asked: PerCore<[Vec<Asked>; 5]>,
    }
    Declaration {
        name: "unflushed-at-exit",
        tool: Some(Tool::Sync),
        loses_values: true,
        is_final: true,
        // The barrier that is missing would have waited for both.
        follows: &[Cause::Kinds(&[
            FindingId::UnawaitedRead,
            FindingId::OverwrittenInFlight,
            FindingId::ReadBeforeLanding,
        ])],
    }
}

/// Transfers that one line of a kernel asked for and no barrier has covered.
struct Asked {
    kind: TransferKind,
    channel: Channel,
    site: Site,
    cycle: Cycle,
    count: u64,
    /// Whether a flush has covered all of them.
    is_flushed: bool,
    /// A NoC whose barrier of the kind was passed since, and which is another one.
    elsewhere: Option<NocId>,
}

fn name(kind: TransferKind) -> &'static str {
    match kind {
        TransferKind::Read => "read",
        TransferKind::Write { posted: false } => "write",
        TransferKind::Write { posted: true } => "posted write",
        TransferKind::Atomic => "atomic",
    }
}

fn barrier(kind: TransferKind) -> &'static str {
    match kind {
        TransferKind::Read => "noc_async_read_barrier",
        TransferKind::Write { posted: false } => "noc_async_write_barrier",
        TransferKind::Write { posted: true } => "noc_async_posted_writes_flushed",
        TransferKind::Atomic => "noc_async_atomic_barrier",
    }
}

impl UnflushedAtExit {
    fn of(&mut self, who: ProcessorId) -> &mut Vec<Asked> {
        &mut self.asked.at(who.core)[who.processor as usize]
    }

    fn issued(&mut self, event: &Event, channel: Channel, kind: TransferKind) {
        let asked = self.of(event.processor);
        let is_same =
            |it: &&mut Asked| it.site == event.site && it.kind == kind && it.channel == channel;
        if let Some(same) = asked.iter_mut().find(is_same) {
            (same.count, same.is_flushed) = (same.count + 1, false);
            return;
        }
        let (site, cycle) = (event.site, event.cycle);
        let (is_flushed, elsewhere) = (false, None);
        asked.push(Asked { kind, channel, site, cycle, count: 1, is_flushed, elsewhere });
    }

    fn passed(&mut self, event: &Event, passed: Passed) {
        self.of(event.processor).retain_mut(|asked| {
            let here = Passed { noc: asked.channel.noc, ..passed };
            let Some(covered) = here.covers(asked.kind, asked.channel) else { return true };
            if passed.noc != asked.channel.noc {
                asked.elsewhere = Some(passed.noc);
                return true;
            }
            asked.is_flushed = true;
            let is_all = asked.kind == TransferKind::Write { posted: true };
            covered == Covered::Departure && !is_all
        });
    }

    fn finished(&mut self, event: &Event, found: &mut Found) {
        self.of(event.processor).iter().for_each(|asked| report(event, asked, found));
    }
}

impl Checker for UnflushedAtExit {
    fn classes(&self) -> &'static [Class] {
        &[Class::Network, Class::Kernel]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        match event.kind {
            EventKind::ReadIssued { channel, .. } => {
                self.issued(event, channel, TransferKind::Read);
            }
            EventKind::WriteIssued { channel, posted, .. } => {
                self.issued(event, channel, TransferKind::Write { posted });
            }
            EventKind::AtomicIssued { channel, .. } => {
                self.issued(event, channel, TransferKind::Atomic);
            }
            EventKind::BarrierPassed { noc, barrier, transaction } => {
                self.passed(event, Passed { noc, barrier, transaction });
            }
            EventKind::KernelFinished => self.finished(event, found),
            EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | EventKind::KernelStarted
            | EventKind::Printed { .. }
            | EventKind::Waypoint { .. }
            | EventKind::Zone { .. }
            | of_class!(Ring, Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting)
            | of_class!(Unpack, Matrix, Vector, Pack, Word) => {}
        }
    }
}

fn report(event: &Event, asked: &Asked, found: &mut Found) {
    let (id, who) = (FindingId::UnflushedAtExit, event.processor);
    found.add(id, asked.site, (asked.cycle, who.core), || {
        let (kind, barrier) = (name(asked.kind), barrier(asked.kind));
        let (name, count) = (who.processor, count_of(asked.count, kind));
        let article = if asked.kind == TransferKind::Atomic { "an" } else { "a" };
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        Finding {
            title: format!("{name} on core {} returns with {count} that nobody awaits", who.core),
            marks: vec![
                mark(asked.site, format!("{name} asks for {article} {kind}")),
                mark(Site::KERNEL, format!("{name} returns; no barrier covers {count} of (1)")),
            ],
            facts: facts(asked),
            help: Some(format!("call `{barrier}()` before the kernel returns")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}

fn facts(asked: &Asked) -> Vec<String> {
    let (barrier, noc) = (barrier(asked.kind), number(asked.channel.noc));
    let mut facts =
        vec![format!("proof: no `{barrier}` of NoC {noc} that covers (1) came before (2)")];
    if asked.channel.transaction != 0 {
        facts.push(format!("its transaction id is {}", asked.channel.transaction));
    }
    if let Some(elsewhere) = asked.elsewhere {
        facts.push(format!("one of NoC {} was, which does not cover it", number(elsewhere)));
    }
    if asked.is_flushed {
        facts
            .push("a flush waited until the bytes had left, not until they had arrived".to_owned());
    }
    facts
}

fn number(noc: NocId) -> u8 {
    match noc {
        NocId::Zero => 0,
        NocId::One => 1,
    }
}
