//! A session watches one run of one program with the checkers asked for, and then says what they
//! found: one finding a place with a count of cores, the earliest first.

use std::collections::BTreeSet;

use tilewright_machine::{CoreCoord, Cycle, Ending, Event, Observer, Outcome, Site};
use tilewright_metal::Program;

use crate::ending;
use crate::finding::{Finding, FindingId};
use crate::tool::{Tool, Tools};
use crate::{dst, flow, race, sync};

/// One checker: it sees every event, then the end. Tells what it finds to `Found`.
pub(crate) trait Checker: Send {
    /// Takes one event.
    fn event(&mut self, event: &Event, found: &mut Found);

    /// Looks at how the run ended.
    fn end(&mut self, _program: &Program, _outcome: &Outcome, _found: &mut Found) {}
}

/// A place with a finding, and where else the same was found.
struct Place {
    cycle: Cycle,
    site: Site,
    cores: BTreeSet<CoreCoord>,
    finding: Finding,
}

/// What checkers have found so far, one entry for each kind and line.
#[derive(Default)]
pub(crate) struct Found {
    places: Vec<Place>,
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
        self.places.push(Place { cycle, site, cores, finding });
    }

    fn into_findings(mut self) -> Vec<Finding> {
        self.places.sort_by_key(|place| place.cycle);
        self.attach_consequences();
        self.places.into_iter().map(|place| place.finding).collect()
    }
}

impl Found {
    /// What init and value find where an earlier finding explains it is told with that one, not as
    /// a second error: values that were lost or never came are what such faults do.
    fn attach_consequences(&mut self) {
        let (mut causes, results): (Vec<Place>, Vec<Place>) = std::mem::take(&mut self.places)
            .into_iter()
            .partition(|place| !follows_values(place.finding.id));
        for result in results {
            let explains = |cause: &&mut Place| {
                explains(cause.finding.id)
                    && result.finding.id != FindingId::PaddingInOutput
                    && cause.cycle <= result.cycle
                    && result.cores.iter().any(|core| cause.cores.contains(core))
            };
            match causes.iter_mut().find(explains) {
                Some(cause) => {
                    let consequence = format!("consequence: {}", result.finding.title);
                    cause.finding.facts.push(consequence);
                }
                None => self.places.push(result),
            }
        }
        self.places.extend(causes);
        self.places.sort_by_key(|place| place.cycle);
    }
}

fn follows_values(id: FindingId) -> bool {
    matches!(id.tool(), Some(Tool::Init | Tool::Value))
}

/// Whether a fault can make values get lost. A value that is added once too often loses nothing.
fn explains(id: FindingId) -> bool {
    id.tool().is_some() && !follows_values(id) && id != FindingId::StaleAccumulation
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
            checkers.push(Box::new(sync::UninitialisedSemaphore::new(program)));
        }
        if tools.has(Tool::Dst) {
            checkers.push(Box::new(dst::StaleAccumulation::new(program)));
            checkers.push(Box::new(dst::NestedAcquire::default()));
            checkers.push(Box::new(dst::DstOutsideSection::default()));
            checkers.push(Box::new(dst::DstCapacity::new(program)));
        }
        if tools.has(Tool::Race) {
            checkers.push(Box::new(race::Race::new(program)));
        }
        if let Some(watch) = flow::Watch::new(program, tools) {
            checkers.push(Box::new(watch));
        }
        let (users, found) = (sync::Users::default(), Found::default());
        Session { tools: tools.clone(), checkers, users, found }
    }

    /// Whether it has anything to watch; if not, the run needs no observer.
    pub fn is_watching(&self) -> bool {
        !self.tools.is_empty()
    }

    /// What was found, the earliest first, and after it how the run ended.
    pub fn findings(mut self, program: &Program, outcome: &Outcome) -> Vec<Finding> {
        for checker in &mut self.checkers {
            checker.end(program, outcome, &mut self.found);
        }
        let mut findings = self.found.into_findings();
        let waits = match outcome.ending {
            Ending::Stuck if self.tools.has(Tool::Sync) => {
                sync::stuck(program, outcome, &self.users)
            }
            Ending::Stuck | Ending::Completed | Ending::Stopped(_) => None,
        };
        findings.extend(waits.unwrap_or_else(|| ending::findings(program, outcome)));
        findings
    }
}

impl Observer for Session {
    fn event(&mut self, event: &Event) {
        if self.tools.has(Tool::Sync) {
            self.users.event(event);
        }
        for checker in &mut self.checkers {
            checker.event(event, &mut self.found);
        }
    }
}
