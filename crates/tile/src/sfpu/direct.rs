//! Functions of one instruction: whole tiles without the registers of a program in between.
//!
//! Sums and products are the host's where those are exact (see `host`): derived from what is known
//! of the operands, or decided by looking at the tile, and where that fails at each chunk of it.

use super::host::{self, PRODUCT_FLOOR, SUM_FLOOR, Seen};
use super::places::{Apart, Constant, First, Itself, Places, Second};
use super::{Binary, MINUS_ONE, Unary, lane};
use crate::Magnitudes;
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
    /// What is known of results, if `fast` is right for all operands of which this is known. Of
    /// sums, unless a function says otherwise.
    #[inline(always)]
    fn known(self, x: Magnitudes, y: Magnitudes) -> Option<Magnitudes> {
        Some(x.plus(y)).filter(|sum| sum.is_above(SUM_FLOOR))
    }
    /// What is known of results whose watch has seen this, all of it above the floor.
    fn left(self, seen: Seen) -> Option<Magnitudes> {
        seen.magnitudes()
    }
    /// Looks at what decides whether `fast` is right.
    fn watch(self, x: u32, y: u32, seen: &mut Seen);
    /// The result as a wide Dst stores it, if all that was seen is above the floor.
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32;
    /// The result of any operands before it is stored, and whether it is doubtful.
    #[inline(always)]
    fn any<A: Arithmetic>(self, x: u32, y: u32) -> (u32, bool) {
        (self.exact::<A>(x, y), false)
    }
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
/// x * y, where y is plain ([`is_plain`]).
#[derive(Clone, Copy)]
pub(super) struct MulByPlain;
/// x * y, where both are plain.
#[derive(Clone, Copy)]
pub(super) struct PlainMul;
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
    fn any<A: Arithmetic>(self, x: u32, y: u32) -> (u32, bool) {
        host::any_add::<A>(x, y)
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
    fn any<A: Arithmetic>(self, x: u32, y: u32) -> (u32, bool) {
        host::any_add::<A>(x, y ^ SIGN)
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
    fn known(self, x: Magnitudes, y: Magnitudes) -> Option<Magnitudes> {
        let product = x.times(y);
        let is_exact = [x, y, product].iter().all(|it| it.is_above(PRODUCT_FLOOR));
        is_exact.then_some(product)
    }
    #[inline(always)]
    fn watch(self, x: u32, y: u32, seen: &mut Seen) {
        host::watch_mul(x, y, seen);
    }
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        host::mul(x, y)
    }
    #[inline(always)]
    fn any<A: Arithmetic>(self, x: u32, y: u32) -> (u32, bool) {
        host::any_mul::<A>(x, y)
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        lane::multiply_add::<A>(x, y, 0)
    }
}

impl Function for MulByPlain {
    const FLOOR: u32 = PRODUCT_FLOOR;
    #[inline(always)]
    fn watch(self, x: u32, y: u32, seen: &mut Seen) {
        host::watch_mul_by_plain(x, y, seen);
    }
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        host::mul(x, y)
    }
    #[inline(always)]
    fn any<A: Arithmetic>(self, x: u32, y: u32) -> (u32, bool) {
        Mul.any::<A>(x, y)
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        Mul.exact::<A>(x, y)
    }
}

impl Function for PlainMul {
    const FLOOR: u32 = PRODUCT_FLOOR;
    #[inline(always)]
    fn watch(self, x: u32, y: u32, seen: &mut Seen) {
        host::watch_plain_mul(x, y, seen);
    }
    #[inline(always)]
    fn fast<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        host::mul(x, y)
    }
    #[inline(always)]
    fn any<A: Arithmetic>(self, x: u32, y: u32) -> (u32, bool) {
        Mul.any::<A>(x, y)
    }
    #[inline(always)]
    fn exact<A: Arithmetic>(self, x: u32, y: u32) -> u32 {
        Mul.exact::<A>(x, y)
    }
}

impl Function for MulNarrow {
    const FLOOR: u32 = PRODUCT_FLOOR;
    #[inline(always)]
    fn known(self, x: Magnitudes, y: Magnitudes) -> Option<Magnitudes> {
        Mul.known(x, y)
    }
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
    fn known(self, x: Magnitudes, y: Magnitudes) -> Option<Magnitudes> {
        Some(x.or(y))
    }
    #[inline(always)]
    fn left(self, _: Seen) -> Option<Magnitudes> {
        None
    }
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
    fn known(self, x: Magnitudes, y: Magnitudes) -> Option<Magnitudes> {
        Some(x.or(y))
    }
    #[inline(always)]
    fn left(self, _: Seen) -> Option<Magnitudes> {
        None
    }
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

/// Whether values, as operands, leave nothing to look at but the product ([`host::mul`]): each is
/// zero, infinite or above the least normal value.
pub(super) fn is_plain(values: &[u32]) -> bool {
    values.iter().all(|value| host::is_plain(*value))
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
pub enum Tiles<'a> {
    /// A third tile takes it.
    Apart {
        /// The first operand.
        x: &'a Lanes,
        /// The second operand.
        y: &'a Lanes,
        /// The result.
        out: &'a mut Lanes,
    },
    /// It replaces the first operand.
    First {
        /// The first operand, and the result.
        x: &'a mut Lanes,
        /// The second operand.
        y: &'a Lanes,
    },
    /// It replaces the second operand.
    Second {
        /// The first operand.
        x: &'a Lanes,
        /// The second operand, and the result.
        y: &'a mut Lanes,
    },
}

/// What is known of a function's operands.
pub(super) type Known = [Option<Magnitudes>; 2];

/// Computes `op` if it is one instruction, and says what is known of the result; gives the tiles
/// back if it is a program.
pub(super) fn binary<'a, A: Arithmetic>(
    a: A,
    op: Binary,
    width: DstWidth,
    tiles: Tiles<'a>,
    known: Known,
) -> Result<Option<Magnitudes>, Tiles<'a>> {
    let mask = width.mask();
    Ok(match (op, width) {
        (Binary::Add, _) => on_tiles(a, Add, mask, tiles, known),
        (Binary::Sub, _) => on_tiles(a, Sub, mask, tiles, known),
        (Binary::Rsub, _) => on_tiles(a, Rsub, mask, tiles, known),
        (Binary::Mul, DstWidth::Bits16) => on_tiles(a, MulNarrow, mask, tiles, known),
        (Binary::Mul, DstWidth::Bits32) => on_tiles(a, Mul, mask, tiles, known),
        (Binary::Max, _) => on_tiles(a, Max, mask, tiles, known),
        (Binary::Min, _) => on_tiles(a, Min, mask, tiles, known),
        (Binary::Div, _) => return Err(tiles),
    })
}

/// Computes `op` in place if it is one instruction, and says what is known of the result; nothing
/// if it is a program.
pub(super) fn unary(
    a: impl Arithmetic,
    op: Unary,
    width: DstWidth,
    x: &mut Lanes,
    known: Option<Magnitudes>,
) -> Option<Option<Magnitudes>> {
    let mask = width.mask();
    let with = |y: u32| [known, Magnitudes::of([y])];
    Some(match op {
        Unary::Square => on_places(a, Mul, mask, Itself(x), [known; 2]),
        Unary::AddScalar(y) => on_places(a, Add, mask, Constant { x, y }, with(y)),
        Unary::SubScalar(y) => on_places(a, Sub, mask, Constant { x, y }, with(y)),
        Unary::MulScalar(y) | Unary::DivScalar(y) => {
            on_places(a, Mul, mask, Constant { x, y }, with(y))
        }
        // All others are programs, and a test runs each.
        _ => return None,
    })
}

fn on_tiles<F: Function>(
    a: impl Arithmetic,
    f: F,
    mask: u32,
    tiles: Tiles<'_>,
    known: Known,
) -> Option<Magnitudes> {
    match tiles {
        Tiles::Apart { x, y, out } => on_places(a, f, mask, Apart { x, y, out }, known),
        Tiles::First { x, y } => on_places(a, f, mask, First { x, y }, known),
        Tiles::Second { x, y } => on_places(a, f, mask, Second { x, y }, known),
    }
}

fn on_places<F: Function>(
    a: impl Arithmetic,
    f: F,
    mask: u32,
    places: impl Places,
    known: Known,
) -> Option<Magnitudes> {
    let known = match known {
        [Some(x), Some(y)] => f.known(x, y),
        [None, _] | [_, None] => None,
    };
    dispatch::run(Apply { a, f, mask, places, known })
}

struct Apply<A, F, P> {
    a: A,
    f: F,
    mask: u32,
    places: P,
    /// What is known of the results, if that makes the host's right.
    known: Option<Magnitudes>,
}

impl<A: Arithmetic, F: Function, P: Places> SimdLoop for Apply<A, F, P> {
    type Output = Option<Magnitudes>;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Option<Magnitudes> {
        let Apply { a, f, mask, mut places, known } = self;
        let seen = if known.is_some() { None } else { Some(look(f, &places, 0, TILE_VALUES)) };
        if seen.is_none_or(|seen| seen.is_above(F::FLOOR)) {
            for lane in 0..TILE_VALUES {
                let (x, y) = places.operands(lane);
                places.put(lane, f.fast::<A>(x, y) & mask);
            }
            return known.or(seen.and_then(|seen| f.left(seen)));
        }
        for first in (0..TILE_VALUES).step_by(CHUNK) {
            let results = if look(f, &places, first, CHUNK).is_above(F::FLOOR) {
                fast(a, f, mask, &places, first)
            } else {
                exact(a, f, mask, &places, first)
            };
            for (lane, result) in results.into_iter().enumerate() {
                places.put(first + lane, result);
            }
        }
        None
    }
}

/// What decides whether the host computes these lanes right.
#[inline(always)]
fn look<F: Function>(f: F, places: &impl Places, first: usize, count: usize) -> Seen {
    let mut seen = Seen::NOTHING;
    for lane in first..first + count {
        let (x, y) = places.operands(lane);
        f.watch(x, y, &mut seen);
    }
    seen
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
