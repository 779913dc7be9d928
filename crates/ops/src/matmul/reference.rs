//! The product in f64, with the errors of its sums in Dst.

use std::ops::Range;
use std::sync::LazyLock;

use tilewright_metal::Exact;
use tilewright_tile::bound::{
    Accumulator, Approx, DEPTH, DotSums, Extent, Four, Growth, Multiplication, QUAD, Single,
};

use crate::operation::Request;
use crate::parallel;
use crate::reference::in_parts;
use crate::steps::{Steps, estimate_of, exact_sum, masked};

/// Elements a side of what is computed at a time: its operands stay in the host's caches.
const BLOCK: usize = 64;

/// Rows of those elements that go with four columns at a time, whose factors fill half of the
/// nearest cache.
const ROWS: usize = 8;

/// A batch of products and its sizes, in values.
#[derive(Clone, Debug)]
pub(super) struct Product {
    pub(super) request: Request,
    pub(super) rows: usize,
    pub(super) depth: usize,
    pub(super) columns: usize,
}

/// Rows of A, or columns of B, as stored, and how far the factors of each reach.
struct Vectors {
    depth: usize,
    stored: Vec<f32>,
    extents: Vec<Extent>,
    are_exact: Vec<bool>,
}

impl Vectors {
    fn new(
        depth: usize,
        stored: Vec<f32>,
        taken: impl Fn(f32) -> Option<Single> + Sync,
    ) -> Vectors {
        let extent = |vector: usize| {
            let (mut extent, mut is_exact) = (Extent::NONE, true);
            for value in &stored[vector * depth..][..depth] {
                let taken = taken(*value);
                is_exact &= taken.is_some();
                extent.count(&taken.unwrap_or(Single::ZERO));
            }
            (extent, is_exact)
        };
        let known = parallel::map(stored.len() / depth, extent).into_iter();
        let (extents, are_exact) = known.unzip();
        Vectors { depth, stored, extents, are_exact }
    }

    /// Shows operands of some vectors, 32 from `depth` on, taken apart: the vector's place among
    /// them, the operand's, and zero where there is none or it is not exact.
    fn factors(
        &self,
        vectors: Range<usize>,
        depth: usize,
        taken: impl Fn(f32) -> Option<Single>,
        mut show: impl FnMut(usize, usize, Single),
    ) {
        for (place, vector) in vectors.enumerate() {
            let stored = &self.vector(vector)[depth..];
            for k in 0..DEPTH {
                let factor = stored.get(k).and_then(|stored| taken(*stored));
                show(place, k, factor.unwrap_or(Single::ZERO));
            }
        }
    }

    fn vector(&self, index: usize) -> &[f32] {
        &self.stored[index * self.depth..][..self.depth]
    }
}

impl Product {
    /// Every element: operands as the registers hold them, products summed tile after tile, the
    /// sum packed.
    pub(super) fn of(self, a: Vec<f32>, b: Vec<f32>) -> Exact {
        let (rows, columns) = (self.rows, self.columns);
        let all_rows = a.len() / self.depth;
        let matrices = LazyLock::new(move || self.matrices(&a, &b));
        // Few rows are shared among threads; of many, factors of columns serve as many as may be.
        let part_rows = (all_rows / 8).clamp(ROWS, BLOCK);
        in_parts(all_rows * columns, part_rows * columns, move |part, mut out| {
            let mut row = part * part_rows;
            while !out.is_empty() {
                let first = row % rows;
                let count = (rows - first).min(out.len() / columns);
                let (now, rest) = out.split_at_mut(count * columns);
                matrices[row / rows].write(first..first + count, now);
                (row, out) = (row + count, rest);
            }
        })
    }

    fn matrices(&self, a: &[f32], b: &[f32]) -> Vec<Elements> {
        let steps = Steps::new(&self.request.compute_config(), self.request.format);
        let (fidelity, formats) = (self.request.settings.fidelity, steps.sources());
        let mask = steps.register().source_mask();
        let taken = Taken { how: Multiplication { fidelity, formats }, mask };
        let matrices = a.chunks(self.rows * self.depth).zip(b.chunks(self.depth * self.columns));
        let elements = |(a, b): (&[f32], &[f32])| Elements {
            steps,
            taken,
            rows: Vectors::new(self.depth, a.to_vec(), |x| taken.in_b(x)),
            columns: Vectors::new(self.depth, self.transposed(b), |x| taken.in_a(x)),
        };
        matrices.map(elements).collect()
    }

    fn transposed(&self, b: &[f32]) -> Vec<f32> {
        let column = |at: usize| b[at..].iter().step_by(self.columns).copied();
        (0..self.columns).flat_map(column).collect()
    }
}

/// How the multiplier takes stored values.
#[derive(Clone, Copy)]
struct Taken {
    how: Multiplication,
    mask: u32,
}

impl Taken {
    /// A factor from a column of B: the second operand is in SrcA.
    #[inline]
    fn in_a(self, stored: f32) -> Option<Single> {
        Single::in_a(self.how, stored, masked(self.mask, stored))
    }

    /// A factor from a row of A.
    #[inline]
    fn in_b(self, stored: f32) -> Option<Single> {
        Single::in_b(self.how, stored, masked(self.mask, stored))
    }
}

/// The elements of the product of two matrices.
struct Elements {
    steps: Steps,
    taken: Taken,
    rows: Vectors,
    columns: Vectors,
}

/// Room for the factors and sums of a block.
#[derive(Default)]
struct Room {
    /// Of columns, four side by side.
    a: Vec<[Four; DEPTH]>,
    /// Of rows.
    b: Vec<[Single; DEPTH]>,
    sums: Vec<DotSums>,
}

impl Elements {
    /// Writes some rows of them, at most as many as a block has, block by block.
    fn write(&self, rows: Range<usize>, out: &mut [Approx]) {
        let width = self.columns.extents.len();
        let mut room = Room::default();
        for first in (0..width).step_by(BLOCK) {
            let columns = first..width.min(first + BLOCK);
            self.sum(&rows, &columns, &mut room);
            self.write_block((&rows, &columns), &room.sums, out);
        }
    }

    /// Writes a block of them: sums of four, or one by one where operands are not exact.
    fn write_block(
        &self,
        (rows, columns): (&Range<usize>, &Range<usize>),
        sums: &[DotSums],
        out: &mut [Approx],
    ) {
        let width = self.columns.extents.len();
        let sums = sums.chunks(columns.len().div_ceil(QUAD));
        for ((row, sums), out) in rows.clone().zip(sums).zip(out.chunks_mut(width)) {
            let values = sums.iter().flat_map(|sum| sum.exact().into_iter().zip(sum.approx()));
            for (column, (exact, sum)) in columns.clone().zip(values) {
                out[column] = match self.rows.are_exact[row] && self.columns.are_exact[column] {
                    true => estimate_of(exact, self.steps.pack(sum)),
                    false => self.element(self.rows.vector(row), self.columns.vector(column)),
                };
            }
        }
    }

    /// The sums of a block.
    fn sum(&self, rows: &Range<usize>, columns: &Range<usize>, room: &mut Room) {
        let taken = self.taken;
        let quads = columns.len().div_ceil(QUAD);
        let Room { a, b, sums } = room;
        a.resize(quads, [Four::ZERO; DEPTH]);
        b.resize(rows.len(), [Single::ZERO; DEPTH]);
        sums.clear();
        sums.resize(rows.len() * quads, DotSums::new(self.steps.width));
        let are_whole = self.are_whole(rows, columns);
        for depth in (0..self.rows.depth).step_by(DEPTH) {
            let set =
                |column: usize, k: usize, factor| a[column / QUAD][k].set(column % QUAD, &factor);
            self.columns.factors(columns.clone(), depth, |x| taken.in_a(x), set);
            self.rows.factors(
                rows.clone(),
                depth,
                |x| taken.in_b(x),
                |row, k, factor| {
                    b[row][k] = factor;
                },
            );
            for first in (0..rows.len()).step_by(ROWS) {
                for (quad, a) in a.iter().enumerate() {
                    for (row, b) in b.iter().enumerate().skip(first).take(ROWS) {
                        let at = row * quads + quad;
                        match are_whole[at] {
                            true => sums[at].add_whole(taken.how, a, b),
                            false => sums[at].add(taken.how, a, b),
                        }
                    }
                }
            }
        }
    }

    /// Of which four sums f64 holds every partial sum.
    fn are_whole(&self, rows: &Range<usize>, columns: &Range<usize>) -> Vec<bool> {
        let rows = self.rows.extents[rows.clone()].iter();
        let columns = &self.columns.extents[columns.clone()];
        let of_row = |row| {
            let is_whole = move |four: &[Extent]| four.iter().all(|it| it.is_whole_with(row));
            columns.chunks(QUAD).map(is_whole)
        };
        rows.flat_map(of_row).collect()
    }

    fn element(&self, row: &[f32], column: &[f32]) -> Approx {
        let products = row.iter().zip(column).map(|(a, b)| f64::from(*a) * f64::from(*b));
        let mut sum = Accumulator::new(self.steps.width, Growth::Worst, Approx::ZERO);
        let operands = |values: &[f32]| -> [Approx; DEPTH] {
            let operand =
                |at: usize| values.get(at).map_or(Approx::ZERO, |x| self.steps.operand(*x));
            std::array::from_fn(operand)
        };
        for (b, a) in column.chunks(DEPTH).zip(row.chunks(DEPTH)) {
            sum.add_dot(self.taken.how, &operands(b), &operands(a));
        }
        // As with reductions, a sum that the renormalisation fault strikes shall be out of bound.
        let packed = self.steps.pack(sum.approx_without_excursion());
        estimate_of(exact_sum(products), packed)
    }
}
