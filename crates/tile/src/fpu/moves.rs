//! Moves between registers: copies, broadcasts and transposes that compute nothing.

use super::SourceFormats;
use super::elementwise::sum_with_zero;
use crate::bits::{MANTISSA, SIGN, exponent, flush};
use crate::dispatch::{self, SimdLoop};
use crate::tilize::{broadcast_changed, broadcast_tile, transpose};
use crate::{Broadcast, DataFormat, DstWidth, Integer, Lanes, Magnitudes, Small};

/// `copy_tile` from SrcA.
pub fn copy(width: DstWidth, formats: SourceFormats, a: &Lanes, dst: &mut Lanes) {
    match (formats.a, width) {
        (DataFormat::Integer(Integer::UInt16), DstWidth::Bits16) => {
            each(a, dst, |number| number << 16);
        }
        (DataFormat::Integer(_), _) => dst.copy_from_slice(a),
        (DataFormat::Small(Small::Float16), _) => each(a, dst, |value| copied_half(width, value)),
        (
            DataFormat::Float32
            | DataFormat::Tf32
            | DataFormat::Bfloat16
            | DataFormat::Bfp8
            | DataFormat::Small(Small::Bfp4 | Small::Bfp2),
            _,
        ) => dispatch::run(Copy { width, mask: formats.a.source_mask(), a, dst }),
    }
}

fn each(a: &Lanes, dst: &mut Lanes, f: impl Fn(u32) -> u32) {
    for (dst, value) in dst.iter_mut().zip(a) {
        *dst = f(*value);
    }
}

/// An fp16 value of a source register, whose exponent field holds 5 bits: its bits in a 16-bit
/// Dst, its value in a wide one; denormals become zero.
fn copied_half(width: DstWidth, value: u32) -> u32 {
    let (sign, e, m) = (value & SIGN, exponent(value), value & MANTISSA);
    match (e, width) {
        (0, _) => 0,
        (_, DstWidth::Bits16) => sign | e << 26 | m >> 13 << 16,
        (_, DstWidth::Bits32) => sign | (e + 112) << 23 | m,
    }
}

/// Moves a Dst tile into a source register (MOVD2A, MOVD2B).
///
/// How a 32-bit Dst is truncated depends on SrcA's format, also for a move to SrcB.
pub fn move_dst_to_source(width: DstWidth, srca_format: DataFormat, dst: &Lanes, out: &mut Lanes) {
    let mask = source_move_mask(width, srca_format);
    for (out, &value) in out.iter_mut().zip(dst) {
        *out = value & mask;
    }
}

/// The bits that survive a move from Dst to a source register.
pub(super) fn source_move_mask(width: DstWidth, srca_format: DataFormat) -> u32 {
    match width {
        DstWidth::Bits16 => width.mask(),
        DstWidth::Bits32 => srca_format.source_mask(),
    }
}

/// `transpose_dest`: transposes a tile within Dst.
pub fn transpose_dst(width: DstWidth, dst: &mut Lanes) {
    let before = *dst;
    transpose(&before, dst);
    let mask = width.mask();
    dst.iter_mut().for_each(|value| *value &= mask);
}

/// What `unary_bcast` leaves in Dst, for the combinations that broadcast.
///
/// The operand sits in SrcB. A `formats.b` of Float32 says that it was unpacked straight to a
/// 32-bit Dst instead, where its bits are moved as they are. Says what is known of the result.
pub fn unary_broadcast(
    width: DstWidth,
    formats: SourceFormats,
    broadcast: Broadcast,
    source: &Lanes,
    dst: &mut Lanes,
) -> Option<Magnitudes> {
    if width == DstWidth::Bits32 && formats.b == DataFormat::Float32 {
        broadcast_tile(broadcast, source, dst);
    } else {
        let mask = formats.b.source_mask();
        broadcast_changed(broadcast, source, dst, |value| copied(width, mask, value));
    }
    Magnitudes::of_broadcast(broadcast, dst)
}

/// What MOVA2D and MOVB2D leave in Dst: all 19 bits where the source holds Tf32, otherwise 16;
/// denormals and -0 become +0, and NaN stays one (tt-isa-documentation, MOVA2D).
pub fn move_source_to_dst(width: DstWidth, format: DataFormat, source: &Lanes, dst: &mut Lanes) {
    let mask = width.mask() & format.source_mask();
    each(source, dst, |value| flush(value) & mask);
}

struct Copy<'a> {
    width: DstWidth,
    mask: u32,
    a: &'a Lanes,
    dst: &'a mut Lanes,
}

impl SimdLoop for Copy<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Copy { width, mask, a, dst } = self;
        for (dst, &value) in dst.iter_mut().zip(a) {
            *dst = copied(width, mask, value);
        }
    }
}

/// What a copy makes of a value: MOVA2D to a 16-bit Dst, ELWADD with zero to a wide one.
#[inline(always)]
fn copied(width: DstWidth, mask: u32, value: u32) -> u32 {
    match width {
        DstWidth::Bits16 => flush(value) & 0xffff_0000,
        DstWidth::Bits32 => sum_with_zero(value) & mask,
    }
}
