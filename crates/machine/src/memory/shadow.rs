//! Facts about a memory, beside it: who wrote each granule of 16 bytes last, and which of its
//! bytes mean something.
//!
//! Granules with one fact are kept as a run, so that a page or a tile costs as much as a granule.
//! Records what it is told. What a fact says, and whether it is right, is `check`'s business; the
//! machine itself never looks here.

use std::ops::Range;

use super::runs::Runs;

/// Bytes that share an owner: the smallest unit that the networks move.
pub const GRANULE_BYTES: usize = 16;

/// Which bytes of the granules that a fact holds for mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// All of them.
    All,
    /// None of them.
    None,
    /// What [`Shadow::defined`] says.
    Some,
}

/// A fact and where it holds.
#[derive(Clone)]
struct RecordedFact<Fact> {
    fact: Fact,
    /// The first granule it was recorded for.
    first: u32,
    /// How many it was recorded for.
    total: u32,
    /// For how many of them it still holds.
    granules: u32,
    meaning: Meaning,
}

/// What is known of one memory.
#[derive(Clone)]
pub struct Shadow<Fact> {
    /// Granules that there is room for.
    granules: usize,
    /// The fact of each granule, counted from 1; 0 for one that nobody has written.
    owners: Runs,
    /// A bit a byte: it means something. Kept for granules whose fact does not say it.
    defined: Vec<u16>,
    recorded: Vec<RecordedFact<Fact>>,
    free: Vec<u32>,
}

/// What was known of a span when it was looked at. Keeps its room for the next span.
#[derive(Clone)]
pub struct Snapshot<Fact> {
    /// Facts, each with the number of granules it holds for.
    runs: Vec<(u32, Fact)>,
    defined: Vec<u16>,
}

/// One granule of a span.
#[derive(Clone, Copy)]
pub struct Granule<'a, Fact> {
    /// Its first byte.
    pub at: usize,
    /// Its bytes that lie in the span, a bit each.
    pub bytes: u16,
    /// Those of its bytes that mean something.
    pub defined: u16,
    /// What is known of it; nothing if nobody has written it.
    pub fact: Option<&'a Fact>,
}

impl<Fact> Default for Snapshot<Fact> {
    fn default() -> Snapshot<Fact> {
        Snapshot { runs: Vec::new(), defined: Vec::new() }
    }
}

impl<Fact> Snapshot<Fact> {
    /// Whether every byte of its granules means something.
    pub fn is_defined(&self) -> bool {
        self.defined.iter().fold(u16::MAX, |all, defined| all & defined) == u16::MAX
    }

    /// The facts of granules that have bytes that mean nothing, to be changed.
    pub fn undefined_facts(&mut self) -> impl Iterator<Item = &mut Fact> {
        let mut next = 0;
        let defined = &self.defined;
        self.runs.iter_mut().filter_map(move |(granules, fact)| {
            let run = &defined[next..next + *granules as usize];
            next += *granules as usize;
            run.iter().any(|defined| *defined != u16::MAX).then_some(fact)
        })
    }
}

impl<Fact: Copy> Shadow<Fact> {
    /// The shadow of a memory of about so many bytes, of which nothing is known. It grows where
    /// more is written.
    pub fn new(bytes: usize) -> Shadow<Fact> {
        let granules = bytes.div_ceil(GRANULE_BYTES);
        Shadow {
            granules,
            owners: Runs::new(granules),
            defined: Vec::new(),
            recorded: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Records that a span was written whole.
    pub fn write(&mut self, at: usize, bytes: usize, fact: Fact) {
        if bytes == 0 {
            return;
        }
        let granules = granules(at, bytes);
        if at.is_multiple_of(GRANULE_BYTES) && bytes.is_multiple_of(GRANULE_BYTES) {
            return self.own(granules, fact, Meaning::All);
        }
        let ends = self.ends(&granules);
        self.own(granules.clone(), fact, Meaning::Some);
        self.defined[granules.clone()].fill(u16::MAX);
        for (granule, defined) in ends {
            self.defined[granule] = defined | covered(granule, at, bytes);
        }
    }

    /// Records that granules were written from `at` on; `defined` says which of their bytes mean
    /// something.
    pub fn write_defined(&mut self, at: usize, defined: &[u16], fact: Fact) {
        assert_eq!(at % GRANULE_BYTES, 0, "masks are of whole granules");
        let first = at / GRANULE_BYTES;
        self.own(first..first + defined.len(), fact, Meaning::Some);
        self.defined[first..first + defined.len()].copy_from_slice(defined);
    }

    /// Records that a span's bytes mean nothing any more. Who wrote them last stays known.
    pub fn forget(&mut self, at: usize, bytes: usize) {
        let granules = granules(at, bytes);
        if granules.end > self.granules || granules.is_empty() {
            return;
        }
        let is_whole = at.is_multiple_of(GRANULE_BYTES) && bytes.is_multiple_of(GRANULE_BYTES);
        let mut start = granules.start;
        while start < granules.end {
            let (owner, end) = self.owners.run(start, granules.end);
            let run = start..end;
            start = end;
            let Some(place) = owner.checked_sub(1) else { continue };
            let recorded = &mut self.recorded[place as usize];
            if recorded.meaning == Meaning::None {
                continue;
            }
            if is_whole && recorded.granules as usize == run.len() {
                recorded.meaning = Meaning::None;
                continue;
            }
            self.tell_apart(place);
            for granule in run {
                self.defined[granule] &= !covered(granule, at, bytes);
            }
        }
    }

    /// Records that a span was changed in place: granules that mean something keep their fact,
    /// the others get this one.
    pub fn change(&mut self, at: usize, bytes: usize, fact: Fact) {
        let granules = granules(at, bytes);
        let mut start = granules.start;
        while start < granules.end {
            let means_nothing = |granule: &usize| self.defined_at(*granule) == 0;
            let next = start + (start..granules.end).take_while(means_nothing).count();
            if next > start {
                self.own(start..next, fact, Meaning::None);
            }
            start = next.max(start + 1);
        }
        let mut start = granules.start;
        while start < granules.end {
            let (owner, end) = self.owners.run(start, granules.end);
            let run = start..end;
            start = end;
            self.define(owner - 1, run, (at, bytes));
        }
    }

    /// Records that the bytes of a span mean something, of granules that have this fact.
    fn define(&mut self, place: u32, run: Range<usize>, (at, bytes): (usize, usize)) {
        let recorded = &mut self.recorded[place as usize];
        let is_whole =
            [run.start, run.end - 1].map(|granule| covered(granule, at, bytes)) == [u16::MAX; 2];
        match recorded.meaning {
            Meaning::All => {}
            Meaning::None if is_whole && recorded.granules as usize == run.len() => {
                recorded.meaning = Meaning::All;
            }
            Meaning::None | Meaning::Some => {
                self.tell_apart(place);
                for granule in run {
                    self.defined[granule] |= covered(granule, at, bytes);
                }
            }
        }
    }

    /// The one fact of a span whose bytes all mean something.
    pub fn whole(&self, at: usize, bytes: usize) -> Option<&Fact> {
        if !at.is_multiple_of(GRANULE_BYTES) || !bytes.is_multiple_of(GRANULE_BYTES) {
            return None;
        }
        let granules = granules(at, bytes);
        if granules.is_empty() || granules.end > self.granules {
            return None;
        }
        let (owner, end) = self.owners.run(granules.start, granules.end);
        let recorded = &self.recorded[owner.checked_sub(1)? as usize];
        let all = || self.defined[granules.clone()].iter().fold(u16::MAX, |all, one| all & one);
        let is_defined = match recorded.meaning {
            Meaning::All => true,
            Meaning::None => false,
            Meaning::Some => end == granules.end && all() == u16::MAX,
        };
        (end == granules.end && is_defined).then_some(&recorded.fact)
    }

    /// The one fact of a span of whole granules, and which of their bytes mean something.
    pub fn owned(&mut self, at: usize, bytes: usize) -> Option<(&Fact, &[u16])> {
        let granules = granules(at, bytes);
        if granules.is_empty() || granules.end > self.granules {
            return None;
        }
        let (owner, end) = self.owners.run(granules.start, granules.end);
        let place = owner.checked_sub(1)?;
        if end < granules.end || !at.is_multiple_of(GRANULE_BYTES) {
            return None;
        }
        self.tell_apart(place);
        Some((&self.recorded[place as usize].fact, &self.defined[granules]))
    }

    /// The granules of a span.
    pub fn span(&self, at: usize, bytes: usize) -> impl Iterator<Item = Granule<'_, Fact>> {
        granules(at, bytes).map(move |granule| {
            let recorded = self.owners.of(granule).checked_sub(1);
            Granule {
                at: granule * GRANULE_BYTES,
                bytes: covered(granule, at, bytes),
                defined: self.defined_at(granule),
                fact: recorded.map(|recorded| &self.recorded[recorded as usize].fact),
            }
        })
    }

    /// The fact of the granule that a byte is in, if anybody has written it.
    pub fn fact_at(&self, at: usize) -> Option<&Fact> {
        let place = self.owners.of(at / GRANULE_BYTES).checked_sub(1)?;
        Some(&self.recorded[place as usize].fact)
    }

    /// Remembers a span. `untouched` says what to record of a granule that nobody has
    /// written, and whether its bytes mean something.
    pub fn remember(
        &self,
        at: usize,
        bytes: usize,
        snapshot: &mut Snapshot<Fact>,
        untouched: impl Fn(usize) -> (Fact, bool),
    ) {
        snapshot.runs.clear();
        snapshot.defined.clear();
        let granules = granules(at, bytes);
        let mut start = granules.start;
        while start < granules.end {
            let (owner, end) = self.owners.run(start, granules.end);
            let run = start..end;
            start = end;
            let Some(place) = owner.checked_sub(1) else {
                for granule in run {
                    let (fact, is_defined) = untouched(granule * GRANULE_BYTES);
                    snapshot.runs.push((1, fact));
                    snapshot.defined.push(if is_defined { u16::MAX } else { 0 });
                }
                continue;
            };
            let recorded = &self.recorded[place as usize];
            snapshot.runs.push((run.len() as u32, recorded.fact));
            let defined = snapshot.defined.len() + run.len();
            match recorded.meaning {
                Meaning::All => snapshot.defined.resize(defined, u16::MAX),
                Meaning::None => snapshot.defined.resize(defined, 0),
                Meaning::Some => snapshot.defined.extend_from_slice(&self.defined[run]),
            }
        }
    }

    /// Writes what was remembered to a span of as many bytes, at the same place in its granule;
    /// `change` makes the new facts of the old ones.
    pub fn restore(
        &mut self,
        at: usize,
        bytes: usize,
        snapshot: &Snapshot<Fact>,
        change: impl Fn(&Fact) -> Fact,
    ) {
        let span = granules(at, bytes);
        let taken = span.start..span.start + snapshot.defined.len();
        if span.is_empty() || taken.is_empty() {
            return;
        }
        let is_whole = at.is_multiple_of(GRANULE_BYTES) && bytes.is_multiple_of(GRANULE_BYTES);
        let is_defined = is_whole && taken == span && snapshot.is_defined();
        let ends = [taken.start, taken.end - 1, span.end - 1];
        let ends = ends.map(|granule| (granule, self.defined_at(granule)));
        let mut granule = span.start;
        for (granules, fact) in &snapshot.runs {
            let next = granule + *granules as usize;
            let meaning = if is_defined { Meaning::All } else { Meaning::Some };
            self.own(granule..next, change(fact), meaning);
            granule = next;
        }
        if is_defined {
            return;
        }
        self.defined[taken.clone()].copy_from_slice(&snapshot.defined);
        for (granule, before) in ends.into_iter().filter(|(granule, _)| taken.contains(granule)) {
            let covered = covered(granule, at, bytes);
            let now = snapshot.defined[granule - taken.start];
            self.defined[granule] = before & !covered | now & covered;
        }
    }

    /// The first and the last of some granules, with their bytes that mean something.
    fn ends(&self, granules: &Range<usize>) -> [(usize, u16); 2] {
        [granules.start, granules.end - 1].map(|granule| (granule, self.defined_at(granule)))
    }

    /// The bytes of a granule that mean something.
    fn defined_at(&self, granule: usize) -> u16 {
        let Some(place) = self.owners.of(granule).checked_sub(1) else { return 0 };
        match self.recorded[place as usize].meaning {
            Meaning::All => u16::MAX,
            Meaning::None => 0,
            Meaning::Some => self.defined[granule],
        }
    }

    /// Gives granules a new fact; facts that hold nowhere any more make room for others.
    fn own(&mut self, granules: Range<usize>, fact: Fact, meaning: Meaning) {
        if granules.is_empty() {
            return;
        }
        self.granules = self.granules.max(granules.end);
        if meaning == Meaning::Some {
            self.make_room();
        }
        let (first, total) = (granules.start as u32, granules.len() as u32);
        let recorded = RecordedFact { fact, first, total, granules: total, meaning };
        let place = match self.free.pop() {
            Some(place) => {
                self.recorded[place as usize] = recorded;
                place
            }
            None => {
                self.recorded.push(recorded);
                self.recorded.len() as u32 - 1
            }
        };
        let Shadow { owners, recorded, free, .. } = self;
        owners.set(granules, place + 1, |owner, granules| {
            let Some(place) = owner.checked_sub(1) else { return };
            let recorded = &mut recorded[place as usize];
            let granules = granules as u32;
            assert!(recorded.granules >= granules, "a fact holds for the granules that name it");
            recorded.granules -= granules;
            if recorded.granules == 0 {
                free.push(place);
            }
        });
    }

    /// Writes down for each granule of a fact which of its bytes mean something.
    fn tell_apart(&mut self, place: u32) {
        let RecordedFact { first, total, meaning, .. } = self.recorded[place as usize];
        let defined = match meaning {
            Meaning::All => u16::MAX,
            Meaning::None => 0,
            Meaning::Some => return,
        };
        self.recorded[place as usize].meaning = Meaning::Some;
        self.make_room();
        let (mut start, end) = (first as usize, (first + total) as usize);
        while start < end {
            let (owner, next) = self.owners.run(start, end);
            if owner == place + 1 {
                self.defined[start..next].fill(defined);
            }
            start = next;
        }
    }

    /// Makes room to tell apart which bytes mean something.
    fn make_room(&mut self) {
        if self.defined.is_empty() {
            self.defined = vec![0; self.granules];
        } else if self.defined.len() < self.granules {
            self.defined.resize(self.granules, 0);
        }
    }
}

/// The granules that a span touches.
fn granules(at: usize, bytes: usize) -> Range<usize> {
    at / GRANULE_BYTES..(at + bytes).div_ceil(GRANULE_BYTES)
}

/// The bytes of a granule that lie in a span, a bit each.
fn covered(granule: usize, at: usize, bytes: usize) -> u16 {
    let start = granule * GRANULE_BYTES;
    let first = at.saturating_sub(start).min(GRANULE_BYTES);
    let end = (at + bytes).saturating_sub(start).min(GRANULE_BYTES);
    let up_to = |count: usize| ((1u32 << count) - 1) as u16;
    up_to(end) & !up_to(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(shadow: &Shadow<u8>, at: usize, bytes: usize) -> Vec<(u16, Option<u8>)> {
        let each = |granule: Granule<'_, u8>| (granule.defined, granule.fact.copied());
        shadow.span(at, bytes).map(each).collect()
    }

    #[test]
    fn bytes_are_defined_by_whoever_writes_them() {
        let mut shadow = Shadow::new(64);
        shadow.write(4, 24, 7);
        assert_eq!(facts(&shadow, 0, 48), [(0xfff0, Some(7)), (0x0fff, Some(7)), (0, None)]);
        shadow.write(2, 4, 8);
        assert_eq!(facts(&shadow, 0, 16), [(0xfffc, Some(8))]);
        assert_eq!(shadow.whole(16, 16), None);
        shadow.write(16, 32, 9);
        assert_eq!(shadow.whole(16, 32), Some(&9));
        shadow.forget(20, 4);
        assert_eq!(facts(&shadow, 16, 16), [(0xff0f, Some(9))]);
    }

    #[test]
    fn what_is_written_over_nothing_belongs_to_the_writer() {
        let mut shadow = Shadow::new(48);
        shadow.write(0, 16, 1);
        shadow.write(16, 16, 2);
        shadow.forget(16, 16);
        shadow.change(0, 48, 3);
        let all = u16::MAX;
        assert_eq!(facts(&shadow, 0, 48), [(all, Some(1)), (all, Some(3)), (all, Some(3))]);
        // Padding beside values: the values are still there, and so is where they came from.
        shadow.write(0, 8, 4);
        shadow.forget(8, 8);
        shadow.change(8, 2, 5);
        assert_eq!(facts(&shadow, 0, 16), [(0x03ff, Some(4))]);
    }

    /// What `whole` tells of a fact at a glance is what a walk over its granules tells.
    #[test]
    fn a_glance_tells_what_a_walk_tells() {
        let (mut shadow, mut state) = (Shadow::new(64 * GRANULE_BYTES), 1_u64);
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for turn in 0..20_000_u32 {
            let (at, bytes) = match next(4) {
                0 => (next(900), 1 + next(100)),
                _ => (next(56) * GRANULE_BYTES, (1 + next(8)) * GRANULE_BYTES),
            };
            match next(4) {
                0 => shadow.forget(at, bytes),
                // Of one granule: what is changed apart has facts of its own.
                1 => shadow.change(at / GRANULE_BYTES * GRANULE_BYTES, GRANULE_BYTES, turn),
                _ => shadow.write(at, bytes, turn),
            }
            let (at, bytes) = (next(56) * GRANULE_BYTES, (1 + next(8)) * GRANULE_BYTES);
            let first = shadow.span(at, 1).next().and_then(|granule| granule.fact);
            let is_whole = shadow.span(at, bytes).all(|granule| {
                granule.fact == first && granule.defined == u16::MAX && first.is_some()
            });
            assert_eq!(shadow.whole(at, bytes), first.filter(|_| is_whole), "turn {turn}");
        }
    }

    #[test]
    fn spans_are_carried_from_memory_to_memory() {
        let (mut from, mut to) = (Shadow::new(64), Shadow::new(64));
        from.write(0, 16, 1);
        from.write(16, 8, 2);
        to.write(16, 48, 5);
        let mut snapshot = Snapshot::default();
        from.remember(0, 48, &mut snapshot, |at| (at as u8, false));
        to.restore(16, 48, &snapshot, |fact| fact + 10);
        assert_eq!(facts(&to, 16, 48), [(0xffff, Some(11)), (0xff, Some(12)), (0, Some(42))]);
    }

    #[test]
    fn facts_that_hold_nowhere_make_room() {
        let mut shadow = Shadow::new(64);
        for turn in 0..100 {
            shadow.write(0, 64, turn);
        }
        assert!(shadow.recorded.len() <= 2, "{}", shadow.recorded.len());
        assert_eq!(shadow.whole(0, 64), Some(&99));
    }
}
