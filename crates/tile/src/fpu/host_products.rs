//! ELWMUL of bf16 tiles by their bytes in L1 into zeros, by the host's floats where those leave the
//! same bits. Fills no source register on the way.

use super::elementwise::{NARROW_CEILING, NARROW_FLOOR, host_product, narrow_product};
use super::narrow::BITS;
use super::{Bfloat16Tile, Elementwise, ElementwiseOp};
use crate::dispatch::{self, SimdLoop};
use crate::{
    Broadcast, DstWidth, FACE_SIDE, FACE_VALUES, Fidelity, Lanes, Magnitudes, TILE_VALUES,
};

/// Writes products of two bf16 tiles over a tile of zeros and says what is known of them; nothing,
/// with Dst as it was, unless that is what is asked for and all values allow it.
pub fn multiply_bfloat16(
    op: &ElementwiseOp,
    a: &Bfloat16Tile,
    b: &Bfloat16Tile,
    dst: &mut Lanes,
) -> Option<Magnitudes> {
    if op.op != Elementwise::Mul || !op.is_of_bfloat16() {
        return None;
    }
    let is_row = match op.broadcast {
        Broadcast::None => false,
        Broadcast::Row => true,
        Broadcast::Column | Broadcast::Scalar => return None,
    };
    match op.fidelity {
        Fidelity::LoFi => by_phases::<1>(op.width, is_row, a, b, dst),
        Fidelity::HiFi2 => by_phases::<2>(op.width, is_row, a, b, dst),
        Fidelity::HiFi3 => by_phases::<3>(op.width, is_row, a, b, dst),
        Fidelity::HiFi4 => by_phases::<4>(op.width, is_row, a, b, dst),
    }
}

fn by_phases<const PHASES: u32>(
    width: DstWidth,
    is_row: bool,
    a: &Bfloat16Tile,
    b: &Bfloat16Tile,
    dst: &mut Lanes,
) -> Option<Magnitudes> {
    match width {
        DstWidth::Bits16 => dispatch::run(Products::<false, PHASES> { is_row, a, b, dst }),
        DstWidth::Bits32 => dispatch::run(Products::<true, PHASES> { is_row, a, b, dst }),
    }
}

struct Products<'a, const WIDE: bool, const PHASES: u32> {
    /// Row 0 of b takes the place of all its rows.
    is_row: bool,
    a: &'a Bfloat16Tile,
    b: &'a Bfloat16Tile,
    dst: &'a mut Lanes,
}

impl<const WIDE: bool, const PHASES: u32> SimdLoop for Products<'_, WIDE, PHASES> {
    type Output = Option<Magnitudes>;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Option<Magnitudes> {
        let Products { is_row, a, b, dst } = self;
        let [a, b] = [a, b].map(|bytes| bytes.as_chunks().0.as_array().expect("a whole tile"));
        let of_a = Operands::of(a);
        let of_b = match is_row {
            true => Operands::of(&b[..FACE_SIDE]).and(&b[FACE_VALUES..][..FACE_SIDE]),
            false => Operands::of(b),
        };
        let known = if WIDE { of_a.wide_products(of_b) } else { of_a.narrow_products(of_b) }?;
        let rows;
        let b = if is_row {
            rows = spread_rows(b);
            &rows
        } else {
            b
        };
        for ((dst, a), b) in dst.iter_mut().zip(a).zip(b) {
            *dst = product::<WIDE, PHASES>(value(*a), value(*b));
        }
        Some(known)
    }
}

/// Row 0 in the place of every row.
#[inline(always)]
fn spread_rows(tile: &[[u8; 2]; TILE_VALUES]) -> [[u8; 2]; TILE_VALUES] {
    let mut rows = [[0; 2]; TILE_VALUES];
    for (face, lines) in rows.as_chunks_mut::<FACE_VALUES>().0.iter_mut().enumerate() {
        let row = &tile[face % 2 * FACE_VALUES..][..FACE_SIDE];
        lines.as_chunks_mut::<FACE_SIDE>().0.iter_mut().for_each(|line| line.copy_from_slice(row));
    }
    rows
}

#[inline(always)]
fn value(bytes: [u8; 2]) -> u32 {
    u32::from(u16::from_le_bytes(bytes)) << 16
}

/// A product onto zero; one of -0 becomes +0.
#[inline(always)]
fn product<const WIDE: bool, const PHASES: u32>(a: u32, b: u32) -> u32 {
    if WIDE {
        (host_product::<PHASES>(a, b) + 0.0).to_bits()
    } else {
        narrow_product::<PHASES>(a, b)
    }
}

/// The magnitudes of some bf16 values: the least that is not zero, less 1, and the largest.
#[derive(Clone, Copy)]
struct Operands {
    least: u16,
    most: u16,
}

impl Operands {
    #[inline(always)]
    fn of(values: &[[u8; 2]]) -> Operands {
        Operands { least: u16::MAX, most: 0 }.and(values)
    }

    #[inline(always)]
    fn and(self, values: &[[u8; 2]]) -> Operands {
        values.iter().fold(self, |seen, bytes| {
            let magnitude = u16::from_le_bytes(*bytes) & 0x7fff;
            // Zero less 1 is above everything.
            let least = seen.least.min(magnitude.wrapping_sub(1));
            Operands { least, most: seen.most.max(magnitude) }
        })
    }

    /// In fp32: one below the least that is not zero, and the largest.
    fn bounds(self) -> (u32, u32) {
        ((u32::from(self.least) << 16) + 0xffff, u32::from(self.most) << 16)
    }

    fn magnitudes(self) -> Option<Magnitudes> {
        let (least, most) = self.bounds();
        Magnitudes::between(least, most, BITS)
    }

    /// What is known of products, of two values each or of parts of them.
    fn times(self, other: Operands) -> Option<Magnitudes> {
        Some(self.magnitudes()?.times(other.magnitudes()?))
    }

    /// The same in a 32-bit Dst, if the host's are the hardware's: `multiply_by_host` says why. It
    /// asks for exponents of products above 12: those whose last of 14 bits below the leading one
    /// is above 2^-127 have more.
    fn wide_products(self, other: Operands) -> Option<Magnitudes> {
        self.times(other).filter(|known| known.is_above(0))
    }

    /// The same in a 16-bit Dst: `multiply_narrow_by_host` says why.
    fn narrow_products(self, other: Operands) -> Option<Magnitudes> {
        let ((least, most), (other_least, other_most)) = (self.bounds(), other.bounds());
        let is_near = most.max(other_most) < NARROW_CEILING;
        let is_far = least.min(other_least) >= NARROW_FLOOR;
        self.times(other).filter(|_| is_near && is_far)
    }
}
