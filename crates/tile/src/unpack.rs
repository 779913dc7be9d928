//! The unpacker: tiles from L1 into source registers or Dst.
//!
//! Converts and orders values. Which format an operand gets is the caller's configuration.

use crate::bits::flush_signed;
use crate::dispatch::{self, Kernel};
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
        Conversion::Block => block_float::decode(l1, out),
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
}

impl Rule {
    fn value_bytes(self) -> usize {
        match self {
            Rule::Widen => 2,
            Rule::TruncateToTf32 | Rule::TruncateToBfloat16 | Rule::Raw => 4,
        }
    }
}

impl Conversion {
    fn between(from: DataFormat, to: DataFormat) -> Result<Conversion, UnsupportedConversion> {
        use DataFormat::{Bfloat16, Bfp8, Float32, Integer, Tf32};
        match (from, to) {
            (Bfloat16, Bfloat16) => Ok(Conversion::Values(Rule::Widen)),
            (Float32, Tf32) => Ok(Conversion::Values(Rule::TruncateToTf32)),
            (Float32, Bfloat16) => Ok(Conversion::Values(Rule::TruncateToBfloat16)),
            (Float32, Float32) => Ok(Conversion::Values(Rule::Raw)),
            (Bfp8, Bfp8) => Ok(Conversion::Block),
            (Float32, Bfp8 | Integer(_))
            | (Tf32 | Integer(_), _)
            | (Bfloat16, Float32 | Tf32 | Bfp8 | Integer(_))
            | (Bfp8, Float32 | Tf32 | Bfloat16 | Integer(_)) => {
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

impl Kernel for Convert<'_> {
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
