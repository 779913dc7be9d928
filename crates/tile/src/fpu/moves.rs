//! Moves between registers: copies, broadcasts and transposes that compute nothing.

use super::SourceFormats;
use crate::bits::{INFINITY, SIGN, flush};
use crate::dispatch::{self, Kernel};
use crate::tilize::{broadcast_tile, transpose};
use crate::{Broadcast, DataFormat, DstWidth, Lanes, TILE_VALUES};

/// `copy_tile` from SrcA.
pub fn copy(width: DstWidth, formats: SourceFormats, a: &Lanes, dst: &mut Lanes) {
    dispatch::run(Copy { width, mask: formats.a.source_mask(), a, dst });
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
/// 32-bit Dst instead, where its bits are moved as they are.
pub fn unary_broadcast(
    width: DstWidth,
    formats: SourceFormats,
    broadcast: Broadcast,
    source: &Lanes,
    dst: &mut Lanes,
) {
    if width == DstWidth::Bits32 && formats.b == DataFormat::Float32 {
        return broadcast_tile(broadcast, source, dst);
    }
    let mut whole = [0; TILE_VALUES];
    broadcast_tile(broadcast, source, &mut whole);
    let formats = SourceFormats { a: formats.b, b: formats.b };
    copy(width, formats, &whole, dst);
}

struct Copy<'a> {
    width: DstWidth,
    mask: u32,
    a: &'a Lanes,
    dst: &'a mut Lanes,
}

impl Kernel for Copy<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Copy { width, mask, a, dst } = self;
        match width {
            // MOVA2D.
            DstWidth::Bits16 => {
                for (dst, &value) in dst.iter_mut().zip(a) {
                    *dst = flush(value) & 0xffff_0000;
                }
            }
            // ELWADD with zero, which knows no NaN.
            DstWidth::Bits32 => {
                for (dst, &value) in dst.iter_mut().zip(a) {
                    let is_huge = value & INFINITY == INFINITY;
                    let kept = if is_huge { value & (SIGN | INFINITY) } else { value };
                    *dst = flush(kept) & mask;
                }
            }
        }
    }
}
