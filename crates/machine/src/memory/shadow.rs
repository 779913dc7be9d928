//! Facts about a memory, beside it: who wrote each granule of 16 bytes last, and which of its
//! bytes mean something.
//!
//! Records what it is told. What a fact says, and whether it is right, is `check`'s business; the
//! machine itself never looks here.

use std::ops::Range;

/// Bytes that share an owner: the smallest unit that the networks move.
pub const GRANULE_BYTES: usize = 16;

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
    /// Whether every byte of them is known to mean something: what a look at one fact can tell,
    /// so that spans of many granules need not be walked.
    is_defined: bool,
}

impl<Fact> RecordedFact<Fact> {
    /// The granules it holds for, if it holds for all that it was recorded for.
    fn intact(&self) -> Option<Range<usize>> {
        let first = self.first as usize;
        (self.granules == self.total).then(|| first..first + self.total as usize)
    }
}

/// What is known of one memory.
#[derive(Clone)]
pub struct Shadow<Fact> {
    /// The fact of each granule, counted from 1; 0 for one that nobody has written.
    owners: Vec<u32>,
    /// A bit a byte: it means something.
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
            owners: vec![0; granules],
            defined: vec![0; granules],
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
        let is_defined = at.is_multiple_of(GRANULE_BYTES) && bytes.is_multiple_of(GRANULE_BYTES);
        self.own(granules.clone(), fact, is_defined);
        let last = granules.end - 1;
        self.defined[granules.start] |= covered(granules.start, at, bytes);
        self.defined[last] |= covered(last, at, bytes);
        if granules.start + 1 < last {
            self.defined[granules.start + 1..last].fill(u16::MAX);
        }
    }

    /// Records that granules were written from `at` on; `defined` says which of their bytes mean
    /// something.
    pub fn write_defined(&mut self, at: usize, defined: &[u16], fact: Fact) {
        assert_eq!(at % GRANULE_BYTES, 0, "masks are of whole granules");
        let first = at / GRANULE_BYTES;
        self.own(first..first + defined.len(), fact, false);
        self.defined[first..first + defined.len()].copy_from_slice(defined);
    }

    /// Records that a span's bytes mean nothing any more. Who wrote them last stays known.
    pub fn forget(&mut self, at: usize, bytes: usize) {
        let granules = granules(at, bytes);
        if granules.end > self.defined.len() || granules.is_empty() {
            return;
        }
        self.doubt(granules.clone());
        let last = granules.end - 1;
        self.defined[granules.start] &= !covered(granules.start, at, bytes);
        self.defined[last] &= !covered(last, at, bytes);
        if granules.start + 1 < last {
            self.defined[granules.start + 1..last].fill(0);
        }
    }

    /// Records that a span was changed in place: granules that mean something keep their fact,
    /// the others get this one.
    pub fn change(&mut self, at: usize, bytes: usize, fact: Fact) {
        let granules = granules(at, bytes);
        let mut start = granules.start;
        while start < granules.end {
            let means_nothing =
                |granule: &usize| self.owner(*granule) == 0 || self.defined[*granule] == 0;
            let next = start + (start..granules.end).take_while(means_nothing).count();
            if next > start {
                let ends = [start, next - 1].map(|granule| covered(granule, at, bytes));
                self.own(start..next, fact, ends == [u16::MAX; 2]);
            }
            start = next.max(start + 1);
        }
        for granule in granules {
            self.defined[granule] |= covered(granule, at, bytes);
        }
    }

    /// The one fact of a span whose bytes all mean something.
    pub fn whole(&self, at: usize, bytes: usize) -> Option<&Fact> {
        if !at.is_multiple_of(GRANULE_BYTES) || !bytes.is_multiple_of(GRANULE_BYTES) {
            return None;
        }
        let granules = granules(at, bytes);
        let owners = self.owners.get(granules.clone())?;
        let recorded = &self.recorded[owners.first()?.checked_sub(1)? as usize];
        if recorded.is_defined && recorded.intact().is_some_and(|all| all.end >= granules.end) {
            return Some(&recorded.fact);
        }
        let owner = owners[0];
        let differs = owners.iter().fold(0, |differs, other| differs | (owner ^ other));
        let defined = self.defined[granules].iter().fold(u16::MAX, |all, defined| all & defined);
        (differs == 0 && defined == u16::MAX).then_some(&recorded.fact)
    }

    /// The one fact of a span of whole granules, and which of their bytes mean something.
    pub fn owned(&self, at: usize, bytes: usize) -> Option<(&Fact, &[u16])> {
        let granules = granules(at, bytes);
        let owners = self.owners.get(granules.clone())?;
        let owner = *owners.first()?;
        let differs = owners.iter().fold(0, |differs, other| differs | (owner ^ other));
        let is_one = owner != 0 && differs == 0 && at.is_multiple_of(GRANULE_BYTES);
        is_one.then(|| (self.fact(owner), &self.defined[granules]))
    }

    /// The granules of a span.
    pub fn span(&self, at: usize, bytes: usize) -> impl Iterator<Item = Granule<'_, Fact>> {
        granules(at, bytes).map(move |granule| Granule {
            at: granule * GRANULE_BYTES,
            bytes: covered(granule, at, bytes),
            defined: self.defined.get(granule).copied().unwrap_or_default(),
            fact: self
                .owner(granule)
                .checked_sub(1)
                .map(|recorded| &self.recorded[recorded as usize].fact),
        })
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
        let (mut last, mut is_first) = (0, true);
        for granule in granules(at, bytes) {
            let owner = self.owner(granule);
            if owner == 0 {
                let (fact, is_defined) = untouched(granule * GRANULE_BYTES);
                snapshot.runs.push((1, fact));
                snapshot.defined.push(if is_defined { u16::MAX } else { 0 });
            } else {
                match snapshot.runs.last_mut().filter(|_| owner == last && !is_first) {
                    Some((granules, _)) => *granules += 1,
                    None => snapshot.runs.push((1, *self.fact(owner))),
                }
                snapshot.defined.push(self.defined[granule]);
            }
            (last, is_first) = (owner, false);
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
        let mut granule = at / GRANULE_BYTES;
        for (granules, fact) in &snapshot.runs {
            let next = granule + *granules as usize;
            self.own(granule..next, change(fact), false);
            granule = next;
        }
        for (granule, defined) in granules(at, bytes).zip(&snapshot.defined) {
            let covered = covered(granule, at, bytes);
            let kept = self.defined[granule] & !covered;
            self.defined[granule] = kept | defined & covered;
        }
    }

    fn owner(&self, granule: usize) -> u32 {
        self.owners.get(granule).copied().unwrap_or_default()
    }

    fn fact(&self, owner: u32) -> &Fact {
        &self.recorded[owner as usize - 1].fact
    }

    /// Gives granules a new fact; facts that hold nowhere any more make room for others.
    fn own(&mut self, granules: Range<usize>, fact: Fact, is_defined: bool) {
        if granules.end > self.owners.len() {
            self.owners.resize(granules.end, 0);
            self.defined.resize(granules.end, 0);
        }
        let (first, total) = (granules.start as u32, granules.len() as u32);
        let recorded = RecordedFact { fact, first, total, granules: total, is_defined };
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
        let mut start = granules.start;
        while start < granules.end {
            let next = self.run_end(start, granules.end);
            self.release(self.owners[start], (next - start) as u32);
            start = next;
        }
        self.owners[granules].fill(place + 1);
    }

    /// Where the fact of a granule ends, or `end` if that is nearer.
    fn run_end(&self, start: usize, end: usize) -> usize {
        let owner = self.owners[start];
        let recorded = owner.checked_sub(1).map(|place| &self.recorded[place as usize]);
        match recorded.and_then(RecordedFact::intact) {
            Some(all) => all.end.min(end),
            None => {
                let others = &self.owners[start..end];
                start + others.iter().take_while(|other| **other == owner).count()
            }
        }
    }

    /// Some bytes of these granules may mean nothing any more.
    fn doubt(&mut self, granules: Range<usize>) {
        let mut start = granules.start;
        while start < granules.end {
            if let Some(place) = self.owners[start].checked_sub(1) {
                self.recorded[place as usize].is_defined = false;
            }
            start = self.run_end(start, granules.end);
        }
    }

    fn release(&mut self, owner: u32, granules: u32) {
        let Some(place) = owner.checked_sub(1) else { return };
        let recorded = &mut self.recorded[place as usize];
        assert!(recorded.granules >= granules, "a fact holds for the granules that name it");
        recorded.granules -= granules;
        if recorded.granules == 0 {
            self.free.push(place);
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
