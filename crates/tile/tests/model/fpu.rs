//! Model of the FPU: sections 4 and 5 of the specification.

use super::{exponent, is_negative};
use tilewright_tile::fpu::{Pool, ReduceDim};
use tilewright_tile::{DataFormat, DstWidth, Fidelity, Lanes, SourceFormats, index};

/// A term: sign, exponent and magnitude.
#[derive(Clone, Copy)]
pub struct Term {
    neg: bool,
    e: i64,
    m: i64,
}

const NOTHING: Term = Term { neg: false, e: 0, m: 0 };

fn shift_round(m: i64, n: i64, less: i64) -> i64 {
    if n <= 0 {
        m
    } else if n < 31 {
        (m + (1 << (n - 1)) - less) >> n
    } else {
        0
    }
}

/// Section 4.1.
pub fn accumulate(t0: Term, t1: Term, dst: u32, width: DstWidth) -> u32 {
    let narrow = width == DstWidth::Bits16;
    let d_significand = if exponent(dst) == 0 { 0 } else { i64::from(dst & 0x7f_ffff) | 0x80_0000 };
    let d = Term { neg: is_negative(dst), e: exponent(dst), m: d_significand };
    let mut x = t0.e.max(t1.e).max(d.e);
    if x <= 0 {
        return 0;
    }
    let mut sum = 0;
    for (term, less) in [(t0, i64::from(t0.neg)), (t1, i64::from(t1.neg)), (d, 0)] {
        let mut m = shift_round(term.m, x - term.e, less);
        if narrow {
            m = ((m + 4096 - less) >> 13) << 13;
        }
        sum += if term.neg { -m } else { m };
    }
    if sum == 0 {
        return 0;
    }
    let neg = sum < 0;
    let mut m = sum.abs();
    let mut shift = 23 - i64::from(m.ilog2());
    if neg && m == 1 {
        shift = -4;
    }
    x -= shift;
    let q = shift - if narrow { 16 } else { 0 };
    m = if q < 0 { (m + (1 << (-q - 1))) >> -q } else { m << q };
    if narrow {
        m <<= 16;
    }
    if m & 0x100_0000 != 0 {
        x += 1;
    }
    let sign = u32::from(neg) << 31;
    if x <= 0 {
        0
    } else if x >= 255 {
        sign | 0x7f80_0000
    } else {
        sign | (x as u32) << 23 | (m as u32 & 0x7f_ffff)
    }
}

fn mask(x: u32, format: DataFormat) -> u32 {
    if format == DataFormat::Tf32 { x & 0xffff_e000 } else { x & 0xffff_0000 }
}

fn significand11(x: u32) -> i64 {
    if exponent(x) == 0 { 0 } else { i64::from((x & 0x7f_ffff) >> 13) | 0x400 }
}

/// Section 4.2, without the subtraction's sign flip.
pub fn add(a: u32, b: u32, dst: u32, width: DstWidth, formats: SourceFormats) -> u32 {
    let (mut a, mut b) = (mask(a, formats.a), mask(b, formats.b));
    if exponent(a) == 0 {
        a = 0;
    }
    if exponent(b) == 0 {
        b = 0;
    }
    if a & 0x7fff_ffff < b & 0x7fff_ffff {
        std::mem::swap(&mut a, &mut b);
    }
    let n = exponent(a) - exponent(b);
    let mb = if n >= 12 { 0 } else { shift_round(significand11(b), n, 0) };
    let same = is_negative(a) == is_negative(b);
    let m = if same { significand11(a) + mb } else { significand11(a) - mb };
    let term = Term { neg: is_negative(a), e: exponent(a), m: m << 13 };
    accumulate(term, NOTHING, dst, width)
}

fn parts(a: u32, b: u32, phase: u32) -> (i64, i64, i64) {
    let (ma, mb) = (significand11(a), significand11(b));
    let fa = if phase & 1 != 0 { (ma >> 1) & 31 } else { ma >> 6 };
    let fb = if phase & 2 != 0 { (mb & 15) << 3 } else { mb >> 4 };
    let lower = i64::from(phase & 1) * 5 + i64::from(phase >> 1) * 7;
    (fa, fb, exponent(a) + exponent(b) - 127 - lower)
}

/// Section 4.3, all phases.
pub fn multiply(
    a: u32,
    b: u32,
    mut dst: u32,
    width: DstWidth,
    formats: SourceFormats,
    fidelity: Fidelity,
) -> u32 {
    let (a, b) = (mask(a, formats.a), mask(b, formats.b));
    for phase in 0..fidelity.phases() {
        let (fa, fb, e) = parts(a, b, phase);
        let neg = is_negative(a) != is_negative(b);
        let is_zero = exponent(a) == 0 || exponent(b) == 0 || e <= 0;
        let term = if is_zero { NOTHING } else { Term { neg, e, m: (fa * fb) << 13 } };
        dst = accumulate(term, NOTHING, dst, width);
    }
    dst
}

/// Section 4.4, one phase of values already masked.
pub fn dot16(a: [u32; 16], b: [u32; 16], dst: u32, width: DstWidth, phase: u32) -> u32 {
    let term = |start: usize| {
        let products: Vec<Term> = (start..start + 8)
            .map(|k| {
                if exponent(a[k]) == 0 || exponent(b[k]) == 0 {
                    return NOTHING;
                }
                let (fa, fb, e) = parts(a[k], b[k], phase);
                Term { neg: is_negative(a[k]) != is_negative(b[k]), e, m: fa * fb }
            })
            .collect();
        let top = products.iter().map(|product| product.e).max().unwrap();
        if top <= 0 {
            return NOTHING;
        }
        let mut sum = 0;
        for product in products {
            let n = (top - product.e).min(30);
            let rounded = (2 * product.m + (1 << n)) >> (n + 1);
            sum += if product.neg { -rounded } else { rounded };
        }
        Term { neg: sum < 0, e: top, m: sum.abs() << 13 }
    };
    accumulate(term(0), term(8), dst, width)
}

/// Section 5.1.
pub fn matmul(
    width: DstWidth,
    fidelity: Fidelity,
    formats: SourceFormats,
    in0: &Lanes,
    in1: &Lanes,
    is_transposed: bool,
    dst: &mut Lanes,
) {
    for phase in 0..fidelity.phases() {
        for half in [0, 16] {
            for row in 0..32 {
                for column in 0..32 {
                    let a = std::array::from_fn(|k| {
                        let (r, c) = (half + k, column);
                        let at = if is_transposed { index(c, r) } else { index(r, c) };
                        mask(in1[at], formats.a)
                    });
                    let b = std::array::from_fn(|k| mask(in0[index(row, half + k)], formats.b));
                    let at = index(row, column);
                    dst[at] = dot16(a, b, dst[at], width, phase);
                }
            }
        }
    }
}

/// A reduction's configuration.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    pub pool: Pool,
    pub dim: ReduceDim,
    pub width: DstWidth,
    pub fidelity: Fidelity,
    pub formats: SourceFormats,
}

fn moved(x: u32, r: &Reduction) -> u32 {
    if r.width == DstWidth::Bits16 { x & 0xffff_0000 } else { mask(x, r.formats.a) }
}

fn flushed(x: u32) -> u32 {
    if exponent(x) == 0 { 0 } else { x }
}

/// Section 5.2; only kept positions are meaningful.
pub fn reduce(r: &Reduction, data: &Lanes, scaler: &Lanes, dst: &mut Lanes) {
    match (r.pool, r.dim) {
        (Pool::Sum, ReduceDim::Row) => sum_rows(r, data, scaler, dst),
        (Pool::PooledSum, ReduceDim::Row) => pool_rows(r, data, scaler, dst),
        (Pool::Sum | Pool::PooledSum, ReduceDim::Column) => sum_columns(r, data, scaler, dst),
        (Pool::Sum | Pool::PooledSum, ReduceDim::Scalar) => sum_all(r, data, scaler, dst),
        (Pool::Max | Pool::BlockMax, ReduceDim::Row) => max_rows(r, data, scaler, dst),
        (Pool::Max | Pool::BlockMax, ReduceDim::Column) => {
            for face in 0..4 {
                let scalers = max_scalers(r, scaler, face);
                for q in 0..16 {
                    let at = index(0, (face & 1) * 16 + q);
                    let column = face_column(data, face, q, r.formats.a);
                    dst[at] = pool(r, dst[at], column, scalers);
                }
            }
        }
        (Pool::Max | Pool::BlockMax, ReduceDim::Scalar) => {
            let mut t = [u32::MAX; 16];
            for face in 0..4 {
                let scalers = max_scalers(r, scaler, face);
                for (q, t) in t.iter_mut().enumerate() {
                    *t = pool(r, *t, face_column(data, face, q, r.formats.a), scalers);
                }
            }
            dst[0] = pool(r, dst[0], t, max_scalers(r, scaler, 3));
        }
    }
}

/// A value as GMPOOL holds it, by tt-isa-documentation's functional model: sign, nine bits of
/// exponent, ten of mantissa.
#[derive(Clone, Copy)]
struct Datum {
    sign: bool,
    exponent: i64,
    mantissa: u32,
}

impl Datum {
    fn comparable(self) -> i64 {
        let magnitude = (self.exponent << 10) + i64::from(self.mantissa);
        if self.sign { -magnitude } else { magnitude }
    }
}

fn scaled(value: u32, scaler: u32, format: DataFormat) -> Datum {
    let value = mask(value, format);
    match (exponent(scaler), exponent(value)) {
        (0, _) => Datum { sign: true, exponent: 0x1ff, mantissa: 0x3ff },
        (_, 0) => Datum { sign: false, exponent: 0, mantissa: 0 },
        (b, a) => Datum { sign: value >> 31 == 1, exponent: a + b, mantissa: value >> 13 & 0x3ff },
    }
}

/// Section 4.5, with the scalers of tt-isa-documentation's GMPOOL.
fn pool(r: &Reduction, current: u32, values: [u32; 16], scalers: [u32; 16]) -> u32 {
    let kept = if r.width == DstWidth::Bits16 { 0xffff_0000 } else { 0xffff_e000 };
    let current = current & kept;
    let mut max = Datum {
        sign: current >> 31 == 1,
        exponent: exponent(current) + 127,
        mantissa: current >> 13 & 0x3ff,
    };
    for (value, scaler) in values.into_iter().zip(scalers) {
        let value = scaled(value, scaler, r.formats.a);
        if value.comparable() >= max.comparable() {
            max = value;
        }
    }
    if max.exponent == 0 {
        return 0;
    }
    let exponent = ((max.exponent - 127) & 0xff) as u32;
    (u32::from(max.sign) << 31 | exponent << 23 | max.mantissa << 13) & kept
}

/// The maximum of a row of tiles has one face of scalers.
fn max_scalers(r: &Reduction, scaler: &Lanes, face: usize) -> [u32; 16] {
    let face = if r.pool == Pool::BlockMax { 0 } else { face };
    scaler_row(scaler, face, r.formats.b)
}

fn scaler_row(scaler: &Lanes, face: usize, format: DataFormat) -> [u32; 16] {
    std::array::from_fn(|k| mask(scaler[face * 256 + k], format))
}

fn sum_rows(r: &Reduction, data: &Lanes, scaler: &Lanes, dst: &mut Lanes) {
    for phase in 0..r.fidelity.phases() {
        for half in 0..2 {
            for row in 0..32 {
                let a = scaler_row(scaler, half, r.formats.a);
                let b = std::array::from_fn(|k| mask(data[index(row, 16 * half + k)], r.formats.b));
                let at = index(row, 0);
                dst[at] = dot16(a, b, dst[at], r.width, phase);
            }
        }
    }
}

fn face_column(data: &Lanes, face: usize, q: usize, format: DataFormat) -> [u32; 16] {
    std::array::from_fn(|k| mask(data[face * 256 + k * 16 + q], format))
}

fn sum_columns(r: &Reduction, data: &Lanes, scaler: &Lanes, dst: &mut Lanes) {
    for face in 0..4 {
        for phase in 0..r.fidelity.phases() {
            for q in 0..16 {
                let a = face_column(data, face, q, r.formats.a);
                let b = scaler_row(scaler, face, r.formats.b);
                let at = index(0, 16 * (face & 1) + q);
                dst[at] = dot16(a, b, dst[at], r.width, phase);
            }
        }
    }
}

fn sum_all(r: &Reduction, data: &Lanes, scaler: &Lanes, dst: &mut Lanes) {
    let mut t = [0; 16];
    for face in 0..4 {
        for phase in 0..r.fidelity.phases() {
            for (q, t) in t.iter_mut().enumerate() {
                let a = face_column(data, face, q, r.formats.a);
                *t = dot16(a, scaler_row(scaler, face, r.formats.b), *t, r.width, phase);
            }
        }
    }
    let u = t.map(|t| mask(flushed(moved(t, r)), r.formats.a));
    for phase in 0..r.fidelity.phases() {
        dst[0] = dot16(u, scaler_row(scaler, 3, r.formats.b), dst[0], r.width, phase);
    }
}

fn max_rows(r: &Reduction, data: &Lanes, scaler: &Lanes, dst: &mut Lanes) {
    for half in 0..2 {
        let start = half * 512;
        for side in 0..2 {
            let scalers = max_scalers(r, scaler, 2 * half + side);
            for q in 0..16 {
                let row = std::array::from_fn(|k| data[index(16 * half + q, 16 * side + k)]);
                dst[start + q] = pool(r, dst[start + q], row, scalers);
            }
        }
        to_column(r, dst, start);
    }
}

/// GAPOOL over each face, transposed, as tt-llk did it before tt-metal v0.74.
fn pool_rows(r: &Reduction, data: &Lanes, scaler: &Lanes, dst: &mut Lanes) {
    for half in 0..2 {
        let start = half * 512;
        for side in 0..2 {
            let b = scaler_row(scaler, 2 * half + side, r.formats.b);
            for q in 0..16 {
                let at = |k| index(16 * half + q, 16 * side + k);
                let a = std::array::from_fn(|k| mask(data[at(k)], r.formats.a));
                for phase in 0..r.fidelity.phases() {
                    dst[start + q] = dot16(a, b, dst[start + q], r.width, phase);
                }
            }
        }
        to_column(r, dst, start);
    }
}

fn to_column(r: &Reduction, dst: &mut Lanes, start: usize) {
    let vector: [u32; 16] = std::array::from_fn(|q| dst[start + q]);
    for (q, value) in vector.into_iter().enumerate() {
        let moved = moved(value, r);
        dst[start + q * 16] = match r.pool {
            Pool::BlockMax => mask(moved, r.formats.b),
            Pool::Sum | Pool::PooledSum | Pool::Max => add(0, moved, 0, r.width, r.formats),
        };
    }
}
