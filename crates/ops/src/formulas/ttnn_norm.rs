//! TTNN `layernorm.cpp`, which is RMS normalisation too, with or without a residual that is added
//! first: sums of a row in Dst, everything between the steps in one format. Without a residual also
//! `layernorm_large_tensor.cpp`, which reads rows in blocks.

use tilewright_tile::TILE_SIDE;
use tilewright_tile::bound::Approx;
use tilewright_tile::sfpu::Unary;

use super::rows::{RSQRT, Rows, outputs};
use super::unit::{Stored, Unit};
use super::{PATH, epsilon, intermediates, of_width};
use crate::layernorm::inputs::row_shape;
use crate::operation::{OpError, Request};
use crate::reference::{Given, Roles, Wanted, taken};

pub(super) const ROLES: Roles = Roles { inputs: &["x", "gamma", "beta"], outputs: &["y"] };

/// The same with what is added to x first.
pub(super) const ADDED: Roles =
    Roles { inputs: &["x", "residual", "gamma", "beta"], outputs: &["y"] };

pub(super) fn layernorm(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let row = row_shape(&request.shape);
    let [x, gamma, beta] = taken(&ROLES, given, [request.shape, row, row])?;
    Ok(outputs(rows(request, [x, Vec::new(), gamma, beta])?, [("y", request.shape, layernorm_row)]))
}

pub(super) fn rmsnorm(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let row = row_shape(&request.shape);
    let [x, gamma, beta] = taken(&ROLES, given, [request.shape, row, row])?;
    Ok(outputs(rows(request, [x, Vec::new(), gamma, beta])?, [("y", request.shape, rmsnorm_row)]))
}

pub(super) fn added_layernorm(
    request: &Request,
    given: Vec<Given>,
) -> Result<Vec<Wanted>, OpError> {
    Ok(outputs(added(request, given)?, [("y", request.shape, layernorm_row)]))
}

pub(super) fn added_rmsnorm(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    Ok(outputs(added(request, given)?, [("y", request.shape, rmsnorm_row)]))
}

fn added(request: &Request, given: Vec<Given>) -> Result<Rows, OpError> {
    let (shape, row) = (request.shape, row_shape(&request.shape));
    rows(request, taken(&ADDED, given, [shape, shape, row, row])?)
}

fn rows(request: &Request, [x, residual, gamma, beta]: [Vec<f32>; 4]) -> Result<Rows, OpError> {
    let shape = request.shape;
    let is_blocked = residual.is_empty() && request.choice(&PATH)? == PATH.values[1];
    // As the program factory has it: what half of Dst holds.
    let section = request.settings.section_tiles() as usize * TILE_SIDE;
    Ok(Rows {
        unit: Unit::new(request),
        format: request.format,
        inner: intermediates(request, of_width(request))?,
        features: shape.width(),
        epsilon: epsilon(request, 1e-12)?,
        x,
        block: is_blocked.then_some(section),
        residual,
        gamma,
        beta,
    })
}

/// x, or its sum with the residual as it is kept.
fn operands(rows: &Rows, row: usize) -> Vec<Stored> {
    if rows.residual.is_empty() {
        return rows.x(row).collect();
    }
    let residual = &rows.residual[row * rows.features..][..rows.features];
    let sum = |(x, residual): (Stored, &f32)| {
        let residual = Stored::input(rows.format, *residual);
        rows.unit.pack(rows.inner, rows.unit.sum(x, residual))
    };
    rows.x(row).zip(residual).map(sum).collect()
}

/// Summed in Dst, tile after tile, then divided by N.
fn mean(rows: &Rows, row: &[Stored]) -> Stored {
    let unit = rows.unit;
    let sum = unit.reduce(row, Stored::one());
    unit.pack(rows.inner, unit.scale(sum, 1.0 / rows.features as f64))
}

fn layernorm_row(rows: &Rows, row: usize) -> Vec<Approx> {
    let unit = rows.unit;
    let x = operands(rows, row);
    let mean = mean(rows, &x);
    let centred: Vec<Approx> = x.iter().map(|x| unit.difference(*x, mean)).collect();
    let kept: Vec<Stored> = centred.iter().map(|x| unit.pack(rows.inner, *x)).collect();
    match rows.block {
        Some(block) => finished(rows, &kept, variance_of_blocks(rows, &centred, block)),
        None => finished(rows, &kept, variance(rows, &kept)),
    }
}

fn rmsnorm_row(rows: &Rows, row: usize) -> Vec<Approx> {
    let x = operands(rows, row);
    let Some(block) = rows.block else { return finished(rows, &x, variance(rows, &x)) };
    let copied: Vec<Approx> = x.iter().map(|x| rows.unit.copy(*x)).collect();
    let kept: Vec<Stored> = copied.iter().map(|x| rows.unit.pack(rows.inner, *x)).collect();
    finished(rows, &kept, variance_of_blocks(rows, &copied, block))
}

/// The mean square, of products that are kept.
fn variance(rows: &Rows, centred: &[Stored]) -> Stored {
    let square = |x: &Stored| rows.unit.pack(rows.inner, rows.unit.product(*x, *x));
    mean(rows, &centred.iter().map(square).collect::<Vec<_>>())
}

/// The same of what is in Dst, squared there; the sum is put aside after each block and comes back
/// through a source register, which cuts it at most.
fn variance_of_blocks(rows: &Rows, centred: &[Approx], block: usize) -> Stored {
    let unit = rows.unit;
    let square = |x: &Approx| unit.pack(rows.inner, unit.unary(Unary::Square, *x));
    let mut sum = Approx::ZERO;
    for (number, block) in centred.chunks(block).enumerate() {
        let squares: Vec<Stored> = block.iter().map(square).collect();
        let aside = if number == 0 { sum } else { unit.copy(unit.pack(rows.inner, sum)) };
        sum = unit.reduce_onto(aside, &squares, Stored::one());
    }
    unit.pack(rows.inner, unit.scale(sum, 1.0 / rows.features as f64))
}

/// What is centred, divided by the root of its mean square, scaled and shifted.
fn finished(rows: &Rows, centred: &[Stored], variance: Stored) -> Vec<Approx> {
    let unit = rows.unit;
    let with_epsilon = unit.sum(variance, Stored::cut(rows.epsilon));
    let rstd = unit.pack(rows.inner, unit.unary(RSQRT, with_epsilon));
    // Blocks take it from every column of a tile, to which it is copied.
    let rstd = rows.block.map_or(rstd, |_| unit.pack(rows.inner, unit.copy(rstd)));
    let one = |(column, x): (usize, &Stored)| {
        let normal = unit.pack(rows.inner, unit.product(*x, rstd));
        let scaled = unit.pack(rows.inner, unit.product(normal, rows.gamma(column)));
        unit.pack(rows.format, unit.sum(scaled, rows.beta(column))).value
    };
    centred.iter().enumerate().map(one).collect()
}
