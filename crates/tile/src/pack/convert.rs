//! From Dst to the packer's source format, ReLU included.
//!
//! Values stay fp32 patterns; 16-bit source formats have their low halves zero.

use super::{Packing, Relu, unsupported};
use crate::bits::{INFINITY, SIGN, flush, stored16};
use crate::dispatch::{self, SimdLoop};
use crate::fpu::Bfloat16Tile;
use crate::{DataFormat, DstWidth, Lanes, UnsupportedConversion};

/// How a Dst value becomes a pack source value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// fp32 as it is.
    Raw,
    /// fp32 as it is, later truncated to bf16 for a block format.
    RawToBlock,
    /// fp32 to the nearest bf16, ties away.
    Round,
    /// fp32 truncated to bf16, then rounded to 6 mantissa bits.
    RoundToBlock,
    /// bf16, flushed.
    Flush,
    /// bf16, flushed, then rounded to 6 mantissa bits.
    FlushToBlock,
    /// fp16 bits, flushed.
    Half,
    /// fp16 bits, flushed, to fp32.
    HalfToFloat32,
    /// An integer in the upper half.
    UInt16,
    /// An integer in the upper half, in the order of storage.
    StoredUInt16,
    /// Negative numbers to 0, large ones to 255.
    UInt8,
    /// Magnitudes above 127 to 127.
    Int8,
}

impl Rule {
    /// The rule for a packing, if the packer has it.
    pub(super) fn of(packing: &Packing) -> Result<Rule, UnsupportedConversion> {
        use crate::Integer::{Int8, Int32, UInt8, UInt16, UInt32};
        use crate::Small::{Bfp2, Bfp4, Float16};
        use DataFormat::{Bfloat16, Bfp8, Float32, Integer, Small, Tf32};
        let is_summed = matches!(packing.output, Float32 | Bfloat16);
        if packing.accumulate && !is_summed {
            return Err(unsupported("accumulating pack", packing));
        }
        match (packing.width, packing.source, packing.output) {
            (DstWidth::Bits32, Float32, Float32) => Ok(Rule::Raw),
            (DstWidth::Bits32, Float32, Bfp8 | Small(Bfp4 | Bfp2)) => Ok(Rule::RawToBlock),
            (DstWidth::Bits32, Bfloat16, Bfloat16 | Float32 | Bfp8) => Ok(Rule::Round),
            (DstWidth::Bits32, Bfp8, Bfp8 | Small(Bfp4)) => Ok(Rule::RoundToBlock),
            (DstWidth::Bits16, Bfloat16, Bfloat16 | Float32 | Bfp8 | Small(Bfp4 | Bfp2)) => {
                Ok(Rule::Flush)
            }
            (DstWidth::Bits16, Bfp8, Bfp8 | Small(Bfp4)) => Ok(Rule::FlushToBlock),
            (DstWidth::Bits16, Small(Float16), Small(Float16)) => Ok(Rule::Half),
            (DstWidth::Bits16, Small(Float16), Float32) => Ok(Rule::HalfToFloat32),
            (DstWidth::Bits32, Integer(Int32), Integer(Int32))
            | (DstWidth::Bits32, Integer(UInt32), Integer(UInt32)) => Ok(Rule::Raw),
            (DstWidth::Bits16, Integer(UInt16), Integer(UInt16)) => Ok(Rule::UInt16),
            (DstWidth::Bits32, Integer(UInt16), Integer(UInt16)) => Ok(Rule::StoredUInt16),
            (DstWidth::Bits32, Integer(UInt8), Integer(UInt8)) => Ok(Rule::UInt8),
            (DstWidth::Bits32, Integer(Int8), Integer(Int8)) => Ok(Rule::Int8),
            (DstWidth::Bits16, Float32, _)
            | (DstWidth::Bits32, Float32, Tf32 | Bfloat16 | Integer(_) | Small(Float16))
            | (_, Tf32 | Integer(_) | Small(_), _)
            | (_, Bfloat16, Tf32 | Integer(_) | Small(_))
            | (_, Bfp8, Float32 | Tf32 | Bfloat16 | Integer(_) | Small(_)) => {
                Err(unsupported("pack", packing))
            }
        }
    }
}

/// Converts a tile and applies ReLU.
pub(super) fn convert(rule: Rule, relu: Relu, dst: &Lanes, out: &mut Lanes) {
    dispatch::run(Convert { rule, relu, dst, out });
}

struct Convert<'a> {
    rule: Rule,
    relu: Relu,
    dst: &'a Lanes,
    out: &'a mut Lanes,
}

impl SimdLoop for Convert<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Convert { rule, relu, dst, out } = self;
        match rule {
            Rule::Raw | Rule::RawToBlock => {
                out.copy_from_slice(dst);
                rectify(relu, 0x1fff, out);
                if let Rule::RawToBlock = rule {
                    out.iter_mut().for_each(|v| *v = flush(*v & 0xffff_0000));
                }
                return;
            }
            Rule::Half => map(dst, out, flush_half),
            Rule::HalfToFloat32 => map(dst, out, |v| half_to_float32(flush_half(v))),
            Rule::UInt16 => map(dst, out, |v| v >> 16),
            Rule::StoredUInt16 => map(dst, out, |v| stored16(v >> 16)),
            Rule::UInt8 => map(dst, out, |v| if v & SIGN != 0 { 0 } else { v.min(255) }),
            Rule::Int8 => map(dst, out, |v| (v & SIGN) >> 24 | (v & !SIGN).min(127)),
            Rule::Round => map(dst, out, round),
            Rule::RoundToBlock => map(dst, out, |v| flush(round_to_block(drop_nan(v)))),
            Rule::Flush => map(dst, out, |v| flush(drop_nan(v) & 0xffff_0000)),
            Rule::FlushToBlock => {
                map(dst, out, |v| round_to_block(flush(drop_nan(v) & 0xffff_0000)));
            }
        }
        rectify(relu, 0, out);
    }
}

/// bf16 straight to L1, what kernels do most: [`Rule::Round`] where `HALF` is half of a last place,
/// [`Rule::Flush`] where it is zero.
///
/// Only a NaN is not what an addition and a flush leave, so that a tile is searched for one first:
/// an infinity has no fraction that could be rounded up, and the largest values become infinities.
pub(super) struct UpperHalves<'a, const HALF: u32> {
    pub(super) dst: &'a Lanes,
    pub(super) l1: &'a mut Bfloat16Tile,
}

impl<const HALF: u32> SimdLoop for UpperHalves<'_, HALF> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let halves = self.l1.as_chunks_mut().0.iter_mut().zip(self.dst);
        let most = self.dst.iter().fold(0, |most: u32, &value| most.max(value & !SIGN));
        if most > INFINITY {
            for (bytes, &value) in halves {
                let upper = (drop_nan(value).wrapping_add(HALF) >> 16) as u16;
                *bytes = flush_upper(upper).to_le_bytes();
            }
        } else {
            for (bytes, &value) in halves {
                *bytes = flush_upper((value.wrapping_add(HALF) >> 16) as u16).to_le_bytes();
            }
        }
    }
}

/// What is denormal becomes +0. On halves: twice as many fit a register of the host.
#[inline(always)]
fn flush_upper(upper: u16) -> u16 {
    if upper & (INFINITY >> 16) as u16 == 0 { 0 } else { upper }
}

#[inline(always)]
fn map(dst: &Lanes, out: &mut Lanes, f: impl Fn(u32) -> u32) {
    for (out, &value) in out.iter_mut().zip(dst) {
        *out = f(value);
    }
}

/// fp16 bits in the upper half; what is below the least normal value becomes +0.
#[inline(always)]
fn flush_half(v: u32) -> u32 {
    if v & 0x7fff_0000 < 0x0400_0000 { 0 } else { v & 0xffff_0000 }
}

#[inline(always)]
fn half_to_float32(v: u32) -> u32 {
    let e = (v >> 26) & 31;
    let e = if e == 0 { 0 } else { e + 112 };
    v & SIGN | e << 23 | (v & 0x03ff_0000) >> 3
}

/// NaN becomes Inf of its sign.
#[inline(always)]
fn drop_nan(v: u32) -> u32 {
    if v & INFINITY == INFINITY { v & (SIGN | INFINITY) } else { v }
}

/// Nearest bf16, ties away; what is then still denormal becomes +0.
#[inline(always)]
fn round(v: u32) -> u32 {
    flush(drop_nan(v).wrapping_add(0x8000) & 0xffff_0000)
}

/// The upper half rounded to 6 mantissa bits, ties away.
#[inline(always)]
fn round_to_block(v: u32) -> u32 {
    (v & 0xffff_0000).wrapping_add(0x1_0000) & 0xfffe_0000
}

/// ReLU on bit patterns. `ignored` are the low bits that a comparison with a maximum leaves out.
#[inline(always)]
fn rectify(relu: Relu, ignored: u32, values: &mut Lanes) {
    let positive = |v: u32| if v & SIGN != 0 { 0 } else { v };
    match relu {
        Relu::Off => {}
        Relu::Zero => values.iter_mut().for_each(|v| *v = positive(*v)),
        Relu::MinThreshold(threshold) => {
            let threshold = u32::from(threshold) << 16;
            values.iter_mut().for_each(|v| {
                let kept = positive(*v);
                *v = if kept <= threshold { 0 } else { kept };
            });
        }
        Relu::MaxThreshold(threshold) => {
            let threshold = u32::from(threshold) << 16;
            values.iter_mut().for_each(|v| {
                let kept = positive(*v);
                *v = if kept & !ignored > threshold & !ignored { threshold } else { kept };
            });
        }
    }
}
