//! Reads rows of x and dy whole, or in blocks in two passes; γ once, or with every pass.

use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

use super::Plan;
use super::compute::BLOCK;
use crate::l1_tiles::{push_column_mask, push_ones};
use crate::layernorm::{Path, cb};
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (x, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (gamma, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (mean, next) = ctx.tensor_accessor(next, ctx.arg(2));
    let (rstd, next) = ctx.tensor_accessor(next, ctx.arg(3));
    let (dy, _) = ctx.tensor_accessor(next, ctx.arg(4));
    let (first, rows) = (ctx.arg(5), ctx.arg(6));
    let tiles = plan.row_tiles;
    push_ones(ctx, cb::ONES);
    if plan.is_masked() {
        push_column_mask(ctx, cb::MASK, plan.features % TILE_SIDE as u32);
    }
    for row in first..first + rows {
        ask_for_tiles(ctx, (cb::MEAN, 1), &mean, row..row + 1);
        ask_for_tiles(ctx, (cb::RSTD, 1), &rstd, row..row + 1);
        if plan.path == Path::Row {
            if row == first {
                ask_for_tiles(ctx, (cb::GAMMA, tiles), &gamma, 0..tiles);
            }
            ask_for_tiles(ctx, (cb::X, tiles), &x, row * tiles..(row + 1) * tiles);
            ask_for_tiles(ctx, (cb::DY, tiles), &dy, row * tiles..(row + 1) * tiles);
        }
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(cb::MEAN, 1);
        ctx.cb_push_back(cb::RSTD, 1);
        if plan.path == Path::Row {
            if row == first {
                ctx.cb_push_back(cb::GAMMA, tiles);
            }
            ctx.cb_push_back(cb::X, tiles);
            ctx.cb_push_back(cb::DY, tiles);
            continue;
        }
        for _pass in 0..2 {
            for column in (0..tiles).step_by(BLOCK as usize) {
                let block = BLOCK.min(tiles - column);
                let tile = row * tiles + column;
                ask_for_tiles(ctx, (cb::X, BLOCK), &x, tile..tile + block);
                ask_for_tiles(ctx, (cb::DY, BLOCK), &dy, tile..tile + block);
                ask_for_tiles(ctx, (cb::GAMMA, BLOCK), &gamma, column..column + block);
                ctx.noc_async_read_barrier();
                for buffer in [cb::X, cb::DY, cb::GAMMA] {
                    ctx.cb_push_back(buffer, BLOCK);
                }
            }
        }
    }
}
