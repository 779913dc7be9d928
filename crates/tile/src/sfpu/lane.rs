//! Single SFPU instructions on one lane, as 32-bit integer arithmetic without branches.
//!
//! Functions that programs are made of; the programs are beside this file.

/// x * y + z as SFPMAD computes it: the product keeps 27 or 28 bits and a sticky bit.
#[inline(always)]
pub fn fma(x: u32, y: u32, z: u32) -> u32 {
    let _ = (x, y, z);
    unimplemented!()
}

/// Target of a conversion by SFP_STOCH_RND in its deterministic, rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// bf16, ties away from zero; NaN becomes Inf (mode 1).
    Bfloat16,
    /// Unsigned 8-bit integer of the magnitude (mode 2).
    Unsigned8,
    /// Sign and 7-bit magnitude (mode 3).
    SignMagnitude8,
    /// Unsigned 16-bit integer of the magnitude (mode 6).
    Unsigned16,
    /// Sign and 15-bit magnitude (mode 7).
    SignMagnitude16,
}

/// SFP_STOCH_RND without randomness: fp32 to a narrower format.
#[inline(always)]
pub fn stochastic_round(mode: Rounding, x: u32) -> u32 {
    let _ = (mode, x);
    unimplemented!()
}

/// SFPCAST: sign and magnitude integer to fp32, nearest even, keeping the sign of zero.
#[inline(always)]
pub fn cast_sign_magnitude(x: u32) -> u32 {
    let _ = x;
    unimplemented!()
}

/// SFPABS on floats: clears the sign unless the value is a negative NaN.
#[inline(always)]
pub fn absolute(x: u32) -> u32 {
    let _ = x;
    unimplemented!()
}
