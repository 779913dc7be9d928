//! Softmax in f64, with the errors of the kernel's steps.

use tilewright_metal::{ComputeConfig, Exact};
use tilewright_tile::bound::{self, Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::sfpu::{Binary, Unary};
use tilewright_tile::{SourceFormats, TILE_SIDE};

use super::plan::{block_tiles, intermediate};
use crate::operation::Request;
use crate::reference::in_parts;
use crate::steps::{Steps, estimate_of};

/// What the reference needs of a request.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    config: ComputeConfig,
    width: usize,
    /// Tiles that are summed at a time.
    block: usize,
    /// Input and output.
    outer: Steps,
    /// What is packed and unpacked between the steps.
    inner: Steps,
}

impl Reference {
    pub(super) fn new(request: &Request) -> Reference {
        let config = request.compute_config();
        let inner = Steps::new(&config, intermediate(request.settings.width));
        let outer = Steps::new(&config, request.format);
        let block = block_tiles(request.shape.tile_columns() as u32, &request.settings) as usize;
        Reference { width: request.shape.width(), block, config, outer, inner }
    }

    /// Every row of the values.
    pub(super) fn of(self, values: Vec<f32>) -> Exact {
        let width = self.width;
        in_parts(values.len(), width, move |row, out| {
            self.row(&values[row * width..][..width], out);
        })
    }

    fn row(&self, row: &[f32], out: &mut [Approx]) {
        if row.iter().any(|value| !value.is_finite()) {
            return out.fill(Approx::special());
        }
        let operand = |x: f32| self.outer.operand(x).value;
        let larger = |a: f32, b: f32| if operand(b) > operand(a) { b } else { a };
        let shift = row.iter().copied().fold(row[0], larger);
        let exps: Vec<Approx> = row.iter().map(|x| self.exponential(*x, shift)).collect();
        let reciprocal = self.reciprocal(self.sum(&exps));
        let scaled = exps.iter().map(|exp| self.scaled(*exp, reciprocal));
        out.iter_mut().zip(scaled).for_each(|(out, value)| *out = value);
    }

    /// exp(x - shift), as the registers hold it after the way through L1.
    ///
    /// Softmax is the same whatever the shift, so that the exact values are shifted by the input
    /// that the device takes for the maximum. Both operands are known bit for bit, and so is how
    /// far their difference is from the exact one.
    fn exponential(&self, x: f32, shift: f32) -> Approx {
        let width = self.outer.width;
        let [operand, operand_shift] = [x, shift].map(|value| self.outer.operand(value));
        let formats = SourceFormats { a: self.outer.register(), b: self.inner.register() };
        let device = bound::subtract_sources(width, formats, operand, operand_shift);
        let shifted = estimate_of(f64::from(x) - f64::from(shift), device);
        let exp = bound::unary(Unary::Exp { approx: false }, width, shifted);
        self.inner.unpack(self.inner.pack(exp))
    }

    /// The row's sum as it was last packed: blocks, each summed in Dst, added up one by one.
    fn sum(&self, exps: &[Approx]) -> Approx {
        let blocks = exps.chunks(self.block * TILE_SIDE);
        let sums = blocks.map(|block| bound::copy(self.inner.pack(self.block_sum(block))));
        let add =
            |sum, block| self.inner.pack(bound::binary(Binary::Add, self.inner.width, sum, block));
        sums.reduce(add).unwrap_or(Approx::ZERO)
    }

    /// A block's sum; padding adds nothing, its exponentials are zero.
    fn block_sum(&self, block: &[Approx]) -> Approx {
        let formats = SourceFormats { a: self.outer.register(), b: self.inner.register() };
        let mut sum = Accumulator::new(self.inner.width, Growth::Worst, Approx::ZERO);
        for tile in block.chunks(TILE_SIDE) {
            let mut row = [Approx::ZERO; TILE_SIDE];
            row[..tile.len()].copy_from_slice(tile);
            sum.add_row(self.multiplication(formats), &row, Approx::exact(1.0));
        }
        sum.approx()
    }

    /// The sum inverted, packed and in a register again.
    fn reciprocal(&self, sum: Approx) -> Approx {
        let operation = Unary::Recip { legacy: false };
        let inverse = bound::unary(operation, self.inner.width, bound::copy(sum));
        self.inner.unpack(self.inner.pack(inverse))
    }

    fn scaled(&self, exp: Approx, reciprocal: Approx) -> Approx {
        let how = self.multiplication(self.inner.sources());
        let scaled = bound::multiply_sources(self.inner.width, how, exp, reciprocal, Approx::ZERO);
        self.outer.pack(scaled)
    }

    fn multiplication(&self, formats: SourceFormats) -> Multiplication {
        Multiplication { fidelity: self.config.settings.fidelity, formats }
    }
}
