//! The product in f64, with the errors of its sums in Dst.

use tilewright_tile::TILE_SIDE;
use tilewright_tile::bound::{Accumulator, Approx, Growth, Multiplication};

use crate::operation::Request;
use crate::parallel;
use crate::steps::{Steps, estimate_of, exact_sum};

/// A batch of products and its sizes, in values.
#[derive(Clone, Debug)]
pub(super) struct Product {
    pub(super) request: Request,
    pub(super) rows: usize,
    pub(super) depth: usize,
    pub(super) columns: usize,
}

/// Rows of A, or columns of B: values as stored, and as the source registers hold them, where
/// each is padded to whole tiles.
struct Vectors {
    depth: usize,
    stored: Vec<f32>,
    held: Vec<Approx>,
}

impl Vectors {
    fn new(steps: Steps, depth: usize, stored: Vec<f32>) -> Vectors {
        let mut held = Vec::new();
        for vector in stored.chunks(depth) {
            held.extend(vector.iter().map(|value| steps.operand(*value)));
            held.resize(held.len().next_multiple_of(TILE_SIDE), Approx::ZERO);
        }
        Vectors { depth, stored, held }
    }

    fn vector(&self, index: usize) -> (&[f32], &[Approx]) {
        let held = self.depth.next_multiple_of(TILE_SIDE);
        (&self.stored[index * self.depth..][..self.depth], &self.held[index * held..][..held])
    }
}

impl Product {
    /// Every element: operands as the registers hold them, products summed tile after tile, the
    /// sum packed.
    pub(super) fn of(&self, a: &[f32], b: &[f32]) -> Vec<Approx> {
        let steps = Steps::new(&self.request.compute_config(), self.request.format);
        let matrices = a.chunks(self.rows * self.depth).zip(b.chunks(self.depth * self.columns));
        let mut product = Vec::with_capacity(a.len() / self.depth * self.columns);
        for (a, b) in matrices {
            let rows = Vectors::new(steps, self.depth, a.to_vec());
            let columns = Vectors::new(steps, self.depth, self.transposed(b));
            product.extend(parallel::map(self.rows * self.columns, |at| {
                let (row, column) = (at / self.columns, at % self.columns);
                self.element(steps, rows.vector(row), columns.vector(column))
            }));
        }
        product
    }

    fn transposed(&self, b: &[f32]) -> Vec<f32> {
        let column = |at: usize| b[at..].iter().step_by(self.columns).copied();
        (0..self.columns).flat_map(column).collect()
    }

    fn element(
        &self,
        steps: Steps,
        row: (&[f32], &[Approx]),
        column: (&[f32], &[Approx]),
    ) -> Approx {
        let products = row.0.iter().zip(column.0).map(|(a, b)| f64::from(*a) * f64::from(*b));
        let formats = steps.sources();
        let how = Multiplication { fidelity: self.request.settings.fidelity, formats };
        let mut sum = Accumulator::new(steps.width, Growth::Worst, Approx::ZERO);
        // The second operand is in SrcA.
        for (b, a) in column.1.chunks(TILE_SIDE).zip(row.1.chunks(TILE_SIDE)) {
            sum.add_dot(how, b, a);
        }
        // As with reductions, a sum that the renormalisation fault strikes shall be out of bound.
        let packed = steps.pack(sum.approx_without_excursion());
        estimate_of(exact_sum(products), packed)
    }
}
