//! Bfp8_b tiles as tt-metal's host makes and reads them.
//!
//! The device's packer and unpacker, which round and treat special values differently, are in
//! `tile`. Follows `tt_metal/impl/data_format/blockfloat_common.cpp`.

use tilewright_tile::block_float::{BLOCK_VALUES, EXPONENT_BYTES};
use tilewright_tile::{DataFormat, TILE_VALUES};

/// Bits below the 7 that a magnitude keeps of 24.
const DROPPED_BITS: u32 = 17;
const MAGNITUDE_MAX: u32 = 127;

/// Encodes a tile of fp32 values in face order: nearest magnitude, ties to even, over the largest
/// exponent of each 16. Denormals become 0; infinities and NaN are taken for large numbers.
pub fn encode(values: &[[u8; 4]], tile: &mut [u8]) {
    assert_eq!((values.len(), tile.len()), (TILE_VALUES, DataFormat::Bfp8.tile_bytes()));
    let (exponents, magnitudes) = tile.split_at_mut(EXPONENT_BYTES);
    let (blocks, _) = values.as_chunks::<BLOCK_VALUES>();
    let (magnitudes, _) = magnitudes.as_chunks_mut::<BLOCK_VALUES>();
    for ((block, shared), out) in blocks.iter().zip(exponents).zip(magnitudes) {
        let bits = block.map(u32::from_le_bytes);
        let largest = bits.iter().fold(0, |most, value| most.max(value & 0x7f80_0000)) >> 23;
        *shared = largest as u8;
        *out = bits.map(|value| magnitude(value, largest));
    }
}

#[inline(always)]
fn magnitude(value: u32, shared_exponent: u32) -> u8 {
    let exponent = (value >> 23) & 0xff;
    if exponent == 0 {
        return 0;
    }
    // What falls off here does not count in the rounding: tt-metal's host has no sticky bit.
    let mantissa = ((1 << 23) | (value & 0x7f_ffff)) >> (shared_exponent - exponent).min(31);
    let kept = mantissa >> DROPPED_BITS;
    let rounded = (mantissa + (1 << (DROPPED_BITS - 1)) - 1 + (kept & 1)) >> DROPPED_BITS;
    let magnitude = rounded.min(MAGNITUDE_MAX) as u8;
    let sign = (value >> 24) as u8 & 0x80;
    if magnitude == 0 { 0 } else { sign | magnitude }
}

/// Decodes a tile into fp32 values in face order. A sign without magnitude is -0, and what lies
/// below the normal numbers is a zero.
pub fn decode(tile: &[u8], values: &mut [[u8; 4]]) {
    assert_eq!((values.len(), tile.len()), (TILE_VALUES, DataFormat::Bfp8.tile_bytes()));
    let (exponents, magnitudes) = tile.split_at(EXPONENT_BYTES);
    let blocks = values.chunks_exact_mut(BLOCK_VALUES);
    let magnitudes = magnitudes.chunks_exact(BLOCK_VALUES);
    for ((block, &shared), bytes) in blocks.zip(exponents).zip(magnitudes) {
        for (value, &byte) in block.iter_mut().zip(bytes) {
            *value = pattern(byte, u32::from(shared)).to_le_bytes();
        }
    }
}

#[inline(always)]
fn pattern(byte: u8, shared_exponent: u32) -> u32 {
    let sign = u32::from(byte & 0x80) << 24;
    let magnitude = u32::from(byte & 0x7f);
    // Shifts until the leading bit is bit 6; 7 of them mean that there is none.
    let shifts = magnitude.leading_zeros() - 25;
    if magnitude == 0 || shifts > shared_exponent {
        return sign;
    }
    let mantissa = (magnitude << (shifts + 1)) & 0x7f;
    sign | ((shared_exponent - shifts) << 23) | (mantissa << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(block: [f32; 16]) -> (u8, [u8; 16], [f32; 16]) {
        let mut values = vec![[0; 4]; TILE_VALUES];
        for (to, from) in values.iter_mut().zip(block) {
            *to = from.to_le_bytes();
        }
        let mut tile = vec![0xee; 1088];
        encode(&values, &mut tile);
        decode(&tile, &mut values);
        let magnitudes = std::array::from_fn(|at| tile[64 + at]);
        (tile[0], magnitudes, std::array::from_fn(|at| f32::from_le_bytes(values[at])))
    }

    #[test]
    fn magnitudes_round_to_even_over_the_largest_exponent() {
        let mut block = [0.0; 16];
        // With 64.0 the largest, the last place is 1.
        block[..8].copy_from_slice(&[64.0, -1.5, 2.5, 0.5, 0.75, -0.5, 127.4, -1e-40]);
        let (shared, magnitudes, values) = through(block);
        assert_eq!(shared, 133);
        assert_eq!(magnitudes[..8], [64, 0x82, 2, 0, 1, 0, 127, 0]);
        assert_eq!(values[..8], [64.0, -2.0, 2.0, 0.0, 1.0, 0.0, 127.0, 0.0]);
    }

    #[test]
    fn the_largest_magnitude_saturates() {
        let (_, magnitudes, values) = through([127.9; 16]);
        assert_eq!((magnitudes[0], values[0]), (127, 127.0));
        let mut block = [1.0; 16];
        block[3] = f32::NEG_INFINITY;
        let (shared, magnitudes, values) = through(block);
        assert_eq!((shared, magnitudes[0], magnitudes[3]), (255, 0, 0xc0));
        assert_eq!(values[3], f32::NEG_INFINITY);
    }

    #[test]
    fn a_sign_alone_is_minus_zero_and_underflow_is_zero() {
        assert_eq!(pattern(0x80, 130), 0x8000_0000);
        assert_eq!(pattern(0x01, 5), 0);
        assert_eq!(pattern(0xff, 127), (-127.0f32 / 64.0).to_bits());
    }
}
