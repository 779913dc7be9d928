//! Rows that are normalised one by one, and the steps that layer and RMS normalisation share.

use std::sync::Arc;

use tilewright_metal::Shape;
use tilewright_tile::DataFormat;
use tilewright_tile::bound::Approx;
use tilewright_tile::sfpu::Unary;

use super::unit::{Stored, Unit};
use crate::parallel;
use crate::reference::Wanted;

pub(super) const RSQRT: Unary = Unary::Rsqrt { approx: false, legacy: false, fast: false };
pub(super) const SQRT: Unary = Unary::Sqrt { approx: false, fast: false };

/// Rows and what they are normalised with.
pub(super) struct Rows {
    pub(super) unit: Unit,
    pub(super) format: DataFormat,
    /// What is packed between the steps.
    pub(super) inner: DataFormat,
    pub(super) features: usize,
    pub(super) epsilon: f64,
    pub(super) x: Vec<f32>,
    /// What is added to x first; empty if nothing is.
    pub(super) residual: Vec<f32>,
    pub(super) gamma: Vec<f32>,
    pub(super) beta: Vec<f32>,
}

impl Rows {
    pub(super) fn x(&self, row: usize) -> impl Iterator<Item = Stored> {
        let values = &self.x[row * self.features..][..self.features];
        values.iter().map(|x| Stored::input(self.format, *x))
    }

    pub(super) fn gamma(&self, column: usize) -> Stored {
        Stored::input(self.format, self.gamma[column])
    }

    pub(super) fn beta(&self, column: usize) -> Stored {
        Stored::input(self.format, self.beta[column])
    }

    /// The sum of lanes that were kept in a buffer, times 1/N cut to bf16.
    pub(super) fn mean_of_lanes(&self, kept: DataFormat, lanes: [Approx; 32]) -> Approx {
        let kept = lanes.map(|lane| self.unit.pack(kept, lane));
        self.unit.reduce(&kept, Stored::cut(1.0 / self.features as f64))
    }

    pub(super) fn with_epsilon(&self, x: Approx) -> Approx {
        self.unit.add(x, self.unit.copy(Stored::cut(self.epsilon)))
    }
}

/// An output's values in a row.
pub(super) type OfRow = fn(&Rows, usize) -> Vec<Approx>;

/// Outputs by name, each computed row by row.
pub(super) fn outputs<const COUNT: usize>(
    rows: Rows,
    named: [(&'static str, Shape, OfRow); COUNT],
) -> Vec<Wanted> {
    let rows = Arc::new(rows);
    let wanted = |(name, shape, of_row): (&'static str, Shape, OfRow)| {
        let rows = Arc::clone(&rows);
        let count = rows.x.len() / rows.features;
        let values = move || parallel::concat(count, |row| of_row(&rows, row));
        Wanted { name, shape, values: Box::new(values) }
    };
    named.into_iter().map(wanted).collect()
}
