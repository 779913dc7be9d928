//! ELWADD, ELWSUB and ELWMUL on whole tiles.

use super::accumulate::{Term, accumulate, overwrite};
use super::host_sums::{self, Register};
use super::{Bfloat16Tile, Elementwise, ElementwiseOp, half, half16};
use crate::bits::{INFINITY, SIGN, exponent, flush, significand};
use crate::dispatch::{self, SimdLoop};
use crate::tilize::{broadcast_changed, broadcast_tile};
use crate::{Broadcast, DstWidth, Fidelity, Lanes, TILE_VALUES};

/// Applies `op` to `a` and `b` (the tile as unpacked; the broadcast is applied here).
///
/// With `dst_is_zero` every value of `dst` counts as +0, whatever is there.
pub fn elementwise(op: &ElementwiseOp, a: &Lanes, b: &Lanes, dst: &mut Lanes, dst_is_zero: bool) {
    if half::has_half(op.formats) && op.width == DstWidth::Bits16 {
        if dst_is_zero {
            dst.fill(0);
        }
        return half16::elementwise(op, a, b, dst);
    }
    if half::has_half(op.formats) {
        let op = ElementwiseOp { formats: half::ENLARGED, ..*op };
        return elementwise(&op, &half::enlarged(a), &half::enlarged(b), dst, dst_is_zero);
    }
    if op.broadcast == Broadcast::None {
        return spread(op, a, b, dst, dst_is_zero);
    }
    if op.width == DstWidth::Bits32 && op.overwrites() && is_zero(op.formats.a.source_mask(), a) {
        let (mask, flip) = (op.formats.b.source_mask(), flip(op.op));
        return broadcast_changed(op.broadcast, b, dst, |b| sum_with_zero((b & mask) ^ flip));
    }
    let mut whole = [0; TILE_VALUES];
    broadcast_tile(op.broadcast, b, &mut whole);
    spread(op, a, &whole, dst, dst_is_zero);
}

/// Applies a plain sum ([`ElementwiseOp::is_plain_sum`]) to bf16 tiles as they lie in L1, if the
/// host computes it right; whether it does. Dst is lost if not.
pub fn elementwise_bfloat16(
    op: &ElementwiseOp,
    a: &Bfloat16Tile,
    b: &Bfloat16Tile,
    dst: &mut Lanes,
) -> bool {
    assert!(op.is_plain_sum(), "the caller asks before it gives Dst away");
    host_sums::add(op.width, a, b, flip(op.op), dst)
}

fn spread(op: &ElementwiseOp, a: &Lanes, b: &Lanes, dst: &mut Lanes, dst_is_zero: bool) {
    if dst_is_zero && (op.op == Elementwise::Mul || op.accumulate) {
        dst.fill(0);
    }
    match op.width {
        DstWidth::Bits16 => by_width::<false>(op, a, b, dst),
        DstWidth::Bits32 => by_width::<true>(op, a, b, dst),
    }
}

/// Whether every value of a source counts as zero.
fn is_zero(mask: u32, source: &Lanes) -> bool {
    dispatch::run(AnyBits(source)) & mask & INFINITY == 0
}

/// What flips the sign of b.
pub(super) fn flip(op: Elementwise) -> u32 {
    if op == Elementwise::Sub { SIGN } else { 0 }
}

fn by_width<const WIDE: bool>(op: &ElementwiseOp, a: &Lanes, b: &Lanes, dst: &mut Lanes) {
    let masks = Masks { a: op.formats.a.source_mask(), b: op.formats.b.source_mask() };
    let (flip, faulty_sum) = (flip(op.op), op.chip.faulty_sum());
    match (op.op, op.fidelity) {
        (Elementwise::Mul, Fidelity::LoFi) => {
            dispatch::run(Mul::<WIDE, 1> { masks, faulty_sum, a, b, dst })
        }
        (Elementwise::Mul, Fidelity::HiFi2) => {
            dispatch::run(Mul::<WIDE, 2> { masks, faulty_sum, a, b, dst })
        }
        (Elementwise::Mul, Fidelity::HiFi3) => {
            dispatch::run(Mul::<WIDE, 3> { masks, faulty_sum, a, b, dst })
        }
        (Elementwise::Mul, Fidelity::HiFi4) => {
            dispatch::run(Mul::<WIDE, 4> { masks, faulty_sum, a, b, dst })
        }
        (Elementwise::Add | Elementwise::Sub, _) if op.accumulate => {
            dispatch::run(Add::<WIDE, true> { masks, flip, faulty_sum, a, b, dst });
        }
        (Elementwise::Add | Elementwise::Sub, _) => {
            let operands =
                [(a, masks.a), (b, masks.b)].map(|(values, mask)| Register { values, mask });
            if !host_sums::add(op.width, operands[0], operands[1], flip, dst) {
                dispatch::run(Add::<WIDE, false> { masks, flip, faulty_sum, a, b, dst });
            }
        }
    }
}

/// The bits of each operand that its configured format keeps.
#[derive(Clone, Copy)]
struct Masks {
    a: u32,
    b: u32,
}

struct Add<'a, const WIDE: bool, const ACCUMULATE: bool> {
    masks: Masks,
    /// Flips the sign of b for a subtraction.
    flip: u32,
    faulty_sum: i32,
    a: &'a Lanes,
    b: &'a Lanes,
    dst: &'a mut Lanes,
}

impl<const WIDE: bool, const ACCUMULATE: bool> SimdLoop for Add<'_, WIDE, ACCUMULATE> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Add { masks, flip, faulty_sum, a, b, dst } = self;
        for i in 0..TILE_VALUES {
            let (m, e) = sum(a[i] & masks.a, (b[i] & masks.b) ^ flip);
            dst[i] = if ACCUMULATE {
                accumulate::<WIDE>(Term { m: m << 13, e }, dst[i], faulty_sum)
            } else {
                overwrite::<WIDE>(m, e)
            };
        }
    }
}

/// Bits that any value has.
struct AnyBits<'a>(&'a Lanes);

impl SimdLoop for AnyBits<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> u32 {
        self.0.iter().fold(0, |any, &value| any | value)
    }
}

/// ELWADD of a source value and zero, to a 32-bit Dst: it knows no NaN, no denormal and no -0.
#[inline(always)]
pub(super) fn sum_with_zero(value: u32) -> u32 {
    let is_huge = value & INFINITY == INFINITY;
    flush(if is_huge { value & (SIGN | INFINITY) } else { value })
}

/// The sum of two source values as `m * 2^(e - 137)`: 11 bits at the larger one's exponent.
#[inline(always)]
pub(super) fn sum(a: u32, b: u32) -> (i32, i32) {
    let (a, b) = (flush(a), flush(b));
    let is_swapped = (a & !SIGN) < (b & !SIGN);
    let (large, small) = if is_swapped { (b, a) } else { (a, b) };
    let e = exponent(large) as i32;
    // From 12 on an 11-bit significand rounds to 0.
    let n = (e - exponent(small) as i32).min(12) as u32;
    let large_m = (significand(large) >> 13) as i32;
    let small_m = ((significand(small) >> 13) as i32 + ((1 << n) >> 1)) >> n;
    let is_opposed = ((a ^ b) as i32) >> 31;
    let m = large_m + ((small_m ^ is_opposed) - is_opposed);
    let sign = (large as i32) >> 31;
    ((m ^ sign) - sign, e)
}

/// Lanes for which it is decided together whether the host may multiply.
const CHUNK: usize = 64;

struct Mul<'a, const WIDE: bool, const PHASES: u32> {
    masks: Masks,
    faulty_sum: i32,
    a: &'a Lanes,
    b: &'a Lanes,
    dst: &'a mut Lanes,
}

impl<const WIDE: bool, const PHASES: u32> SimdLoop for Mul<'_, WIDE, PHASES> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Mul { masks, faulty_sum, a, b, dst } = self;
        if WIDE && multiply_tile_by_host::<PHASES>(masks, a, b, dst) {
            return;
        }
        if !WIDE && multiply_narrow_by_host::<PHASES>(masks, a, b, dst) {
            return;
        }
        let operands = a.as_chunks::<CHUNK>().0.iter().zip(b.as_chunks::<CHUNK>().0);
        for ((a, b), dst) in operands.zip(dst.as_chunks_mut::<CHUNK>().0) {
            if !(WIDE && multiply_by_host::<PHASES>(masks, a, b, dst)) {
                multiply::<WIDE, PHASES>((masks, faulty_sum), a, b, dst);
            }
        }
    }
}

#[inline(always)]
fn multiply<const WIDE: bool, const PHASES: u32>(
    (masks, faulty_sum): (Masks, i32),
    a: &[u32; CHUNK],
    b: &[u32; CHUNK],
    dst: &mut [u32; CHUNK],
) {
    for i in 0..CHUNK {
        let (a, b) = (a[i] & masks.a, b[i] & masks.b);
        let mut sum = dst[i];
        for phase in 0..PHASES {
            sum = accumulate::<WIDE>(partial_product(a, b, phase), sum, faulty_sum);
        }
        dst[i] = sum;
    }
}

/// The product of the parts of two source values that one fidelity phase multiplies.
#[inline(always)]
pub(super) fn partial_product(a: u32, b: u32, phase: u32) -> Term {
    let (low_a, low_b) = (phase & 1 != 0, phase & 2 != 0);
    let (ma, mb) = (significand(a) >> 13, significand(b) >> 13);
    let part_a = if low_a { (ma >> 1) & 31 } else { ma >> 6 };
    let part_b = if low_b { (mb & 15) << 3 } else { mb >> 4 };
    let lower = if low_a { 5 } else { 0 } + if low_b { 7 } else { 0 };
    let e = (exponent(a) + exponent(b)) as i32 - 127 - lower;
    let product = ((part_a * part_b) << 13) as i32;
    let sign = ((a ^ b) as i32) >> 31;
    let is_zero = (ma == 0) | (mb == 0) | (e <= 0);
    let m = if is_zero { 0 } else { (product ^ sign) - sign };
    Term { m, e: if is_zero { 0 } else { e } }
}

/// Multiplies into a zero 32-bit Dst with the host's f32 instructions, if all lanes allow it.
///
/// Why that is exact: write the product of the significands' parts in units of Dst's last place
/// at the exponent e of phase 0. The later phases lie 5, 7 and 12 exponents lower and their
/// products are multiples of 2^13, so aligning them (by at most 13 places) loses nothing, and
/// every partial sum is a multiple of 2 units below 2^25: it fits 24 bits after a carry as well.
/// So all phases together are the exact product of the parts they cover. That is 10 by 11 bits
/// at most, exact for the host too: HiFi4 covers a (without its lowest tf32 bit) times b, HiFi2
/// and LoFi cover b's upper 7 bits and LoFi a's upper 5. HiFi3 is a's upper bits times b plus
/// a's lower times b's upper bits, both exact, and so is their sum. This needs every phase's
/// exponent above 0, that is E(a) + E(b) - 127 > 12, unless an operand is zero; and nothing of
/// exponent 255, neither operand nor result: Dst does not stick to Inf, a later phase of larger
/// exponent and zero mantissa makes 0 of it.
#[inline(always)]
fn multiply_by_host<const PHASES: u32>(
    masks: Masks,
    a: &[u32; CHUNK],
    b: &[u32; CHUNK],
    dst: &mut [u32; CHUNK],
) -> bool {
    if dst.iter().fold(0, |any, &value| any | value) != 0 {
        return false;
    }
    let mut products = [0; CHUNK];
    let mut doubt = false;
    for i in 0..CHUNK {
        let (a, b) = (flush(a[i] & masks.a), flush(b[i] & masks.b));
        products[i] = flush(host_product::<PHASES>(a, b).to_bits());
        let (ea, eb) = (a & INFINITY, b & INFINITY);
        let is_tiny = (ea + eb < 140 << 23) & (ea != 0) & (eb != 0);
        // An operand of exponent 255 makes Inf or NaN of any product.
        doubt |= is_tiny | (products[i] & INFINITY == INFINITY);
    }
    if !doubt {
        *dst = products;
    }
    !doubt
}

/// What both operands must be above, or zero, for every phase's exponent to be above 12: 2^-56.
const OPERAND_FLOOR: u32 = 71 << 23;

/// The same for a whole tile of ordinary values, which is decided by fewer instructions.
#[inline(always)]
fn multiply_tile_by_host<const PHASES: u32>(
    masks: Masks,
    a: &Lanes,
    b: &Lanes,
    dst: &mut Lanes,
) -> bool {
    // Zero less 1 is above everything.
    let (mut least, mut most, mut held) = (u32::MAX, 0, 0);
    for i in 0..TILE_VALUES {
        let (a, b) = (a[i] & masks.a, b[i] & masks.b);
        least = least.min((a & !SIGN).wrapping_sub(1)).min((b & !SIGN).wrapping_sub(1));
        most = most.max(host_product::<PHASES>(a, b).to_bits() & !SIGN);
        held |= dst[i];
    }
    if (least < OPERAND_FLOOR) | (most >= INFINITY) | (held != 0) {
        return false;
    }
    for i in 0..TILE_VALUES {
        // A product of -0 becomes +0.
        let product = host_product::<PHASES>(a[i] & masks.a, b[i] & masks.b) + 0.0;
        dst[i] = product.to_bits();
    }
    true
}

/// The product of the parts that `PHASES` phases cover.
#[inline(always)]
pub(super) fn host_product<const PHASES: u32>(a: u32, b: u32) -> f32 {
    let a_high = f32::from_bits(a & 0xfff8_0000);
    let a_used = f32::from_bits(a & 0xffff_c000);
    let b_high = f32::from_bits(b & 0xfffe_0000);
    let b_used = f32::from_bits(b);
    match PHASES {
        1 => a_high * b_high,
        2 => a_used * b_high,
        3 => a_high * b_used + (a_used - a_high) * b_high,
        _ => a_used * b_used,
    }
}

/// What operands must be above, or zero, for a 16-bit Dst: 2^-40.
pub(super) const NARROW_FLOOR: u32 = 87 << 23;
/// What they must be below: 2^40.
pub(super) const NARROW_CEILING: u32 = 167 << 23;

/// Multiplies whole tiles of ordinary values into a zero 16-bit Dst with the host's instructions.
///
/// Every phase adds to what the last one has rounded to bf16, so that phases stay apart here. The
/// first leaves its product, of 12 bits, rounded to 8, halves up in magnitude: an addition to the
/// bits does that, here and after each phase. A later product is aligned to the exponent of Dst,
/// which it lies below, by at most 13 places, all of them zero: nothing is lost. Then it is rounded
/// to 2^-10 of that exponent's power, halves up. See [`add_narrow`].
#[inline(always)]
fn multiply_narrow_by_host<const PHASES: u32>(
    masks: Masks,
    a: &Lanes,
    b: &Lanes,
    dst: &mut Lanes,
) -> bool {
    let (mut least, mut most, mut held) = (u32::MAX, 0, 0);
    for i in 0..TILE_VALUES {
        let (a, b) = (a[i] & masks.a & !SIGN, b[i] & masks.b & !SIGN);
        // Zero less 1 is above everything.
        least = least.min(a.wrapping_sub(1)).min(b.wrapping_sub(1));
        most = most.max(a).max(b);
        held |= dst[i];
    }
    if (least < NARROW_FLOOR) | (most >= NARROW_CEILING) | (held != 0) {
        return false;
    }
    for i in 0..TILE_VALUES {
        dst[i] = narrow_product::<PHASES>(a[i] & masks.a, b[i] & masks.b);
    }
    true
}

/// The product as `PHASES` phases leave it in a 16-bit Dst.
#[inline(always)]
pub(super) fn narrow_product<const PHASES: u32>(a: u32, b: u32) -> u32 {
    let a_high = f32::from_bits(a & 0xfff8_0000);
    let a_low = f32::from_bits(a & 0xffff_c000) - a_high;
    let b_high = f32::from_bits(b & 0xfffe_0000);
    let b_low = f32::from_bits(b) - b_high;
    let mut sum = rounded_narrow(a_high * b_high);
    if PHASES > 1 {
        sum = add_narrow(sum, a_low * b_high);
    }
    if PHASES > 2 {
        sum = add_narrow(sum, a_high * b_low);
    }
    if PHASES > 3 {
        sum = add_narrow(sum, a_low * b_low);
    }
    // A product of -0 becomes +0.
    (f32::from_bits(sum) + 0.0).to_bits()
}

/// Adds a later phase's product to Dst, whose exponent is that of the whole product or one more.
///
/// A float whose last place is the unit of 2^-10 rounds what is added to it to units, halves to
/// even. Products are multiples of 2^-20 of Dst's power of two, so that 2^-22 more decides halves,
/// up, and nothing else; with it they have 20 bits at most. Sums of Dst and units have 12.
#[inline(always)]
fn add_narrow(sum: u32, product: f32) -> u32 {
    const DECIDING: u32 = 22 << 23;
    let e = sum & INFINITY;
    let base = f32::from_bits((e + (13 << 23)) | 0x40_0000);
    // Dst is zero if an operand is, and then nothing is added.
    let deciding = f32::from_bits(e.max(DECIDING) - DECIDING);
    let aligned = ((product + deciding) + base) - base;
    rounded_narrow(f32::from_bits(sum) + aligned)
}

/// The nearest bf16 value, halves up in magnitude.
#[inline(always)]
pub(super) fn rounded_narrow(value: f32) -> u32 {
    value.to_bits().wrapping_add(0x8000) & 0xffff_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xorshift64*.
    fn next(state: &mut u64) -> u32 {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    fn check<const PHASES: u32>(a: u32, b: u32) {
        let mut sum = 0;
        for phase in 0..PHASES {
            sum = accumulate::<false>(partial_product(a, b, phase), sum, i32::MIN);
        }
        let fast = narrow_product::<PHASES>(a, b);
        assert_eq!(fast, sum, "{a:08x} * {b:08x} in {PHASES} phases: {sum:08x}");
    }

    fn check_all(a: u32, b: u32) {
        check::<1>(a, b);
        check::<2>(a, b);
        check::<3>(a, b);
        check::<4>(a, b);
    }

    /// Every pair of bf16 significands and signs, which is all that decides a product.
    #[test]
    fn narrow_products_of_all_bfloat16_significands_are_exact() {
        for a in 0..256 {
            for b in 0..256 {
                let value = |bits: u32, e: u32| (bits >> 7) << 31 | e << 23 | (bits & 127) << 16;
                check_all(value(a, 127), value(b, 127));
                check_all(value(a, 88), value(b, 166));
            }
        }
    }

    #[test]
    fn narrow_products_of_eleven_bits_are_exact() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let mut value = || {
            let bits = next(&mut state);
            let e = 87 + (bits >> 3) % 80;
            let kept = bits & 0x807f_e000 | e << 23;
            if bits & 7 == 0 && bits & 0x100 == 0 { kept & SIGN } else { kept }
        };
        for _ in 0..1_000_000 {
            check_all(value(), value());
        }
    }
}
