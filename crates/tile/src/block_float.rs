//! Bfp8_b tiles: 64 shared exponents, then 1024 bytes of sign and 7-bit magnitude.
//!
//! The encoding is the packer's (round half up in magnitude), the decoding the unpacker's.

use crate::{DataFormat, Lanes};

/// Values that share one exponent: a row of a face.
pub const BLOCK_VALUES: usize = 16;
/// Exponent bytes in front of a tile's mantissas.
pub const EXPONENT_BYTES: usize = 64;

/// Encodes a tile of fp32 patterns in face order, each truncated to bf16 first as the packer does.
pub fn encode(tile: &Lanes, out: &mut [u8]) {
    assert_eq!(out.len(), DataFormat::Bfp8.tile_bytes(), "a Bfp8_b tile has 1088 bytes");
    let _ = tile;
    unimplemented!()
}

/// Decodes a tile into fp32 patterns in face order.
pub fn decode(l1: &[u8], out: &mut Lanes) {
    assert_eq!(l1.len(), DataFormat::Bfp8.tile_bytes(), "a Bfp8_b tile has 1088 bytes");
    let _ = out;
    unimplemented!()
}
