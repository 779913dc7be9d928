//! The packer: tiles from Dst into L1.
//!
//! Converts to the packer's source format, applies ReLU and the reduce mask, converts to the
//! output format and adds to what is in L1 if asked to. Addresses are the caller's business.

use crate::{DataFormat, DstWidth, Lanes, UnsupportedConversion};

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

/// Packs a Dst tile into one tile of `packing.output`, in face order.
pub fn pack(dst: &Lanes, packing: &Packing, l1: &mut [u8]) -> Result<(), UnsupportedConversion> {
    let _ = (dst, packing, l1);
    unimplemented!()
}

/// Packs a Dst tile as 32 rows of 32 values that lie `row_stride_bytes` apart (`pack_untilize`).
pub fn pack_row_major(
    dst: &Lanes,
    packing: &Packing,
    l1: &mut [u8],
    row_stride_bytes: usize,
) -> Result<(), UnsupportedConversion> {
    let _ = (dst, packing, l1, row_stride_bytes);
    unimplemented!()
}
