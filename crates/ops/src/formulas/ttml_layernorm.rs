//! tt-train `layernorm_fw_kernel.cpp`: everything between the steps is bf16.

use tilewright_tile::bound::Approx;

use super::rows::{RSQRT, Rows, outputs};
use super::unit::{BF16, Stored, Unit};
use super::{epsilon, intermediates};
use crate::layernorm::inputs::{column_shape, row_shape};
use crate::operation::{OpError, Request};
use crate::reference::{Given, Roles, Wanted, taken};

pub(super) const ROLES: Roles =
    Roles { inputs: &["x", "gamma", "beta"], outputs: &["y", "mean", "rstd"] };

pub(super) fn exact(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let shape = request.shape;
    let (row, column) = (row_shape(&shape), column_shape(&shape));
    let [x, gamma, beta] = taken(&ROLES, given, [shape, row, row])?;
    let rows = Rows {
        unit: Unit::new(request),
        format: request.format,
        inner: intermediates(request, BF16)?,
        features: shape.width(),
        epsilon: epsilon(request, EPSILON_DEFAULT)?,
        x,
        residual: Vec::new(),
        gamma,
        beta,
    };
    Ok(outputs(rows, [("y", shape, y), ("mean", column, mean), ("rstd", column, rstd)]))
}

/// tt-train's default.
const EPSILON_DEFAULT: f64 = 1e-5;

fn statistics(rows: &Rows, row: usize) -> (Stored, Stored) {
    let unit = rows.unit;
    let sums = unit.lanes(rows.x(row).map(|x| unit.copy(x)));
    let mean = unit.pack(rows.inner, rows.mean_of_lanes(rows.inner, sums));
    let squares = unit.lanes(rows.x(row).map(|x| {
        let centred = unit.sub(unit.copy(x), unit.copy(mean));
        unit.mul(centred, centred)
    }));
    let variance = rows.mean_of_lanes(rows.inner, squares);
    let rstd = unit.unary(RSQRT, rows.with_epsilon(variance));
    (mean, unit.pack(rows.inner, rstd))
}

fn y(rows: &Rows, row: usize) -> Vec<Approx> {
    let (unit, (mean, rstd)) = (rows.unit, statistics(rows, row));
    let one = |(column, x): (usize, Stored)| {
        let normal = unit.mul(unit.difference(x, mean), unit.copy(rstd));
        let normal = unit.pack(rows.inner, normal);
        let scaled = unit.pack(rows.inner, unit.product(normal, rows.gamma(column)));
        unit.pack(rows.format, unit.sum(scaled, rows.beta(column))).value
    };
    rows.x(row).enumerate().map(one).collect()
}

fn mean(rows: &Rows, row: usize) -> Vec<Approx> {
    let (mean, _) = statistics(rows, row);
    vec![rows.unit.pack(rows.format, rows.unit.copy(mean)).value]
}

fn rstd(rows: &Rows, row: usize) -> Vec<Approx> {
    let (_, rstd) = statistics(rows, row);
    vec![rows.unit.pack(rows.format, rows.unit.copy(rstd)).value]
}
