//! A session watches one run of one program with the checkers asked for, and then says what they
//! found: one finding a place with a count of cores, the earliest first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tilewright_machine::{
    CbId, CoreCoord, Cycle, Ending, Event, EventKind, EventOrder, L1Address, Observer, Outcome,
    Processor, Site,
};
use tilewright_metal::{CbPlacement, Program};

use crate::FindingId;
use crate::allow::{self, Report};
use crate::class::Class;
use crate::consequences;
use crate::ending;
use crate::finding::Finding;
use crate::memory;
use crate::rings::Rings;
use crate::tool::{Tool, Tools};
pub(crate) use crate::trace::Token;
use crate::trace::Traces;
use crate::written::Written;
use crate::{dst, flow, format, race, sync};

/// One checker: it sees the events of its classes, then the end. Tells what it finds to `Found`.
pub(crate) trait Checker: Send {
    /// The events that it handles.
    fn classes(&self) -> &'static [Class];

    /// Whether it looks at places of zeros, of which there are many and which few look at.
    fn looks_at_zeros(&self) -> bool {
        false
    }

    /// Takes one event.
    fn event(&mut self, event: &Event, found: &mut Found);

    /// Looks at how the run ended.
    fn end(&mut self, _program: &Program, _outcome: &Outcome, _found: &mut Found) {}
}

/// A finding of one run, with what distinguishes it from others and when it was noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The finding.
    pub finding: Finding,
    /// The line that distinguishes it.
    pub site: Site,
    /// The cycle by which everything had happened that it rests on.
    pub cycle: Cycle,
    /// The bit that values which it has touched carry, and of which program of the run.
    pub(crate) token: Token,
    pub(crate) program: usize,
    /// The output that it is about, if it is about one.
    pub(crate) output: Option<String>,
}

/// A place with a finding, and where else the same was found.
pub(crate) struct Place {
    pub(crate) cycle: Cycle,
    /// When it was noticed, which may be later.
    noticed: Cycle,
    /// When the first core did it: cores are looked at one after the other.
    pub(crate) earliest: Cycle,
    pub(crate) site: Site,
    pub(crate) cores: BTreeSet<CoreCoord>,
    /// The ring that it is about, if it is about one.
    pub(crate) ring: Option<CbId>,
    /// The bit that values which it has touched carry.
    pub(crate) token: Token,
    /// The findings that have touched the values which it is about.
    pub(crate) reached: Traces,
    /// The output that it is about, if it is about one.
    pub(crate) output: Option<String>,
    /// The word of L1 that it is about, if it is about one.
    pub(crate) word: Option<L1Address>,
    /// The kinds of the findings that follow from it, and their bits.
    pub(crate) attached: Vec<FindingId>,
    pub(crate) attached_tokens: Traces,
    pub(crate) finding: Finding,
}

impl Sighting {
    /// A finding that no value carries on.
    pub(crate) fn of(finding: Finding, site: Site, cycle: Cycle) -> Sighting {
        Sighting { finding, site, cycle, token: Token::NONE, program: 0, output: None }
    }
}

impl From<Place> for Sighting {
    fn from(place: Place) -> Sighting {
        Sighting {
            finding: place.finding,
            site: place.site,
            cycle: place.noticed,
            token: place.token,
            program: 0,
            output: place.output,
        }
    }
}

/// What checkers have found so far, one entry for each kind and line.
#[derive(Default)]
pub(crate) struct Found {
    places: Vec<Place>,
    /// The cycle of what is being looked at.
    now: Cycle,
    /// The bits that were given out.
    tokens: BTreeMap<(FindingId, Site), Token>,
    /// The findings that the event which is being looked at has to do with.
    pub(crate) touched: Traces,
    /// Whether there are no more events.
    is_over: bool,
    /// Who wrote the outputs, if a checker has followed that.
    pub(crate) written: Vec<Written>,
    /// Rings of which a processor has read pages that it had pushed itself.
    pub(crate) own_reads: BTreeSet<(CoreCoord, CbId, Processor)>,
}

/// When and where something was found.
pub(crate) type At = (Cycle, CoreCoord);

impl Found {
    /// Adds a finding that is distinguished by its kind and `site`; `make` is only called for the
    /// first at a place.
    pub(crate) fn add(
        &mut self,
        id: FindingId,
        site: Site,
        at: At,
        make: impl FnOnce() -> Finding,
    ) {
        self.add_to(None, None, (id, site), at, make);
    }

    /// The same for a finding about a ring.
    pub(crate) fn add_on(
        &mut self,
        ring: CbId,
        id: FindingId,
        site: Site,
        at: At,
        make: impl FnOnce() -> Finding,
    ) {
        self.add_to(Some(ring), None, (id, site), at, make);
    }

    /// The same for one that may have touched values before it was known to be one.
    pub(crate) fn add_ring(
        &mut self,
        ring: CbId,
        token: Option<Token>,
        key: (FindingId, Site),
        at: At,
        make: impl FnOnce() -> Finding,
    ) {
        self.add_to(Some(ring), token, key, at, make);
    }

    /// The same for a finding that has touched values before it was known to be one.
    pub(crate) fn add_token(
        &mut self,
        token: Token,
        id: FindingId,
        site: Site,
        at: At,
        make: impl FnOnce() -> Finding,
    ) {
        self.add_to(None, Some(token), (id, site), at, make);
    }

    /// The same for a finding about values that others have touched.
    pub(crate) fn add_reached(
        &mut self,
        (reached, output): (Traces, Option<&str>),
        id: FindingId,
        site: Site,
        at: At,
        make: impl FnOnce() -> Finding,
    ) {
        let place = self.add_to(None, None, (id, site), at, make);
        self.places[place].reached.join(reached);
        self.places[place].output = output.map(str::to_owned);
    }

    /// Says which output a finding that was added is about.
    pub(crate) fn is_of_output(&mut self, id: FindingId, site: Site, output: &str) {
        let same = |place: &&mut Place| place.finding.id == id && place.site.is_at(&site);
        self.places.iter_mut().filter(same).for_each(|place| {
            place.output.get_or_insert_with(|| output.to_owned());
        });
    }

    /// Says which word of L1 a finding that was added is about.
    pub(crate) fn is_about(&mut self, id: FindingId, site: Site, word: L1Address) {
        let same = |place: &&mut Place| place.finding.id == id && place.site == site;
        self.places.iter_mut().filter(same).for_each(|place| place.word = Some(word));
    }

    fn add_to(
        &mut self,
        ring: Option<CbId>,
        token: Option<Token>,
        (id, site): (FindingId, Site),
        (cycle, core): At,
        make: impl FnOnce() -> Finding,
    ) -> usize {
        let same = |place: &Place| place.finding.id == id && place.site.is_at(&site);
        if let Some(number) = self.places.iter().position(same) {
            let place = &mut self.places[number];
            place.cores.insert(core);
            place.earliest = place.earliest.min(cycle);
            place.finding.count = place.cores.len();
            self.touched.join(Traces::of(place.token));
            return number;
        }
        let token = match token {
            Some(token) => token,
            None if self.is_over => self.token_of(id, site),
            None => self.token(id, site),
        };
        let (cores, finding) = (BTreeSet::from([core]), make());
        assert_eq!(finding.id, id, "a finding is what it was announced as");
        let (noticed, reached) = (self.now.max(cycle), Traces::NONE);
        self.places.push(Place {
            cycle,
            noticed,
            earliest: cycle,
            site,
            cores,
            ring,
            token,
            reached,
            output: None,
            word: None,
            attached: Vec::new(),
            attached_tokens: Traces::NONE,
            finding,
        });
        self.places.len() - 1
    }

    /// A bit for something that may turn out to be a finding; the event touches its values.
    pub(crate) fn token(&mut self, id: FindingId, site: Site) -> Token {
        let next = Token::new(self.tokens.len());
        let token = *self.tokens.entry((id, site)).or_insert(next);
        self.again(token)
    }

    /// The bit that a kind of finding at a line was given while events came, if it was.
    pub(crate) fn token_of(&self, id: FindingId, site: Site) -> Token {
        self.tokens.get(&(id, site)).copied().unwrap_or(Token::NONE)
    }

    /// The event touches the values of what has a bit already.
    pub(crate) fn again(&mut self, token: Token) -> Token {
        self.touched.join(Traces::of(token));
        token
    }

    /// Says better what would help at a place.
    pub(crate) fn set_help(&mut self, id: FindingId, site: Site, help: String) {
        let is_it = |place: &&mut Place| place.finding.id == id && place.site.is_at(&site);
        if let Some(place) = self.places.iter_mut().find(is_it) {
            place.finding.help = Some(help);
        }
    }

    /// Adds what is known of a place beyond its proof.
    pub(crate) fn add_fact(&mut self, id: FindingId, site: Site, fact: &str) {
        let is_it = |place: &&mut Place| place.finding.id == id && place.site.is_at(&site);
        if let Some(place) = self.places.iter_mut().find(is_it)
            && !place.finding.facts.iter().any(|known| known == fact)
        {
            place.finding.facts.insert(1, fact.to_owned());
        }
    }

    /// Changes what is said of findings of some kinds on a core.
    pub(crate) fn edit(
        &mut self,
        core: CoreCoord,
        is_meant: impl Fn(FindingId) -> bool,
        change: impl Fn(&mut Finding),
    ) {
        let meant = |place: &&mut Place| place.cores.contains(&core) && is_meant(place.finding.id);
        self.places.iter_mut().filter(meant).for_each(|place| change(&mut place.finding));
    }

    /// Takes out what is no fault of a ring that is scratch.
    fn leave_scratch(&mut self, program: &Program, users: &sync::Users) {
        let own_reads = std::mem::take(&mut self.own_reads);
        let is_scratch = |core: CoreCoord, cb: CbId| {
            let is_declared = program.buffer(core, cb).is_some_and(|(spec, _)| spec.is_scratch);
            let reads = |who: Processor| own_reads.contains(&(core, cb, who));
            // In memory that the host has filled, or will read, nobody needs to take turns.
            let is_placed = program.placement_of_ring(core, cb) != Some(&CbPlacement::Allocated);
            is_declared
                || users
                    .only_user(core, cb)
                    .is_some_and(|it| it.is_both || is_placed || reads(it.who))
        };
        for place in &mut self.places {
            if let (true, Some(cb)) = (place.finding.id.declaration().is_of_turns, place.ring) {
                place.cores.retain(|core| !is_scratch(*core, cb));
                place.finding.count = place.cores.len();
            }
        }
        self.places.retain(|place| !place.cores.is_empty());
    }

    /// What was found in order of time, without what only follows from something earlier.
    fn into_places(mut self) -> Vec<Place> {
        self.places.sort_by_key(|place| place.earliest);
        consequences::attach(self.places)
    }
}

/// The checkers on one run.
pub struct Session {
    tools: Tools,
    checkers: Vec<Box<dyn Checker>>,
    /// The places of the checkers that look at each class of events.
    audience: [Vec<usize>; Class::ALL.len()],
    /// The places of those that look at places of zeros.
    audience_of_zeros: Vec<usize>,
    needs_users: bool,
    users: sync::Users,
    found: Found,
    allowed: BTreeSet<FindingId>,
}

impl Session {
    /// A session for one run of a program.
    pub fn new(program: &Program, tools: &Tools) -> Session {
        let checkers = checkers(program, tools);
        let (users, found) = (sync::Users::default(), Found::default());
        let audience = Class::ALL.map(|class| {
            let looks = |place: &usize| checkers[*place].classes().contains(&class);
            (0..checkers.len()).filter(looks).collect()
        });
        let looks_at_zeros = |place: &usize| checkers[*place].looks_at_zeros();
        let audience_of_zeros = (0..checkers.len()).filter(looks_at_zeros).collect();
        let needs_users = tools.has(Tool::Sync) || tools.has(Tool::Memory);
        let (tools, allowed) = (tools.clone(), BTreeSet::new());
        Session { tools, checkers, audience, audience_of_zeros, needs_users, users, found, allowed }
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
        // How a paused run ends is not known yet.
        if !matches!(outcome.ending, Ending::Paused(_)) {
            (self.found.now, self.found.is_over) = (outcome.cycles, true);
            for checker in &mut self.checkers {
                checker.end(program, outcome, &mut self.found);
            }
            if self.tools.has(Tool::Sync) {
                sync::look_for_omissions(program, outcome, &self.users, &mut self.found);
            }
        }
        let written = std::mem::take(&mut self.found.written);
        self.found.leave_scratch(program, &self.users);
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
            Sighting::of(finding, site, outcome.cycles)
        };
        let found = places.into_iter().map(Sighting::from);
        let sightings = found.chain(waits.into_iter().map(last)).collect();
        let report = allow::apply(program, &self.allowed, sightings);
        Report { tools: self.tools, written, programs: 1, ..report }
    }
}

/// Makes the checkers of a tool.
type Checkers = fn(&Program, &Arc<Rings>) -> Vec<Box<dyn Checker>>;

/// The checkers of the tools, in the order in which they are called.
fn checkers(program: &Program, tools: &Tools) -> Vec<Box<dyn Checker>> {
    let rings = Arc::new(Rings::of(program));
    let mut checkers: Vec<Box<dyn Checker>> = Vec::new();
    let groups: [(Tool, Checkers); 5] = [
        (Tool::Sync, sync::checkers),
        (Tool::Dst, dst::checkers),
        (Tool::Format, format::checkers),
        (Tool::Memory, memory::checkers),
        (Tool::Race, race::checkers),
    ];
    for (_, group) in groups.iter().filter(|(tool, _)| tools.has(*tool)) {
        checkers.extend(group(program, &rings));
    }
    // Init and value share one.
    if let Some(watch) = flow::Watch::new(program, tools) {
        checkers.push(Box::new(watch));
    }
    checkers
}

impl Observer for Session {
    fn event(&mut self, event: &Event) {
        (self.found.now, self.found.touched) = (event.cycle, Traces::NONE);
        if matches!(event.kind, EventKind::Zeros { .. }) {
            for place in &self.audience_of_zeros {
                self.checkers[*place].event(event, &mut self.found);
            }
            return;
        }
        let class = Class::of(&event.kind);
        if self.needs_users && class.is_of_rings() {
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
