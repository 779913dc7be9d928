//! Semaphores that are used before anybody has given them a value.

use tilewright_machine::{
    CoreCoord, Event, EventKind, L1Address, NocAddress, SemaphoreTest, Target, Waiting,
};
use tilewright_metal::Program;

use crate::FindingId;
use crate::class::Class;
use crate::declaration::declare;
use crate::finding::{Blame, Finding, Mark};
use crate::free_l1::{FreeL1, FreePlace, Spans};
use crate::of_class;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A wait on a semaphore, or an increment of one, that has no first value: the program does
    /// not declare it on that core, or it is a word between the circular buffers and the host's
    /// buffers, and it is not written.
    /// # Why it matters
    /// The word holds what the program before has left there. The wait ends too early, or never.
    /// # Instead
    /// Declare the semaphore on every core that uses it, or set it before anybody waits. Words in
    /// circular buffers, in buffers of the host and in what the chip keeps for itself count as
    /// written. A semaphore that is not declared is the host program's fault, a word between
    /// buffers the kernel's.
    pub struct UninitialisedSemaphore {
        program: Option<Program>,
        cores: PerCore<Option<Words>>,
    }
    Declaration { name: "uninitialised-semaphore", tool: Some(Tool::Sync), loses_values: true }
}

/// The words of a core that have no value at launch, and those that were written since.
struct Words {
    free: FreeL1,
    written: Spans,
}

impl UninitialisedSemaphore {
    /// A checker for one program.
    pub fn new(program: &Program) -> UninitialisedSemaphore {
        UninitialisedSemaphore { program: Some(program.clone()), ..Default::default() }
    }

    fn words(&mut self, core: CoreCoord) -> Option<&mut Words> {
        let program = self.program.as_ref()?;
        let words = || Words { free: FreeL1::of(program, core), written: Spans::default() };
        Some(self.cores.at(core).get_or_insert_with(words))
    }

    /// What a word without a value is.
    fn unwritten(&mut self, core: CoreCoord, at: L1Address) -> Option<FreePlace> {
        let Words { free, written } = self.words(core)?;
        (free.has(at) && !written.has(at)).then(|| free.place(at))
    }

    fn written(&mut self, core: CoreCoord, at: L1Address, bytes: u32) {
        let Some(Words { free, written }) = self.words(core) else { return };
        let end = at.0.saturating_add(bytes);
        if bytes > 0 && (free.has(at) || free.has(L1Address(end - 1))) {
            written.add(at.0..end);
        }
    }

    fn waited(&mut self, event: &Event, at: L1Address, until: SemaphoreTest, found: &mut Found) {
        let core = event.processor.core;
        let Some(place) = self.unwritten(core, at) else { return };
        let value = match until {
            SemaphoreTest::Equal(value) => format!("{value}"),
            SemaphoreTest::AtLeast(value) => format!("at least {value}"),
        };
        let who = event.processor.processor;
        report(event, core, place, format!("{who} waits until it is {value}"), "waited for", found);
    }

    fn raised(&mut self, event: &Event, to: Target, found: &mut Found) {
        let cores: Vec<(CoreCoord, L1Address)> = match to {
            Target::One(NocAddress::L1 { core, address }) => vec![(core, address)],
            Target::One(NocAddress::Dram(_)) => Vec::new(),
            Target::Cores { range, address, .. } => {
                range.cores().map(|core| (core, address)).collect()
            }
        };
        for (core, at) in cores {
            if let Some(place) = self.unwritten(core, at) {
                let who = event.processor.processor;
                report(event, core, place, format!("{who} adds to it"), "added to", found);
            }
        }
    }
}

impl Checker for UninitialisedSemaphore {
    fn classes(&self) -> &'static [Class] {
        &[Class::Wait, Class::Network, Class::Word]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let core = event.processor.core;
        match event.kind {
            EventKind::SemaphoreSet { at, .. } => self.written(core, at, 4),
            EventKind::L1Written { at, bytes } => self.written(core, at, bytes),
            EventKind::ReadIssued { to, bytes, .. } => self.written(core, to, bytes),
            EventKind::Arrived { core, to, bytes, .. } => self.written(core, to, bytes),
            EventKind::Blocked(Waiting::ForSemaphore { address, until }) => {
                self.waited(event, address, until, found);
            }
            EventKind::SemaphoreWaited { at, until } => self.waited(event, at, until, found),
            EventKind::AtomicIssued { to, .. } => self.raised(event, to, found),
            EventKind::Blocked(_)
            | EventKind::L1Read { .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteIssued { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::BarrierPassed { .. }
            | of_class!(Ring, Section, UnpackFormat, AluFormat, Operation, PackSetting, Unpack)
            | of_class!(Matrix, Vector, Pack, Kernel) => {}
        }
    }
}

fn report(
    event: &Event,
    core: CoreCoord,
    place: FreePlace,
    role: String,
    what: &str,
    found: &mut Found,
) {
    let id = FindingId::UninitialisedSemaphore;
    let blame = match place {
        FreePlace::Semaphore(_) => Blame::HostBug,
        FreePlace::Between(_) => Blame::KernelBug,
    };
    let (why, help) = match place {
        FreePlace::Semaphore(_) => (
            format!("the program declares no {place} there"),
            format!("declare {place} on core {core}, or set it first"),
        ),
        FreePlace::Between(_) => (
            "it lies between the circular buffers and the host's buffers".to_owned(),
            "set it first, or use a semaphore that the program declares".to_owned(),
        ),
    };
    found.add(id, event.site, (event.cycle, event.processor.core), || {
        Finding {
            title: format!("{place} of core {core} is {what} and has no first value"),
            marks: vec![Mark { role, site: event.site, processor: Some(event.processor) }],
            facts: vec![format!("proof: {why}, and nobody has set it")],
            help: Some(help),
            blame,
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
