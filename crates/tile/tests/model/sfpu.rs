//! Model of SFPU instructions: sections 7.1 to 7.3 of the specification.

use super::exponent;
use tilewright_tile::DstWidth;

/// Section 7.1.
pub fn fma(x: u32, y: u32, z: u32) -> u32 {
    let significand =
        |v: u32| -> u64 { if exponent(v) == 0 { 0 } else { u64::from(v & 0x7f_ffff) | 0x80_0000 } };
    let (ex, ey, ez) = (exponent(x), exponent(y), exponent(z));
    let (mx, my, mz) = (significand(x), significand(y), significand(z));
    let (ps, zs) = ((x ^ y) >> 31, z >> 31);
    let full = mx * my;
    let mut p = (full >> 20) | u64::from(full & 0xf_ffff != 0);
    let mut pe = ex + ey - 127;
    let big_z = mz << 3;
    let mut nan = 0;
    let p_inf = ex == 255 || ey == 255 || pe >= 255;
    let (z_inf, z_nan) = (ez == 255 && mz == 0x80_0000, ez == 255 && mz != 0x80_0000);
    if p_inf || ez == 255 {
        let x_bad = ex == 255 && (mx != 0x80_0000 || my == 0);
        let y_bad = ey == 255 && (my != 0x80_0000 || mx == 0);
        if x_bad || y_bad || (z_inf && p_inf && zs != ps) {
            nan = ps << 31 | 0x7f80_0001;
        } else if z_nan {
            nan = zs << 31 | 0x7f80_0001;
        } else if z_inf {
            return z;
        } else {
            return ps << 31 | 0x7f80_0000;
        }
        pe = pe.min(255);
    }
    if p == 0 || pe < 0 {
        if nan == 0 {
            return if mz != 0 { z } else { 0 };
        }
        (p, pe) = (0, 0);
    }
    let top = pe.max(ez);
    let p = sticky(p, top - pe) as i64;
    let big_z = sticky(big_z, top - ez) as i64;
    let sum = if ps == 1 { -p } else { p } + if zs == 1 { -big_z } else { big_z };
    if sum == 0 {
        return nan;
    }
    round(sum, top, nan)
}

/// Section 6 of the second specification: Blackhole's.
pub fn fma_blackhole(x: u32, y: u32, z: u32) -> u32 {
    const INFINITY: u32 = 0x7f80_0000;
    let is_nan = |v: u32| v & 0x7fff_ffff > INFINITY;
    let is_inf = |v: u32| v & 0x7fff_ffff == INFINITY;
    let is_zero = |v: u32| exponent(v) == 0;
    let (ps, zs) = ((x ^ y) & 0x8000_0000, z & 0x8000_0000);
    let infinite = is_inf(x) || is_inf(y);
    let zero = is_zero(x) || is_zero(y);
    if is_nan(x) || is_nan(y) || is_nan(z) || (infinite && zero) {
        return 0x7fc0_0000;
    }
    if infinite && is_inf(z) && ps != zs {
        return 0x7fc0_0000;
    }
    if is_inf(z) {
        return z;
    }
    let pe = exponent(x) + exponent(y) - 127;
    if infinite || (!zero && pe >= 255) {
        return ps | INFINITY;
    }
    let normal = fma(x, y, z);
    if normal & 0x7f80_0000 != 0 {
        return normal;
    }
    // Wormhole has a zero here: what is its sign, and does it round up to the least normal value?
    if (zero || pe < 0) && is_zero(z) {
        return ps & zs;
    }
    let exact = |v: u32| f64::from(f32::from_bits(v));
    let product = if zero || pe < 0 { 0.0 } else { exact(x) * exact(y) };
    let sum = product + if is_zero(z) { 0.0 } else { exact(z) };
    if sum == 0.0 {
        return 0;
    }
    let sign = if sum < 0.0 { 0x8000_0000 } else { 0 };
    let least = f64::from(f32::MIN_POSITIVE);
    let half_place = f64::from(f32::from_bits(1)) / 2.0;
    if sum.abs() >= least - half_place { sign | 0x80_0000 } else { sign }
}

fn sticky(m: u64, n: i64) -> u64 {
    let shifted = if n > 60 { 0 } else { m >> n };
    let lost = n <= 60 && shifted << n != m;
    shifted | u64::from(shifted != 0 && lost)
}

fn round(sum: i64, top: i64, nan: u32) -> u32 {
    let magnitude = sum.unsigned_abs();
    let n = i64::from(magnitude.ilog2()) - 26;
    let e = top + n;
    let sign = u32::from(sum < 0) << 31;
    if e >= 255 {
        return if nan != 0 { nan } else { sign | 0x7f80_0000 };
    }
    if e < 0 {
        return nan;
    }
    let m = if n <= 0 { magnitude << -n } else { (magnitude >> n) | (magnitude & 1) };
    let mut r = ((e as u32) << 23) + ((m >> 3) as u32 & 0x7f_ffff);
    if (m & 7) as u32 + (r & 1) > 4 {
        r += 1;
    }
    if r < 0x80_0000 {
        return nan;
    }
    (if nan != 0 { nan } else { sign }) | r
}

/// x * y.
pub fn mul(x: u32, y: u32) -> u32 {
    fma(x, y, 0)
}

/// x + y.
pub fn add(x: u32, y: u32) -> u32 {
    fma(0x3f80_0000, x, y)
}

/// x - y.
pub fn sub(x: u32, y: u32) -> u32 {
    fma(y, 0xbf80_0000, x)
}

/// STOCH_RND mode 1.
pub fn to_bf16(v: u32) -> u32 {
    match exponent(v) {
        0 => 0,
        255 => v & 0xff80_0000,
        _ => {
            let up = if v & 0xffff >= 0x8000 { 0x1_0000 } else { 0 };
            (v & 0xffff_0000) + up
        }
    }
}

/// STOCH_RND modes 2, 3, 6 and 7, by way of a double, which is exact here.
pub fn to_integer(v: u32, max: u32, keeps_sign: bool) -> u32 {
    let magnitude = if exponent(v) < 126 {
        0
    } else if exponent(v) >= 143 {
        max
    } else {
        let value = f64::from(f32::from_bits(v & 0x7fff_ffff));
        ((value + 0.5).floor() as u32).min(max)
    };
    magnitude | if keeps_sign && magnitude != 0 { v & 0x8000_0000 } else { 0 }
}

/// CAST, rounding in integers.
pub fn cast(v: u32) -> u32 {
    let m = u64::from(v & 0x7fff_ffff);
    if m == 0 {
        return v;
    }
    let top = i64::from(m.ilog2());
    let wide = m << 24; // guard bits for a right shift
    let n = top + 24 - 23;
    let (kept, rest, half) = (wide >> n, wide & ((1 << n) - 1), 1_u64 << (n - 1));
    let up = u64::from(rest > half || (rest == half && kept & 1 == 1));
    (v & 0x8000_0000) | ((((127 + top - 1) as u32) << 23) + (kept + up) as u32)
}

/// ABS on floats.
pub fn abs(v: u32) -> u32 {
    let is_negative_nan = v >> 31 == 1 && exponent(v) == 255 && v & 0x7f_ffff != 0;
    if is_negative_nan { v } else { v & 0x7fff_ffff }
}

/// SFPSTORE.
pub fn store(v: u32, width: DstWidth) -> u32 {
    let v = if exponent(v) == 0 { v & 0x8000_0000 } else { v };
    if width == DstWidth::Bits16 { v & 0xffff_0000 } else { v }
}
