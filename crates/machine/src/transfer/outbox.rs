//! What leaves a core in a window: messages to other cores, and writes to DRAM.
//!
//! Writes wait by bank, so that the thread that applies a bank's touches no other ones.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::queue::Scheduled;
use crate::lock::lock;
use crate::memory::{Bank, Leaf, Part, SpareLeaves};
use crate::units::{Cycle, DramAddress};

/// What leaves a core in a window.
#[derive(Default)]
pub(crate) struct Outbox {
    pub(crate) messages: Vec<(u16, Scheduled)>,
    /// By bank.
    banks: Vec<Mutex<BankWrites>>,
    /// Banks that something was sent to.
    written: Vec<u8>,
}

/// What one core sends to one bank, in the order in which it is sent.
#[derive(Default)]
pub(crate) struct BankWrites {
    writes: Vec<DramWrite>,
    /// The bytes of those that fill no leaf.
    bytes: Vec<u8>,
    /// From the first byte written to the last.
    span: Range<u64>,
}

/// A write to one leaf of DRAM.
struct DramWrite {
    cycle: Cycle,
    sequence: u64,
    offset: u64,
    content: Content,
}

enum Content {
    /// The whole leaf; once it is applied, what was there before.
    Leaf(Option<Arc<Leaf>>),
    /// A place in the outbox.
    Bytes(Range<usize>),
}

impl Outbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.written.is_empty()
    }

    /// Takes a write to DRAM.
    #[inline(always)]
    pub(crate) fn write(
        &mut self,
        (cycle, sequence): (Cycle, u64),
        at: DramAddress,
        bytes: &[u8],
        spare: &mut SpareLeaves,
    ) {
        let place = usize::from(at.bank);
        if self.banks.len() <= place {
            self.banks.resize_with(place + 1, Mutex::default);
        }
        let bank = own(&mut self.banks[place]);
        if bank.writes.is_empty() {
            self.written.push(at.bank);
        }
        bank.widen(at.offset..at.offset + bytes.len() as u64);
        for part in Part::all(at.offset, bytes.len()) {
            let (offset, is_whole_leaf) =
                (at.offset + part.of_span.start as u64, part.is_whole_leaf());
            let bytes = &bytes[part.of_span];
            let content = if is_whole_leaf {
                Content::Leaf(Some(spare.filled(bytes)))
            } else {
                let start = bank.bytes.len();
                bank.bytes.extend_from_slice(bytes);
                Content::Bytes(start..bank.bytes.len())
            };
            bank.writes.push(DramWrite { cycle, sequence, offset, content });
        }
    }

    /// Puts this core's own writes of this window, which DRAM has not taken yet, over bytes that
    /// were read from it: a core that has awaited its write reads what it wrote.
    #[inline(always)]
    pub(crate) fn overlay(&mut self, from: DramAddress, read: &mut [u8]) {
        if let Some(bank) = self.banks.get_mut(usize::from(from.bank)) {
            own(bank).overlay(from.offset, read);
        }
    }

    /// What was sent to a bank, if anything was.
    pub(crate) fn sent_to(&self, bank: usize) -> Option<MutexGuard<'_, BankWrites>> {
        let is_written = self.written.iter().any(|written| usize::from(*written) == bank);
        is_written.then(|| lock(&self.banks[bank]))
    }

    /// Empties it; leaves that nothing uses any more are spare.
    pub(crate) fn clear(&mut self, spare: &mut SpareLeaves) {
        self.messages.clear();
        for bank in self.written.drain(..) {
            own(&mut self.banks[usize::from(bank)]).clear(spare);
        }
    }
}

/// A bank's writes for the core that has the outbox to itself.
#[inline(always)]
fn own(bank: &mut Mutex<BankWrites>) -> &mut BankWrites {
    bank.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl BankWrites {
    #[inline(always)]
    fn widen(&mut self, by: Range<u64>) {
        self.span = match self.span.is_empty() {
            true => by,
            false => self.span.start.min(by.start)..self.span.end.max(by.end),
        };
    }

    #[inline(always)]
    fn overlay(&self, start: u64, read: &mut [u8]) {
        let end = start + read.len() as u64;
        if end <= self.span.start || self.span.end <= start {
            return;
        }
        self.put_over(start..end, read);
    }

    #[inline(never)]
    fn put_over(&self, span: Range<u64>, read: &mut [u8]) {
        for write in &self.writes {
            let written = match &write.content {
                Content::Leaf(leaf) => leaf.as_ref().expect("not applied yet").bytes(),
                Content::Bytes(place) => &self.bytes[place.clone()],
            };
            let write_end = write.offset + written.len() as u64;
            let (first, last) = (span.start.max(write.offset), span.end.min(write_end));
            if first < last {
                let at = |base: u64| (first - base) as usize..(last - base) as usize;
                read[at(span.start)].copy_from_slice(&written[at(write.offset)]);
            }
        }
    }

    fn apply(&mut self, place: usize, bank: &mut Bank) {
        let DramWrite { offset, content, .. } = &mut self.writes[place];
        match content {
            Content::Leaf(leaf) => bank.exchange(*offset, leaf),
            Content::Bytes(bytes) => bank.write(*offset, &self.bytes[bytes.clone()]),
        }
    }

    fn clear(&mut self, spare: &mut SpareLeaves) {
        for write in self.writes.drain(..) {
            match write.content {
                Content::Leaf(Some(leaf)) => spare.add(leaf),
                Content::Leaf(None) | Content::Bytes(_) => {}
            }
        }
        self.bytes.clear();
        self.span = 0..0;
    }
}

/// Applies what cores, in their order, have sent to a bank: by cycle, core and sequence, unless
/// they have written to different parts of it, where each one's own order is as good.
pub(crate) fn apply(sent: &mut [(u16, MutexGuard<'_, BankWrites>)], bank: &mut Bank) {
    let mut spans: Vec<_> = sent.iter().map(|(_, of_core)| of_core.span.clone()).collect();
    spans.sort_unstable_by_key(|span| span.start);
    if spans.array_windows().all(|[one, next]| one.end <= next.start) {
        for (_, of_core) in sent {
            (0..of_core.writes.len()).for_each(|place| of_core.apply(place, bank));
        }
        return;
    }
    let mut order = Vec::new();
    for (turn, (core, of_core)) in sent.iter().enumerate() {
        let key = |write: &DramWrite| (write.cycle, *core, write.sequence);
        let writes = of_core.writes.iter().enumerate();
        order.extend(writes.map(|(place, write)| (key(write), turn, place)));
    }
    order.sort_unstable();
    for (_, turn, place) in order {
        sent[turn].1.apply(place, bank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Dram;
    use crate::rng::Rng;

    const BYTES: usize = 16 * 1024;

    /// What a bank holds after cores have written, each to its part of it, and what it should.
    fn applied(rng: &mut Rng, part_of: impl Fn(u16) -> Range<u64>) -> [Vec<u8>; 2] {
        let mut dram = Dram::new(1);
        dram.grow(BYTES);
        let (mut model, mut spare) = (vec![0; BYTES], SpareLeaves::default());
        for _ in 0..3 {
            let (mut outboxes, mut all) = ([(); 3].map(|()| Outbox::default()), Vec::new());
            let mut cycles = [0; 3];
            for sequence in 0..60 {
                let core = rng.below(3) as u16;
                let (part, cycle) = (part_of(core), &mut cycles[usize::from(core)]);
                *cycle += rng.below(3);
                let length = [64, 2048, 2048, 4096, 100][rng.below(5) as usize];
                let places = (part.end - part.start - length) as u32 / 1024;
                let offset = part.start + 1024 * rng.below(places);
                let (bytes, at) = (vec![rng.below(256) as u8; length as usize], offset as usize);
                let key = (Cycle(*cycle), sequence);
                let to = DramAddress { bank: 0, offset };
                outboxes[usize::from(core)].write(key, to, &bytes, &mut spare);
                all.push(((Cycle(*cycle), core, sequence), at, bytes));
                let mut seen = vec![0; length as usize];
                outboxes[usize::from(core)].overlay(to, &mut seen);
                assert_eq!(seen, all[all.len() - 1].2, "a core reads what it wrote");
            }
            all.sort();
            for (_, at, bytes) in all {
                model[at..at + bytes.len()].copy_from_slice(&bytes);
            }
            // Threads hand outboxes over in any order.
            let turns = outboxes.iter().enumerate().rev();
            let sent = turns.filter_map(|(core, of)| of.sent_to(0).map(|it| (core as u16, it)));
            dram.change(0, |bank| apply(&mut sent.collect::<Vec<_>>(), bank));
            outboxes.iter_mut().for_each(|outbox| outbox.clear(&mut spare));
        }
        let mut held = vec![1; BYTES];
        assert!(dram.read(DramAddress { bank: 0, offset: 0 }, &mut held));
        [held, model]
    }

    #[test]
    fn writes_are_applied_by_cycle_core_and_sequence() {
        let mut rng = Rng::new(3, 0);
        for _ in 0..20 {
            let [held, model] = applied(&mut rng, |_| 0..BYTES as u64);
            assert!(held == model, "cores that write to the same bytes");
            let third = BYTES as u64 / 3;
            let [held, model] =
                applied(&mut rng, |core| third * u64::from(core)..third * (u64::from(core) + 1));
            assert!(held == model, "cores that write to different bytes");
        }
    }
}
