//! A session watches one run of one program with the checkers asked for, and then says what they
//! found: one finding a place with a count of cores, the earliest first.

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewright_machine::{
    CbId, CoreCoord, Cycle, Ending, Event, EventOrder, Observer, Outcome, Site,
};
use tilewright_metal::Program;

use crate::allow::{self, Report};
use crate::class::Class;
use crate::consequences;
use crate::ending;
use crate::finding::{Finding, FindingId};
use crate::memory::Memory;
use crate::rings::Rings;
use crate::tool::{Tool, Tools};
use crate::written::Written;
use crate::{dst, flow, format, race, sync};

/// One checker: it sees the events of its classes, then the end. Tells what it finds to `Found`.
pub(crate) trait Checker: Send {
    /// The events that it looks at.
    fn classes(&self) -> &'static [Class];

    /// Takes one event.
    fn event(&mut self, event: &Event, found: &mut Found);

    /// Looks at how the run ended.
    fn end(&mut self, _program: &Program, _outcome: &Outcome, _found: &mut Found) {}
}

/// A finding of one run, with what tells it apart from others and when it was noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The finding.
    pub finding: Finding,
    /// The line that it is told apart by.
    pub site: Site,
    /// The cycle by which everything had happened that it rests on.
    pub cycle: Cycle,
}

/// A place with a finding, and where else the same was found.
pub(crate) struct Place {
    pub(crate) cycle: Cycle,
    /// When it was noticed, which may be later.
    noticed: Cycle,
    site: Site,
    pub(crate) cores: BTreeSet<CoreCoord>,
    /// The ring that it is about, if it is about one.
    pub(crate) ring: Option<CbId>,
    pub(crate) finding: Finding,
}

impl From<Place> for Sighting {
    fn from(place: Place) -> Sighting {
        Sighting { finding: place.finding, site: place.site, cycle: place.noticed }
    }
}

/// What checkers have found so far, one entry for each kind and line.
#[derive(Default)]
pub(crate) struct Found {
    places: Vec<Place>,
    /// The cycle of what is being looked at.
    now: Cycle,
    /// Who wrote the outputs, if somebody has followed that.
    pub(crate) written: Vec<Written>,
}

impl Found {
    /// Adds a finding that is told apart by its kind and `site`; `make` is only asked for the
    /// first at a place.
    pub(crate) fn add(
        &mut self,
        id: FindingId,
        site: Site,
        (cycle, core): (Cycle, CoreCoord),
        make: impl FnOnce() -> Finding,
    ) {
        self.add_to(None, id, site, (cycle, core), make);
    }

    /// The same for a finding about a ring.
    pub(crate) fn add_on(
        &mut self,
        ring: CbId,
        id: FindingId,
        site: Site,
        at: (Cycle, CoreCoord),
        make: impl FnOnce() -> Finding,
    ) {
        self.add_to(Some(ring), id, site, at, make);
    }

    fn add_to(
        &mut self,
        ring: Option<CbId>,
        id: FindingId,
        site: Site,
        (cycle, core): (Cycle, CoreCoord),
        make: impl FnOnce() -> Finding,
    ) {
        let same = |place: &&mut Place| place.finding.id == id && place.site == site;
        if let Some(place) = self.places.iter_mut().find(same) {
            place.cores.insert(core);
            place.finding.count = place.cores.len();
            return;
        }
        let (cores, finding) = (BTreeSet::from([core]), make());
        assert_eq!(finding.id, id, "a finding is what it was announced as");
        let noticed = self.now.max(cycle);
        self.places.push(Place { cycle, noticed, site, cores, ring, finding });
    }

    /// What was found in order of time, without what only follows from something earlier.
    fn into_places(mut self) -> Vec<Place> {
        self.places.sort_by_key(|place| place.cycle);
        consequences::attach(self.places)
    }
}

/// The checkers on one run.
pub struct Session {
    tools: Tools,
    checkers: Vec<Box<dyn Checker>>,
    /// The places of the checkers that look at each class of events.
    audience: [Vec<usize>; Class::ALL.len()],
    is_sync: bool,
    users: sync::Users,
    found: Found,
    allowed: BTreeSet<FindingId>,
}

impl Session {
    /// A session for one run of a program.
    pub fn new(program: &Program, tools: &Tools) -> Session {
        let mut checkers: Vec<Box<dyn Checker>> = Vec::new();
        if tools.has(Tool::Sync) {
            checkers.push(Box::new(sync::LeftoverPages::default()));
            checkers.push(Box::new(sync::UnflushedAtExit::default()));
            checkers.push(Box::new(sync::UninitialisedSemaphore::new(program)));
        }
        if tools.has(Tool::Dst) {
            checkers.push(Box::new(dst::StaleAccumulation::new(program)));
            checkers.push(Box::new(dst::NestedAcquire::default()));
            checkers.push(Box::new(dst::DstOutsideSection::default()));
            checkers.push(Box::new(dst::DstCapacity::new(program)));
            checkers.push(Box::new(dst::LostOnRelease::new(program)));
            checkers.push(Box::new(dst::UnreleasedSection::default()));
        }
        if tools.has(Tool::Format) || tools.has(Tool::Memory) {
            add_ring_checkers(&mut checkers, program, tools);
        }
        if tools.has(Tool::Race) {
            checkers.push(Box::new(race::Race::new(program)));
        }
        if let Some(watch) = flow::Watch::new(program, tools) {
            checkers.push(Box::new(watch));
        }
        let (users, found) = (sync::Users::default(), Found::default());
        let audience = Class::ALL.map(|class| {
            let looks = |place: &usize| checkers[*place].classes().contains(&class);
            (0..checkers.len()).filter(looks).collect()
        });
        let (tools, is_sync) = (tools.clone(), tools.has(Tool::Sync));
        Session { tools, checkers, audience, is_sync, users, found, allowed: BTreeSet::new() }
    }

    /// Whether it has anything to watch; if not, the run needs no observer.
    pub fn is_watching(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Takes findings of these kinds off the list.
    pub fn allow(mut self, ids: impl IntoIterator<Item = FindingId>) -> Session {
        self.allowed.extend(ids);
        self
    }

    /// What was found and is not allowed, the earliest first, and after it how the run ended.
    pub fn findings(self, program: &Program, outcome: &Outcome) -> Vec<Finding> {
        self.report(program, outcome).findings()
    }

    /// What was found with places and times, and what of it is allowed.
    pub fn report(mut self, program: &Program, outcome: &Outcome) -> Report {
        // Of a run that was paused nobody knows yet how it ends.
        if !matches!(outcome.ending, Ending::Paused(_)) {
            self.found.now = outcome.cycles;
            for checker in &mut self.checkers {
                checker.end(program, outcome, &mut self.found);
            }
        }
        let written = std::mem::take(&mut self.found.written);
        let mut places = self.found.into_places();
        let waits = match outcome.ending {
            Ending::Stuck if self.tools.has(Tool::Sync) => {
                sync::stuck(program, outcome, &self.users)
            }
            Ending::Stuck | Ending::Completed | Ending::Stopped(_) | Ending::Paused(_) => None,
        };
        let waits = waits.unwrap_or_else(|| ending::findings(program, outcome));
        let waits = consequences::attach_waits(&mut places, waits, outcome);
        let last = |finding: Finding| {
            let site = finding.marks.first().map_or(Site::KERNEL, |mark| mark.site);
            Sighting { finding, site, cycle: outcome.cycles }
        };
        let found = places.into_iter().map(Sighting::from);
        let sightings = found.chain(waits.into_iter().map(last)).collect();
        let report = allow::apply(program, &self.allowed, sightings);
        Report { tools: self.tools, written, ..report }
    }
}

/// The checkers that need to know the rings.
fn add_ring_checkers(checkers: &mut Vec<Box<dyn Checker>>, program: &Program, tools: &Tools) {
    let rings = Arc::new(Rings::of(program));
    if tools.has(Tool::Format) {
        checkers.push(Box::new(format::UnpackFormat::new(&rings)));
        checkers.push(Box::new(format::AluFormat::new(&rings)));
        checkers.push(Box::new(format::PackFormat::new(&rings)));
        checkers.push(Box::new(format::WrongInit::default()));
        checkers.push(Box::new(format::PageSize::new(&rings)));
    }
    if tools.has(Tool::Memory) {
        checkers.push(Box::new(Memory::new(&rings)));
    }
}

impl Observer for Session {
    fn event(&mut self, event: &Event) {
        self.found.now = event.cycle;
        let class = Class::of(&event.kind);
        if self.is_sync && matches!(class, Class::Ring | Class::Wait | Class::Word | Class::Network)
        {
            self.users.event(event);
        }
        for place in &self.audience[class as usize] {
            self.checkers[*place].event(event, &mut self.found);
        }
    }

    /// Checkers keep what they know by core, and need of other cores only what has reached it.
    fn order(&self) -> EventOrder {
        EventOrder::CoreByCore
    }
}
