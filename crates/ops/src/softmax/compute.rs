//! Maximum, exponentials, sum, reciprocal, product: one row of tiles at a time.
//!
//! Both paths do the same operations on each value in the same order, so that they give the same
//! bits. Each block is summed on its own and then added to the row's sum: a running sum of 8 bits
//! would swallow what a long row adds to it.

use tilewright_metal::api::Compute;
use tilewright_tile::fpu::{Pool, ReduceDim};
use tilewright_tile::sfpu::Unary;

use super::plan::{BLOCK_SUM, EXPS, MAX, OUT, RECIP, SCALER, SUM, X};

const ROW: ReduceDim = ReduceDim::Row;
/// Less than one step of fp32 off; the default variant has three digits.
const RECIPROCAL: Unary = Unary::Recip { legacy: false };

pub(super) fn kernel(ctx: &Compute<'_>) {
    let (block, blocks, passes) =
        (ctx.compile_time_arg(0), ctx.compile_time_arg(1), ctx.compile_time_arg(2));
    ctx.compute_kernel_hw_startup(X, SCALER, MAX);
    ctx.cb_wait_front(SCALER, 1);
    for _ in 0..ctx.arg(0) {
        if passes == 1 {
            whole_row(ctx, block, blocks);
        } else {
            three_passes(ctx, block, blocks);
        }
        ctx.cb_pop_front(MAX, 1);
        ctx.cb_pop_front(RECIP, 1);
    }
    ctx.cb_pop_front(SCALER, 1);
}

/// The row's tiles stay in `X` until they are shifted, its exponentials in `EXPS`.
fn whole_row(ctx: &Compute<'_>, block: u32, blocks: u32) {
    maximum_init(ctx);
    ctx.tile_regs_acquire();
    for part in 0..blocks {
        ctx.cb_wait_front(X, (part + 1) * block);
        maximum(ctx, part * block, block);
    }
    ctx.tile_regs_commit();
    pack_column(ctx, MAX);
    ctx.reduce_uninit();

    ctx.cb_wait_front(MAX, 1);
    exponentials_init(ctx);
    (0..blocks).for_each(|_| exponentials(ctx, block));

    for part in 0..blocks {
        sum(ctx, part * block, block, part == 0);
    }
    reciprocal(ctx);

    ctx.cb_wait_front(RECIP, 1);
    scale_init(ctx);
    (0..blocks).for_each(|_| scale(ctx, block));
}

/// Each block is read for the maximum, for the sum and for the result.
fn three_passes(ctx: &Compute<'_>, block: u32, blocks: u32) {
    maximum_init(ctx);
    ctx.tile_regs_acquire();
    for _ in 0..blocks {
        ctx.cb_wait_front(X, block);
        maximum(ctx, 0, block);
        ctx.cb_pop_front(X, block);
    }
    ctx.tile_regs_commit();
    pack_column(ctx, MAX);
    ctx.reduce_uninit();

    ctx.cb_wait_front(MAX, 1);
    for part in 0..blocks {
        exponentials_init(ctx);
        exponentials(ctx, block);
        sum(ctx, 0, block, part == 0);
        ctx.cb_pop_front(EXPS, block);
    }
    reciprocal(ctx);

    ctx.cb_wait_front(RECIP, 1);
    for _ in 0..blocks {
        exponentials_init(ctx);
        exponentials(ctx, block);
        scale_init(ctx);
        scale(ctx, block);
    }
}

fn maximum_init(ctx: &Compute<'_>) {
    ctx.reconfig_data_format_reduce(Pool::Max, ROW, X, SCALER);
    ctx.pack_reconfig_data_format(MAX);
    ctx.reduce_init(Pool::Max, ROW, X, SCALER, MAX);
}

/// Tiles of `X` into the running maximum.
fn maximum(ctx: &Compute<'_>, first: u32, tiles: u32) {
    for tile in first..first + tiles {
        ctx.reduce_tile(Pool::Max, ROW, (X, tile), (SCALER, 0), 0);
    }
}

fn exponentials_init(ctx: &Compute<'_>) {
    ctx.reconfig_data_format(X, MAX);
    ctx.pack_reconfig_data_format(EXPS);
    ctx.sub_bcast_cols_init(X, MAX);
    ctx.exp_tile_init();
}

/// The next block of `X`, shifted by the maximum and exponentiated, to `EXPS`.
fn exponentials(ctx: &Compute<'_>, block: u32) {
    ctx.cb_wait_front(X, block);
    ctx.tile_regs_acquire();
    for tile in 0..block {
        ctx.sub_tiles_bcast_cols(X, MAX, tile, 0, tile);
        ctx.exp_tile(tile);
    }
    ctx.tile_regs_commit();
    ctx.cb_pop_front(X, block);
    pack_tiles(ctx, EXPS, block);
}

/// A block of `EXPS` into the row's sum.
fn sum(ctx: &Compute<'_>, first: u32, tiles: u32, is_first: bool) {
    let to = if is_first { SUM } else { BLOCK_SUM };
    ctx.reconfig_data_format_reduce(Pool::Sum, ROW, EXPS, SCALER);
    ctx.pack_reconfig_data_format(to);
    ctx.reduce_init(Pool::Sum, ROW, EXPS, SCALER, to);
    ctx.cb_wait_front(EXPS, first + tiles);
    ctx.tile_regs_acquire();
    for tile in first..first + tiles {
        ctx.reduce_tile(Pool::Sum, ROW, (EXPS, tile), (SCALER, 0), 0);
    }
    ctx.tile_regs_commit();
    pack_column(ctx, to);
    ctx.reduce_uninit();
    if !is_first {
        add_block_sum(ctx);
    }
}

fn add_block_sum(ctx: &Compute<'_>) {
    ctx.pack_reconfig_data_format(SUM);
    ctx.tile_regs_acquire();
    reload(ctx, SUM, 0);
    reload(ctx, BLOCK_SUM, 1);
    ctx.add_binary_tile_init();
    ctx.add_binary_tile(0, 1, 0);
    ctx.tile_regs_commit();
    pack_column(ctx, SUM);
}

/// Brings a sum back to Dst as it was packed: what a reduction leaves in Dst beside its column
/// is undefined, and nothing for the vector unit.
fn reload(ctx: &Compute<'_>, cb: u8, dst: u32) {
    ctx.reconfig_data_format_srca(cb);
    ctx.copy_tile_init(cb);
    ctx.cb_wait_front(cb, 1);
    ctx.copy_tile(cb, 0, dst);
    ctx.cb_pop_front(cb, 1);
}

fn reciprocal(ctx: &Compute<'_>) {
    ctx.pack_reconfig_data_format(RECIP);
    ctx.tile_regs_acquire();
    reload(ctx, SUM, 0);
    ctx.unary_tile_init(RECIPROCAL);
    ctx.unary_tile(RECIPROCAL, 0);
    ctx.tile_regs_commit();
    pack_column(ctx, RECIP);
}

fn scale_init(ctx: &Compute<'_>) {
    ctx.reconfig_data_format(EXPS, RECIP);
    ctx.pack_reconfig_data_format(OUT);
    ctx.mul_bcast_cols_init(EXPS, RECIP);
}

/// The next block of `EXPS`, divided by the sum, to `OUT`.
fn scale(ctx: &Compute<'_>, block: u32) {
    ctx.cb_wait_front(EXPS, block);
    ctx.tile_regs_acquire();
    for tile in 0..block {
        ctx.mul_tiles_bcast_cols(EXPS, RECIP, tile, 0, tile);
    }
    ctx.tile_regs_commit();
    ctx.cb_pop_front(EXPS, block);
    pack_tiles(ctx, OUT, block);
}

/// The one tile of a committed section that holds a value a row.
fn pack_column(ctx: &Compute<'_>, cb: u8) {
    pack_tiles(ctx, cb, 1);
}

fn pack_tiles(ctx: &Compute<'_>, cb: u8, tiles: u32) {
    ctx.cb_reserve_back(cb, tiles);
    ctx.tile_regs_wait();
    ctx.pack_block(0, cb, tiles);
    ctx.tile_regs_release();
    ctx.cb_push_back(cb, tiles);
}
