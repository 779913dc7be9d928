//! mean, 1/std and y of each tile-row: two passes over the row for the statistics, a third for y.

use std::ops::Range;

use tilewright_metal::Layout;
use tilewright_metal::api::Compute;
use tilewright_tile::DataFormat;
use tilewright_tile::fpu::ReduceDim;

use crate::layernorm::row::{Row, TilizePages};
use crate::layernorm::{Path, cb};

/// What the kernel is made for.
#[derive(Clone, Copy)]
pub(in crate::layernorm) struct Plan {
    pub(in crate::layernorm) path: Path,
    /// The layout of x, γ, β and y.
    pub(in crate::layernorm) layout: Layout,
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

    /// Whether blocks are made of sticks as they are needed. That takes Dst, so that a sum must
    /// leave it: a section that another one interrupts loses what it holds.
    fn tilizes_blocks(self) -> bool {
        self.path == Path::Block && self.layout == Layout::RowMajor
    }
}

/// Tiles of a block. Dst holds eight: two are for what all tiles of a block need.
pub(in crate::layernorm) const BLOCK: u32 = 6;

/// Registers of the sums, after those of a block. The mask must follow the tile it masks, which is
/// the row's last: after a whole block it takes the place of the mean, which has been used then.
const MEAN: u32 = BLOCK;
const SUM: u32 = BLOCK + 1;
/// Registers of the outputs, after those of a block: mean and 1/std, then some of γ or β.
const OUT_MEAN: u32 = BLOCK;
const OUT_RSTD: u32 = BLOCK + 1;
const ROWS: Range<u32> = BLOCK..BLOCK + 2;

pub(super) fn kernel(ctx: &Compute<'_>, plan: Plan) {
    ctx.compute_kernel_hw_startup(cb::X, cb::ONES, cb::OUT);
    ctx.cb_wait_front(cb::ONES, 1);
    ctx.cb_wait_front(cb::ZEROS, 1);
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
        self.sum(load_mean, |tiles| {
            self.row.subtract_from_each(0, tiles, MEAN);
            self.row.ctx.square_tile_init();
            (0..tiles).for_each(|tile| self.row.ctx.square_tile(tile));
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

    /// The elementwise sum of a row's tiles, each changed by `change` in the first registers, split
    /// for the matrix unit.
    fn sum(&self, prepare: impl Fn(), change: impl Fn(u32)) {
        let (ctx, row, plan) = (self.row.ctx, &self.row, self.plan);
        let is_cut = plan.tilizes_blocks();
        if !is_cut {
            self.begin_sum(0, &prepare);
        }
        self.blocks(&[cb::X], |first, tiles| {
            if is_cut {
                self.begin_sum(first, &prepare);
            }
            row.load_tiles(cb::X, self.operand(first), 0, tiles);
            change(tiles);
            if plan.is_masked() && first + tiles == plan.row_tiles {
                row.load(cb::MASK, 0, tiles);
                row.mask(tiles - 1);
            }
            row.add_all(SUM, 0, tiles);
            if is_cut && first + tiles < plan.row_tiles {
                self.carry_sum();
            }
        });
        row.split(SUM, 0);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        row.pack(&[0, SUM], cb::SPLIT);
        ctx.tile_regs_release();
    }

    /// Acquires Dst for a sum, or for the next block of one.
    fn begin_sum(&self, first: u32, prepare: &impl Fn()) {
        let (ctx, row) = (self.row.ctx, &self.row);
        ctx.tile_regs_acquire();
        if first == 0 {
            row.zero(SUM);
        } else {
            ctx.cb_wait_front(cb::CARRY, 1);
            row.load(cb::CARRY, 0, SUM);
            ctx.cb_pop_front(cb::CARRY, 1);
        }
        prepare();
    }

    /// Puts a sum aside. Float32 goes from Dst to L1 and back unchanged.
    fn carry_sum(&self) {
        let ctx = self.row.ctx;
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        self.row.pack(&[SUM], cb::CARRY);
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
            let operand = self.operand(first);
            row.load_columns(&[(cb::MEAN, OUT_MEAN), (cb::RSTD, OUT_RSTD)], 0);
            row.load_tiles(cb::X, operand, 0, tiles);
            row.subtract_from_each(0, tiles, OUT_MEAN);
            row.multiply_all(0, tiles, OUT_RSTD);
            row.multiply_by_rows(cb::GAMMA, operand, tiles, ROWS);
            row.add_rows(cb::BETA, operand, tiles, ROWS);
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
            let tiles = BLOCK.min(self.plan.row_tiles - first);
            if self.plan.tilizes_blocks() {
                let pages = TilizePages { sticks: BLOCK, tiles: BLOCK };
                streamed.iter().for_each(|buffer| self.row.tilize(tiles, pages, *buffer));
            }
            if self.plan.path == Path::Block {
                streamed.iter().for_each(|buffer| ctx.cb_wait_front(*buffer, BLOCK));
            }
            each(first, tiles);
            if self.plan.path == Path::Block {
                streamed.iter().for_each(|buffer| ctx.cb_pop_front(*buffer, BLOCK));
            }
        }
    }

    /// Where a block's first tile is in its buffer.
    fn operand(&self, first: u32) -> u32 {
        match self.plan.path {
            Path::Row => first,
            Path::Block => 0,
        }
    }
}
