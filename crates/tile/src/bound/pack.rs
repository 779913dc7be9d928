//! The packer (section 6): Dst to L1, ReLU, block floats, accumulation in L1.
//!
//! The reduce mask is the caller's: what it masks is [`Approx::ZERO`].

use super::Growth;
use super::accumulate::Accumulator;
use super::approx::Approx;
use super::grid::{self, BF16_BITS, FP32_BITS, TF32_BITS};
use crate::{DataFormat, DstWidth, Packing, Relu, UnsupportedConversion};

/// Significant bits of a Bfp8 magnitude.
const BFP8_BITS: i32 = 7;

/// Blocks whose largest exponent is not above this hold values whose exponents wrap around when
/// they are unpacked (section 3): 6 steps above the lowest exponent field.
const BLOCK_EXPONENT_WRAPS: i32 = grid::LOWEST_EXPONENT + 5;

/// One Dst value packed to Float32 or Bfloat16, ReLU included, accumulation not.
#[inline]
pub fn pack(packing: &Packing, x: Approx) -> Result<Approx, UnsupportedConversion> {
    let unsupported =
        UnsupportedConversion { step: "pack", from: packing.source, to: packing.output };
    match (packing.source, packing.output) {
        (DataFormat::Float32, DataFormat::Float32)
        | (DataFormat::Bfloat16, DataFormat::Bfloat16 | DataFormat::Float32) => {}
        (DataFormat::Float32 | DataFormat::Bfloat16, _)
        | (
            DataFormat::Tf32 | DataFormat::Bfp8 | DataFormat::Integer(_) | DataFormat::Small(_),
            _,
        ) => {
            return Err(unsupported);
        }
    }
    Ok(relu(packing.relu, packing.source, to_source(packing, x)?))
}

/// 16 consecutive Dst values packed to one Bfp8 block, ReLU included, in place.
///
/// Blocks so small that unpacking would wrap their exponents around get no bound, nor do blocks
/// with a special value: its exponent is everybody's.
pub fn pack_block(
    packing: &Packing,
    block: &mut [Approx; 16],
) -> Result<(), UnsupportedConversion> {
    let bits = match (packing.source, packing.output) {
        (DataFormat::Bfp8, DataFormat::Bfp8) => BFP8_BITS,
        (DataFormat::Float32 | DataFormat::Bfloat16, DataFormat::Bfp8) => BF16_BITS,
        (from, to) => return Err(UnsupportedConversion { step: "pack", from, to }),
    };
    for x in block.iter_mut() {
        *x = relu(packing.relu, packing.source, to_source(packing, *x)?);
        if packing.source == DataFormat::Float32 {
            *x = grid::flush(grid::truncate(*x, BF16_BITS));
        }
    }
    let exponent = block.iter().map(|x| grid::exponent(x.most())).max().unwrap_or_default();
    let has_special = block.iter().any(|x| !x.is_finite());
    for x in block.iter_mut() {
        *x = if has_special { Approx::special() } else { to_block(*x, bits, exponent) };
    }
    Ok(())
}

/// L1 accumulation: what is in L1 plus the packed value, nearest even in the output's format.
pub fn accumulate_in_l1(
    output: DataFormat,
    old: Approx,
    new: Approx,
) -> Result<Approx, UnsupportedConversion> {
    let mut sum = Accumulator::new(DstWidth::Bits32, Growth::Worst, old);
    sum.add_packed(output, new)?;
    Ok(sum.approx())
}

impl Accumulator {
    /// L1 accumulation onto a running value; `output` is the format in L1.
    pub fn add_packed(
        &mut self,
        output: DataFormat,
        x: Approx,
    ) -> Result<(), UnsupportedConversion> {
        let bits = match output {
            DataFormat::Float32 => FP32_BITS,
            DataFormat::Bfloat16 => BF16_BITS,
            DataFormat::Tf32 | DataFormat::Bfp8 | DataFormat::Integer(_) | DataFormat::Small(_) => {
                let step = "accumulation in L1";
                return Err(UnsupportedConversion { step, from: output, to: output });
            }
        };
        self.add_in_l1(x, bits);
        Ok(())
    }
}

/// The packer's ReLU on a value of the packer's source format (section 6, step 2).
#[inline]
pub fn relu(mode: Relu, source: DataFormat, x: Approx) -> Approx {
    if !x.is_finite() {
        return x;
    }
    match mode {
        Relu::Off => x,
        Relu::Zero => monotonic(x, |x| x.max(0.0)),
        Relu::MinThreshold(bits) => above(x, threshold(bits)),
        Relu::MaxThreshold(bits) => below(x, threshold(bits), source),
    }
}

/// A function that never falls and never moves two values apart.
fn monotonic(x: Approx, function: impl Fn(f64) -> f64) -> Approx {
    let value = function(x.value);
    let (low, high) = (function(x.value - x.error), function(x.value + x.error));
    Approx { value, error: (high - value).max(value - low) }
}

/// Clamped between zero and the threshold.
fn below(x: Approx, threshold: f64, source: DataFormat) -> Approx {
    let clamped = monotonic(x, |x| x.clamp(0.0, threshold));
    match source {
        // Compared in the upper 19 bits only: a little more than the threshold passes.
        DataFormat::Float32 => {
            let passed = grid::step(threshold, TF32_BITS);
            let (low, high) = (x.value - x.error, x.value + x.error);
            let may_pass = low < threshold + passed && threshold < high;
            clamped.widened(if may_pass { passed.min(high - threshold) } else { 0.0 })
        }
        DataFormat::Tf32
        | DataFormat::Bfloat16
        | DataFormat::Bfp8
        | DataFormat::Integer(_)
        | DataFormat::Small(_) => clamped,
    }
}

fn threshold(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

/// Zero up to the threshold. Near it the device may decide otherwise than the exact value.
fn above(x: Approx, threshold: f64) -> Approx {
    let (low, high) = (x.value - x.error, x.value + x.error);
    if high <= threshold {
        Approx::ZERO
    } else if low > threshold {
        x
    } else if x.value > threshold {
        Approx::computed(x.value, x.value.max(x.error))
    } else {
        Approx::new(0.0, high)
    }
}

/// Dst read in the packer's source format (section 6, step 1).
#[inline]
fn to_source(packing: &Packing, x: Approx) -> Result<Approx, UnsupportedConversion> {
    let x = match (packing.width, packing.source) {
        (DstWidth::Bits32, DataFormat::Float32) => x,
        (DstWidth::Bits32, DataFormat::Bfloat16) => grid::flush(grid::nearest(x, BF16_BITS)),
        (DstWidth::Bits16, DataFormat::Bfloat16) => grid::flush(x),
        (DstWidth::Bits16 | DstWidth::Bits32, DataFormat::Bfp8) => grid::flush(to_bfp8(x)),
        (DstWidth::Bits16, DataFormat::Float32)
        | (
            DstWidth::Bits16 | DstWidth::Bits32,
            DataFormat::Tf32 | DataFormat::Integer(_) | DataFormat::Small(_),
        ) => {
            return Err(UnsupportedConversion {
                step: "pack",
                from: packing.source,
                to: packing.output,
            });
        }
    };
    Ok(grid::overflow(x))
}

/// Truncated to bf16, then its last bit rounded up: within one step of bf16 either way.
fn to_bfp8(x: Approx) -> Approx {
    if x.is_exact() && grid::cut(x.value, BFP8_BITS) == x.value {
        x
    } else {
        x.widened(grid::step(x.most(), BF16_BITS))
    }
}

/// A value of `bits` significant bits in a block of the given exponent: half a unit, or all of
/// what is too small for one (section 6, step 3). Clamping 127.5 to 127 is within the half.
fn to_block(x: Approx, bits: i32, exponent: i32) -> Approx {
    if x == Approx::ZERO {
        x
    } else if exponent <= BLOCK_EXPONENT_WRAPS {
        x.widened(f64::INFINITY)
    } else if grid::lowest_bit_of(x, bits) < exponent - (BFP8_BITS - 1) {
        x.widened(grid::power(exponent - BFP8_BITS).min(x.most()))
    } else {
        x
    }
}
