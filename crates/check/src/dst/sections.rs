//! Follows who holds Dst: math from acquire to commit, pack from wait to release.
//!
//! Both sides take a section, work in it and give it away. Says which of these calls is missing;
//! how that reads is `nested_acquire`, `outside_section` and `unreleased_section`.

use std::collections::BTreeSet;

use tilewright_machine::{
    Activity, CoreCoord, CoreState, Ending, Event, EventKind, Outcome, Processor, ProcessorId,
    ProcessorState, Site, Waiting,
};
use tilewright_metal::Program;

use super::{nested_acquire, outside_section, unreleased_section};
use crate::FindingId;
use crate::class::Class;
use crate::ending::blocked;
use crate::flow::Step;
use crate::of_class;
use crate::per_core::PerCore;
use crate::session::{Checker, Found, Token};

/// Follows the sections of all cores.
#[derive(Default)]
pub(crate) struct Sections {
    cores: PerCore<DstSides>,
}

/// What is known of one core.
#[derive(Default)]
struct DstSides {
    math: Side,
    pack: Side,
    /// Sections that math has committed and pack has not released.
    committed: u64,
    /// The last of them: its acquire, if there was one, and its commit.
    last: Option<(Option<Step>, Step)>,
}

/// One side of the protocol.
#[derive(Default)]
struct Side {
    /// Sections taken and not given away, the outermost first.
    held: Vec<HeldSection>,
    given: Option<Step>,
    /// Work since then without owning a section.
    stray: Option<Stray>,
    /// Where sections are taken and given away, to tell which names the kernel uses.
    sites: [BTreeSet<Site>; 2],
    /// The last of them.
    noted: [Option<Site>; 2],
}

/// A section that a side holds.
#[derive(Clone, Copy)]
pub(super) struct HeldSection {
    pub(super) taken: Step,
    pub(super) last_work: Option<Step>,
    /// Taken again before it was given away.
    again: Option<(Step, Token)>,
}

/// Work without owning a section.
#[derive(Clone, Copy)]
pub(super) struct Stray {
    pub(super) first: Step,
    pub(super) steps: u64,
    pub(super) token: Token,
}

impl Side {
    fn take(&mut self, event: &Event, found: &mut Found) {
        let step = Step::of(event);
        if let Some(stray) = self.stray.take() {
            outside_section::stray(stray, self.given, found);
        }
        if let Some(outer) = self.held.last().copied() {
            let token = found.token(FindingId::UnreleasedSection, event.site);
            if outer.taken.site == event.site {
                self.held.pop();
                unreleased_section::not_given(outer, Some(step), token, found);
            } else if let Some(outer) = self.held.last_mut() {
                outer.again.get_or_insert((step, token));
            }
        }
        self.held.push(HeldSection { taken: step, last_work: None, again: None });
        self.note(0, event.site);
    }

    /// Waits for the section that math has committed. The wait looks at the counter of sections and
    /// takes nothing from it, as release does (`_llk_packer_wait_for_math_done_` is a SEMWAIT,
    /// `_llk_pack_dest_section_done_` a SEMGET): repeated before anything is packed, it is the same
    /// section.
    fn wait(&mut self, event: &Event, found: &mut Found) {
        if self.held.last().is_some_and(|held| held.last_work.is_none()) {
            return self.note(0, event.site);
        }
        self.take(event, found);
    }

    /// Gives a section away; gives the place where it was taken.
    fn give(&mut self, event: &Event, found: &mut Found) -> Option<Step> {
        let (step, before) = (Step::of(event), self.given);
        let taken = match self.held.pop() {
            None => {
                let stray = self.stray.take();
                outside_section::not_taken(stray, step, before, found);
                None
            }
            Some(HeldSection { taken, again: Some((inner, token)), .. }) => {
                nested_acquire::report(taken, inner, (before, token), found);
                Some(taken)
            }
            Some(HeldSection { taken, .. }) => Some(taken),
        };
        self.given = Some(step);
        self.note(1, event.site);
        taken
    }

    fn work(&mut self, event: &Event, found: &mut Found) {
        let step = Step::of(event);
        if let Some(held) = self.held.last_mut() {
            held.last_work = Some(step);
            return;
        }
        let token = match self.stray {
            Some(stray) => stray.token,
            None => found.token(FindingId::DstOutsideSection, event.site),
        };
        let stray = self.stray.get_or_insert(Stray { first: step, steps: 0, token });
        stray.steps += 1;
    }

    fn note(&mut self, which: usize, site: Site) {
        if self.noted[which] != Some(site) {
            self.noted[which] = Some(site);
            self.sites[which].insert(site);
        }
    }

    /// What is left when the run is over. A side that was stopped inside a section may have had
    /// more to do.
    fn end(&mut self, has_returned: bool, found: &mut Found) {
        if let Some(stray) = self.stray.take() {
            outside_section::stray(stray, self.given, found);
        }
        for held in &self.held {
            match held.again {
                Some((inner, token)) => {
                    unreleased_section::not_given(*held, Some(inner), token, found);
                }
                None if has_returned => {
                    let token = found.token(FindingId::UnreleasedSection, held.taken.site);
                    unreleased_section::not_given(*held, None, token, found);
                }
                None => {}
            }
        }
    }
}

impl DstSides {
    /// Whether math and pack make their calls at the same places: `acquire_dst`, `release_dst`.
    /// The call of one side may be one that never ends.
    fn has_old_names(&self, state: Option<&CoreState>) -> bool {
        let same = |which: usize| !self.math.sites[which].is_disjoint(&self.pack.sites[which]);
        let is_taken = |(state, waiting): (&ProcessorState, Waiting)| match waiting {
            Waiting::ForDstCommit => self.math.sites[0].contains(&state.site),
            Waiting::ForDstSection => self.pack.sites[0].contains(&state.site),
            Waiting::ForSpace { .. }
            | Waiting::ForPages { .. }
            | Waiting::ForTransfers { .. }
            | Waiting::ForSemaphore { .. }
            | Waiting::ForDstDrained
            | Waiting::ForFreeBank(_)
            | Waiting::ForFullBank(_) => false,
        };
        same(0) || same(1) || state.is_some_and(|state| blocked(state).any(is_taken))
    }

    fn end(&mut self, core: CoreCoord, outcome: &Outcome, found: &mut Found) {
        let state = outcome.cores.iter().find(|state| state.core == core);
        let returned = |processor| {
            let of = |it: &&ProcessorState| it.id.processor == processor;
            let state = state.and_then(|state| state.processors.iter().find(of));
            state.is_some_and(|state| state.activity == Activity::Finished)
        };
        self.math.end(returned(Processor::Math), found);
        let is_held = !self.pack.held.is_empty();
        self.pack.end(returned(Processor::Pack), found);
        if let (Some(last), false, Ending::Completed) = (self.last, is_held, &outcome.ending)
            && self.committed > 0
        {
            let pack = ProcessorId { core, processor: Processor::Pack };
            unreleased_section::not_taken(pack, last, self.committed, found);
        }
        if self.has_old_names(state) {
            found.edit(core, |id| id.declaration().is_of_sections, super::rename);
        }
    }
}

impl Checker for Sections {
    fn classes(&self) -> &'static [Class] {
        &[Class::Section, Class::Matrix, Class::Vector, Class::Pack]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let core = self.cores.at(event.processor.core);
        match event.kind {
            EventKind::DstAcquired => core.math.take(event, found),
            EventKind::DstWaited => core.pack.wait(event, found),
            EventKind::DstCommitted => {
                let acquired = core.math.give(event, found);
                core.committed += 1;
                core.last = Some((acquired, Step::of(event)));
            }
            EventKind::DstReleased => {
                core.pack.give(event, found);
                core.committed = core.committed.saturating_sub(1);
            }
            EventKind::Computed { .. } | EventKind::Vectored { .. } => {
                core.math.work(event, found);
            }
            EventKind::Packed { .. } => core.pack.work(event, found),
            EventKind::StartedUp
            | EventKind::StartupRepeated
            | of_class!(Ring, Wait, UnpackFormat, AluFormat, Operation, PackSetting, Unpack)
            | of_class!(Network, Word, Kernel) => {}
        }
    }

    fn end(&mut self, _: &Program, outcome: &Outcome, found: &mut Found) {
        for state in &outcome.cores {
            self.cores.at(state.core).end(state.core, outcome, found);
        }
    }
}
