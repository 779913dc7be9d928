//! Tiles of block formats as tt-metal's host makes and reads them.
//!
//! The device's packer and unpacker, which round and treat special values differently, are in
//! `tile`. Follows `tt_metal/impl/data_format/blockfloat_common.cpp`.

use tilewright_tile::block_float::{BLOCK_VALUES, EXPONENT_BYTES};
use tilewright_tile::{DataFormat, Small, TILE_VALUES};

/// Bits of a value, its sign among them; none for formats without blocks.
pub fn value_bits(format: DataFormat) -> Option<u32> {
    match format {
        DataFormat::Bfp8 => Some(8),
        DataFormat::Small(Small::Bfp4) => Some(4),
        DataFormat::Small(Small::Bfp2) => Some(2),
        DataFormat::Float32
        | DataFormat::Tf32
        | DataFormat::Bfloat16
        | DataFormat::Small(Small::Float16)
        | DataFormat::Integer(_) => None,
    }
}

/// Encodes a tile of fp32 values in face order: nearest magnitude, ties to even, over the largest
/// exponent of each 16. Denormals become 0; infinities and NaN are taken for large numbers.
pub fn encode(values: &[[u8; 4]], format: DataFormat, tile: &mut [u8]) {
    assert_eq!((values.len(), tile.len()), (TILE_VALUES, format.tile_bytes()));
    let width = value_bits(format).expect("a format of blocks");
    let (exponents, packed) = tile.split_at_mut(EXPONENT_BYTES);
    let (blocks, _) = values.as_chunks::<BLOCK_VALUES>();
    let packed = packed.chunks_exact_mut(BLOCK_VALUES * width as usize / 8);
    for ((block, shared), out) in blocks.iter().zip(exponents).zip(packed) {
        let bits = block.map(u32::from_le_bytes);
        let largest = bits.iter().fold(0, |most, value| most.max(value & 0x7f80_0000)) >> 23;
        *shared = largest as u8;
        out.fill(0);
        for (place, value) in bits.into_iter().enumerate() {
            let bit = place as u32 * width;
            out[bit as usize / 8] |= rounded(value, largest, width) << (bit % 8);
        }
    }
}

/// Sign and magnitude of a value in so many bits.
#[inline(always)]
fn rounded(value: u32, shared_exponent: u32, width: u32) -> u8 {
    let exponent = (value >> 23) & 0xff;
    if exponent == 0 {
        return 0;
    }
    // Bits below those that a magnitude keeps of 24.
    let dropped_bits = 25 - width;
    // What falls off here does not count in the rounding: tt-metal's host has no sticky bit.
    let mantissa = ((1 << 23) | (value & 0x7f_ffff)) >> (shared_exponent - exponent).min(31);
    let kept = mantissa >> dropped_bits;
    let rounded = (mantissa + (1 << (dropped_bits - 1)) - 1 + (kept & 1)) >> dropped_bits;
    let magnitude = rounded.min((1 << (width - 1)) - 1) as u8;
    let sign = ((value >> 31) as u8) << (width - 1);
    if magnitude == 0 { 0 } else { sign | magnitude }
}

/// Decodes a tile into fp32 values in face order. A sign without magnitude is -0, and what lies
/// below the normal numbers is a zero.
pub fn decode(tile: &[u8], format: DataFormat, values: &mut [[u8; 4]]) {
    assert_eq!((values.len(), tile.len()), (TILE_VALUES, format.tile_bytes()));
    let width = value_bits(format).expect("a format of blocks");
    let (exponents, packed) = tile.split_at(EXPONENT_BYTES);
    let blocks = values.chunks_exact_mut(BLOCK_VALUES);
    let packed = packed.chunks_exact(BLOCK_VALUES * width as usize / 8);
    for ((block, &shared), bytes) in blocks.zip(exponents).zip(packed) {
        for (place, value) in block.iter_mut().enumerate() {
            let bit = place as u32 * width;
            // Smaller formats have the upper bits of sign and magnitude.
            let byte = bytes[bit as usize / 8] >> (bit % 8) << (8 - width);
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
        encode(&values, DataFormat::Bfp8, &mut tile);
        decode(&tile, DataFormat::Bfp8, &mut values);
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

    #[test]
    fn smaller_formats_round_to_fewer_bits_at_once() {
        let mut values = vec![[0; 4]; TILE_VALUES];
        // With 4.0 the largest, the last place of three bits is 1. 2.53 would round up by way of
        // Bfp8_b's 2.5, which is a tie.
        for (to, from) in values.iter_mut().zip([4.0f32, -1.5, 2.5, 3.5, 2.53, -0.5, 7.9, 0.51]) {
            *to = from.to_le_bytes();
        }
        let format = DataFormat::Small(Small::Bfp4);
        let mut tile = vec![0xee; 576];
        encode(&values, format, &mut tile);
        assert_eq!(tile[0], 129);
        assert_eq!(tile[64..68], [0xa4, 0x42, 0x03, 0x17]);
        decode(&tile, format, &mut values);
        let read: Vec<f32> = values[..8].iter().map(|it| f32::from_le_bytes(*it)).collect();
        assert_eq!(read, [4.0, -2.0, 2.0, 4.0, 3.0, 0.0, 7.0, 1.0]);
        let format = DataFormat::Small(Small::Bfp2);
        let mut tile = vec![0xee; 320];
        encode(&values, format, &mut tile);
        assert_eq!(tile[64..66], [0b01_00_00_01, 0b00_01_00_01]);
    }
}
