//! ELWADD and ELWSUB that overwrite Dst, by the host's floats where those leave the same bits.

use super::Bfloat16Tile;
use super::elementwise::{NARROW_CEILING, NARROW_FLOOR, rounded_narrow};
use crate::bits::{INFINITY, SIGN};
use crate::dispatch::{self, SimdLoop};
use crate::{DstWidth, Lanes};

/// A tile of operands, value by value.
pub(super) trait Source: Copy {
    fn value(self, place: usize) -> u32;
}

/// Values of a source register, and the bits of them that count.
#[derive(Clone, Copy)]
pub(super) struct Register<'a> {
    pub(super) values: &'a Lanes,
    pub(super) mask: u32,
}

impl Source for Register<'_> {
    #[inline(always)]
    fn value(self, place: usize) -> u32 {
        self.values[place] & self.mask
    }
}

/// A bf16 tile as it lies in L1.
impl Source for &Bfloat16Tile {
    #[inline(always)]
    fn value(self, place: usize) -> u32 {
        u32::from(u16::from_le_bytes(self.as_chunks().0[place])) << 16
    }
}

/// Writes sums of two tiles to Dst; whether all values allow it. Dst is lost if not. `flip` is the
/// sign bit for differences.
pub(super) fn add<S: Source>(width: DstWidth, a: S, b: S, flip: u32, dst: &mut Lanes) -> bool {
    match width {
        DstWidth::Bits16 => dispatch::run(Sums::<_, false> { a, b, flip, dst }),
        DstWidth::Bits32 => dispatch::run(Sums::<_, true> { a, b, flip, dst }),
    }
}

struct Sums<'a, S, const WIDE: bool> {
    a: S,
    b: S,
    flip: u32,
    dst: &'a mut Lanes,
}

impl<S: Source, const WIDE: bool> SimdLoop for Sums<'_, S, WIDE> {
    type Output = bool;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> bool {
        let Sums { a, b, flip, dst } = self;
        let (mut least, mut most) = (u32::MAX, 0);
        for (place, dst) in dst.iter_mut().enumerate() {
            let (a, b) = (a.value(place), b.value(place) ^ flip);
            // Zero less 1 is above everything.
            least = least.min((a & !SIGN).wrapping_sub(1)).min((b & !SIGN).wrapping_sub(1));
            most = most.max(a & !SIGN).max(b & !SIGN);
            *dst = sum::<WIDE>(a, b);
        }
        (least >= NARROW_FLOOR) & (most < NARROW_CEILING)
    }
}

/// The sum of two source values, each zero or between [`NARROW_FLOOR`] and [`NARROW_CEILING`].
///
/// The hardware takes the smaller operand in units of the larger one's last of 11 bits, halves up
/// in magnitude, and adds exactly (numerics specification, section 4.2). A float whose last place
/// is that unit rounds what is added to it to units, halves to even. An operand that is not below
/// half a unit anyway is a multiple of 2^-12 units: 2^-13 more, of its sign, decides halves and
/// nothing else, and with it the operand has 24 bits at most. The larger operand is a whole number
/// of units and stays what it is, so that both are treated alike. Their sum has 12 bits. It is
/// never -0: both have been through a difference of two floats, which is +0 where it is zero.
#[inline(always)]
fn sum<const WIDE: bool>(a: u32, b: u32) -> u32 {
    const DECIDING: u32 = 23 << 23;
    let e = (a & INFINITY).max(b & INFINITY);
    let base = f32::from_bits((e + (13 << 23)) | 0x40_0000);
    let deciding = e.max(DECIDING) - DECIDING;
    let aligned = |x: u32| {
        let decided = f32::from_bits(x) + f32::from_bits(x & SIGN | deciding);
        (decided + base) - base
    };
    let sum = aligned(a) + aligned(b);
    if WIDE { sum.to_bits() } else { rounded_narrow(sum) }
}

#[cfg(test)]
mod tests {
    use super::super::accumulate::overwrite;
    use super::super::elementwise::sum as aligned_sum;
    use super::*;

    fn check(a: u32, b: u32) {
        let (m, e) = aligned_sum(a, b);
        assert_eq!(sum::<true>(a, b), overwrite::<true>(m, e), "{a:08x} + {b:08x}");
        assert_eq!(sum::<false>(a, b), overwrite::<false>(m, e), "{a:08x} + {b:08x} in 16 bits");
    }

    /// Every significand of 11 bits beside some others, at every distance that counts.
    #[test]
    fn sums_are_those_of_the_hardware() {
        let larger = [0, 1, 2, 3, 511, 512, 513, 1022, 1023];
        for distance in 0..16 {
            for mantissa in 0..1024 {
                for other in larger {
                    let value = |sign: u32, e: u32, m: u32| sign << 31 | e << 23 | m << 13;
                    for (e, signs) in [(127, 0), (127, 1), (166, 2), (88 + distance, 3)] {
                        let a = value(signs & 1, e, other);
                        let b = value(signs >> 1, e - distance, mantissa);
                        check(a, b);
                        check(b, a);
                    }
                }
            }
        }
    }

    #[test]
    fn zeros_of_either_sign_leave_the_other_operand_or_positive_zero() {
        for zero in [0, SIGN] {
            for other in [0, SIGN, 0x3f80_0000, 0xc2a5_e000] {
                check(zero, other);
                check(other, zero);
            }
        }
        check(0x3f80_0000, 0xbf80_0000);
    }
}
