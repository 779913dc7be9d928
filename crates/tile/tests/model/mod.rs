//! A slow, plain model of the hardware's arithmetic, one value at a time.
//!
//! Written from the numerics specification, in wide integers and with branches. It shares no code
//! with the library, which it is compared with.
#![allow(dead_code, reason = "each test binary uses a part of the model")]

pub mod data;
pub mod formats;
pub mod fpu;
pub mod programs;
pub mod sfpu;

/// The biased exponent field.
pub fn exponent(x: u32) -> i64 {
    i64::from((x >> 23) & 255)
}

/// Whether the sign bit is set.
pub fn is_negative(x: u32) -> bool {
    x >> 31 == 1
}

/// The total order of bit patterns.
pub fn key(x: u32) -> i64 {
    if is_negative(x) { -i64::from(x & 0x7fff_ffff) - 1 } else { i64::from(x) }
}
