//! Bfp8_b tiles: 64 shared exponents, then 1024 bytes of sign and 7-bit magnitude.
//!
//! The encoding is the packer's (halves up in magnitude), the decoding the unpacker's.

use crate::bits::{INFINITY, MANTISSA, SIGN, exponent, flush, leading_one};
use crate::dispatch::{self, SimdLoop};
use crate::{DataFormat, Lanes, Small, TILE_VALUES};

/// Values that share one exponent: a row of a face.
pub const BLOCK_VALUES: usize = 16;
/// Exponent bytes in front of a tile's mantissas.
pub const EXPONENT_BYTES: usize = 64;

/// Encodes a tile of fp32 patterns in face order as the packer does with an fp32 source: each is
/// truncated to bf16, and denormals become zero.
pub fn encode(tile: &Lanes, out: &mut [u8]) {
    encode_halves(&tile.map(flush), out);
}

/// Encodes the upper halves of a tile's values; denormals among them count.
pub(crate) fn encode_halves(tile: &Lanes, out: &mut [u8]) {
    assert_eq!(out.len(), DataFormat::Bfp8.tile_bytes(), "a Bfp8_b tile has 1088 bytes");
    let (exponents, mantissas) = out.split_at_mut(EXPONENT_BYTES);
    dispatch::run(Encode { tile, exponents, mantissas });
}

/// Decodes a tile of a block format into fp32 patterns in face order.
///
/// Smaller formats have the upper bits of `Bfp8_b`'s sign and magnitude, lowest value first.
pub fn decode(l1: &[u8], format: DataFormat, out: &mut Lanes) {
    assert_eq!(l1.len(), format.tile_bytes(), "l1 holds one tile of {format}");
    let (exponents, packed) = l1.split_at(EXPONENT_BYTES);
    let bits = value_bits(format);
    if bits == 8 {
        return dispatch::run(Decode { exponents, mantissas: packed, out });
    }
    let mut mantissas = [0; TILE_VALUES];
    for (place, mantissa) in mantissas.iter_mut().enumerate() {
        let bit = place as u32 * bits;
        *mantissa = packed[bit as usize / 8] >> (bit % 8) << (8 - bits);
    }
    dispatch::run(Decode { exponents, mantissas: &mantissas, out });
}

/// Encodes the upper halves of a tile's values in a block format: as `Bfp8_b`, and then truncated
/// to fewer bits. A magnitude that is nothing then has no sign.
pub(crate) fn encode_halves_as(tile: &Lanes, format: DataFormat, out: &mut [u8]) {
    let bits = value_bits(format);
    if bits == 8 {
        return encode_halves(tile, out);
    }
    let mut whole = [0; EXPONENT_BYTES + TILE_VALUES];
    encode_halves(tile, &mut whole);
    let (exponents, packed) = out.split_at_mut(EXPONENT_BYTES);
    exponents.copy_from_slice(&whole[..EXPONENT_BYTES]);
    packed.fill(0);
    for (place, byte) in whole[EXPONENT_BYTES..].iter().enumerate() {
        let bit = place as u32 * bits;
        let kept = byte >> (8 - bits);
        let magnitude = kept & ((1 << (bits - 1)) - 1);
        packed[bit as usize / 8] |= if magnitude == 0 { 0 } else { kept << (bit % 8) };
    }
}

/// Bits of a value of a block format: its sign and magnitude.
fn value_bits(format: DataFormat) -> u32 {
    match format {
        DataFormat::Bfp8 => 8,
        DataFormat::Small(Small::Bfp4) => 4,
        DataFormat::Small(Small::Bfp2) => 2,
        DataFormat::Float32
        | DataFormat::Tf32
        | DataFormat::Bfloat16
        | DataFormat::Small(Small::Float16)
        | DataFormat::Integer(_) => unreachable!("{format} has no blocks"),
    }
}

struct Encode<'a> {
    tile: &'a Lanes,
    exponents: &'a mut [u8],
    mantissas: &'a mut [u8],
}

impl SimdLoop for Encode<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let blocks = self.tile.as_chunks::<BLOCK_VALUES>().0.iter();
        let outputs = self.exponents.iter_mut().zip(self.mantissas.as_chunks_mut().0);
        for (block, (shared, bytes)) in blocks.zip(outputs) {
            let block: &[u32; BLOCK_VALUES] = block;
            let bytes: &mut [u8; BLOCK_VALUES] = bytes;
            let top = block.iter().fold(0, |top, &value| top.max(value & INFINITY)) >> 23;
            for i in 0..BLOCK_VALUES {
                bytes[i] = encode_value(block[i], top);
            }
            *shared = top as u8;
        }
    }
}

/// Sign and magnitude of a value under the shared exponent `top`; zero never has a sign.
#[inline(always)]
fn encode_value(value: u32, top: u32) -> u8 {
    let hidden = if value & INFINITY == 0 { 0 } else { 128 };
    let m = (value & MANTISSA) >> 16 | hidden;
    // From 8 on an 8-bit significand leaves nothing.
    let n = (top - exponent(value)).min(8);
    let rounded = ((m + (1 << n)) >> (n + 1)).min(127);
    let m = if n == 8 { 0 } else { rounded };
    if m == 0 { 0 } else { (m | (value & SIGN) >> 24) as u8 }
}

struct Decode<'a> {
    exponents: &'a [u8],
    mantissas: &'a [u8],
    out: &'a mut Lanes,
}

impl SimdLoop for Decode<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let blocks = self.exponents.iter().zip(self.mantissas.as_chunks::<BLOCK_VALUES>().0);
        for ((&shared, bytes), out) in blocks.zip(self.out.as_chunks_mut::<BLOCK_VALUES>().0) {
            for i in 0..BLOCK_VALUES {
                out[i] = decode_value(u32::from(shared), u32::from(bytes[i]));
            }
        }
    }
}

/// The fp32 pattern of a byte under its shared exponent. A signed zero means -Inf.
#[inline(always)]
fn decode_value(shared: u32, byte: u32) -> u32 {
    let (sign, m) = ((byte & 128) << 24, byte & 127);
    let up = (6 - leading_one(m)) as u32 & 31;
    let e = shared.wrapping_sub(up) & 255;
    let value = sign | e << 23 | ((m << up) & 63) << 17;
    let zero = if sign == 0 { 0 } else { SIGN | INFINITY };
    if m == 0 { zero } else { value }
}
