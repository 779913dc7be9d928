//! Rows of exponentials: softmax, its gradient, and cross-entropy, by the steps of tt-train's and
//! TTNN's kernels.
//!
//! What a row is shifted by does not change its softmax: exact values are shifted by the device's
//! own maximum, which bf16 holds exactly.

use tilewright_tile::DataFormat;
use tilewright_tile::bound::{self, Approx};
use tilewright_tile::sfpu::{Binary, Unary};
use tilewright_tile::{DstWidth, TILE_SIDE};

use super::unit::{BF16, FP32, Stored, Unit};
use super::{FACTOR, PASS, PATH, SCALE, STABLE, intermediates, of_width};
use crate::layernorm::inputs::column_shape;
use crate::operation::{OpError, Request};
use crate::parallel;
use crate::reference::{Given, Roles, Wanted, taken};

pub(super) const SOFTMAX: Roles = Roles { inputs: &["x"], outputs: &["y"] };
pub(super) const MASKED_SOFTMAX: Roles = Roles { inputs: &["x", "mask"], outputs: &["y"] };
pub(super) const SOFTMAX_BACKWARD: Roles = Roles { inputs: &["y", "dy"], outputs: &["dx"] };
pub(super) const ENTROPY: Roles = Roles { inputs: &["x", "target"], outputs: &["loss"] };
pub(super) const ENTROPY_BACKWARD: Roles = Roles { inputs: &["x", "target"], outputs: &["dx"] };

/// What the steps of a row need to know.
#[derive(Clone, Copy)]
struct Kernel {
    unit: Unit,
    format: DataFormat,
    inner: DataFormat,
}

impl Kernel {
    fn new(request: &Request, inner: DataFormat) -> Result<Kernel, OpError> {
        let inner = intermediates(request, inner)?;
        Ok(Kernel { unit: Unit::new(request), format: request.format, inner })
    }

    fn stored(self, x: f32) -> Stored {
        Stored::input(self.format, x)
    }

    /// The largest value of a row; a row with one that is not finite has no bound.
    fn largest(self, row: &[f32]) -> Option<Stored> {
        let is_finite = row.iter().all(|x| x.is_finite());
        let largest = row.iter().copied().reduce(f32::max);
        largest.filter(|_| is_finite).map(|x| self.stored(x))
    }

    /// exp(x - shift) with the vector unit's subtraction.
    fn exp_in_sfpu(self, x: f32, shift: Stored) -> Approx {
        let unit = self.unit;
        unit.exp(unit.sub(unit.copy(self.stored(x)), unit.copy(shift)))
    }

    /// exp(x - shift) with the matrix unit's subtraction.
    fn exp_in_fpu(self, x: f32, shift: Stored) -> Approx {
        self.unit.exp(self.unit.difference(self.stored(x), shift))
    }

    /// The sum of lanes, kept in a buffer before the matrix unit adds them up.
    fn sum(self, lanes: [Approx; TILE_SIDE]) -> Approx {
        let kept = lanes.map(|lane| self.unit.pack(self.inner, lane));
        self.unit.reduce(&kept, Stored::one())
    }

    /// 1/sum as it is kept.
    fn inverse(self, sum: Approx) -> Stored {
        self.unit.pack(self.inner, self.unit.recip(sum))
    }
}

fn each_row(
    x: Vec<f32>,
    width: usize,
    of_row: impl Fn(usize, &[f32]) -> Vec<Approx> + Send + Sync + 'static,
) -> tilewright_metal::Exact {
    Box::new(move || {
        parallel::concat(x.len() / width, |row| of_row(row, &x[row * width..][..width]))
    })
}

/// tt-train `softmax_kernel.cpp`: a row that fits keeps its exponentials in bf16, another one makes
/// them anew. The sum is kept in fp32.
pub(super) fn ttml_softmax(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let shape = request.shape;
    let [x] = taken(&SOFTMAX, given, [shape])?;
    let kernel = Kernel::new(request, FP32)?;
    let is_kept = request.choice(&PATH)? == PATH.values[0];
    let of_row = move |_: usize, row: &[f32]| {
        let Some(shift) = kernel.largest(row) else { return specials(row) };
        if is_kept { kept_row(kernel, row, shift) } else { row_made_anew(kernel, row, shift, None) }
    };
    Ok(vec![Wanted { name: "y", shape, values: each_row(x, shape.width(), of_row) }])
}

fn specials(row: &[f32]) -> Vec<Approx> {
    vec![Approx::special(); row.len()]
}

fn kept_row(kernel: Kernel, row: &[f32], shift: Stored) -> Vec<Approx> {
    let unit = kernel.unit;
    let exp = |x: &f32| unit.pack(BF16, kernel.exp_in_fpu(*x, shift));
    let exps: Vec<Stored> = row.iter().map(exp).collect();
    let sum = kernel.sum(unit.lanes(exps.iter().map(|exp| unit.copy(*exp))));
    let inverse = unit.copy(kernel.inverse(sum));
    let one = |exp: &Stored| unit.pack(kernel.format, unit.mul(unit.copy(*exp), inverse)).value;
    exps.iter().map(one).collect()
}

/// Exponentials divided by their sum, and multiplied by a scale if there is one.
fn row_made_anew(kernel: Kernel, row: &[f32], shift: Stored, scale: Option<f64>) -> Vec<Approx> {
    let unit = kernel.unit;
    let sum = kernel.sum(unit.lanes(row.iter().map(|x| kernel.exp_in_sfpu(*x, shift))));
    let inverse = unit.copy(kernel.inverse(sum));
    let one = |x: &f32| {
        let share = unit.mul(kernel.exp_in_fpu(*x, shift), inverse);
        let scaled = scale.map_or(share, |scale| unit.scale(share, scale));
        unit.pack(kernel.format, scaled).value
    };
    row.iter().map(one).collect()
}

/// TTNN `softmax.cpp`, shifted by the maximum or not: the sum stays in Dst, everything between the
/// steps has one format. In `softmax_large_tensor.cpp` the sum is put aside after each pass.
pub(super) fn ttnn_softmax(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let shape = request.shape;
    let [x] = taken(&SOFTMAX, given, [shape])?;
    let kernel = Kernel::new(request, of_width(request))?;
    let is_stable = request.choice(&STABLE)? == STABLE.values[1];
    // No row has so many tiles.
    let pass = request.number(&PASS, u32::MAX)?;
    let pass = (pass != u32::MAX).then_some(pass as usize * TILE_SIDE);
    let of_row = move |_: usize, row: &[f32]| {
        let Some(largest) = kernel.largest(row) else { return specials(row) };
        let unit = kernel.unit;
        let shift = Stored { format: kernel.inner, ..largest };
        let exp = |x: &f32| match is_stable {
            true => unit.pack(kernel.inner, kernel.exp_in_fpu(*x, shift)),
            false => unit.pack(kernel.inner, unit.exp(unit.copy(kernel.stored(*x)))),
        };
        let exps: Vec<Stored> = row.iter().map(exp).collect();
        match pass {
            Some(pass) => multiplied(kernel, &exps, inverse_of_passes(kernel, &exps, pass)),
            None => divided(kernel, &exps),
        }
    };
    Ok(vec![Wanted { name: "y", shape, values: each_row(x, shape.width(), of_row) }])
}

/// Exponentials over their sum, which stays in Dst until it is inverted.
fn divided(kernel: Kernel, exps: &[Stored]) -> Vec<Approx> {
    multiplied(kernel, exps, kernel.inverse(kernel.unit.reduce(exps, Stored::one())))
}

/// The inverse of a sum that is put aside after each pass, added to the next one's by the vector
/// unit, and inverted when it comes back.
fn inverse_of_passes(kernel: Kernel, exps: &[Stored], pass: usize) -> Stored {
    let unit = kernel.unit;
    let add = |sum: Option<Stored>, pass: &[Stored]| {
        let part = unit.reduce(pass, Stored::one());
        let whole = sum.map_or(part, |sum| unit.add(part, unit.copy(sum)));
        Some(unit.pack(kernel.inner, whole))
    };
    let sum = exps.chunks(pass).fold(None, add);
    kernel.inverse(sum.map_or(Approx::ZERO, |sum| unit.copy(sum)))
}

fn multiplied(kernel: Kernel, exps: &[Stored], inverse: Stored) -> Vec<Approx> {
    let unit = kernel.unit;
    let one = |exp: &Stored| unit.pack(kernel.format, unit.product(*exp, inverse)).value;
    exps.iter().map(one).collect()
}

/// The same of x times a scale plus a mask of every element, or of every column: then its first row
/// counts.
pub(super) fn ttnn_masked_softmax(
    request: &Request,
    given: Vec<Given>,
) -> Result<Vec<Wanted>, OpError> {
    let (shape, width) = (request.shape, request.shape.width());
    let mask_shape = given.get(1).map_or(shape, |mask| mask.shape());
    let [x, mask] = taken(&MASKED_SOFTMAX, given, [shape, mask_shape])?;
    if mask_shape.width() != width {
        let why = format!("`mask` has shape {mask_shape}, where its rows must be {width} wide");
        return Err(OpError::Invalid(why));
    }
    let kernel = Kernel::new(request, of_width(request))?;
    let is_stable = request.choice(&STABLE)? == STABLE.values[1];
    let factor = Stored::cut(request.real(&FACTOR)?.unwrap_or(1.0));
    let is_whole = mask.len() == x.len();
    let of_row = move |number: usize, row: &[f32]| {
        let unit = kernel.unit;
        let mask = &mask[if is_whole { number * width } else { 0 }..][..width];
        let masked = |(x, mask): (&f32, &f32)| {
            let scaled = unit.pack(kernel.inner, unit.product(kernel.stored(*x), factor));
            unit.sum(scaled, kernel.stored(*mask))
        };
        let sums = row.iter().zip(mask).map(masked);
        let exps: Vec<Stored> = if is_stable {
            let kept: Vec<Stored> = sums.map(|sum| unit.pack(kernel.inner, sum)).collect();
            let larger = |a: Stored, b: &Stored| if b.value.value > a.value.value { *b } else { a };
            let shift = kept.iter().fold(kept[0], larger);
            let exp = |x: &Stored| unit.pack(kernel.inner, unit.exp(unit.difference(*x, shift)));
            kept.iter().map(exp).collect()
        } else {
            sums.map(|sum| unit.pack(kernel.inner, unit.exp(sum))).collect()
        };
        divided(kernel, &exps)
    };
    Ok(vec![Wanted { name: "y", shape, values: each_row(x, width, of_row) }])
}

/// tt-train `softmax_backward_kernel.cpp`: y·(dy - Σ y·dy), the sum kept in bf16 twice.
pub(super) fn ttml_softmax_backward(
    request: &Request,
    given: Vec<Given>,
) -> Result<Vec<Wanted>, OpError> {
    let shape = request.shape;
    let [y, dy] = taken(&SOFTMAX_BACKWARD, given, [shape, shape])?;
    let kernel = Kernel::new(request, BF16)?;
    let width = shape.width();
    let of_row = move |number: usize, row: &[f32]| {
        let (unit, dy) = (kernel.unit, &dy[number * width..][..width]);
        let pairs = || row.iter().zip(dy).map(|(y, dy)| (kernel.stored(*y), kernel.stored(*dy)));
        let sum = unit.pack(kernel.inner, kernel.sum(unit.product_lanes(pairs())));
        let one = |(y, dy): (Stored, Stored)| {
            unit.pack(kernel.format, unit.product_of_dst(unit.difference(dy, sum), y)).value
        };
        pairs().map(one).collect()
    };
    Ok(vec![Wanted { name: "dx", shape, values: each_row(y, width, of_row) }])
}

/// The class of each row; one that there is not is refused.
fn classes(target: &[f32], width: usize) -> Result<Vec<usize>, OpError> {
    let class = |value: &f32| {
        let is_one = value.fract() == 0.0 && (0.0..width as f32).contains(value);
        is_one.then_some(*value as usize).ok_or_else(|| {
            OpError::Invalid(format!(
                "`target` has {value}, which is no class from 0 to {}",
                width - 1
            ))
        })
    };
    target.iter().map(class).collect()
}

/// tt-train `cross_entropy_fw_kernel.cpp`: log Σ exp(x - max) + max - x[target], everything between
/// the steps in bf16.
pub(super) fn ttml_entropy(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let (shape, width) = (request.shape, request.shape.width());
    let [x, target] = with_target(request, &ENTROPY, given)?;
    let (kernel, classes) = (Kernel::new(request, BF16)?, classes(&target, width)?);
    let of_row = move |number: usize, row: &[f32]| {
        let Some(shift) = kernel.largest(row) else { return vec![Approx::special()] };
        let unit = kernel.unit;
        let sum = kernel.sum(unit.lanes(row.iter().map(|x| kernel.exp_in_sfpu(*x, shift))));
        let log = unit.pack(kernel.inner, unit.unary(Unary::Log, sum));
        let logit = unit.unary(Unary::Negative, unit.copy(kernel.stored(row[classes[number]])));
        vec![unit.pack(kernel.format, unit.sum_onto(logit, shift, log)).value]
    };
    let shape = column_shape(&shape);
    Ok(vec![Wanted { name: "loss", shape, values: each_row(x, width, of_row) }])
}

/// tt-train `cross_entropy_bw_kernel.cpp`: softmax times a scale, from which the writer takes the
/// scale at the target, in fp32 that it cuts to bf16.
pub(super) fn ttml_entropy_backward(
    request: &Request,
    given: Vec<Given>,
) -> Result<Vec<Wanted>, OpError> {
    let (shape, width) = (request.shape, request.shape.width());
    let [x, target] = with_target(request, &ENTROPY_BACKWARD, given)?;
    let (kernel, classes) = (Kernel::new(request, FP32)?, classes(&target, width)?);
    let scale = request.real(&SCALE)?.unwrap_or(1.0 / classes.len() as f64);
    let of_row = move |number: usize, row: &[f32]| {
        let Some(shift) = kernel.largest(row) else { return specials(row) };
        let mut all = row_made_anew(kernel, row, shift, Some(scale));
        let hit = &mut all[classes[number]];
        *hit = taken_by_writer(*hit, scale);
        all
    };
    Ok(vec![Wanted { name: "dx", shape, values: each_row(x, width, of_row) }])
}

fn taken_by_writer(x: Approx, scale: f64) -> Approx {
    let scale = Approx::new(scale, (f64::from(scale as f32) - scale).abs());
    let left = bound::binary(Binary::Sub, DstWidth::Bits32, x, scale);
    bound::unpack(left, FP32, BF16).unwrap_or(Approx::special())
}

/// A row of logits and a class for each.
fn with_target(
    request: &Request,
    roles: &Roles,
    given: Vec<Given>,
) -> Result<[Vec<f32>; 2], OpError> {
    let rows = request.shape.sticks();
    let Some(target) = given.get(1).filter(|target| target.shape().volume() == rows) else {
        let rows = rows.to_string();
        return Err(OpError::Invalid(format!("`target` needs one class for each of {rows} rows")));
    };
    let shapes = [request.shape, target.shape()];
    taken(roles, given, shapes)
}
