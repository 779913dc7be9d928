//! dγ = Σ dy·x̂ and dβ = Σ dy over rows: tiles are added up in Dst, the 32 rows of the sum last.

use tilewright_metal::api::Compute;
use tilewright_tile::fpu::ReduceDim;

use super::{PAIR, Plan};
use crate::layernorm::cb;
use crate::layernorm::row::Row;

/// Registers: the sums of a pair's columns, dγ then dβ, and what a row needs. The mask must come
/// right after what it masks.
const DGAMMA: u32 = 0;
const DBETA: u32 = PAIR;
const MEAN: u32 = 2 * PAIR;
const RSTD: u32 = 2 * PAIR + 1;
const DY: u32 = 2 * PAIR + 2;
const SPARE: u32 = 2 * PAIR + 3;

pub(super) fn kernel(ctx: &Compute<'_>, plan: Plan) {
    let (first_pair, pairs) = (ctx.arg(0), ctx.arg(1));
    let (first_row, rows, place) = (ctx.arg(2), ctx.arg(3), ctx.arg(4));
    ctx.compute_kernel_hw_startup(cb::X, cb::ONES, cb::OUT);
    ctx.cb_wait_front(cb::ONES, 1);
    if plan.has_mask() {
        ctx.cb_wait_front(cb::MASK, 1);
    }
    let kernel = Kernel { row: Row { ctx, format: plan.format }, plan };
    for pair in first_pair..first_pair + pairs {
        let tiles = plan.tiles_of(pair);
        ctx.tile_regs_acquire();
        kernel.add_rows(first_row..first_row + rows, tiles);
        if place > 0 {
            return kernel.give_part();
        }
        if plan.sharers > 1 {
            kernel.add_parts();
        }
        kernel.split_sums();
        kernel.reduce_sums();
    }
}

struct Kernel<'a> {
    row: Row<'a>,
    plan: Plan,
}

impl Kernel<'_> {
    /// Adds this core's rows up, elementwise.
    fn add_rows(&self, rows: std::ops::Range<u32>, tiles: u32) {
        let (ctx, row) = (self.row.ctx, &self.row);
        row.zero_tiles(0, 2 * PAIR);
        for tile_row in rows {
            ctx.cb_wait_front(cb::MEAN, 1);
            ctx.cb_wait_front(cb::RSTD, 1);
            ctx.cb_wait_front(cb::X, PAIR);
            ctx.cb_wait_front(cb::DY, PAIR);
            row.load_columns(&[(cb::MEAN, MEAN), (cb::RSTD, RSTD)], 0);
            for tile in 0..tiles {
                self.add_tile(tile, self.plan.is_masked(tile_row));
            }
            ctx.cb_pop_front(cb::MEAN, 1);
            ctx.cb_pop_front(cb::RSTD, 1);
            ctx.cb_pop_front(cb::X, PAIR);
            ctx.cb_pop_front(cb::DY, PAIR);
        }
    }

    fn add_tile(&self, tile: u32, is_masked: bool) {
        let row = &self.row;
        row.load(cb::DY, tile, DY);
        self.mask_rows(is_masked);
        row.add(DBETA + tile, DY, DBETA + tile);
        row.load(cb::X, tile, SPARE);
        row.subtract(SPARE, MEAN, SPARE);
        row.multiply(SPARE, RSTD, SPARE);
        row.multiply(SPARE, DY, DY);
        self.mask_rows(is_masked);
        row.add(DGAMMA + tile, DY, DGAMMA + tile);
    }

    /// Zeroes what lies below the last row, whatever the tensors hold there.
    fn mask_rows(&self, is_masked: bool) {
        if is_masked {
            self.row.load(cb::MASK, 0, SPARE);
            self.row.mask(DY);
        }
    }

    /// Hands the sums to the writer, for the core that adds the parts up.
    fn give_part(&self) {
        let ctx = self.row.ctx;
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        self.row.pack(&[DGAMMA, DGAMMA + 1, DBETA, DBETA + 1], cb::PARTIAL_OUT);
        ctx.tile_regs_release();
    }

    /// Adds the other cores' parts, in the order of their rows.
    fn add_parts(&self) {
        let (ctx, row) = (self.row.ctx, &self.row);
        let parts = 2 * PAIR * (self.plan.sharers - 1);
        ctx.cb_wait_front(cb::PARTIAL_IN, parts);
        for part in 0..parts {
            row.load(cb::PARTIAL_IN, part, SPARE);
            row.add(part % (2 * PAIR), SPARE, part % (2 * PAIR));
        }
        ctx.cb_pop_front(cb::PARTIAL_IN, parts);
    }

    /// Splits the sums for the matrix unit; the registers that rows needed are free now.
    fn split_sums(&self) {
        let (ctx, row) = (self.row.ctx, &self.row);
        let mut parts = Vec::new();
        for sum in 0..2 * PAIR {
            let high = 2 * PAIR + sum;
            row.split(sum, high);
            parts.extend([high, sum]);
        }
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        row.pack(&parts, cb::SPLIT);
        ctx.tile_regs_release();
    }

    /// Adds up the 32 rows of each sum and packs row 0.
    fn reduce_sums(&self) {
        let (ctx, row) = (self.row.ctx, &self.row);
        ctx.cb_wait_front(cb::SPLIT, 4 * PAIR);
        ctx.tile_regs_acquire();
        for sum in 0..2 * PAIR {
            row.reduce(ReduceDim::Column, 2 * sum, sum);
        }
        ctx.tile_regs_commit();
        ctx.cb_pop_front(cb::SPLIT, 4 * PAIR);
        ctx.tile_regs_wait();
        row.pack(&[DGAMMA, DGAMMA + 1], cb::OUT);
        row.pack(&[DBETA, DBETA + 1], cb::DBETA);
        ctx.tile_regs_release();
        ctx.reduce_uninit();
    }
}
