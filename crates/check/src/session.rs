//! A session watches one run of one program with the checkers asked for, and then says what they
//! found: one finding a place with a count of cores, the earliest first.

use std::collections::BTreeSet;

use tilewright_machine::{CoreCoord, Cycle, Ending, Event, Observer, Outcome, Site};
use tilewright_metal::Program;

use crate::ending;
use crate::finding::{Finding, FindingId};
use crate::tool::{Tool, Tools};
use crate::{dst, sync};

/// One checker: it sees every event, then the end. Tells what it finds to `Found`.
pub(crate) trait Checker: Send {
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
struct Place {
    cycle: Cycle,
    /// When it was noticed, which may be later.
    noticed: Cycle,
    site: Site,
    cores: BTreeSet<CoreCoord>,
    finding: Finding,
}

/// What checkers have found so far, one entry for each kind and line.
#[derive(Default)]
pub(crate) struct Found {
    places: Vec<Place>,
    /// The cycle of what is being looked at.
    now: Cycle,
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
        let same = |place: &&mut Place| place.finding.id == id && place.site == site;
        if let Some(place) = self.places.iter_mut().find(same) {
            place.cores.insert(core);
            place.finding.count = place.cores.len();
            return;
        }
        let (cores, finding) = (BTreeSet::from([core]), make());
        assert_eq!(finding.id, id, "a finding is what it was announced as");
        let noticed = self.now.max(cycle);
        self.places.push(Place { cycle, noticed, site, cores, finding });
    }

    fn into_sightings(mut self) -> Vec<Sighting> {
        self.places.sort_by_key(|place| place.cycle);
        let sighting = |place: Place| {
            let Place { site, noticed, finding, .. } = place;
            Sighting { finding, site, cycle: noticed }
        };
        self.places.into_iter().map(sighting).collect()
    }
}

/// The checkers on one run.
pub struct Session {
    tools: Tools,
    checkers: Vec<Box<dyn Checker>>,
    users: sync::Users,
    found: Found,
}

impl Session {
    /// A session for one run of a program.
    pub fn new(program: &Program, tools: &Tools) -> Session {
        let mut checkers: Vec<Box<dyn Checker>> = Vec::new();
        if tools.has(Tool::Sync) {
            checkers.push(Box::new(sync::LeftoverPages::default()));
            checkers.push(Box::new(sync::UnflushedAtExit::default()));
        }
        if tools.has(Tool::Dst) {
            checkers.push(Box::new(dst::StaleAccumulation::new(program)));
            checkers.push(Box::new(dst::NestedAcquire::default()));
            checkers.push(Box::new(dst::DstOutsideSection::default()));
            checkers.push(Box::new(dst::DstCapacity::new(program)));
        }
        let (users, found) = (sync::Users::default(), Found::default());
        Session { tools: tools.clone(), checkers, users, found }
    }

    /// Whether it has anything to watch; if not, the run needs no observer.
    pub fn is_watching(&self) -> bool {
        !self.tools.is_empty()
    }

    /// What was found, the earliest first, and after it how the run ended.
    pub fn findings(self, program: &Program, outcome: &Outcome) -> Vec<Finding> {
        let sightings = self.sightings(program, outcome);
        sightings.into_iter().map(|sighting| sighting.finding).collect()
    }

    /// The findings with their places and times.
    pub fn sightings(mut self, program: &Program, outcome: &Outcome) -> Vec<Sighting> {
        // Of a run that was paused nobody knows yet how it ends.
        if let Ending::Paused(_) = outcome.ending {
            return self.found.into_sightings();
        }
        self.found.now = outcome.cycles;
        for checker in &mut self.checkers {
            checker.end(program, outcome, &mut self.found);
        }
        let mut sightings = self.found.into_sightings();
        let waits = match outcome.ending {
            Ending::Stuck if self.tools.has(Tool::Sync) => {
                sync::stuck(program, outcome, &self.users)
            }
            Ending::Stuck | Ending::Completed | Ending::Stopped(_) | Ending::Paused(_) => None,
        };
        let endings = waits.unwrap_or_else(|| ending::findings(program, outcome));
        let sighting = |finding: Finding| {
            let site = finding.marks.first().map_or(Site::KERNEL, |mark| mark.site);
            Sighting { finding, site, cycle: outcome.cycles }
        };
        sightings.extend(endings.into_iter().map(sighting));
        sightings
    }
}

impl Observer for Session {
    fn event(&mut self, event: &Event) {
        self.found.now = event.cycle;
        if self.tools.has(Tool::Sync) {
            self.users.event(event);
        }
        for checker in &mut self.checkers {
            checker.event(event, &mut self.found);
        }
    }
}
