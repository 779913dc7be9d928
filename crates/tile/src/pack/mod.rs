//! The packer: tiles from Dst into L1.
//!
//! Converts to the packer's source format, applies ReLU and the reduce mask, converts to the
//! output format and adds to what is in L1 if asked to. Addresses are the caller's business.

use crate::dispatch::{self, SimdLoop};
use crate::fpu::Bfloat16Tile;
use crate::{
    DataFormat, DstWidth, FACE_SIDE, FACE_VALUES, Integer, Lanes, TILE_SIDE, TILE_VALUES,
    UnsupportedConversion, block_float, index,
};

mod accumulate;
mod convert;

use convert::{Rule, UpperHalves};

/// The packer's ReLU. Thresholds are non-negative bf16 patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relu {
    /// Values pass.
    #[default]
    Off,
    /// Negative values become zero.
    Zero,
    /// Values up to the threshold become zero.
    MinThreshold(u16),
    /// Negative values become zero, values above the threshold become the threshold.
    MaxThreshold(u16),
}

/// What the packer's reduce mask keeps; everything else is written as zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PackMask {
    /// Everything.
    #[default]
    None,
    /// Column 0: what a row reduction leaves.
    Row,
    /// Row 0: what a column reduction leaves.
    Column,
    /// The value at row 0, column 0.
    Scalar,
}

/// How a tile is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Width of Dst.
    pub width: DstWidth,
    /// Format that Dst is read as ("pack source").
    pub source: DataFormat,
    /// Format in L1.
    pub output: DataFormat,
    /// ReLU on the source format.
    pub relu: Relu,
    /// Reduce mask.
    pub mask: PackMask,
    /// Whether to add to what is in L1.
    pub accumulate: bool,
}

impl Packing {
    /// Whether values are converted and nothing else is done to them.
    fn is_plain(&self) -> bool {
        self.relu == Relu::Off && self.mask == PackMask::None && !self.accumulate
    }
}

/// Packs a Dst tile into one tile of `packing.output`, in face order.
pub fn pack(dst: &Lanes, packing: &Packing, l1: &mut [u8]) -> Result<(), UnsupportedConversion> {
    assert_eq!(l1.len(), packing.output.tile_bytes(), "l1 holds one tile of the output format");
    let rule = Rule::of(packing)?;
    // What kernels do most goes straight to L1, without a tile in between.
    match (packing.is_plain(), rule, packing.output) {
        (true, Rule::Round, DataFormat::Bfloat16) => {
            dispatch::run(UpperHalves::<0x8000> { dst, l1: whole(l1) });
        }
        (true, Rule::Flush, DataFormat::Bfloat16) => {
            dispatch::run(UpperHalves::<0> { dst, l1: whole(l1) });
        }
        (true, Rule::Raw, _) => dispatch::run(Write { values: dst, packing, l1 }),
        _ => pack_converted(rule, dst, packing, l1),
    }
    Ok(())
}

/// A bf16 tile in L1. Its length is known when loops over it are compiled.
fn whole(l1: &mut [u8]) -> &mut Bfloat16Tile {
    l1.try_into().expect("a tile of the output format")
}

/// Apart, because its tile would be cleared on every call.
#[inline(never)]
fn pack_converted(rule: Rule, dst: &Lanes, packing: &Packing, l1: &mut [u8]) {
    let mut values = [0; TILE_VALUES];
    prepare(rule, dst, packing, &mut values);
    match packing.output.value_bytes() {
        None => block_float::encode_halves_as(&values, packing.output, l1),
        Some(_) => dispatch::run(Write { values: &values, packing, l1 }),
    }
}

/// Packs a Dst tile as 32 rows of 32 values that lie `row_stride_bytes` apart (`pack_untilize`).
pub fn pack_row_major(
    dst: &Lanes,
    packing: &Packing,
    l1: &mut [u8],
    row_stride_bytes: usize,
) -> Result<(), UnsupportedConversion> {
    let Some(value_bytes) = packing.output.value_bytes() else {
        return Err(unsupported("untilizing pack", packing));
    };
    let rule = Rule::of(packing)?;
    let mut values = [0; TILE_VALUES];
    prepare(rule, dst, packing, &mut values);
    let half_bytes = FACE_SIDE * value_bytes;
    for row in 0..TILE_SIDE {
        let bytes = &mut l1[row * row_stride_bytes..][..2 * half_bytes];
        let (left, right) = bytes.split_at_mut(half_bytes);
        write(&values[index(row, 0)..][..FACE_SIDE], packing, left);
        write(&values[index(row, FACE_SIDE)..][..FACE_SIDE], packing, right);
    }
    Ok(())
}

/// Everything up to the output format: values as fp32 patterns, ready to be written.
fn prepare(rule: Rule, dst: &Lanes, packing: &Packing, out: &mut Lanes) {
    convert::convert(rule, packing.relu, dst, out);
    mask_tile(packing.mask, out);
}

fn unsupported(step: &'static str, packing: &Packing) -> UnsupportedConversion {
    UnsupportedConversion { step, from: packing.source, to: packing.output }
}

/// Zeroes what the reduce mask does not keep.
fn mask_tile(mask: PackMask, tile: &mut Lanes) {
    match mask {
        PackMask::None => {}
        PackMask::Scalar => tile[1..].fill(0),
        PackMask::Row => {
            for (i, value) in tile.iter_mut().enumerate() {
                // Column 0 of faces 0 and 2.
                *value = if i & 0x10f == 0 { *value } else { 0 };
            }
        }
        PackMask::Column => {
            tile[FACE_SIDE..FACE_VALUES].fill(0);
            tile[FACE_VALUES + FACE_SIDE..].fill(0);
        }
    }
}

struct Write<'a> {
    values: &'a Lanes,
    packing: &'a Packing,
    l1: &'a mut [u8],
}

impl SimdLoop for Write<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        write(self.values, self.packing, self.l1);
    }
}

/// Writes values of a format that is not a block format, adding to the old ones if asked.
#[inline(always)]
fn write(values: &[u32], packing: &Packing, l1: &mut [u8]) {
    match packing.output {
        DataFormat::Integer(Integer::UInt8 | Integer::Int8) => {
            for (byte, &value) in l1.iter_mut().zip(values) {
                *byte = value as u8;
            }
            return;
        }
        DataFormat::Integer(Integer::UInt16) => {
            for (bytes, &value) in l1.as_chunks_mut().0.iter_mut().zip(values) {
                *bytes = (value as u16).to_le_bytes();
            }
            return;
        }
        DataFormat::Float32
        | DataFormat::Tf32
        | DataFormat::Bfloat16
        | DataFormat::Bfp8
        | DataFormat::Small(_)
        | DataFormat::Integer(Integer::UInt32 | Integer::Int32) => {}
    }
    let is_half = packing.output.value_bytes() == Some(2);
    match (is_half, packing.accumulate) {
        (true, false) => {
            for (bytes, &value) in l1.as_chunks_mut().0.iter_mut().zip(values) {
                *bytes = ((value >> 16) as u16).to_le_bytes();
            }
        }
        (true, true) => {
            for (bytes, &value) in l1.as_chunks_mut().0.iter_mut().zip(values) {
                let old = u32::from(u16::from_le_bytes(*bytes)) << 16;
                *bytes = ((accumulate::add_bfloat16(old, value) >> 16) as u16).to_le_bytes();
            }
        }
        (false, false) => {
            for (bytes, &value) in l1.as_chunks_mut().0.iter_mut().zip(values) {
                *bytes = value.to_le_bytes();
            }
        }
        (false, true) => {
            for (bytes, &value) in l1.as_chunks_mut().0.iter_mut().zip(values) {
                let old = u32::from_le_bytes(*bytes);
                *bytes = accumulate::add_float32(old, value).to_le_bytes();
            }
        }
    }
}
