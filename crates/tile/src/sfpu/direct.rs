//! Functions of one instruction: whole tiles without the registers of a program in between.
//!
//! Sums and products are the host's where those are exact (see `host`): decided for the tile, and
//! where that fails for each chunk of it.

use super::host::{self, PRODUCT_FLOOR, SUM_FLOOR, Seen};
use super::{Binary, MINUS_ONE, Unary, lane};
use crate::bits::{ONE, SIGN, flush_signed};
use crate::chip::Arithmetic;
use crate::dispatch::{self, SimdLoop};
use crate::{DstWidth, Lanes, TILE_VALUES};

/// Lanes for which it is decided together whether the host may compute, if it may not for all.
const CHUNK: usize = 64;

/// A function of two values that is one instruction and a store.
pub(super) trait Function: Copy {
    /// What must be above it for `fast` to be right.
    const FLOOR: u32;
    /// Looks at what decides whether `fast` is right.
    fn watch(self, x: u32, y: u32, seen: &mut Seen);
    /// The result as a wide Dst stores it, if all that was seen is above the floor.
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32;
    /// The result, always right, before it is stored.
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32;
}

/// x + y.
#[derive(Clone, Copy)]
pub(super) struct Add;
/// x - y.
#[derive(Clone, Copy)]
pub(super) struct Sub;
/// y - x.
#[derive(Clone, Copy)]
pub(super) struct Rsub;
/// x * y.
#[derive(Clone, Copy)]
pub(super) struct Mul;
/// x * y, rounded to nearest even for a 16-bit Dst.
#[derive(Clone, Copy)]
pub(super) struct MulNarrow;
/// The larger.
#[derive(Clone, Copy)]
pub(super) struct Max;
/// The smaller.
#[derive(Clone, Copy)]
pub(super) struct Min;

impl Function for Add {
    const FLOOR: u32 = SUM_FLOOR;
    #[inline(always)]
    fn watch(self, x: u32, y: u32, seen: &mut Seen) {
        host::watch_add(x, y, seen);
    }
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        host::add::<A>(x, y)
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        lane::multiply_add::<A>(ONE, x, y)
    }
}

impl Function for Sub {
    const FLOOR: u32 = SUM_FLOOR;
    #[inline(always)]
    fn watch(self, x: u32, y: u32, seen: &mut Seen) {
        host::watch_add(x, y ^ SIGN, seen);
    }
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        host::add::<A>(x, y ^ SIGN)
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        lane::multiply_add::<A>(y, MINUS_ONE, x)
    }
}

impl Function for Rsub {
    const FLOOR: u32 = SUM_FLOOR;
    #[inline(always)]
    fn watch(self, x: u32, y: u32, seen: &mut Seen) {
        Sub.watch(y, x, seen);
    }
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        Sub.fast::<A>(y, x)
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        Sub.exact::<A>(y, x)
    }
}

impl Function for Mul {
    const FLOOR: u32 = PRODUCT_FLOOR;
    #[inline(always)]
    fn watch(self, x: u32, y: u32, seen: &mut Seen) {
        host::watch_mul(x, y, seen);
    }
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        host::mul(x, y)
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        lane::multiply_add::<A>(x, y, 0)
    }
}

impl Function for MulNarrow {
    const FLOOR: u32 = PRODUCT_FLOOR;
    #[inline(always)]
    fn watch(self, x: u32, y: u32, seen: &mut Seen) {
        Mul.watch(x, y, seen);
    }
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        round_product(Mul.fast::<A>(x, y), x, y)
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        round_product(Mul.exact::<A>(x, y), x, y)
    }
}

/// What `mul_binary_tile` does to a product for a 16-bit Dst: +0 if an operand is +0.
#[inline(always)]
fn round_product(product: u32, x: u32, y: u32) -> u32 {
    if (x == 0) | (y == 0) { 0 } else { lane::nearest_even_bfloat16(product) }
}

impl Function for Max {
    const FLOOR: u32 = 0;
    #[inline(always)]
    fn watch(self, _x: u32, _y: u32, _seen: &mut Seen) {}
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        flush_signed(self.exact::<A>(x, y))
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        lane::maximum(x, y)
    }
}

impl Function for Min {
    const FLOOR: u32 = 0;
    #[inline(always)]
    fn watch(self, _x: u32, _y: u32, _seen: &mut Seen) {}
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        flush_signed(self.exact::<A>(x, y))
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        lane::minimum(x, y)
    }
}

/// Computes lanes by the host, and says whether all are right.
#[inline(always)]
pub(super) fn trusted<A: Arithmetic, F: Function, const N: usize>(
    f: F,
    x: &[u32; N],
    y: &[u32; N],
    out: &mut [u32; N],
) -> bool {
    let mut seen = Seen::NOTHING;
    for i in 0..N {
        f.watch(x[i], y[i], &mut seen);
        out[i] = f.fast::<A>(x[i], y[i]);
    }
    seen.is_above(F::FLOOR)
}

/// Where the operands are; the result may replace one of them.
pub(super) enum Tiles<'a> {
    Apart { x: &'a Lanes, y: &'a Lanes, out: &'a mut Lanes },
    First { x: &'a mut Lanes, y: &'a Lanes },
    Second { x: &'a Lanes, y: &'a mut Lanes },
}

/// Computes `op` if it is one instruction; gives the tiles back if it is a program.
pub(super) fn binary<'a, A: Arithmetic>(
    arithmetic: A,
    op: Binary,
    width: DstWidth,
    tiles: Tiles<'a>,
) -> Option<Tiles<'a>> {
    let (a, mask) = (arithmetic, width.mask());
    match (op, width) {
        (Binary::Add, _) => on_tiles(a, Add, mask, tiles),
        (Binary::Sub, _) => on_tiles(a, Sub, mask, tiles),
        (Binary::Rsub, _) => on_tiles(a, Rsub, mask, tiles),
        (Binary::Mul, DstWidth::Bits16) => on_tiles(a, MulNarrow, mask, tiles),
        (Binary::Mul, DstWidth::Bits32) => on_tiles(a, Mul, mask, tiles),
        (Binary::Max, _) => on_tiles(a, Max, mask, tiles),
        (Binary::Min, _) => on_tiles(a, Min, mask, tiles),
        (Binary::Div, _) => return Some(tiles),
    }
    None
}

/// Computes `op` in place if it is one instruction; false if it is a program.
pub(super) fn unary(a: impl Arithmetic, op: Unary, width: DstWidth, x: &mut Lanes) -> bool {
    let mask = width.mask();
    match op {
        Unary::Square => dispatch::run(Apply { a, f: Mul, mask, places: Itself(x) }),
        Unary::AddScalar(y) => dispatch::run(Apply { a, f: Add, mask, places: Constant { x, y } }),
        Unary::SubScalar(y) => dispatch::run(Apply { a, f: Sub, mask, places: Constant { x, y } }),
        Unary::MulScalar(y) | Unary::DivScalar(y) => {
            dispatch::run(Apply { a, f: Mul, mask, places: Constant { x, y } });
        }
        Unary::Rsqrt { .. }
        | Unary::Sqrt { .. }
        | Unary::Recip { .. }
        | Unary::Exp { .. }
        | Unary::Gelu { .. }
        | Unary::Sigmoid
        | Unary::Silu
        | Unary::Tanh
        | Unary::Log
        | Unary::Abs
        | Unary::Negative
        | Unary::Fill(_)
        | Unary::RsubScalar(_) => return false,
    }
    true
}

fn on_tiles<F: Function>(a: impl Arithmetic, f: F, mask: u32, tiles: Tiles<'_>) {
    match tiles {
        Tiles::Apart { x, y, out } => {
            dispatch::run(Apply { a, f, mask, places: Apart { x, y, out } });
        }
        Tiles::First { x, y } => dispatch::run(Apply { a, f, mask, places: First { x, y } }),
        Tiles::Second { x, y } => dispatch::run(Apply { a, f, mask, places: Second { x, y } }),
    }
}

/// The tiles of one case, lane by lane, so that a loop over them has no choice left to make.
trait Places {
    fn operands(&self, lane: usize) -> (u32, u32);
    fn put(&mut self, lane: usize, value: u32);
}

struct Apart<'a> {
    x: &'a Lanes,
    y: &'a Lanes,
    out: &'a mut Lanes,
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

struct First<'a> {
    x: &'a mut Lanes,
    y: &'a Lanes,
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

struct Second<'a> {
    x: &'a Lanes,
    y: &'a mut Lanes,
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
struct Itself<'a>(&'a mut Lanes);

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
struct Constant<'a> {
    x: &'a mut Lanes,
    y: u32,
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

struct Apply<A, F, P> {
    a: A,
    f: F,
    mask: u32,
    places: P,
}

impl<A: Arithmetic, F: Function, P: Places> SimdLoop for Apply<A, F, P> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Apply { a, f, mask, mut places } = self;
        if is_trusted(f, &places, 0, TILE_VALUES) {
            for lane in 0..TILE_VALUES {
                let (x, y) = places.operands(lane);
                places.put(lane, f.fast::<A>(x, y) & mask);
            }
            return;
        }
        for first in (0..TILE_VALUES).step_by(CHUNK) {
            let results = if is_trusted(f, &places, first, CHUNK) {
                fast(a, f, mask, &places, first)
            } else {
                exact(a, f, mask, &places, first)
            };
            for (lane, result) in results.into_iter().enumerate() {
                places.put(first + lane, result);
            }
        }
    }
}

/// Whether the host computes these lanes right.
#[inline(always)]
fn is_trusted<F: Function>(f: F, places: &impl Places, first: usize, count: usize) -> bool {
    let mut seen = Seen::NOTHING;
    for lane in first..first + count {
        let (x, y) = places.operands(lane);
        f.watch(x, y, &mut seen);
    }
    seen.is_above(F::FLOOR)
}

/// The results of a chunk by the host, apart: a loop that writes to where it reads from is not
/// vectorised.
#[inline(always)]
fn fast<A: Arithmetic>(
    _: A,
    f: impl Function,
    mask: u32,
    places: &impl Places,
    first: usize,
) -> [u32; CHUNK] {
    let mut results = [0; CHUNK];
    for (lane, result) in results.iter_mut().enumerate() {
        let (x, y) = places.operands(first + lane);
        *result = f.fast::<A>(x, y) & mask;
    }
    results
}

/// The same in integers. No closure: the compiler would not inline one of this size.
#[inline(always)]
fn exact<A: Arithmetic>(
    _: A,
    f: impl Function,
    mask: u32,
    places: &impl Places,
    first: usize,
) -> [u32; CHUNK] {
    let mut results = [0; CHUNK];
    for (lane, result) in results.iter_mut().enumerate() {
        let (x, y) = places.operands(first + lane);
        *result = lane::store(f.exact::<A>(x, y), mask);
    }
    results
}
