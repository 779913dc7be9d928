//! The compute kernel, step by step, with each fault where it was.

use tilewright_metal::api::Compute;
use tilewright_tile::Broadcast;

use super::{BLOCK, Faults, Path, cb};

/// Dst registers of the row sums.
const SUM: u32 = 0;
const WORK: u32 = 1;
const SPARE: u32 = 2;

pub(super) fn kernel(ctx: &Compute<'_>, path: Path, is_masked: bool, faults: Faults) {
    let row_tiles = ctx.compile_time_arg(0);
    let kernel = Kernel { ctx, row_tiles, path, is_masked, faults };
    if is_masked {
        ctx.cb_wait_front(cb::MASK, 1);
    }
    ctx.cb_wait_front(cb::SCALER, 1);
    if !faults.missing_startup {
        ctx.compute_kernel_hw_startup(cb::X_HAT, cb::GAMMA, cb::DX);
        ctx.reconfig_data_format(cb::SCALER, cb::SUM_DY_GAMMA);
    }
    let rows = ctx.arg(0);
    for row in 0..rows {
        kernel.row(row == 0, row + 1 == rows);
    }
    if is_masked {
        ctx.cb_pop_front(cb::MASK, 1);
    }
}

struct Kernel<'a> {
    ctx: &'a Compute<'a>,
    row_tiles: u32,
    path: Path,
    is_masked: bool,
    faults: Faults,
}

impl Kernel<'_> {
    fn row(&self, is_first: bool, is_last: bool) {
        let ctx = self.ctx;
        let padded = self.row_tiles.next_multiple_of(BLOCK);
        self.broadcast(cb::RSTD, cb::RSTD_BCAST);
        self.broadcast(cb::MEAN, cb::MEAN_BCAST);
        if self.path == Path::Row {
            ctx.cb_wait_front(cb::X, self.row_tiles);
            self.x_hat(self.row_tiles);
            ctx.cb_wait_front(cb::X_HAT, padded);
            ctx.cb_wait_front(cb::DY, self.row_tiles);
            if is_first {
                ctx.cb_wait_front(cb::GAMMA, self.row_tiles);
            }
        }
        self.sum_dy_gamma();
        ctx.cb_wait_front(cb::SUM_DY_GAMMA, 1);
        match (self.path, self.faults.nested_acquire) {
            (Path::Row, _) => self.sum_dy_gamma_x_hat_of_row(),
            (Path::Block, true) => self.sum_dy_gamma_x_hat_nested(),
            (Path::Block, false) => self.sum_dy_gamma_x_hat_reloaded(),
        }
        ctx.cb_wait_front(cb::SUM_DY_GAMMA_X_HAT, 1);
        for column in (0..self.row_tiles).step_by(BLOCK as usize) {
            self.output_block(column);
        }
        for used in [cb::RSTD_BCAST, cb::MEAN_BCAST, cb::SUM_DY_GAMMA, cb::SUM_DY_GAMMA_X_HAT] {
            ctx.cb_pop_front(used, 1);
        }
        if self.path == Path::Row {
            ctx.cb_pop_front(cb::DY, self.row_tiles);
            ctx.cb_pop_front(cb::X_HAT, padded);
            ctx.cb_pop_front(cb::X, self.row_tiles);
            if is_last {
                ctx.cb_pop_front(cb::GAMMA, self.row_tiles);
            }
        }
    }

    /// Step 1: column 0 everywhere. The init of that time configures everything anew, inside the
    /// acquired section.
    fn broadcast(&self, from: u8, to: u8) {
        let ctx = self.ctx;
        ctx.tile_regs_acquire();
        ctx.cb_wait_front(from, 1);
        if !self.faults.missing_startup {
            ctx.hw_configure(from, from, to);
        }
        ctx.unary_bcast_init(Broadcast::Column, from);
        ctx.unary_bcast(Broadcast::Column, from, 0, 0);
        ctx.tile_regs_commit();
        ctx.cb_pop_front(from, 1);
        self.pack(to);
        ctx.cb_wait_front(to, 1);
    }

    /// Step 2: x̂ = (x - mean)·rstd, packed in whole blocks.
    fn x_hat(&self, tiles: u32) {
        let ctx = self.ctx;
        ctx.reconfig_data_format(cb::X, cb::X);
        for first in (0..tiles).step_by(BLOCK as usize) {
            ctx.tile_regs_acquire();
            for place in 0..BLOCK.min(tiles - first) {
                ctx.sub_init(cb::X, cb::MEAN_BCAST);
                ctx.sub_tiles(cb::X, cb::MEAN_BCAST, first + place, 0, place);
                ctx.copy_tile_init(cb::RSTD_BCAST);
                ctx.copy_tile(cb::RSTD_BCAST, 0, place + 1);
                ctx.mul_binary_tile_init();
                ctx.mul_binary_tile(place, place + 1, place);
            }
            ctx.tile_regs_commit();
            self.pack_block(cb::X_HAT);
        }
    }

    /// Step 3: the sum of dy·γ over the row, by accumulation in Dst.
    fn sum_dy_gamma(&self) {
        let ctx = self.ctx;
        ctx.tile_regs_acquire();
        ctx.reconfig_data_format(cb::DY, cb::GAMMA);
        for first in (0..self.row_tiles).step_by(BLOCK as usize) {
            let tiles = BLOCK.min(self.row_tiles - first);
            if self.path == Path::Block {
                ctx.cb_wait_front(cb::DY, BLOCK);
                ctx.cb_wait_front(cb::GAMMA, BLOCK);
            }
            for place in 0..tiles {
                self.add_dy_gamma(first + place, self.operand(first, place));
            }
            if self.path == Path::Block {
                ctx.cb_pop_front(cb::DY, BLOCK);
                ctx.cb_pop_front(cb::GAMMA, BLOCK);
            }
        }
        ctx.tile_regs_commit();
        self.pack(cb::SUM_DY_GAMMA);
        self.reduce(cb::SUM_DY_GAMMA);
    }

    fn add_dy_gamma(&self, column: u32, operand: u32) {
        let ctx = self.ctx;
        if self.is_dropped(column) {
            return;
        }
        let is_masked = self.is_masked && column + 1 == self.row_tiles;
        let target = if is_masked && column > 0 { WORK } else { SUM };
        if self.faults.overwritten_sum {
            self.zero(target);
        }
        self.dy_gamma(operand, target);
        if is_masked {
            self.mask(target);
            if column > 0 {
                ctx.add_binary_tile_init();
                ctx.add_binary_tile(SUM, target, SUM);
            }
        }
    }

    /// Step 4, whole row in L1.
    fn sum_dy_gamma_x_hat_of_row(&self) {
        let ctx = self.ctx;
        ctx.tile_regs_acquire();
        ctx.reconfig_data_format(cb::DY, cb::DY);
        for column in (0..self.row_tiles).filter(|column| !self.is_dropped(*column)) {
            let target = if column == 0 { SUM } else { WORK };
            self.zero(target);
            self.dy_gamma(column, target);
            ctx.copy_tile_init(cb::X_HAT);
            ctx.copy_tile(cb::X_HAT, column, SPARE);
            self.times_x_hat(column, target);
        }
        ctx.tile_regs_commit();
        self.pack(cb::SUM_DY_GAMMA_X_HAT);
        self.reduce(cb::SUM_DY_GAMMA_X_HAT);
    }

    /// Step 4 in blocks, as published: x̂ is made inside the acquired section, whose sum is lost.
    fn sum_dy_gamma_x_hat_nested(&self) {
        let ctx = self.ctx;
        ctx.tile_regs_acquire();
        ctx.reconfig_data_format(cb::DY, cb::DY);
        for first in (0..self.row_tiles).step_by(BLOCK as usize) {
            ctx.cb_wait_front(cb::X, BLOCK);
            self.x_hat(BLOCK);
            self.wait_block_with_x_hat();
            for place in 0..BLOCK.min(self.row_tiles - first) {
                let column = first + place;
                let target = if column == 0 { SUM } else { WORK };
                if self.is_dropped(column) {
                    continue;
                }
                self.block_product(place, target);
                self.times_x_hat(column, target);
            }
            self.pop_block_with_x_hat();
        }
        ctx.tile_regs_commit();
        self.pack(cb::SUM_DY_GAMMA_X_HAT);
        self.reduce(cb::SUM_DY_GAMMA_X_HAT);
    }

    /// Step 4 in blocks, repaired: one section a block, the running sum kept in its buffer.
    fn sum_dy_gamma_x_hat_reloaded(&self) {
        let ctx = self.ctx;
        for first in (0..self.row_tiles).step_by(BLOCK as usize) {
            ctx.cb_wait_front(cb::X, BLOCK);
            self.x_hat(BLOCK);
            self.wait_block_with_x_hat();
            ctx.tile_regs_acquire();
            if first == 0 {
                self.zero(SUM);
            } else {
                ctx.cb_wait_front(cb::SUM_DY_GAMMA_X_HAT, 1);
                ctx.reconfig_data_format(cb::SUM_DY_GAMMA_X_HAT, cb::SUM_DY_GAMMA_X_HAT);
                ctx.copy_tile_init(cb::SUM_DY_GAMMA_X_HAT);
                ctx.copy_tile(cb::SUM_DY_GAMMA_X_HAT, 0, SUM);
            }
            ctx.reconfig_data_format(cb::DY, cb::DY);
            for place in 0..BLOCK.min(self.row_tiles - first) {
                if self.is_dropped(first + place) {
                    continue;
                }
                self.block_product(place, WORK);
                self.mask_last(first + place, WORK);
                ctx.add_binary_tile_init();
                ctx.add_binary_tile(SUM, WORK, SUM);
            }
            ctx.tile_regs_commit();
            if first > 0 {
                ctx.cb_pop_front(cb::SUM_DY_GAMMA_X_HAT, 1);
            }
            self.pack(cb::SUM_DY_GAMMA_X_HAT);
            self.pop_block_with_x_hat();
        }
        self.reduce(cb::SUM_DY_GAMMA_X_HAT);
    }

    fn wait_block_with_x_hat(&self) {
        for buffer in [cb::X_HAT, cb::DY, cb::GAMMA] {
            self.ctx.cb_wait_front(buffer, BLOCK);
        }
    }

    fn pop_block_with_x_hat(&self) {
        for buffer in [cb::X_HAT, cb::DY, cb::GAMMA, cb::X] {
            self.ctx.cb_pop_front(buffer, BLOCK);
        }
    }

    /// dy·γ·x̂ of one tile of a block; x̂ is loaded before the target is zeroed.
    fn block_product(&self, place: u32, target: u32) {
        let ctx = self.ctx;
        ctx.copy_tile_init(cb::X_HAT);
        ctx.copy_tile(cb::X_HAT, place, SPARE);
        self.zero(target);
        self.dy_gamma(place, target);
        ctx.mul_binary_tile_init();
        ctx.mul_binary_tile(target, SPARE, target);
    }

    /// Multiplies by x̂ where that is not done, masks the last tile, and adds to the sum.
    fn times_x_hat(&self, column: u32, target: u32) {
        let ctx = self.ctx;
        if self.path == Path::Row {
            ctx.mul_binary_tile_init();
            ctx.mul_binary_tile(target, SPARE, target);
        }
        self.mask_last(column, target);
        if column > 0 {
            ctx.add_binary_tile_init();
            ctx.add_binary_tile(SUM, WORK, SUM);
        }
    }

    fn is_dropped(&self, column: u32) -> bool {
        self.faults.dropped_last_tile && column > 0 && column + 1 == self.row_tiles
    }

    fn mask_last(&self, column: u32, target: u32) {
        if self.is_masked && column + 1 == self.row_tiles {
            self.mask(target);
        }
    }

    /// The row sum of a tile, scaled by 1/N and left in every column: a product with a tile that
    /// holds 1/N everywhere. The product puts its first operand in SrcB.
    fn reduce(&self, sum: u8) {
        let ctx = self.ctx;
        ctx.tile_regs_acquire();
        ctx.cb_wait_front(sum, 1);
        ctx.reconfig_data_format(cb::SCALER, sum);
        if self.faults.swapped_alu_formats {
            ctx.reconfig_alu_data_format(sum, cb::SCALER);
        }
        ctx.matmul_init(sum, cb::SCALER, false);
        ctx.matmul_tiles(sum, cb::SCALER, 0, 0, SUM);
        ctx.tile_regs_commit();
        ctx.cb_pop_front(sum, 1);
        self.pack(sum);
    }

    /// Step 5: dx, dγ and dβ of a block.
    fn output_block(&self, first: u32) {
        let ctx = self.ctx;
        let tiles = BLOCK.min(self.row_tiles - first);
        if self.path == Path::Block {
            ctx.cb_wait_front(cb::X, BLOCK);
            self.x_hat(tiles);
            self.wait_block_with_x_hat();
        }
        ctx.tile_regs_acquire();
        for place in 0..tiles {
            self.dx(self.operand(first, place), place);
        }
        ctx.tile_regs_commit();
        self.pack_block(cb::DX);

        ctx.reconfig_data_format(cb::DY, cb::DY);
        ctx.tile_regs_acquire();
        for place in 0..tiles {
            let operand = self.operand(first, place);
            ctx.mul_init(cb::DY, cb::X_HAT);
            ctx.mul_tiles(cb::DY, cb::X_HAT, operand, operand, place);
        }
        ctx.tile_regs_commit();
        self.pack_block(cb::DGAMMA);

        ctx.tile_regs_acquire();
        for place in 0..tiles {
            ctx.copy_tile_init(cb::DY);
            ctx.copy_tile(cb::DY, self.operand(first, place), place);
        }
        ctx.tile_regs_commit();
        self.pack_block(cb::DBETA);
        if self.path == Path::Block {
            self.pop_block_with_x_hat();
        }
    }

    fn dx(&self, operand: u32, target: u32) {
        let (ctx, temporary) = (self.ctx, target + 1);
        self.zero(target);
        ctx.reconfig_data_format(cb::DY, cb::GAMMA);
        self.dy_gamma(operand, target);

        ctx.reconfig_data_format(cb::SUM_DY_GAMMA, cb::SUM_DY_GAMMA);
        ctx.copy_tile_init(cb::SUM_DY_GAMMA);
        ctx.copy_tile(cb::SUM_DY_GAMMA, 0, temporary);
        ctx.sub_binary_tile_init();
        ctx.sub_binary_tile(target, temporary, target);

        if !self.faults.stale_accumulation {
            self.zero(temporary);
        }
        ctx.reconfig_data_format(cb::X_HAT, cb::SUM_DY_GAMMA_X_HAT);
        ctx.mul_init(cb::X_HAT, cb::SUM_DY_GAMMA_X_HAT);
        ctx.mul_tiles(cb::X_HAT, cb::SUM_DY_GAMMA_X_HAT, operand, 0, temporary);
        ctx.sub_binary_tile_init();
        ctx.sub_binary_tile(target, temporary, target);

        ctx.reconfig_data_format(cb::RSTD_BCAST, cb::RSTD_BCAST);
        ctx.copy_tile_init(cb::RSTD_BCAST);
        ctx.copy_tile(cb::RSTD_BCAST, 0, temporary);
        ctx.mul_binary_tile_init();
        ctx.mul_binary_tile(target, temporary, target);
    }

    fn dy_gamma(&self, operand: u32, target: u32) {
        self.ctx.mul_bcast_rows_init(cb::DY, cb::GAMMA);
        self.ctx.mul_tiles_bcast_rows(cb::DY, cb::GAMMA, operand, operand, target);
    }

    fn mask(&self, target: u32) {
        let ctx = self.ctx;
        if self.faults.unmasked_tail {
            return;
        }
        ctx.copy_tile_init(cb::MASK);
        ctx.copy_tile(cb::MASK, 0, target + 1);
        ctx.mask_tile_init();
        ctx.mask_tile(target, target + 1);
    }

    fn zero(&self, target: u32) {
        self.ctx.fill_tile_init();
        self.ctx.fill_tile(target, 0.0);
    }

    /// Where a tile of the row is in its buffer.
    fn operand(&self, first: u32, place: u32) -> u32 {
        match self.path {
            Path::Row => first + place,
            Path::Block => place,
        }
    }

    fn pack(&self, to: u8) {
        let ctx = self.ctx;
        ctx.cb_reserve_back(to, 1);
        ctx.tile_regs_wait();
        ctx.pack_reconfig_data_format(to);
        ctx.pack_tile(0, to);
        ctx.tile_regs_release();
        ctx.cb_push_back(to, 1);
    }

    fn pack_block(&self, to: u8) {
        let ctx = self.ctx;
        ctx.cb_reserve_back(to, BLOCK);
        ctx.tile_regs_wait();
        ctx.pack_reconfig_data_format(to);
        ctx.pack_block(0, to, BLOCK);
        ctx.tile_regs_release();
        ctx.cb_push_back(to, BLOCK);
    }
}
