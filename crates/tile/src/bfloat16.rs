//! Scalar bfloat16 conversions that a host needs to fill and read tensors.
//!
//! The device's own conversions, which round differently, are in `unpack`, `pack` and `sfpu`.

/// Nearest bfloat16, ties to even; NaN stays a (quiet) NaN. For host tensors.
///
/// ```
/// use tilewright_tile::bfloat16::{from_f32, to_f32};
///
/// // Eight bits hold 256 and not 257: the tie goes to the even one.
/// assert_eq!(to_f32(from_f32(257.0)), 256.0);
/// assert_eq!(to_f32(from_f32(259.0)), 260.0);
/// ```
#[inline(always)]
pub fn from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = (bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16) as u16;
    let quiet_nan = (bits >> 16) as u16 | 0x40;
    if value.is_nan() { quiet_nan } else { rounded }
}

/// The upper half of the pattern: the truncation that tt-metal uses for reduce scalers.
#[inline(always)]
pub fn truncate_f32(value: f32) -> u16 {
    (value.to_bits() >> 16) as u16
}

/// The same value in fp32; every bfloat16 has one.
#[inline(always)]
pub fn to_f32(value: u16) -> f32 {
    f32::from_bits(u32::from(value) << 16)
}
