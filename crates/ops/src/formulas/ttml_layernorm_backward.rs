//! tt-train `layernorm_bw_kernel.cpp`: x̂ is kept in bf16, the row's two means in fp32. The
//! gradients of γ and β are left as one term for each row, which a kernel elsewhere adds up.

use std::sync::Arc;

use tilewright_tile::bound::Approx;
use tilewright_tile::{DataFormat, TILE_SIDE};

use super::intermediates;
use super::unit::{FP32, Stored, Unit};
use crate::layernorm::inputs::{column_shape, row_shape};
use crate::operation::{OpError, Request};
use crate::parallel;
use crate::reference::{Given, Roles, Wanted, taken};

pub(super) const ROLES: Roles = Roles {
    inputs: &["x", "gamma", "mean", "rstd", "dy"],
    outputs: &["dx", "dgamma_components", "dbeta_components"],
};

pub(super) fn exact(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let shape = request.shape;
    let (row, column) = (row_shape(&shape), column_shape(&shape));
    let [x, gamma, mean, rstd, dy] = taken(&ROLES, given, [shape, row, column, column, shape])?;
    let inputs = Arc::new(Inputs {
        unit: Unit::new(request),
        format: request.format,
        inner: intermediates(request, FP32)?,
        features: shape.width(),
        x,
        gamma,
        mean,
        rstd,
        dy,
    });
    let wanted = |name, of_row: fn(&Row<'_>) -> Vec<Approx>| {
        let inputs = Arc::clone(&inputs);
        let values = move || {
            parallel::concat(inputs.mean.len(), |number| of_row(&Row::new(&inputs, number)))
        };
        Wanted { name, shape, values: Box::new(values) }
    };
    let [first, second, third] = [ROLES.outputs[0], ROLES.outputs[1], ROLES.outputs[2]];
    Ok(vec![wanted(first, dx), wanted(second, dgamma), wanted(third, dbeta)])
}

struct Inputs {
    unit: Unit,
    format: DataFormat,
    inner: DataFormat,
    features: usize,
    x: Vec<f32>,
    gamma: Vec<f32>,
    mean: Vec<f32>,
    rstd: Vec<f32>,
    dy: Vec<f32>,
}

/// A row with what its steps keep of it.
struct Row<'a> {
    inputs: &'a Inputs,
    rstd: Stored,
    x_hat: Vec<Stored>,
    dy: Vec<Stored>,
}

impl Row<'_> {
    fn new(inputs: &Inputs, number: usize) -> Row<'_> {
        let (unit, format, features) = (inputs.unit, inputs.format, inputs.features);
        let stored = |value: &f32| Stored::input(format, *value);
        let (mean, rstd) = (stored(&inputs.mean[number]), stored(&inputs.rstd[number]));
        let places = number * features..(number + 1) * features;
        let x_hat = |x: &f32| {
            let centred = unit.difference(stored(x), mean);
            unit.pack(format, unit.mul(centred, unit.copy(rstd)))
        };
        let x_hat = inputs.x[places.clone()].iter().map(x_hat).collect();
        Row { inputs, rstd, x_hat, dy: inputs.dy[places].iter().map(stored).collect() }
    }

    fn gamma(&self, column: usize) -> Stored {
        Stored::input(self.inputs.format, self.inputs.gamma[column])
    }

    fn product(&self, column: usize) -> Approx {
        self.inputs.unit.product(self.dy[column], self.gamma(column))
    }

    /// Lanes kept in a buffer, added up and multiplied by 1/N cut to bf16.
    fn mean(&self, lanes: [Approx; TILE_SIDE]) -> Stored {
        let (unit, inner) = (self.inputs.unit, self.inputs.inner);
        let kept = lanes.map(|lane| unit.pack(inner, lane));
        unit.pack(inner, unit.reduce(&kept, Stored::cut(1.0 / self.inputs.features as f64)))
    }

    /// (1/N) Σ dy·γ: products add up in Dst, but for those of a last tile that is cut off, which is
    /// masked first and added by the vector unit.
    fn mean_product(&self) -> Stored {
        let (unit, features) = (self.inputs.unit, self.inputs.features);
        let whole = features - features % TILE_SIDE;
        let pairs = (0..whole).map(|column| (self.dy[column], self.gamma(column)));
        let mut lanes = unit.product_lanes(pairs);
        for column in whole..features {
            let lane = &mut lanes[column % TILE_SIDE];
            *lane = unit.add(*lane, self.product(column));
        }
        self.mean(lanes)
    }

    /// (1/N) Σ dy·γ·x̂, by the vector unit.
    fn mean_with_x_hat(&self) -> Stored {
        let unit = self.inputs.unit;
        let term = |column| unit.mul(self.product(column), unit.copy(self.x_hat[column]));
        self.mean(unit.lanes((0..self.inputs.features).map(term)))
    }
}

/// rstd·(dy·γ - mean(dy·γ) - x̂·mean(dy·γ·x̂)).
fn dx(row: &Row<'_>) -> Vec<Approx> {
    let (unit, format) = (row.inputs.unit, row.inputs.format);
    let (mean, mean_with_x_hat) = (unit.copy(row.mean_product()), row.mean_with_x_hat());
    let one = |column: usize| {
        let left = unit.sub(row.product(column), mean);
        let left = unit.sub(left, unit.product(row.x_hat[column], mean_with_x_hat));
        unit.pack(format, unit.mul(left, unit.copy(row.rstd))).value
    };
    (0..row.inputs.features).map(one).collect()
}

/// dy·x̂.
fn dgamma(row: &Row<'_>) -> Vec<Approx> {
    let (unit, format) = (row.inputs.unit, row.inputs.format);
    let one = |(dy, x_hat): (&Stored, &Stored)| unit.pack(format, unit.product(*dy, *x_hat)).value;
    row.dy.iter().zip(&row.x_hat).map(one).collect()
}

/// dy.
fn dbeta(row: &Row<'_>) -> Vec<Approx> {
    let (unit, format) = (row.inputs.unit, row.inputs.format);
    row.dy.iter().map(|dy| unit.pack(format, unit.copy(*dy)).value).collect()
}
