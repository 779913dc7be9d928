//! TTNN `layernorm.cpp`, which is RMS normalisation too, with or without a residual that is added
//! first: sums of a row in Dst, everything between the steps in one format.

use tilewright_tile::bound::Approx;

use super::rows::{RSQRT, Rows, outputs};
use super::unit::{Stored, Unit};
use super::{epsilon, intermediates, of_width};
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
    Ok(Rows {
        unit: Unit::new(request),
        format: request.format,
        inner: intermediates(request, of_width(request))?,
        features: shape.width(),
        epsilon: epsilon(request, 1e-12)?,
        x,
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
    let centred = |x: &Stored| unit.pack(rows.inner, unit.difference(*x, mean));
    finished(rows, &x.iter().map(centred).collect::<Vec<_>>())
}

fn rmsnorm_row(rows: &Rows, row: usize) -> Vec<Approx> {
    finished(rows, &operands(rows, row))
}

/// What is centred, divided by the root of its mean square, scaled and shifted.
fn finished(rows: &Rows, centred: &[Stored]) -> Vec<Approx> {
    let unit = rows.unit;
    let square = |x: &Stored| unit.pack(rows.inner, unit.product(*x, *x));
    let variance = mean(rows, &centred.iter().map(square).collect::<Vec<_>>());
    let with_epsilon = unit.sum(variance, Stored::cut(rows.epsilon));
    let rstd = unit.pack(rows.inner, unit.unary(RSQRT, with_epsilon));
    let one = |(column, x): (usize, &Stored)| {
        let normal = unit.pack(rows.inner, unit.product(*x, rstd));
        let scaled = unit.pack(rows.inner, unit.product(normal, rows.gamma(column)));
        unit.pack(rows.format, unit.sum(scaled, rows.beta(column))).value
    };
    centred.iter().enumerate().map(one).collect()
}
