//! The product in f64, with the errors of its sums in Dst.

use std::ops::Range;

use tilewright_tile::bound::{
    Accumulator, Approx, DEPTH, DotSums, Four, Growth, Multiplication, QUAD, Single,
};

use crate::operation::Request;
use crate::parallel;
use crate::steps::{Steps, estimate_of, exact_sum};

/// Elements a side of what one thread computes at a time: its operands stay in the host's caches.
const BLOCK: usize = 64;

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
    operands: Vec<Approx>,
}

impl Vectors {
    fn new(steps: Steps, depth: usize, stored: Vec<f32>) -> Vectors {
        let mut operands = Vec::new();
        for vector in stored.chunks(depth) {
            operands.extend(vector.iter().map(|value| steps.operand(*value)));
            operands.resize(operands.len().next_multiple_of(DEPTH), Approx::ZERO);
        }
        Vectors { depth, stored, operands }
    }

    /// Operands of some vectors, 32 from `depth` on, taken apart; zero, and the vector not exact,
    /// where that is not possible.
    fn factors(
        &self,
        vectors: Range<usize>,
        depth: usize,
        of: impl Fn(f32, Approx) -> Option<Single>,
        are_exact: &mut [bool; BLOCK],
    ) -> Vec<[Single; DEPTH]> {
        let factors = |(index, is_exact): (usize, &mut bool)| {
            let (stored, operands) = self.vector(index);
            std::array::from_fn(|k| {
                let stored = stored.get(depth + k).copied().unwrap_or(0.0);
                let factor = of(stored, operands[depth + k]);
                *is_exact &= factor.is_some();
                factor.unwrap_or(Single::ZERO)
            })
        };
        vectors.zip(are_exact).map(factors).collect()
    }

    fn vector(&self, index: usize) -> (&[f32], &[Approx]) {
        let padded = self.depth.next_multiple_of(DEPTH);
        (
            &self.stored[index * self.depth..][..self.depth],
            &self.operands[index * padded..][..padded],
        )
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
            self.extend(&mut product, &Elements { product: self, steps, rows, columns });
        }
        product
    }

    /// Adds the product of two matrices, block by block of its elements.
    fn extend(&self, product: &mut Vec<Approx>, elements: &Elements) {
        let start = product.len();
        product.resize(start + self.rows * self.columns, Approx::ZERO);
        let across = self.columns.div_ceil(BLOCK);
        let ranges = |at: usize| {
            let (row, column) = (at / across * BLOCK, at % across * BLOCK);
            (row..self.rows.min(row + BLOCK), column..self.columns.min(column + BLOCK))
        };
        let blocks = parallel::map(self.rows.div_ceil(BLOCK) * across, |at| {
            let (rows, columns) = ranges(at);
            elements.block(rows, columns)
        });
        for (at, block) in blocks.iter().enumerate() {
            let (rows, columns) = ranges(at);
            for (row, values) in rows.zip(block.chunks(columns.len())) {
                let out = start + row * self.columns + columns.start;
                product[out..][..values.len()].copy_from_slice(values);
            }
        }
    }

    fn transposed(&self, b: &[f32]) -> Vec<f32> {
        let column = |at: usize| b[at..].iter().step_by(self.columns).copied();
        (0..self.columns).flat_map(column).collect()
    }
}

/// The elements of the product of two matrices.
struct Elements<'a> {
    product: &'a Product,
    steps: Steps,
    rows: Vectors,
    columns: Vectors,
}

impl Elements<'_> {
    /// A block of them, row by row: four at a time, one by one where operands are not exact.
    fn block(&self, rows: Range<usize>, columns: Range<usize>) -> Vec<Approx> {
        let how = self.multiplication();
        let quads = columns.len().div_ceil(QUAD);
        let mut sums = vec![DotSums::new(self.steps.width); rows.len() * quads];
        let (mut rows_exact, mut columns_exact) = ([true; BLOCK], [true; BLOCK]);
        for depth in (0..self.product.depth).step_by(DEPTH) {
            // The second operand is in SrcA.
            let in_a = |x: f32, operand| Single::in_a(how, x, operand);
            let in_b = |x: f32, operand| Single::in_b(how, x, operand);
            let a = self.columns.factors(columns.clone(), depth, in_a, &mut columns_exact);
            let b = self.rows.factors(rows.clone(), depth, in_b, &mut rows_exact);
            let a: Vec<_> = a.chunks(QUAD).map(side_by_side).collect();
            for (b, sums) in b.iter().zip(sums.chunks_mut(quads)) {
                sums.iter_mut().zip(&a).for_each(|(sum, a)| sum.add(how, a, b));
            }
        }
        let mut block = Vec::with_capacity(rows.len() * columns.len());
        for (row, sums) in rows.clone().zip(sums.chunks(quads)) {
            let values = sums.iter().flat_map(|sum| sum.exact().into_iter().zip(sum.approx()));
            for (column, (exact, sum)) in columns.clone().zip(values) {
                let is_exact =
                    rows_exact[row - rows.start] && columns_exact[column - columns.start];
                block.push(match is_exact {
                    true => estimate_of(exact, self.steps.pack(sum)),
                    false => self.element(self.rows.vector(row), self.columns.vector(column)),
                });
            }
        }
        block
    }

    fn element(&self, row: (&[f32], &[Approx]), column: (&[f32], &[Approx])) -> Approx {
        let products = row.0.iter().zip(column.0).map(|(a, b)| f64::from(*a) * f64::from(*b));
        let mut sum = Accumulator::new(self.steps.width, Growth::Worst, Approx::ZERO);
        for (b, a) in column.1.chunks(DEPTH).zip(row.1.chunks(DEPTH)) {
            sum.add_dot(self.multiplication(), b, a);
        }
        // As with reductions, a sum that the renormalisation fault strikes shall be out of bound.
        let packed = self.steps.pack(sum.approx_without_excursion());
        estimate_of(exact_sum(products), packed)
    }

    fn multiplication(&self) -> Multiplication {
        let fidelity = self.product.request.settings.fidelity;
        Multiplication { fidelity, formats: self.steps.sources() }
    }
}

/// Factors of up to four vectors, for four sums.
fn side_by_side(vectors: &[[Single; DEPTH]]) -> [Four; DEPTH] {
    let at = |k: usize| move |sum: usize| vectors.get(sum).map_or(Single::ZERO, |it| it[k]);
    std::array::from_fn(|k| Four::new(std::array::from_fn(at(k))))
}
