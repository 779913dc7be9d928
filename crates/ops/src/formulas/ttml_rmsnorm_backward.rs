//! tt-train `rmsnorm_bw_kernel.cpp`: 1/rms is kept in bf16, the row's sum in fp32. The gradient
//! of γ is left as one term for each row, which a kernel elsewhere adds up.

use std::sync::Arc;

use tilewright_tile::DataFormat;
use tilewright_tile::bound::Approx;

use super::intermediates;
use super::unit::{FP32, Stored, Unit};
use crate::layernorm::inputs::{column_shape, row_shape};
use crate::operation::{OpError, Request};
use crate::parallel;
use crate::reference::{Given, Roles, Wanted, taken};

pub(super) const ROLES: Roles =
    Roles { inputs: &["x", "gamma", "rms", "dy"], outputs: &["dx", "dgamma_components"] };

pub(super) fn exact(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let shape = request.shape;
    let shapes = [shape, row_shape(&shape), column_shape(&shape), shape];
    let [x, gamma, rms, dy] = taken(&ROLES, given, shapes)?;
    let (unit, format, inner) = (Unit::new(request), request.format, intermediates(request, FP32)?);
    let inputs =
        Arc::new(Inputs { unit, format, inner, features: shape.width(), x, gamma, rms, dy });
    let wanted = |name, of_row: fn(&Inputs, usize) -> Vec<Approx>| {
        let inputs = Arc::clone(&inputs);
        let values = move || parallel::concat(inputs.rms.len(), |row| of_row(&inputs, row));
        Wanted { name, shape, values: Box::new(values) }
    };
    Ok(vec![wanted("dx", dx), wanted("dgamma_components", dgamma)])
}

struct Inputs {
    unit: Unit,
    format: DataFormat,
    inner: DataFormat,
    features: usize,
    x: Vec<f32>,
    gamma: Vec<f32>,
    rms: Vec<f32>,
    dy: Vec<f32>,
}

impl Inputs {
    fn at(&self, values: &[f32], row: usize, column: usize) -> Stored {
        Stored::input(self.format, values[row * self.features + column])
    }

    fn inverse(&self, row: usize) -> Stored {
        let rms = self.unit.copy(Stored::input(self.format, self.rms[row]));
        self.unit.pack(self.format, self.unit.recip(rms))
    }

    /// γ/rms·dy.
    fn gained(&self, inverse: Stored, row: usize, column: usize) -> Approx {
        let gamma = Stored::input(self.format, self.gamma[column]);
        let scaled = self.unit.product(inverse, gamma);
        self.unit.mul(scaled, self.unit.copy(self.at(&self.dy, row, column)))
    }
}

/// γ/rms·dy - x·Σ(x·γ/rms·dy)/(N·rms²).
fn dx(inputs: &Inputs, row: usize) -> Vec<Approx> {
    let (unit, inverse) = (inputs.unit, inputs.inverse(row));
    let terms = (0..inputs.features).map(|column| {
        let x = unit.copy(inputs.at(&inputs.x, row, column));
        unit.mul(inputs.gained(inverse, row, column), x)
    });
    let kept = unit.lanes(terms).map(|lane| unit.pack(inputs.inner, lane));
    let sum = unit.pack(inputs.inner, unit.reduce(&kept, Stored::one()));
    let (factor, over) = (unit.copy(inverse), Stored::cut(1.0 / inputs.features as f64));
    let one = |column| {
        let outer = unit.product(inputs.at(&inputs.x, row, column), sum);
        let taken = unit.mul(unit.mul(unit.mul(outer, factor), factor), unit.copy(over));
        let left = unit.sub(inputs.gained(inverse, row, column), taken);
        unit.pack(inputs.format, left).value
    };
    (0..inputs.features).map(one).collect()
}

/// x/rms·dy.
fn dgamma(inputs: &Inputs, row: usize) -> Vec<Approx> {
    let (unit, inverse) = (inputs.unit, inputs.inverse(row));
    let one = |column| {
        let normal = unit.product(inputs.at(&inputs.x, row, column), inverse);
        let dy = unit.copy(inputs.at(&inputs.dy, row, column));
        unit.pack(inputs.format, unit.mul(normal, dy)).value
    };
    (0..inputs.features).map(one).collect()
}
