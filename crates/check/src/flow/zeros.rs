//! Rings that are filled with zeros once: what a kernel does that writes a few bytes of each page
//! and relies on zeros beside them, lap after lap.
//!
//! Where a whole ring was zeros before its first push, those that were never written over stay
//! initialised when their page is popped. What was written over them is of its lap, as anywhere
//! else.

use std::ops::Range;

use tilewright_machine::{GRANULE_BYTES, Shadow};

use super::core::CoreFlow;
use super::facts::Fact;
use super::ring::Ring;

impl CoreFlow {
    /// Zeros were read to L1.
    pub(super) fn zeroed(&mut self, at: usize, bytes: usize) {
        self.may_have_zeros = true;
        if let Some(ring) = self.ring_at_mut(at) {
            ring.zero(at, bytes);
        }
    }

    /// Something else was written to L1.
    #[inline]
    pub(super) fn note_written(&mut self, at: usize, bytes: usize) {
        if !self.may_have_zeros {
            return;
        }
        if let Some(ring) = self.rings.iter_mut().find(|ring| ring.has_zeros() && ring.has(at)) {
            ring.write_over_zeros(at, bytes);
        }
    }

    /// The bytes of a granule that are zeros from before the first push.
    pub(super) fn zeros_at(&self, at: usize) -> u16 {
        self.ring_at(at).map_or(0, |ring| ring.zeros_at(at))
    }

    /// A page of a ring means nothing any more, but for zeros.
    pub(super) fn forget(&mut self, ring: usize, page: usize, bytes: usize) {
        let CoreFlow { l1, rings, .. } = self;
        rings[ring].forget(l1, page, bytes);
    }
}

impl Ring {
    fn has_zeros(&self) -> bool {
        !self.zeros.is_empty()
    }

    fn zero(&mut self, at: usize, bytes: usize) {
        if self.last_push.is_some() {
            return;
        }
        if self.zeros.is_empty() {
            self.zeros.resize((self.config.bytes() as usize).div_ceil(GRANULE_BYTES) + 1, 0);
        }
        for (granule, bytes) in self.granules(at, bytes) {
            self.zeros[granule] |= bytes;
        }
        let zeros: u32 = self.zeros.iter().map(|bytes| bytes.count_ones()).sum();
        self.was_all_zeros |= zeros == self.config.bytes();
    }

    /// Pages with zeros in some places alone are written anew lap after lap.
    pub(super) fn note_first_push(&mut self) {
        if !self.was_all_zeros {
            self.zeros = Vec::new();
        }
    }

    fn write_over_zeros(&mut self, at: usize, bytes: usize) {
        for (granule, bytes) in self.granules(at, bytes) {
            self.zeros[granule] &= !bytes;
        }
    }

    fn zeros_at(&self, at: usize) -> u16 {
        let granule = at / GRANULE_BYTES - self.first_granule();
        self.zeros.get(granule).copied().unwrap_or_default()
    }

    fn forget(&self, l1: &mut Shadow<Fact>, page: usize, bytes: usize) {
        if !self.has_zeros() {
            return l1.forget(page, bytes);
        }
        let mut start = page;
        for at in page..page + bytes {
            if self.zeros_at(at) >> (at % GRANULE_BYTES) & 1 == 1 {
                l1.forget(start, at - start);
                start = at + 1;
            }
        }
        l1.forget(start, page + bytes - start);
    }

    fn first_granule(&self) -> usize {
        self.config.base.0 as usize / GRANULE_BYTES
    }

    /// The granules that a span in the ring touches, and which of their bytes it covers.
    fn granules(&self, at: usize, bytes: usize) -> impl Iterator<Item = (usize, u16)> + use<> {
        let end = (at + bytes).min(self.config.limit().0 as usize);
        let first = self.first_granule();
        (at / GRANULE_BYTES..end.div_ceil(GRANULE_BYTES))
            .map(move |granule| (granule - first, covered(granule, at..end)))
    }
}

/// The bytes of a granule that lie in a span, a bit each.
fn covered(granule: usize, span: Range<usize>) -> u16 {
    let start = granule * GRANULE_BYTES;
    (0..GRANULE_BYTES)
        .filter(|byte| span.contains(&(start + byte)))
        .fold(0, |bytes, byte| bytes | 1 << byte)
}
