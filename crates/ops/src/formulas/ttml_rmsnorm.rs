//! tt-train `rmsnorm_fw_kernel.cpp`: the row's sum and the root are kept in fp32, x·γ in bf16.

use tilewright_tile::bound::Approx;

use super::rows::{Rows, SQRT, outputs};
use super::unit::{FP32, Stored, Unit};
use super::{epsilon, intermediates};
use crate::layernorm::inputs::{column_shape, row_shape};
use crate::operation::{OpError, Request};
use crate::reference::{Given, Roles, Wanted, taken};

pub(super) const ROLES: Roles = Roles { inputs: &["x", "gamma"], outputs: &["y", "rms"] };

pub(super) fn exact(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let shape = request.shape;
    let [x, gamma] = taken(&ROLES, given, [shape, row_shape(&shape)])?;
    let rows = Rows {
        unit: Unit::new(request),
        format: request.format,
        inner: intermediates(request, FP32)?,
        features: shape.width(),
        epsilon: epsilon(request, 1e-6)?,
        x,
        residual: Vec::new(),
        gamma,
        beta: Vec::new(),
    };
    Ok(outputs(rows, [("y", shape, y), ("rms", column_shape(&shape), rms)]))
}

fn root(rows: &Rows, row: usize) -> Stored {
    let unit = rows.unit;
    let squares = unit.lanes(rows.x(row).map(|x| {
        let x = unit.copy(x);
        unit.mul(x, x)
    }));
    let mean = rows.mean_of_lanes(rows.inner, squares);
    unit.pack(rows.inner, unit.unary(SQRT, rows.with_epsilon(mean)))
}

fn y(rows: &Rows, row: usize) -> Vec<Approx> {
    let unit = rows.unit;
    let inverse = unit.pack(rows.inner, unit.recip(unit.copy(root(rows, row))));
    let one = |(column, x): (usize, Stored)| {
        let scaled = unit.pack(rows.format, unit.product(x, rows.gamma(column)));
        unit.pack(rows.format, unit.product(scaled, inverse)).value
    };
    rows.x(row).enumerate().map(one).collect()
}

fn rms(rows: &Rows, row: usize) -> Vec<Approx> {
    let unit = rows.unit;
    vec![unit.pack(rows.format, unit.copy(root(rows, row))).value]
}
