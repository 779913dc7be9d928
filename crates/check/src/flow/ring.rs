//! Where each processor is in a ring, as learnt from pushes and pops.

use tilewright_machine::{CbConfig, Event, L1Address, Processor, RingPointer};

use super::Step;
use crate::trace::Traces;

/// One ring of a core.
#[derive(Clone)]
pub(crate) struct Ring {
    pub(crate) config: CbConfig,
    /// Whether another index has the same memory, or it is scratch: then a pop says nothing about
    /// its pages.
    pub(crate) is_plain: bool,
    read: [u32; 5],
    write: [u32; 5],
    /// The findings after which its pages are not what they should be.
    pub(crate) traces: Traces,
    /// Who pushed to it last.
    pub(crate) last_push: Option<Step>,
    /// Whether several processors push to it.
    has_producers: bool,
    /// The pages that unpack has read since they were popped last.
    read_pages: Vec<bool>,
    /// Its bytes that were filled with zeros before its first push, a bit each by granule, and have
    /// not been written since: no bits if there are none.
    pub(super) zeros: Vec<u16>,
    /// Whether all of it was zeros at once before its first push.
    pub(super) was_all_zeros: bool,
}

impl Ring {
    pub(crate) fn new(config: CbConfig, is_plain: bool) -> Ring {
        let base = config.base.0;
        Ring {
            config,
            is_plain,
            read: [base; 5],
            write: [base; 5],
            traces: Traces::NONE,
            last_push: None,
            has_producers: false,
            read_pages: vec![false; config.pages as usize],
            zeros: Vec::new(),
            was_all_zeros: false,
        }
    }

    pub(crate) fn note_push(&mut self, event: &Event) {
        let step = Step::of(event);
        if self.last_push.is_none() {
            self.note_first_push();
        }
        self.has_producers |= self.last_push.is_some_and(|it| it.processor != step.processor);
        self.last_push = Some(step);
    }

    /// Unpack reads bytes of it.
    pub(super) fn note_read(&mut self, at: usize, bytes: usize) {
        let page_bytes = self.config.page_bytes.max(1) as usize;
        let from = at.saturating_sub(self.config.base.0 as usize);
        let pages = self.read_pages.iter_mut();
        let last = (from + bytes.max(1) - 1) / page_bytes;
        pages.take(last + 1).skip(from / page_bytes).for_each(|is_read| *is_read = true);
    }

    /// Pack writes bytes of it. A page that it has overwritten where it was holds values that
    /// nobody has read.
    pub(super) fn note_packed(&mut self, at: usize, bytes: usize) {
        let page_bytes = self.config.page_bytes.max(1) as usize;
        let from = at.saturating_sub(self.config.base.0 as usize);
        let (first, end) = (from.div_ceil(page_bytes), (from + bytes) / page_bytes);
        let pages = self.read_pages.iter_mut();
        pages.take(end).skip(first).for_each(|is_read| *is_read = false);
    }

    /// Whether a page that is popped has been used, so that its values must not come again. A
    /// compute kernel takes pages of its own back by a pop without a read, changes some of them
    /// where they are, and pushes all of them: none of them has been used.
    pub(crate) fn is_used(&mut self, processor: Processor, page: usize) -> bool {
        let number = (page - self.config.base.0 as usize) / self.config.page_bytes.max(1) as usize;
        let is_read = self.read_pages.get_mut(number).is_none_or(std::mem::take);
        let is_taken_back = processor == Processor::Unpack && self.is_own(Processor::Pack);
        is_read || !is_taken_back
    }

    /// Whether a processor alone pushes to it: what it pops, it has written itself.
    pub(crate) fn is_own(&self, processor: Processor) -> bool {
        let pusher = self.last_push.map(|push| push.processor.processor);
        pusher == Some(processor) && !self.has_producers
    }

    pub(crate) fn has(&self, at: usize) -> bool {
        (self.config.base.0 as usize..self.config.limit().0 as usize).contains(&at)
    }

    /// The first byte of each page that is pushed.
    pub(crate) fn pushed(&mut self, processor: Processor, pages: u32) -> PageWalk {
        let from = self.write[processor as usize];
        self.write[processor as usize] = self.moved(processor, from, pages);
        self.walk(from, pages)
    }

    /// The first byte of each page that is popped.
    pub(crate) fn popped(&mut self, processor: Processor, pages: u32) -> PageWalk {
        let from = self.read[processor as usize];
        self.read[processor as usize] = self.moved(processor, from, pages);
        self.walk(from, pages)
    }

    /// A processor sets one of its pointers by hand.
    pub(crate) fn set(&mut self, processor: Processor, pointer: RingPointer, to: L1Address) {
        match pointer {
            RingPointer::Read => self.read[processor as usize] = to.0,
            RingPointer::Write => self.write[processor as usize] = to.0,
        }
    }

    fn walk(&self, next: u32, pages: u32) -> PageWalk {
        let pages = pages.min(self.config.pages);
        PageWalk { next, pages, config: self.config }
    }

    /// As `CircularBuffer` moves its pointers: data movement wraps only where it lands on the end.
    fn moved(&self, processor: Processor, pointer: u32, pages: u32) -> u32 {
        let next = pointer.wrapping_add(pages.wrapping_mul(self.config.page_bytes));
        let limit = self.config.limit().0;
        let wraps = match processor {
            Processor::Reader | Processor::Writer => next == limit,
            Processor::Unpack | Processor::Math | Processor::Pack => next >= limit,
        };
        if wraps { next.wrapping_sub(self.config.bytes()) } else { next }
    }
}

/// Pages one after another, round the ring.
pub(crate) struct PageWalk {
    next: u32,
    pages: u32,
    config: CbConfig,
}

impl Iterator for PageWalk {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.pages = self.pages.checked_sub(1)?;
        let at = self.next;
        self.next = at.wrapping_add(self.config.page_bytes);
        if self.next >= self.config.limit().0 {
            self.next = self.next.wrapping_sub(self.config.bytes());
        }
        Some(at as usize)
    }
}
