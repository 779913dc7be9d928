//! L1 that is unallocated at launch: what lies between a core's rings and the host's buffers, and
//! semaphores that the program does not declare there.
//!
//! Knows places, not what is in them.

use std::fmt;
use std::ops::Range;

use tilewright_machine::{CoreCoord, L1Address};
use tilewright_metal::{Program, SemaphoreId};

/// The L1 of one core to which neither host nor launch gives a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeL1 {
    between: Range<u32>,
    /// From the first to the last of them; most addresses are not there.
    slots: Range<u32>,
    semaphores: Vec<(Range<u32>, SemaphoreId)>,
}

impl FreeL1 {
    pub(crate) fn of(program: &Program, core: CoreCoord) -> FreeL1 {
        let room = program.l1_room();
        let rings = program.placed_buffers(core).iter().map(|ring| ring.limit().0);
        // Rings in the host's buffers lie above.
        let rings = rings.filter(|limit| *limit <= room.end);
        let between = rings.max().unwrap_or(room.start)..room.end;
        let slots = program.semaphore_slots();
        let semaphores: Vec<_> = slots
            .filter(|(id, _)| !program.has_semaphore(core, *id))
            .map(|(id, slot)| (slot, id))
            .collect();
        let first = semaphores.first().map_or(0, |(slot, _)| slot.start);
        let slots = first..semaphores.last().map_or(0, |(slot, _)| slot.end);
        FreeL1 { between, slots, semaphores }
    }

    /// Whether a byte has no value at launch.
    pub(crate) fn has(&self, L1Address(at): L1Address) -> bool {
        self.between.contains(&at) || self.semaphore(at).is_some()
    }

    /// What lies at an address.
    pub(crate) fn place(&self, L1Address(at): L1Address) -> FreePlace {
        self.semaphore(at).map_or(FreePlace::Between(at), FreePlace::Semaphore)
    }

    fn semaphore(&self, at: u32) -> Option<SemaphoreId> {
        if !self.slots.contains(&at) {
            return None;
        }
        self.semaphores.iter().find(|(slot, _)| slot.contains(&at)).map(|(_, id)| *id)
    }
}

/// A place of L1 that is unallocated at launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FreePlace {
    /// An undeclared semaphore.
    Semaphore(SemaphoreId),
    /// An address between the rings and the host's buffers.
    Between(u32),
}

impl fmt::Display for FreePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FreePlace::Semaphore(SemaphoreId(number)) => write!(f, "semaphore {number}"),
            FreePlace::Between(at) => write!(f, "L1 at {at:#x}"),
        }
    }
}

/// Bytes that were written, as a few spans.
#[derive(Debug, Default)]
pub(crate) struct Spans(Vec<Range<u32>>);

impl Spans {
    pub(crate) fn add(&mut self, mut span: Range<u32>) {
        if self.0.iter().any(|known| known.start <= span.start && span.end <= known.end) {
            return;
        }
        let touches = |known: &Range<u32>| known.start <= span.end && span.start <= known.end;
        let (joined, mut apart): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.0).into_iter().partition(touches);
        for known in joined {
            span = known.start.min(span.start)..known.end.max(span.end);
        }
        apart.push(span);
        self.0 = apart;
    }

    pub(crate) fn has(&self, L1Address(at): L1Address) -> bool {
        self.0.iter().any(|span| span.contains(&at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_touch_become_one() {
        let mut spans = Spans::default();
        for span in [16..32, 64..80, 0..8, 32..64, 20..24] {
            spans.add(span);
        }
        assert_eq!(spans.0.len(), 2, "{spans:?}");
        let has = |at| spans.has(L1Address(at));
        assert!(has(0) && has(16) && has(79) && !has(8) && !has(15) && !has(80));
    }
}
