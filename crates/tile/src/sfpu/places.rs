//! Where the operands of a function of two values lie, and where its result goes.

use crate::Lanes;

/// The tiles of one case, lane by lane, so that a loop over them has no choice left to make.
pub(super) trait Places {
    fn operands(&self, lane: usize) -> (u32, u32);
    fn put(&mut self, lane: usize, value: u32);
}

/// Two tiles, and a third for the result.
pub(super) struct Apart<'a> {
    pub(super) x: &'a Lanes,
    pub(super) y: &'a Lanes,
    pub(super) out: &'a mut Lanes,
}

impl Places for Apart<'_> {
    #[inline(always)]
    fn operands(&self, lane: usize) -> (u32, u32) {
        (self.x[lane], self.y[lane])
    }
    #[inline(always)]
    fn put(&mut self, lane: usize, value: u32) {
        self.out[lane] = value;
    }
}

/// Two tiles, the first of which takes the result.
pub(super) struct First<'a> {
    pub(super) x: &'a mut Lanes,
    pub(super) y: &'a Lanes,
}

impl Places for First<'_> {
    #[inline(always)]
    fn operands(&self, lane: usize) -> (u32, u32) {
        (self.x[lane], self.y[lane])
    }
    #[inline(always)]
    fn put(&mut self, lane: usize, value: u32) {
        self.x[lane] = value;
    }
}

/// Two tiles, the second of which takes the result.
pub(super) struct Second<'a> {
    pub(super) x: &'a Lanes,
    pub(super) y: &'a mut Lanes,
}

impl Places for Second<'_> {
    #[inline(always)]
    fn operands(&self, lane: usize) -> (u32, u32) {
        (self.x[lane], self.y[lane])
    }
    #[inline(always)]
    fn put(&mut self, lane: usize, value: u32) {
        self.y[lane] = value;
    }
}

/// A tile that is both operands and the result.
pub(super) struct Itself<'a>(pub(super) &'a mut Lanes);

impl Places for Itself<'_> {
    #[inline(always)]
    fn operands(&self, lane: usize) -> (u32, u32) {
        (self.0[lane], self.0[lane])
    }
    #[inline(always)]
    fn put(&mut self, lane: usize, value: u32) {
        self.0[lane] = value;
    }
}

/// A tile whose every value meets the same one.
pub(super) struct Constant<'a> {
    pub(super) x: &'a mut Lanes,
    pub(super) y: u32,
}

impl Places for Constant<'_> {
    #[inline(always)]
    fn operands(&self, lane: usize) -> (u32, u32) {
        (self.x[lane], self.y)
    }
    #[inline(always)]
    fn put(&mut self, lane: usize, value: u32) {
        self.x[lane] = value;
    }
}
