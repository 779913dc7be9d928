//! What the tool race has found so far, and the names of what it speaks of.
//!
//! A finding waits here for the first use of the bytes it is about, and is reported at the end.

use std::collections::BTreeMap;
use std::ops::Range;

use tilewright_machine::{CbConfig, CbId, CoreCoord, Cycle, Event, L1Address, ProcessorId, Site};
use tilewright_metal::{Program, SemaphoreId};

use super::clock::Slot;
use super::flights::Flight;
use super::shadow::{Access, How};
use crate::FindingId;
use crate::finding::{Finding, Mark};
use crate::session::Found;

/// A memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// The L1 of a core, by number.
    L1(usize),
    /// A bank of DRAM.
    Dram(u8),
}

/// Two accesses to the same bytes that nothing puts in order.
#[derive(Clone, Copy)]
pub(super) struct Clash {
    pub(super) old: Access,
    pub(super) next: Access,
    pub(super) place: Place,
}

impl Clash {
    /// In the order of time, whichever was seen first: cores are seen one after the other.
    pub(super) fn new(seen: Access, next: Access, place: Place) -> Clash {
        let (old, next) = if seen.cycle > next.cycle { (next, seen) } else { (seen, next) };
        Clash { old, next, place }
    }
}

/// A finding of one core in the making.
pub(super) struct Case {
    pub(super) id: FindingId,
    /// The line at which it is reported.
    pub(super) site: Site,
    pub(super) cycle: Cycle,
    pub(super) core: CoreCoord,
    pub(super) title: String,
    pub(super) marks: Vec<Mark>,
    pub(super) facts: Vec<String>,
    pub(super) help: String,
    /// Whether the first use of the bytes is still to be marked.
    pub(super) wants_use: bool,
    /// The word that it is about, if it is about one.
    pub(super) word: Option<L1Address>,
}

/// A finding that was kept.
pub(super) struct Kept {
    pub(super) case: Case,
    /// The two cores between which an order is missing.
    pub(super) between: Option<(usize, usize)>,
    /// What values that it has touched are marked with.
    traced_as: (FindingId, Site),
}

/// Where a line of a kernel may be remembered.
const SITES: usize = 256;

/// Cores that a row may have here; no product has more.
const COLUMNS: usize = 32;

/// Findings and names.
pub(super) struct Ledger {
    coords: Vec<CoreCoord>,
    numbers: Vec<Option<u16>>,
    rings: BTreeMap<CoreCoord, Vec<(CbConfig, String)>>,
    semaphores: Vec<(SemaphoreId, Range<u32>)>,
    sites: Vec<Site>,
    recent: Vec<u32>,
    cases: Vec<Kept>,
    /// The case that explains what a transfer does to a memory.
    explained: BTreeMap<(Slot, u32, Place), usize>,
    /// The finding that the last event has to do with.
    noted: Option<(FindingId, Site)>,
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger {
            coords: Vec::new(),
            numbers: vec![None; COLUMNS * COLUMNS],
            rings: BTreeMap::new(),
            semaphores: Vec::new(),
            sites: vec![Site::KERNEL],
            recent: vec![0; SITES],
            cases: Vec::new(),
            explained: BTreeMap::new(),
            noted: None,
        }
    }
}

impl Ledger {
    pub(super) fn add_core(&mut self, coord: CoreCoord) -> usize {
        self.coords.push(coord);
        let number = self.coords.len() - 1;
        self.numbers[place(coord)] = Some(number as u16);
        number
    }

    #[inline]
    pub(super) fn number(&self, coord: CoreCoord) -> Option<usize> {
        self.numbers[place(coord)].map(usize::from)
    }

    pub(super) fn name_rings(&mut self, program: &Program, core: CoreCoord) {
        let name = |ring: &CbConfig| {
            let declared = program.buffer(core, ring.id);
            declared.map_or_else(|| ring.id.to_string(), |(spec, _)| spec.name.clone())
        };
        let rings = program.placed_buffers(core).iter().map(|ring| (*ring, name(ring)));
        self.rings.insert(core, rings.collect());
    }

    pub(super) fn name_semaphores(&mut self, program: &Program) {
        self.semaphores = program.semaphore_slots().collect();
    }

    /// What a word of L1 is called.
    pub(super) fn word(&self, at: L1Address) -> String {
        let found = self.semaphores.iter().find(|(_, slot)| slot.contains(&at.0));
        match found {
            Some((id, _)) => format!("semaphore {}", id.0),
            None => format!("the word at {:#x}", at.0),
        }
    }

    /// A small number for a line of a kernel.
    #[inline]
    pub(super) fn site(&mut self, site: Site) -> u32 {
        let key = (site.file.as_ptr() as usize >> 3) + site.line as usize * 7;
        let place = (key + site.column as usize) % SITES;
        let recent = self.recent[place];
        if self.sites[recent as usize] == site {
            return recent;
        }
        let known = self.sites.iter().position(|known| *known == site);
        let number = known.unwrap_or_else(|| {
            self.sites.push(site);
            self.sites.len() - 1
        });
        self.recent[place] = number as u32;
        number as u32
    }

    /// Who did something on a line.
    pub(super) fn who(&self, slot: Slot) -> ProcessorId {
        ProcessorId { core: self.coords[slot.core()], processor: slot.owner() }
    }

    pub(super) fn coord(&self, core: usize) -> CoreCoord {
        self.coords[core]
    }

    /// The mark of an access, from the point of view of what happens at a place.
    pub(super) fn mark(&self, access: &Access, role: String) -> Mark {
        let site = self.sites[access.site as usize];
        Mark { role, site, processor: Some(self.who(access.slot)) }
    }

    pub(super) fn site_of(&self, access: &Access) -> Site {
        self.sites[access.site as usize]
    }

    /// What an access does, in words.
    pub(super) fn deed(&self, access: &Access) -> String {
        let (who, bytes) = (access.slot.owner(), access.end - access.start);
        match access.how {
            How::Unpack | How::Load => format!("{who} reads it"),
            How::Pack | How::Store => format!("{who} writes it"),
            How::ReadInto => format!("{who} asks for {bytes} bytes into it"),
            How::ReadFrom => format!("{who} asks for {bytes} bytes out of it"),
            How::WriteFrom => format!("{who} sends {bytes} bytes out of it"),
            How::WriteInto => format!("{who} sends {bytes} bytes into it"),
        }
    }

    /// The bytes that both accesses touch, by the name that the program gives them.
    pub(super) fn bytes(&self, clash: &Clash) -> String {
        let start = clash.old.start.max(clash.next.start);
        let end = clash.old.end.min(clash.next.end);
        match clash.place {
            Place::L1(core) => self.l1_bytes(self.coords[core], None, start, end),
            Place::Dram(bank) => format!("DRAM bank {bank} at {start:#x}"),
        }
    }

    /// Bytes of a core's L1 by the name of their ring.
    pub(super) fn l1_bytes(
        &self,
        core: CoreCoord,
        cb: Option<CbId>,
        start: u32,
        end: u32,
    ) -> String {
        let mut rings = self.rings.get(&core).into_iter().flatten();
        let holds = |ring: &CbConfig| ring.base.0 <= start && start < ring.limit().0;
        let ring = rings.find(|(ring, _)| holds(ring) && cb.is_none_or(|cb| cb == ring.id));
        match ring {
            Some((ring, name)) => {
                let page = (start - ring.base.0) / ring.page_bytes;
                format!("`{name}` page {page}")
            }
            None => format!("L1 {start:#x}..{end:#x}"),
        }
    }

    /// Whether an earlier finding explains a clash. If it is the first use after it, it says so.
    pub(super) fn is_explained(&mut self, clash: &Clash) -> bool {
        let key = |access: &Access| (access.slot, access.at, clash.place);
        let case = self.explained.get(&key(&clash.old)).or_else(|| {
            let is_line = clash.next.slot.is_line();
            is_line.then(|| self.explained.get(&key(&clash.next))).flatten()
        });
        let Some(case) = case.copied() else { return false };
        let (wants_use, since) = (self.cases[case].case.wants_use, self.cases[case].case.cycle);
        if wants_use && clash.next.cycle >= since {
            let deed = self.deed(&clash.next);
            let mark = self.mark(&clash.next, deed);
            self.cases[case].case.marks.push(mark);
            self.cases[case].case.wants_use = false;
        }
        true
    }

    /// Adds the finding of a clash.
    pub(super) fn add(&mut self, case: Case, clash: &Clash) {
        let number = self.keep(case, between(clash.old.slot, clash.next.slot));
        for access in [clash.old, clash.next] {
            if access.slot.is_line() {
                self.explained.insert((access.slot, access.at, clash.place), number);
            }
        }
    }

    /// Adds a finding that explains all that follows from a transfer.
    pub(super) fn add_transfer(&mut self, case: Case, flight: &Flight, core: usize) {
        let key = (flight.slot(core), flight.at, Place::L1(core));
        if !self.explained.contains_key(&key) {
            let number = self.keep(case, None);
            self.explained.insert(key, number);
        }
    }

    /// Adds the finding of a word that two have changed or one awaited.
    pub(super) fn add_word(&mut self, case: Case, (one, other): (Slot, Slot)) {
        self.keep(case, between(one, other));
    }

    fn keep(&mut self, case: Case, between: Option<(usize, usize)>) -> usize {
        let key = (case.id, case.site);
        let same = |Kept { case: old, .. }: &Kept| {
            (old.id, old.site, old.core) == (case.id, case.site, case.core)
        };
        let known = self.cases.iter().position(same);
        self.noted = Some(key);
        known.unwrap_or_else(|| {
            self.cases.push(Kept { case, between, traced_as: key });
            self.cases.len() - 1
        })
    }

    /// The finding that was added or met again since this was asked last.
    pub(super) fn take_noted(&mut self) -> Option<(FindingId, Site)> {
        self.noted.take()
    }

    /// What was found, to say better what it is.
    pub(super) fn say_better(&mut self, better: impl Fn(&Ledger, &Kept) -> Option<Case>) {
        let mut cases = std::mem::take(&mut self.cases);
        for kept in &mut cases {
            if let Some(case) = better(self, kept) {
                kept.case = case;
            }
        }
        self.cases = cases;
    }

    /// Tells what was found.
    pub(super) fn tell(&mut self, found: &mut Found) {
        self.cases.sort_by_key(|Kept { case, .. }| (case.cycle, case.core));
        for Kept { case, traced_as: (traced, at), .. } in self.cases.drain(..) {
            let token = found.token_of(traced, at);
            let Case { id, site, cycle, core, title, marks, facts, help, word, .. } = case;
            let finding =
                Finding { title, marks, facts, help: Some(help), ..Finding::of(id) }.at(cycle);
            found.add_token(token, id, site, (cycle, core), || finding);
            if let Some(word) = word {
                found.is_about(id, site, word);
            }
        }
    }
}

/// Two cores, if they are two.
fn between(one: Slot, other: Slot) -> Option<(usize, usize)> {
    (one.core() != other.core()).then(|| (one.core(), other.core()))
}

/// The mark of a transfer that is under way.
pub(super) fn flight_mark(core: CoreCoord, flight: &Flight, role: String) -> Mark {
    let processor = Some(ProcessorId { core, processor: flight.processor });
    Mark { role, site: flight.site, processor }
}

/// The mark of an event.
pub(super) fn event_mark(event: &Event, role: String) -> Mark {
    Mark { role, site: event.site, processor: Some(event.processor) }
}

fn place(coord: CoreCoord) -> usize {
    let (x, y) = (usize::from(coord.x), usize::from(coord.y));
    assert!(x < COLUMNS && y < COLUMNS, "no chip has a core {coord}");
    y * COLUMNS + x
}
