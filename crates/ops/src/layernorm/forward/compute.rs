//! mean, 1/std and y of each tile-row: two passes over the row for the statistics, a third for y.

use tilewright_metal::api::Compute;
use tilewright_tile::DataFormat;
use tilewright_tile::fpu::ReduceDim;

use crate::layernorm::row::{BLOCK, Row};
use crate::layernorm::{Path, cb};

/// What the kernel is made for.
#[derive(Clone, Copy)]
pub(in crate::layernorm) struct Plan {
    pub(in crate::layernorm) path: Path,
    pub(in crate::layernorm) format: DataFormat,
    pub(in crate::layernorm) features: u32,
    pub(in crate::layernorm) row_tiles: u32,
    pub(in crate::layernorm) epsilon: f32,
    pub(in crate::layernorm) writes_statistics: bool,
}

impl Plan {
    pub(in crate::layernorm) fn is_masked(self) -> bool {
        self.features < 32 * self.row_tiles
    }
}

/// Registers of the sums: the mask must come right after what it masks.
const SUM: u32 = 0;
const WORK: u32 = 1;
const MASK: u32 = 2;
const MEAN: u32 = 3;
/// Registers of the outputs, after those of a block.
const SPARE: u32 = BLOCK;
const OUT_MEAN: u32 = BLOCK + 1;
const OUT_RSTD: u32 = BLOCK + 2;

pub(super) fn kernel(ctx: &Compute<'_>, plan: Plan) {
    ctx.compute_kernel_hw_startup(cb::X, cb::ONES, cb::OUT);
    ctx.cb_wait_front(cb::ONES, 1);
    if plan.is_masked() {
        ctx.cb_wait_front(cb::MASK, 1);
    }
    let row = Forward { row: Row { ctx, format: plan.format }, plan };
    if plan.path == Path::Row {
        ctx.cb_wait_front(cb::GAMMA, plan.row_tiles);
        ctx.cb_wait_front(cb::BETA, plan.row_tiles);
    }
    for _ in 0..ctx.arg(0) {
        if plan.path == Path::Row {
            ctx.cb_wait_front(cb::X, plan.row_tiles);
        }
        row.statistics();
        row.outputs(|tiles| row.pack_block(tiles, cb::OUT));
        ctx.cb_pop_front(cb::MEAN, 1);
        ctx.cb_pop_front(cb::RSTD, 1);
        if plan.path == Path::Row {
            ctx.cb_pop_front(cb::X, plan.row_tiles);
        }
    }
}

/// The steps of a tile-row, for the tile-layout kernel and the row-major one.
pub(in crate::layernorm) struct Forward<'a> {
    pub(in crate::layernorm) row: Row<'a>,
    pub(in crate::layernorm) plan: Plan,
}

impl Forward<'_> {
    /// mean, then 1/std, to their buffers.
    pub(in crate::layernorm) fn statistics(&self) {
        self.sum(|| {}, |_| {});
        self.finish(cb::MEAN, cb::MEAN_OUT, |_| {});
        self.row.ctx.cb_wait_front(cb::MEAN, 1);
        let load_mean = || self.row.load_column(cb::MEAN, 0, MEAN);
        self.sum(load_mean, |work| {
            self.row.subtract(work, MEAN, work);
            self.row.ctx.square_tile_init();
            self.row.ctx.square_tile(work);
        });
        self.finish(cb::RSTD, cb::RSTD_OUT, |variance| {
            let ctx = self.row.ctx;
            ctx.binop_with_scalar_tile_init();
            ctx.add_unary_tile(variance, self.plan.epsilon.to_bits());
            ctx.rsqrt_tile_init();
            ctx.rsqrt_tile(variance);
        });
        self.row.ctx.cb_wait_front(cb::RSTD, 1);
    }

    /// The elementwise sum of a row's tiles, each changed by `change`, split for the matrix unit.
    fn sum(&self, prepare: impl Fn(), change: impl Fn(u32)) {
        let (ctx, row, plan) = (self.row.ctx, &self.row, self.plan);
        ctx.tile_regs_acquire();
        row.zero(SUM);
        if plan.is_masked() {
            row.load(cb::MASK, 0, MASK);
        }
        prepare();
        self.blocks(&[cb::X], |first, tiles| {
            for tile in 0..tiles {
                row.load(cb::X, self.operand(first, tile), WORK);
                change(WORK);
                if plan.is_masked() && first + tile + 1 == plan.row_tiles {
                    row.mask(WORK);
                }
                row.add(SUM, WORK, SUM);
            }
        });
        row.split(SUM, WORK);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        row.pack(&[WORK, SUM], cb::SPLIT);
        ctx.tile_regs_release();
    }

    /// The row sum over N, changed by `change`, to a buffer and to an output.
    fn finish(&self, to: u8, output: u8, change: impl Fn(u32)) {
        let (ctx, row) = (self.row.ctx, &self.row);
        ctx.cb_wait_front(cb::SPLIT, 2);
        ctx.tile_regs_acquire();
        row.reduce(ReduceDim::Row, 0, SUM);
        row.over(self.plan.features, SUM);
        change(SUM);
        ctx.tile_regs_commit();
        ctx.cb_pop_front(cb::SPLIT, 2);
        ctx.tile_regs_wait();
        row.pack(&[SUM], to);
        if self.plan.writes_statistics {
            row.pack(&[SUM], output);
        }
        ctx.tile_regs_release();
        ctx.reduce_uninit();
    }

    /// y in blocks; `emit` packs a block whose tiles are in the first registers.
    pub(in crate::layernorm) fn outputs(&self, emit: impl Fn(u32)) {
        let (ctx, row) = (self.row.ctx, &self.row);
        self.blocks(&[cb::X, cb::GAMMA, cb::BETA], |first, tiles| {
            ctx.tile_regs_acquire();
            row.load_column(cb::MEAN, 0, OUT_MEAN);
            row.load_column(cb::RSTD, 0, OUT_RSTD);
            for tile in 0..tiles {
                let operand = self.operand(first, tile);
                row.load(cb::X, operand, tile);
                row.subtract(tile, OUT_MEAN, tile);
                row.multiply(tile, OUT_RSTD, tile);
                row.load_row(cb::GAMMA, operand, SPARE);
                row.multiply(tile, SPARE, tile);
                row.add_row(cb::BETA, operand, tile, SPARE);
            }
            ctx.tile_regs_commit();
            ctx.tile_regs_wait();
            emit(tiles);
            ctx.tile_regs_release();
        });
    }

    /// Packs a block's tiles; its buffer moves on by whole blocks, whatever the tail's size.
    fn pack_block(&self, tiles: u32, to: u8) {
        let ctx = self.row.ctx;
        ctx.cb_reserve_back(to, BLOCK);
        ctx.pack_reconfig_data_format(to);
        ctx.pack_block(0, to, tiles);
        ctx.cb_push_back(to, BLOCK);
    }

    /// Walks over a row in blocks; buffers that do not hold the row are waited for and popped.
    fn blocks(&self, streamed: &[u8], each: impl Fn(u32, u32)) {
        let ctx = self.row.ctx;
        for first in (0..self.plan.row_tiles).step_by(BLOCK as usize) {
            if self.plan.path == Path::Block {
                streamed.iter().for_each(|buffer| ctx.cb_wait_front(*buffer, BLOCK));
            }
            each(first, BLOCK.min(self.plan.row_tiles - first));
            if self.plan.path == Path::Block {
                streamed.iter().for_each(|buffer| ctx.cb_pop_front(*buffer, BLOCK));
            }
        }
    }

    fn operand(&self, first: u32, tile: u32) -> u32 {
        match self.plan.path {
            Path::Row => first + tile,
            Path::Block => tile,
        }
    }
}
