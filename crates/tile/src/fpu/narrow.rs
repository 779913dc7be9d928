//! bf16 operands by their bytes in L1: moves to Dst that read no whole source register.
//!
//! The same values as unpacking and then moving; only the way there is shorter.

use super::Elementwise;
use super::elementwise::{flip, sum_with_zero};
use crate::bits::INFINITY;
use crate::dispatch::{self, SimdLoop};
use crate::{DstWidth, FACE_SIDE, FACE_VALUES, Lanes, Magnitudes, TILE_VALUES};

/// A tile of bf16 values as it lies in L1.
pub type Bfloat16Tile = [u8; 2 * TILE_VALUES];

/// The exponent field of a bf16 value.
const EXPONENT: u16 = (INFINITY >> 16) as u16;
/// The least normal bf16 value. A tile without zeros, denormals, infinities and NaNs is moved as it
/// is.
const LEAST_NORMAL: u16 = 1 << 7;
/// Bits below the leading one of a bf16 value.
pub(super) const BITS: i16 = 7;

/// `copy_tile` of a bf16 tile; says what is known of the result.
pub fn copy_bfloat16(width: DstWidth, tile: &Bfloat16Tile, dst: &mut Lanes) -> Option<Magnitudes> {
    // A wide Dst is written by a sum with zero, which knows no NaN.
    let kept = match width {
        DstWidth::Bits16 => u16::MAX,
        DstWidth::Bits32 => 0x8000 | EXPONENT,
    };
    dispatch::run(Copy { kept, tile, dst })
}

/// Whether all values of a bf16 tile count as zero.
pub fn is_zero_bfloat16(tile: &Bfloat16Tile) -> bool {
    dispatch::run(AnyBits(tile)) & EXPONENT == 0
}

/// A sum of zeros in SrcA and row 0 of SrcB in every row, or their difference, to a 32-bit Dst;
/// says what is known of it.
pub fn row_of_bfloat16(op: Elementwise, b: &Bfloat16Tile, dst: &mut Lanes) -> Option<Magnitudes> {
    dispatch::run(Row { flip: flip(op), b, dst })
}

struct Copy<'a> {
    /// The bits that are kept of infinities and NaNs.
    kept: u16,
    tile: &'a Bfloat16Tile,
    dst: &'a mut Lanes,
}

impl SimdLoop for Copy<'_> {
    type Output = Option<Magnitudes>;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Option<Magnitudes> {
        let Copy { kept, tile, dst } = self;
        let halves = tile.as_chunks().0;
        let (mut least, mut most) = (u16::MAX, 0);
        for bytes in halves {
            let magnitude = u16::from_le_bytes(*bytes) & 0x7fff;
            least = least.min(magnitude);
            most = most.max(magnitude);
        }
        if (least >= LEAST_NORMAL) & (most < EXPONENT) {
            for (dst, bytes) in dst.iter_mut().zip(halves) {
                *dst = u32::from(u16::from_le_bytes(*bytes)) << 16;
            }
            return known(least - 1, most);
        }
        let (mut least, mut most) = (u16::MAX, 0);
        for (dst, bytes) in dst.iter_mut().zip(halves) {
            let value = u16::from_le_bytes(*bytes);
            let e = value & EXPONENT;
            let value = if e == EXPONENT { value & kept } else { value };
            let value = if e == 0 { 0 } else { value };
            let magnitude = value & 0x7fff;
            least = least.min(magnitude.wrapping_sub(1));
            most = most.max(magnitude);
            *dst = u32::from(value) << 16;
        }
        known(least, most)
    }
}

/// Of bf16 values whose least magnitude that is not zero is one above `least`.
#[inline(always)]
fn known(least: u16, most: u16) -> Option<Magnitudes> {
    let least = (u32::from(least) << 16) + 0xffff;
    Magnitudes::between(least, u32::from(most) << 16, BITS)
}

struct AnyBits<'a>(&'a Bfloat16Tile);

impl SimdLoop for AnyBits<'_> {
    type Output = u16;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> u16 {
        self.0.as_chunks().0.iter().fold(0, |any, bytes| any | u16::from_le_bytes(*bytes))
    }
}

struct Row<'a> {
    /// Flips the sign of b for a subtraction.
    flip: u32,
    b: &'a Bfloat16Tile,
    dst: &'a mut Lanes,
}

impl SimdLoop for Row<'_> {
    type Output = Option<Magnitudes>;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Option<Magnitudes> {
        let Row { flip, b, dst } = self;
        let halves = b.as_chunks().0;
        let mut rows = [[0; FACE_SIDE]; 2];
        for (face, row) in rows.iter_mut().enumerate() {
            for (value, bytes) in row.iter_mut().zip(&halves[face * FACE_VALUES..]) {
                let b = u32::from(u16::from_le_bytes(*bytes)) << 16;
                *value = sum_with_zero(b ^ flip);
            }
        }
        let faces = dst.as_chunks_mut::<FACE_VALUES>().0;
        for (face, lines) in faces.iter_mut().enumerate() {
            // A copy, so that the host keeps the row in its registers.
            let row = rows[face % 2];
            for line in lines.as_chunks_mut::<FACE_SIDE>().0 {
                *line = row;
            }
        }
        Magnitudes::of(rows.as_flattened().iter().copied())
    }
}
