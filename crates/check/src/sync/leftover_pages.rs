//! Pages that were pushed and not read when all kernels have returned.

use tilewright_machine::{
    CbId, CoreCoord, Cycle, Ending, Event, EventKind, Outcome, ProcessorId, Site,
};
use tilewright_metal::Program;

use crate::FindingId;
use crate::class::Class;
use crate::declaration::{Cause, declare};
use crate::ending::{count_of, ledger_fact, ledger_of, name};
use crate::finding::{Finding, Mark};
use crate::of_class;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// Pages that were pushed to a circular buffer and neither popped nor ever waited for when
    /// all kernels have returned.
    /// # Why it matters
    /// Producer and consumer disagree about how much there is: the consumer has left out the end
    /// of its input, or has read pages without waiting for them. Pages that were waited for and
    /// kept, such as constants, are no finding: a launch empties every buffer. Nor are pages of a
    /// buffer that lies in a tensor: they are the tensor's.
    /// # Instead
    /// Wait for and pop as many pages as are pushed.
    pub struct LeftoverPages {
        buffers: PerCore<Vec<Buffer>>,
    }
    Declaration {
        name: "leftover-pages",
        tool: Some(Tool::Sync),
        loses_values: true,
        is_of_turns: true,
        is_final: true,
        follows: &[Cause::OfItsRing],
    }
}

/// Counts of one buffer since launch.
#[derive(Default)]
struct Buffer {
    pushed: u64,
    popped: u64,
    /// Pages that a wait has covered.
    seen: u64,
    last_push: Option<(Site, ProcessorId, Cycle)>,
}

impl LeftoverPages {
    fn buffer(&mut self, core: CoreCoord, cb: CbId) -> &mut Buffer {
        let (buffers, place) = (self.buffers.at(core), usize::from(cb.0));
        if place >= buffers.len() {
            buffers.resize_with(place + 1, Buffer::default);
        }
        &mut buffers[place]
    }
}

impl Checker for LeftoverPages {
    fn classes(&self) -> &'static [Class] {
        &[Class::Ring]
    }

    fn event(&mut self, event: &Event, _: &mut Found) {
        let core = event.processor.core;
        match event.kind {
            EventKind::Pushed { cb, pages } => {
                let buffer = self.buffer(core, cb);
                buffer.pushed += u64::from(pages);
                buffer.last_push = Some((event.site, event.processor, event.cycle));
            }
            EventKind::Popped { cb, pages } => {
                let buffer = self.buffer(core, cb);
                buffer.popped += u64::from(pages);
                buffer.seen = buffer.seen.max(buffer.popped);
            }
            EventKind::Waited { cb, pages } => {
                let buffer = self.buffer(core, cb);
                buffer.seen = buffer.seen.max(buffer.popped + u64::from(pages));
            }
            EventKind::Reserved { .. }
            | EventKind::PointerMoved { .. }
            | of_class!(Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting, Unpack)
            | of_class!(Matrix, Vector, Pack, Network, Word, Kernel) => {}
        }
    }

    fn end(&mut self, program: &Program, outcome: &Outcome, found: &mut Found) {
        if outcome.ending != Ending::Completed {
            return;
        }
        for core in &outcome.cores {
            for ledger in &core.buffers {
                let Some(buffer) = self
                    .buffers
                    .get(core.core)
                    .and_then(|of| of.get(usize::from(ledger.config.id.0)))
                else {
                    continue;
                };
                if program.tensor_of_ring(core.core, ledger.config.id).is_some() {
                    continue;
                }
                let unseen = buffer.pushed.saturating_sub(buffer.seen);
                if let (1.., Some(push)) = (unseen, buffer.last_push) {
                    let fact = ledger_of(core, ledger.config.id)
                        .map(|ledger| ledger_fact(program, core.core, ledger));
                    let name = name(program, core.core, ledger.config.id);
                    report((ledger.config.id, &name), unseen, push, fact, found);
                }
            }
        }
    }
}

fn report(
    (ring, name): (CbId, &str),
    unseen: u64,
    (site, who, cycle): (Site, ProcessorId, Cycle),
    ledger: Option<String>,
    found: &mut Found,
) {
    let id = FindingId::LeftoverPages;
    found.add_on(ring, id, site, (cycle, who.core), || {
        let pages = count_of(unseen, "page");
        let role = format!("{} pushes to `{name}` for the last time", who.processor);
        let mut facts = vec![format!("proof: no wait has covered the last {pages} pushed")];
        facts.extend(ledger);
        Finding {
            title: format!("nobody has looked at {pages} of `{name}` on core {}", who.core),
            marks: vec![Mark { role, site, processor: Some(who) }],
            facts,
            help: Some(format!(
                "wait for and pop all that is pushed to `{name}`, or push {pages} less"
            )),
            ..Finding::of(id)
        }
        .at(cycle)
    });
}
