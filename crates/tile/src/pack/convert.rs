//! From Dst to the packer's source format, ReLU included.
//!
//! Values stay fp32 patterns; 16-bit source formats have their low halves zero.

use super::{Packing, Relu, unsupported};
use crate::bits::{INFINITY, SIGN, flush};
use crate::dispatch::{self, Kernel};
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
}

impl Rule {
    /// The rule for a packing, if the packer has it.
    pub(super) fn of(packing: &Packing) -> Result<Rule, UnsupportedConversion> {
        use DataFormat::{Bfloat16, Bfp8, Float32, Integer, Tf32};
        if packing.accumulate && packing.output == Bfp8 {
            return Err(unsupported("accumulating pack", packing));
        }
        match (packing.width, packing.source, packing.output) {
            (DstWidth::Bits32, Float32, Float32) => Ok(Rule::Raw),
            (DstWidth::Bits32, Float32, Bfp8) => Ok(Rule::RawToBlock),
            (DstWidth::Bits32, Bfloat16, Bfloat16 | Float32 | Bfp8) => Ok(Rule::Round),
            (DstWidth::Bits32, Bfp8, Bfp8) => Ok(Rule::RoundToBlock),
            (DstWidth::Bits16, Bfloat16, Bfloat16 | Float32 | Bfp8) => Ok(Rule::Flush),
            (DstWidth::Bits16, Bfp8, Bfp8) => Ok(Rule::FlushToBlock),
            (DstWidth::Bits16, Float32, _)
            | (DstWidth::Bits32, Float32, Tf32 | Bfloat16 | Integer(_))
            | (_, Tf32 | Integer(_), _)
            | (_, Bfloat16, Tf32 | Integer(_))
            | (_, Bfp8, Float32 | Tf32 | Bfloat16 | Integer(_)) => {
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

impl Kernel for Convert<'_> {
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

/// [`Rule::Round`] straight to L1: what kernels do most.
pub(super) struct RoundAll<'a> {
    pub(super) dst: &'a Lanes,
    pub(super) l1: &'a mut [u8],
}

impl Kernel for RoundAll<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (bytes, &value) in self.l1.as_chunks_mut().0.iter_mut().zip(self.dst) {
            *bytes = ((round(value) >> 16) as u16).to_le_bytes();
        }
    }
}

#[inline(always)]
fn map(dst: &Lanes, out: &mut Lanes, f: impl Fn(u32) -> u32) {
    for (out, &value) in out.iter_mut().zip(dst) {
        *out = f(value);
    }
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
