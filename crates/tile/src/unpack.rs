//! The unpacker: tiles from L1 into source registers or Dst.
//!
//! Converts and orders values. Which format an operand gets is the caller's configuration.

use crate::{DataFormat, Lanes, UnsupportedConversion};

/// Converts the tile in `l1` (face order) to register format `to`.
///
/// `l1` holds exactly one tile of `from`. Float32 to Float32 is unpacking straight to Dst.
pub fn unpack(
    l1: &[u8],
    from: DataFormat,
    to: DataFormat,
    out: &mut Lanes,
) -> Result<(), UnsupportedConversion> {
    let _ = (l1, from, to, out);
    unimplemented!()
}

/// As [`unpack`], reading 32 values from each of 32 rows that lie `row_stride_bytes` apart.
pub fn unpack_row_major(
    l1: &[u8],
    row_stride_bytes: usize,
    from: DataFormat,
    to: DataFormat,
    out: &mut Lanes,
) -> Result<(), UnsupportedConversion> {
    let _ = (l1, row_stride_bytes, from, to, out);
    unimplemented!()
}
