//! Pointers and windows of a ring as one processor has them. Mirrors the machine's arithmetic.

use tilewright_machine::{CbConfig, L1Address, Processor, RingPointer};

use crate::flow::Step;
use crate::session::Token;

/// Bytes of L1 from `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Range {
    pub(crate) fn new(at: L1Address, bytes: u32) -> Range {
        Range { start: at.0.into(), end: u64::from(at.0) + u64::from(bytes) }
    }

    /// A whole ring.
    pub(crate) fn of(config: &CbConfig) -> Range {
        Range::new(config.base, config.bytes())
    }

    pub(crate) fn contains(self, other: Range) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    pub(crate) fn contains_start(self, other: Range) -> bool {
        (self.start..self.end).contains(&other.start)
    }
}

/// How a processor came to hold pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It waited for them, to read.
    Waited,
    /// It reserved them, to write.
    Reserved,
}

/// Pages held, counted from a pointer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pages(pub(crate) u32);

impl Pages {
    /// Waits and reserves count from the pointer, so that the larger one holds.
    pub(crate) fn extend(&mut self, pages: u32) {
        self.0 = self.0.max(pages);
    }

    pub(crate) fn take(&mut self, pages: u32) {
        self.0 = self.0.saturating_sub(pages);
    }
}

/// A read or write pointer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pointer {
    pub(crate) at: L1Address,
}

impl Pointer {
    /// Moves over pages and gives the places before and after, the latter before it wraps. Data
    /// movement wraps only on the very end, compute also beyond it (`CircularBuffer`).
    pub(crate) fn step(
        &mut self,
        processor: Processor,
        config: &CbConfig,
        pages: u32,
    ) -> (L1Address, L1Address) {
        let from = self.at;
        let to = from + pages.wrapping_mul(config.page_bytes);
        let wraps = match processor {
            Processor::Reader | Processor::Writer => to == config.limit(),
            Processor::Unpack | Processor::Math | Processor::Pack => to >= config.limit(),
        };
        self.at = if wraps { L1Address(to.0 - config.bytes()) } else { to };
        (from, to)
    }
}

/// One processor's use of one ring.
#[derive(Default)]
pub(crate) struct Use {
    pub(crate) read: Pointer,
    pub(crate) write: Pointer,
    pub(crate) waited: Pages,
    pub(crate) reserved: Pages,
    pub(crate) pushed: u64,
    has_started: bool,
    /// It has waited or reserved: the ring is a ring to it.
    pub(crate) is_used: bool,
    pub(crate) has_reserved: bool,
    /// Its pointers have left the ring: what it touches since is no news.
    pub(crate) is_broken: bool,
    /// It has set one of its pointers by hand. Which pages it holds is then its own affair: the
    /// whole ring is its window.
    pub(crate) is_by_hand: bool,
    /// It has read pages that it had pushed itself.
    pub(crate) has_read_own: bool,
    /// Its first use of pages that it has neither waited for nor reserved, since the last pop or
    /// push, in the order of `Claim`.
    pub(crate) first_uses: [Option<(Step, Token)>; 2],
    /// Whether pages that it holds have been used, in the order of `Claim`.
    is_touched: [bool; 2],
    /// Where it last gave pages away, if it had not used them.
    unused: [Option<Step>; 2],
}

impl Use {
    /// Pointers begin at the ring's base.
    pub(crate) fn start(&mut self, base: L1Address) {
        if !self.has_started {
            (self.has_started, self.read.at, self.write.at) = (true, base, base);
        }
    }

    /// Whether the processor takes the ring for plain memory, and has written to it.
    pub(crate) fn is_scratch(&self) -> bool {
        !self.is_used && self.first_uses[Claim::Reserved as usize].is_some()
    }

    /// Holds pages from here on.
    pub(crate) fn hold(&mut self, held: Claim, pages: u32) {
        let window = self.pages(held);
        let is_first = window.0 == 0;
        window.extend(pages);
        if is_first {
            self.is_touched[held as usize] = false;
        }
    }

    /// Notes that pages which are held are used.
    pub(crate) fn touch(&mut self, held: Claim) {
        self.is_touched[held as usize] = true;
    }

    /// Gives pages away.
    pub(crate) fn give(&mut self, held: Claim, pages: u32, step: Step) {
        let (window, place) = (self.pages(held), held as usize);
        let is_held = window.0 > 0;
        window.take(pages);
        self.unused[place] = (is_held && !self.is_touched[place]).then_some(step);
        self.first_uses[place] = None;
    }

    /// Where pages were given away before they were used, if no others have been held since.
    pub(crate) fn given_unused(&self, held: Claim) -> Option<Step> {
        let pages = match held {
            Claim::Waited => self.waited,
            Claim::Reserved => self.reserved,
        };
        self.unused[held as usize].filter(|_| pages.0 == 0)
    }

    fn pages(&mut self, held: Claim) -> &mut Pages {
        match held {
            Claim::Waited => &mut self.waited,
            Claim::Reserved => &mut self.reserved,
        }
    }

    /// A pointer is set by hand.
    pub(crate) fn set(&mut self, pointer: RingPointer, to: L1Address) {
        self.is_by_hand = true;
        match pointer {
            RingPointer::Read => self.read.at = to,
            RingPointer::Write => self.write.at = to,
        }
    }

    /// Whether bytes lie in pages that it has pushed itself and not reserved again. They are as it
    /// has left them: who consumes a page does not write it.
    pub(crate) fn has_pushed(&self, range: Range, config: &CbConfig) -> bool {
        let (base, end) = (u64::from(config.base.0), u64::from(config.limit().0));
        let (write, page_bytes) = (u64::from(self.write.at.0), u64::from(config.page_bytes));
        if self.is_by_hand || range.start < base || range.end > end || write > end {
            return false;
        }
        let pages = u64::from(config.pages);
        let free = u64::from(self.reserved.0).min(pages);
        let given = self.pushed.min(pages - free) * page_bytes;
        // How far before the write pointer the bytes begin, round the ring.
        let bytes = pages * page_bytes;
        let back = (write + bytes - range.start - 1) % bytes + 1;
        back <= given && range.end - range.start <= back
    }

    /// Whether bytes lie in pages that are held: from the pointer on, or after the end of the ring
    /// at its beginning, for kernels that walk a ring's pages themselves.
    pub(crate) fn holds(&self, held: Claim, range: Range, config: &CbConfig) -> bool {
        let (window, ring) = (self.window(held, config), Range::of(config));
        if window.contains(range) {
            return true;
        }
        if !ring.contains(range) || !ring.contains_start(window) {
            return false;
        }
        let bytes = ring.end - ring.start;
        let from = (range.start + bytes - window.start) % bytes;
        from + (range.end - range.start) <= bytes.min(window.end - window.start)
    }

    /// The bytes of so many pages from the read pointer on.
    pub(crate) fn read_ahead(&self, pages: u32, config: &CbConfig) -> Range {
        let (start, page_bytes) = (u64::from(self.read.at.0), u64::from(config.page_bytes));
        Range { start, end: start + u64::from(pages) * page_bytes }
    }

    /// The bytes that are held.
    pub(crate) fn window(&self, held: Claim, config: &CbConfig) -> Range {
        if self.is_by_hand {
            return Range::of(config);
        }
        let (at, pages) = match held {
            Claim::Waited => (self.read.at, self.waited.0),
            Claim::Reserved => (self.write.at, self.reserved.0),
        };
        let bytes = u64::from(pages) * u64::from(config.page_bytes);
        Range { start: at.0.into(), end: u64::from(at.0) + bytes }
    }
}
