//! dx = rstd·(dy·γ - mean(dy·γ) - x̂·mean(dy·γ·x̂)): one pass over the row for the two means, one
//! for dx.

use tilewright_metal::api::Compute;
use tilewright_tile::fpu::ReduceDim;

use super::Plan;
use crate::layernorm::row::Row;
use crate::layernorm::{Path, cb};

/// Tiles of a block. Dst holds eight: each tile takes two, and two are for what all of them need.
pub(super) const BLOCK: u32 = 3;

/// Registers of the sums; the mask must come right after what it masks.
mod sums {
    pub(super) const DY_GAMMA: u32 = 0;
    pub(super) const DY_GAMMA_X_HAT: u32 = 1;
    pub(super) const X_HAT: u32 = 2;
    pub(super) const SPARE: u32 = 3;
    pub(super) const PRODUCT: u32 = 4;
    pub(super) const MASK: u32 = 5;
    pub(super) const MEAN: u32 = 6;
    pub(super) const RSTD: u32 = 7;
}

/// Registers of the outputs: those of a block, its products, and the row's.
mod outputs {
    use super::BLOCK;
    pub(super) const PRODUCTS: u32 = BLOCK;
    pub(super) const SPARE: u32 = 2 * BLOCK;
    pub(super) const RSTD: u32 = 2 * BLOCK + 1;
}

pub(super) fn kernel(ctx: &Compute<'_>, plan: Plan) {
    ctx.compute_kernel_hw_startup(cb::X, cb::ONES, cb::OUT);
    ctx.cb_wait_front(cb::ONES, 1);
    if plan.is_masked() {
        ctx.cb_wait_front(cb::MASK, 1);
    }
    let kernel = Kernel { row: Row { ctx, format: plan.format }, plan };
    for _ in 0..ctx.arg(0) {
        ctx.cb_wait_front(cb::MEAN, 1);
        ctx.cb_wait_front(cb::RSTD, 1);
        if plan.path == Path::Row {
            for buffer in [cb::GAMMA, cb::X, cb::DY] {
                ctx.cb_wait_front(buffer, plan.row_tiles);
            }
        }
        kernel.sums();
        kernel.means();
        kernel.outputs();
        for used in [cb::MEAN, cb::RSTD, cb::MEAN_DY_GAMMA, cb::MEAN_DY_GAMMA_X_HAT] {
            ctx.cb_pop_front(used, 1);
        }
        if plan.path == Path::Row {
            ctx.cb_pop_front(cb::X, plan.row_tiles);
            ctx.cb_pop_front(cb::DY, plan.row_tiles);
        }
    }
}

struct Kernel<'a> {
    row: Row<'a>,
    plan: Plan,
}

impl Kernel<'_> {
    /// The elementwise sums of the row's tiles of dy·γ and dy·γ·x̂, split for the matrix unit.
    fn sums(&self) {
        use sums::{DY_GAMMA, DY_GAMMA_X_HAT, MASK, MEAN, PRODUCT, RSTD, SPARE, X_HAT};
        let (ctx, row, plan) = (self.row.ctx, &self.row, self.plan);
        ctx.tile_regs_acquire();
        row.zero_tiles(DY_GAMMA, 2);
        row.load_columns(&[(cb::MEAN, MEAN), (cb::RSTD, RSTD)], 0);
        if plan.is_masked() {
            row.load(cb::MASK, 0, MASK);
        }
        self.blocks(|first, tiles| {
            for tile in 0..tiles {
                let operand = self.operand(first, tile);
                let is_masked = plan.is_masked() && first + tile + 1 == plan.row_tiles;
                row.load(cb::X, operand, X_HAT);
                row.subtract(X_HAT, MEAN, X_HAT);
                row.multiply(X_HAT, RSTD, X_HAT);
                row.load_times_rows((cb::DY, cb::GAMMA), operand, PRODUCT, SPARE, 1);
                if is_masked {
                    row.mask(PRODUCT);
                }
                row.add(DY_GAMMA, PRODUCT, DY_GAMMA);
                row.multiply(PRODUCT, X_HAT, PRODUCT);
                if is_masked {
                    row.mask(PRODUCT);
                }
                row.add(DY_GAMMA_X_HAT, PRODUCT, DY_GAMMA_X_HAT);
            }
        });
        row.split(DY_GAMMA, X_HAT);
        row.split(DY_GAMMA_X_HAT, SPARE);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        row.pack(&[X_HAT, DY_GAMMA, SPARE, DY_GAMMA_X_HAT], cb::SPLIT);
        ctx.tile_regs_release();
    }

    /// Both row sums over N, to their buffers.
    fn means(&self) {
        use sums::{DY_GAMMA, DY_GAMMA_X_HAT};
        let (ctx, row) = (self.row.ctx, &self.row);
        ctx.cb_wait_front(cb::SPLIT, 4);
        ctx.tile_regs_acquire();
        for (first_part, register) in [(0, DY_GAMMA), (2, DY_GAMMA_X_HAT)] {
            row.reduce(ReduceDim::Row, first_part, register);
            row.over(self.plan.features, register);
        }
        ctx.tile_regs_commit();
        ctx.cb_pop_front(cb::SPLIT, 4);
        ctx.tile_regs_wait();
        row.pack(&[DY_GAMMA], cb::MEAN_DY_GAMMA);
        row.pack(&[DY_GAMMA_X_HAT], cb::MEAN_DY_GAMMA_X_HAT);
        ctx.tile_regs_release();
        ctx.reduce_uninit();
        ctx.cb_wait_front(cb::MEAN_DY_GAMMA, 1);
        ctx.cb_wait_front(cb::MEAN_DY_GAMMA_X_HAT, 1);
    }

    /// dx in blocks: what is subtracted first, then the products it is subtracted from. The row's
    /// columns take turns in one register.
    fn outputs(&self) {
        use outputs::{PRODUCTS, RSTD, SPARE};
        let (ctx, row) = (self.row.ctx, &self.row);
        self.blocks(|first, tiles| {
            let operand = self.operand(first, 0);
            ctx.tile_regs_acquire();
            row.load_columns(&[(cb::MEAN, SPARE), (cb::RSTD, RSTD)], 0);
            row.load_tiles(cb::X, operand, 0, tiles);
            row.subtract_from_each(0, tiles, SPARE);
            row.multiply_all(0, tiles, RSTD);
            row.load_column(cb::MEAN_DY_GAMMA_X_HAT, 0, SPARE);
            row.multiply_all(0, tiles, SPARE);
            row.load_next_column(cb::MEAN_DY_GAMMA, 0, SPARE);
            row.add_to_each(0, tiles, SPARE);
            row.load_times_rows((cb::DY, cb::GAMMA), operand, PRODUCTS, SPARE, tiles);
            ctx.sub_binary_tile_init();
            (0..tiles).for_each(|tile| ctx.sub_binary_tile(PRODUCTS + tile, tile, tile));
            row.multiply_all(0, tiles, RSTD);
            ctx.tile_regs_commit();
            ctx.cb_reserve_back(cb::OUT, BLOCK);
            ctx.tile_regs_wait();
            ctx.pack_reconfig_data_format(cb::OUT);
            ctx.pack_block(0, cb::OUT, tiles);
            ctx.tile_regs_release();
            ctx.cb_push_back(cb::OUT, BLOCK);
        });
    }

    /// Walks over a row in blocks; buffers that do not hold the row are waited for and popped.
    fn blocks(&self, each: impl Fn(u32, u32)) {
        let ctx = self.row.ctx;
        let streamed = [cb::X, cb::DY, cb::GAMMA];
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
