//! Semaphores that are used before anybody has given them a value.

use std::collections::BTreeSet;

use tilewright_machine::{
    CoreCoord, Event, EventKind, L1Address, NocAddress, SemaphoreTest, Target, Waiting,
};
use tilewright_metal::{Program, SemaphoreId};

use crate::class::Class;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::session::{Checker, Found};

manual! {
    /// # What it finds
    /// A wait on a semaphore, or an increment of one, that the program does not declare on that
    /// core and that nobody has set.
    /// # Why it matters
    /// The word holds what the program before has left there. The wait ends too early, or never.
    /// # Instead
    /// Declare the semaphore on every core that uses it, or set it before anybody waits. Words
    /// outside of the semaphores' place in L1 are not looked at.
    pub struct UninitialisedSemaphore {
        program: Option<Program>,
        set: BTreeSet<(CoreCoord, SemaphoreId)>,
    }
}

impl UninitialisedSemaphore {
    /// A checker for one program.
    pub fn new(program: &Program) -> UninitialisedSemaphore {
        UninitialisedSemaphore { program: Some(program.clone()), set: BTreeSet::new() }
    }

    fn at(&self, at: L1Address) -> Option<SemaphoreId> {
        self.program.as_ref()?.semaphore_at(at)
    }

    fn has_value(&self, core: CoreCoord, id: SemaphoreId) -> bool {
        let is_declared = self.program.as_ref().is_some_and(|it| it.has_semaphore(core, id));
        is_declared || self.set.contains(&(core, id))
    }

    fn written(&mut self, core: CoreCoord, at: L1Address, bytes: u32) {
        let words =
            (at.0..at.0.saturating_add(bytes)).step_by(4).map_while(|at| self.at(L1Address(at)));
        let words: Vec<SemaphoreId> = words.collect();
        self.set.extend(words.into_iter().map(|id| (core, id)));
    }

    fn waited(&self, event: &Event, at: L1Address, until: SemaphoreTest, found: &mut Found) {
        let core = event.processor.core;
        let Some(id) = self.at(at).filter(|id| !self.has_value(core, *id)) else { return };
        let value = match until {
            SemaphoreTest::Equal(value) => format!("{value}"),
            SemaphoreTest::AtLeast(value) => format!("at least {value}"),
        };
        let who = event.processor.processor;
        report(event, core, id, format!("{who} waits until it is {value}"), "waited for", found);
    }

    fn raised(&self, event: &Event, to: Target, found: &mut Found) {
        let cores: Vec<(CoreCoord, L1Address)> = match to {
            Target::One(NocAddress::L1 { core, address }) => vec![(core, address)],
            Target::One(NocAddress::Dram(_)) => Vec::new(),
            Target::Cores { range, address, .. } => {
                range.cores().map(|core| (core, address)).collect()
            }
        };
        for (core, at) in cores {
            if let Some(id) = self.at(at).filter(|id| !self.has_value(core, *id)) {
                let who = event.processor.processor;
                report(event, core, id, format!("{who} adds to it"), "added to", found);
            }
        }
    }
}

impl Checker for UninitialisedSemaphore {
    fn classes(&self) -> &'static [Class] {
        &[Class::Ring, Class::Network, Class::Word]
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
            _ => {}
        }
    }
}

fn report(
    event: &Event,
    core: CoreCoord,
    semaphore: SemaphoreId,
    role: String,
    what: &str,
    found: &mut Found,
) {
    let (id, number) = (FindingId::UninitialisedSemaphore, semaphore.0);
    found.add(id, event.site, (event.cycle, event.processor.core), || Finding {
        title: format!("semaphore {number} of core {core} is {what} and has no first value"),
        marks: vec![Mark { role, site: event.site, processor: Some(event.processor) }],
        facts: vec![
            format!(
                "proof: the program declares no semaphore {number} there, and nobody has set it"
            ),
            format!("cycle {}", event.cycle),
        ],
        help: Some(format!("declare semaphore {number} on core {core}, or set it first")),
        ..Finding::of(id)
    });
}
