//! LayerNorm in f64, and for each output element the bound on the device algorithm's error.
//!
//! Follows the kernels step by step; every step's error is `tilewright_tile::bound`'s.

mod backward;
mod forward;
mod sum;

pub(super) use backward::dx_of_row;
pub use backward::{BackwardInputs, dbeta, dgamma, dx};
pub(super) use forward::ForwardRows;
pub use forward::{Forward, ForwardInputs, forward};

use tilewright_metal::Family;
use tilewright_tile::bound::{Approx, ApproxLanes, Growth};
use tilewright_tile::{DataFormat, DstWidth};

use crate::parallel;
use crate::steps::Steps;

/// All arithmetic of these kernels is in a 32-bit Dst.
const WIDTH: DstWidth = DstWidth::Bits32;

/// mean and 1/std of rows of `features` values: the nearest f32 to each.
pub fn statistics(x: &[f32], features: usize, epsilon: f32) -> (Vec<f32>, Vec<f32>) {
    let of_row = |row: &[f32]| {
        let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / features as f64;
        let square = |x: &f32| (f64::from(*x) - mean).powi(2);
        let variance = row.iter().map(square).sum::<f64>() / features as f64;
        (mean as f32, (1.0 / (variance + f64::from(epsilon)).sqrt()) as f32)
    };
    let rows = x.len() / features;
    parallel::map(rows, |row| of_row(&x[row * features..][..features])).into_iter().unzip()
}

/// How a family's roundings add up: data with few different values rounds the same way each time.
pub(crate) fn growth(family: Family) -> Growth {
    match family {
        Family::Uniform | Family::Normal | Family::ShiftedMean => Growth::Statistical,
        Family::Constant
        | Family::Ramp
        | Family::Alternating
        | Family::Impulse
        | Family::OneHotRow
        | Family::WideRange
        | Family::Tiny
        | Family::Zeros
        | Family::Special => Growth::Worst,
    }
}

/// A value as the tensor holds it.
pub(super) fn stored(value: f32) -> Approx {
    Approx::from_bits(value.to_bits())
}

/// Dst to a tensor of a format.
#[inline]
pub(super) fn packed(format: DataFormat, x: Approx) -> Approx {
    Steps { width: WIDTH, format }.pack(x)
}

/// The same of many values.
pub(super) fn packed_lanes(format: DataFormat, x: &ApproxLanes, out: &mut ApproxLanes) {
    Steps { width: WIDTH, format }.pack_lanes(x, out);
}
