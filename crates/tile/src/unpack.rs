//! The unpacker: tiles from L1 into source registers or Dst.
//!
//! Converts and orders values. Which format an operand gets is the caller's configuration.

use crate::bits::{SIGN, exponent, flush_signed};
use crate::dispatch::{self, SimdLoop};
use crate::{
    DataFormat, FACE_SIDE, Lanes, TILE_SIDE, TILE_VALUES, UnsupportedConversion, block_float, index,
};

/// Converts the tile in `l1` (face order) to register format `to`.
///
/// `l1` holds exactly one tile of `from`. Float32 to Float32 is unpacking straight to Dst.
///
/// ```
/// use tilewright_tile::{DataFormat, unpack};
///
/// // 1.001 in fp32 loses what lies beyond the 10 bits of Tf32, without rounding.
/// let l1: Vec<u8> = [1.001_f32; 1024].iter().flat_map(|value| value.to_le_bytes()).collect();
/// let mut source = [0; 1024];
/// unpack(&l1, DataFormat::Float32, DataFormat::Tf32, &mut source)?;
/// assert_eq!(f32::from_bits(source[0]), 1.0 + 1.0 / 1024.0);
/// # Ok::<(), tilewright_tile::UnsupportedConversion>(())
/// ```
pub fn unpack(
    l1: &[u8],
    from: DataFormat,
    to: DataFormat,
    out: &mut Lanes,
) -> Result<(), UnsupportedConversion> {
    assert_eq!(l1.len(), from.tile_bytes(), "l1 holds one tile of {from}");
    match Conversion::between(from, to)? {
        Conversion::Block => block_float::decode(l1, from, out),
        Conversion::Values(rule) => dispatch::run(Convert { rule, l1, out }),
    }
    Ok(())
}

/// As [`unpack`], reading 32 values from each of 32 rows that lie `row_stride_bytes` apart.
pub fn unpack_row_major(
    l1: &[u8],
    row_stride_bytes: usize,
    from: DataFormat,
    to: DataFormat,
    out: &mut Lanes,
) -> Result<(), UnsupportedConversion> {
    let step = "tilizing unpack";
    let rule = match Conversion::between(from, to)? {
        Conversion::Block => return Err(UnsupportedConversion { step, from, to }),
        Conversion::Values(rule) => rule,
    };
    let half_bytes = FACE_SIDE * rule.value_bytes();
    for row in 0..TILE_SIDE {
        let bytes = &l1[row * row_stride_bytes..][..2 * half_bytes];
        let (left, right) = bytes.split_at(half_bytes);
        convert(rule, left, &mut out[index(row, 0)..][..FACE_SIDE]);
        convert(rule, right, &mut out[index(row, FACE_SIDE)..][..FACE_SIDE]);
    }
    Ok(())
}

/// What happens to the values of a supported pair of formats.
enum Conversion {
    Block,
    Values(Rule),
}

/// What happens to a single value.
#[derive(Clone, Copy)]
enum Rule {
    /// bf16 to the upper half.
    Widen,
    /// fp32 to tf32: truncated, nothing flushed.
    TruncateToTf32,
    /// fp32 to bf16: truncated, denormals flushed to signed zero.
    TruncateToBfloat16,
    /// All 32 bits.
    Raw,
    /// fp16: its exponent in the low bits of the exponent field.
    Half,
    /// fp32 to fp16: truncated, from 2^-14 down to signed zero, above to the largest pattern.
    TruncateToHalf,
    /// An integer of 16 bits.
    UInt16,
    /// An integer of 8 bits.
    UInt8,
    /// A sign and 7 bits, without a negative zero.
    Int8,
}

impl Rule {
    fn value_bytes(self) -> usize {
        match self {
            Rule::Widen | Rule::Half | Rule::UInt16 => 2,
            Rule::UInt8 | Rule::Int8 => 1,
            Rule::TruncateToTf32 | Rule::TruncateToBfloat16 | Rule::TruncateToHalf | Rule::Raw => 4,
        }
    }
}

impl Conversion {
    fn between(from: DataFormat, to: DataFormat) -> Result<Conversion, UnsupportedConversion> {
        use crate::Integer::{Int8, Int32, UInt8, UInt16, UInt32};
        use crate::Small::{Bfp2, Bfp4, Float16};
        use DataFormat::{Bfloat16, Bfp8, Float32, Integer, Small, Tf32};
        match (from, to) {
            (Bfloat16, Bfloat16) => Ok(Conversion::Values(Rule::Widen)),
            (Float32, Tf32) => Ok(Conversion::Values(Rule::TruncateToTf32)),
            (Float32, Bfloat16) => Ok(Conversion::Values(Rule::TruncateToBfloat16)),
            (Float32, Float32) => Ok(Conversion::Values(Rule::Raw)),
            (Bfp8, Bfp8) | (Small(Bfp4), Small(Bfp4)) | (Small(Bfp2), Small(Bfp2)) => {
                Ok(Conversion::Block)
            }
            (Small(Float16), Small(Float16)) => Ok(Conversion::Values(Rule::Half)),
            (Float32, Small(Float16)) => Ok(Conversion::Values(Rule::TruncateToHalf)),
            (Integer(Int32), Integer(Int32)) | (Integer(UInt32), Integer(UInt32)) => {
                Ok(Conversion::Values(Rule::Raw))
            }
            (Integer(UInt16), Integer(UInt16)) => Ok(Conversion::Values(Rule::UInt16)),
            (Integer(UInt8), Integer(UInt8)) => Ok(Conversion::Values(Rule::UInt8)),
            (Integer(Int8), Integer(Int8)) => Ok(Conversion::Values(Rule::Int8)),
            (Float32, Bfp8 | Integer(_) | Small(_))
            | (Tf32 | Integer(_) | Small(_), _)
            | (Bfloat16, Float32 | Tf32 | Bfp8 | Integer(_) | Small(_))
            | (Bfp8, Float32 | Tf32 | Bfloat16 | Integer(_) | Small(_)) => {
                Err(UnsupportedConversion { step: "unpack", from, to })
            }
        }
    }
}

struct Convert<'a> {
    rule: Rule,
    l1: &'a [u8],
    out: &'a mut Lanes,
}

impl SimdLoop for Convert<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        convert(self.rule, &self.l1[..TILE_VALUES * self.rule.value_bytes()], self.out);
    }
}

#[inline(always)]
fn convert(rule: Rule, bytes: &[u8], out: &mut [u32]) {
    match rule {
        Rule::Widen => {
            for (out, &bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
                *out = u32::from(u16::from_le_bytes(bytes)) << 16;
            }
        }
        Rule::Half => convert_halves(bytes, out, |v| {
            (v & 0x8000) << 16 | (v & 0x7c00) << 13 | (v & 0x3ff) << 13
        }),
        Rule::UInt16 => convert_halves(bytes, out, |v| v),
        Rule::UInt8 => convert_bytes(bytes, out, |v| v),
        Rule::Int8 => convert_bytes(bytes, out, |v| match v & 127 {
            0 => 0,
            magnitude => (v & 128) << 24 | magnitude,
        }),
        Rule::TruncateToHalf => convert_words(bytes, out, truncate_to_half),
        Rule::TruncateToTf32 => convert_words(bytes, out, |v| v & 0xffff_e000),
        Rule::TruncateToBfloat16 => convert_words(bytes, out, |v| flush_signed(v) & 0xffff_0000),
        Rule::Raw => convert_words(bytes, out, |v| v),
    }
}

#[inline(always)]
fn convert_words(bytes: &[u8], out: &mut [u32], f: impl Fn(u32) -> u32) {
    for (out, &bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
        *out = f(u32::from_le_bytes(bytes));
    }
}

#[inline(always)]
fn convert_halves(bytes: &[u8], out: &mut [u32], f: impl Fn(u32) -> u32) {
    for (out, &bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
        *out = f(u32::from(u16::from_le_bytes(bytes)));
    }
}

#[inline(always)]
fn convert_bytes(bytes: &[u8], out: &mut [u32], f: impl Fn(u32) -> u32) {
    for (out, &byte) in out.iter_mut().zip(bytes) {
        *out = f(u32::from(byte));
    }
}

#[inline(always)]
fn truncate_to_half(v: u32) -> u32 {
    let e = exponent(v) as i32 - 112;
    let kept = v & SIGN | (e as u32 & 31) << 23 | v & 0x007f_e000;
    let largest = v & SIGN | 31 << 23 | 0x007f_e000;
    if e < 0 {
        v & SIGN
    } else if e > 31 {
        largest
    } else {
        kept
    }
}
