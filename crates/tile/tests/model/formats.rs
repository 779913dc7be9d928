//! Model of unpacking and packing: sections 3 and 6 of the specification.

use super::exponent;
use tilewright_tile::{DataFormat, DstWidth, Relu};

/// A Bfp8_b byte under its shared exponent.
pub fn decode_block(shared: u8, byte: u8) -> u32 {
    let (sign, mut m) = (byte >> 7, byte & 127);
    if m == 0 {
        return if sign == 0 { 0 } else { 0xff80_0000 };
    }
    let mut e = shared;
    while m & 64 == 0 {
        m <<= 1;
        e = e.wrapping_sub(1);
    }
    u32::from(sign) << 31 | u32::from(e) << 23 | u32::from(m & 63) << 17
}

/// Shared exponent and bytes of 16 bf16 values.
pub fn encode_block(values: [u16; 16]) -> (u8, [u8; 16]) {
    let e = |h: u16| u32::from((h >> 7) & 255);
    let top = values.iter().map(|&h| e(h)).max().unwrap();
    let bytes = values.map(|h| {
        let m = u32::from(h & 127) | if e(h) != 0 { 128 } else { 0 };
        let n = top - e(h);
        let m = if n >= 8 { 0 } else { ((m + (1 << n)) >> (n + 1)).min(127) };
        if m == 0 { 0 } else { ((h >> 8) & 128) as u8 | m as u8 }
    });
    (top as u8, bytes)
}

/// Section 3 for formats that are not block formats.
pub fn unpack(v: u32, from: DataFormat, to: DataFormat) -> Option<u32> {
    match (from, to) {
        (DataFormat::Bfloat16, DataFormat::Bfloat16) => Some(v << 16),
        (DataFormat::Float32, DataFormat::Tf32) => Some(v & 0xffff_e000),
        (DataFormat::Float32, DataFormat::Bfloat16) if exponent(v) == 0 => Some(v & 0x8000_0000),
        (DataFormat::Float32, DataFormat::Bfloat16) => Some(v & 0xffff_0000),
        (DataFormat::Float32, DataFormat::Float32) => Some(v),
        _ => None,
    }
}

/// Steps 1 and 2 of section 6: 32 bits, of which 16-bit source formats use the upper half.
pub fn pack_source(v: u32, width: DstWidth, source: DataFormat, relu: Relu) -> u32 {
    if source == DataFormat::Float32 {
        return relu32(v, relu);
    }
    let is_nan = exponent(v) == 255 && v & 0x7f_ffff != 0;
    let v = if is_nan { v & 0xff80_0000 } else { v };
    let flush = |h: u32| if h & 0x7fff < 0x80 { 0 } else { h };
    let h = match (width, source) {
        (DstWidth::Bits32, DataFormat::Bfloat16) => flush(((u64::from(v) + 0x8000) >> 16) as u32),
        (DstWidth::Bits32, _) => flush(((v >> 16) + 1) & 0xfffe),
        (DstWidth::Bits16, DataFormat::Bfloat16) => flush(v >> 16),
        (DstWidth::Bits16, _) => (flush(v >> 16) + 1) & 0xfffe,
    };
    relu16(h, relu) << 16
}

fn relu16(h: u32, relu: Relu) -> u32 {
    let positive = if h & 0x8000 != 0 { 0 } else { h };
    match relu {
        Relu::Off => h,
        Relu::Zero => positive,
        Relu::MinThreshold(t) => {
            if positive <= u32::from(t) {
                0
            } else {
                positive
            }
        }
        Relu::MaxThreshold(t) => positive.min(u32::from(t)),
    }
}

fn relu32(v: u32, relu: Relu) -> u32 {
    let positive = if v & 0x8000_0000 != 0 { 0 } else { v };
    match relu {
        Relu::Off => v,
        Relu::Zero => positive,
        Relu::MinThreshold(t) => {
            if positive <= u32::from(t) << 16 {
                0
            } else {
                positive
            }
        }
        Relu::MaxThreshold(t) => {
            let t = u32::from(t) << 16;
            if positive >> 13 > t >> 13 { t } else { positive }
        }
    }
}

/// The 16-bit value that a block is made of: steps 1 to 3.
pub fn block_input(v: u32, source: DataFormat) -> u16 {
    let h = (v >> 16) as u16;
    let is_flushed = source == DataFormat::Float32 && h & 0x7fff < 0x80;
    if is_flushed { 0 } else { h }
}

/// Step 4 for Float32.
pub fn add_float32(old: u32, new: u32) -> u32 {
    let flush = |v: u32| if exponent(v) == 0 { v & 0x8000_0000 } else { v };
    let sum = f32::from_bits(flush(old)) + f32::from_bits(flush(new));
    if sum.is_nan() { 0x7fc0_0000 } else { flush(sum.to_bits()) }
}

/// Step 4 for Float16_b, as 16-bit patterns.
pub fn add_bfloat16(old: u16, new: u16) -> u16 {
    let wide = |h: u16| u32::from(h) << 16;
    let (is_nan, is_inf) = (|h: u16| h & 0x7fff > 0x7f80, |h: u16| h & 0x7fff == 0x7f80);
    if is_inf(old) && is_inf(new) && old != new {
        return 0x7fc0;
    }
    let sign = |h: u16| if h & 0x8000 != 0 { -1.0 } else { 1.0 };
    let plain = |h: u16| {
        if exponent(wide(h)) == 0 { 0.0 * sign(h) } else { f64::from(f32::from_bits(wide(h))) }
    };
    let a = if is_nan(old) { f64::MAX * sign(old) } else { plain(old) };
    let nan_value = (1.0 + f64::from(new & 127) / 128.0) * 2f64.powi(128) * sign(new);
    let b = if is_nan(new) { nan_value } else { plain(new) };
    narrow(a + b)
}

fn narrow(sum: f64) -> u16 {
    let bits = sum.to_bits();
    let sign = ((bits >> 63) as u16) << 15;
    let e = ((bits >> 52) & 2047) as i64 - 1023 + 127;
    if e <= 0 {
        return sign;
    }
    if e >= 255 {
        return sign | 0x7f80;
    }
    let mantissa = bits & ((1 << 52) - 1);
    let (kept, rest, half) = (mantissa >> 45, mantissa & ((1 << 45) - 1), 1_u64 << 44);
    let up = u64::from(rest > half || (rest == half && kept & 1 == 1));
    sign + ((e as u16) << 7) + (kept + up) as u16
}
