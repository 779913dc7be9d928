//! Reads rows of x whole, or in blocks in three passes; γ and β once, or with the last pass.

use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

use super::compute::{BLOCK, Plan};
use crate::l1_tiles::{push_column_mask, push_ones, push_zeros};
use crate::layernorm::{Path, cb};
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (x, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (gamma, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (beta, _) = ctx.tensor_accessor(next, ctx.arg(2));
    let (first, rows) = (ctx.arg(3), ctx.arg(4));
    let tiles = plan.row_tiles;
    push_ones(ctx, cb::ONES);
    push_zeros(ctx, cb::ZEROS);
    if plan.is_masked() {
        push_column_mask(ctx, cb::MASK, plan.features % TILE_SIDE as u32);
    }
    if plan.path == Path::Row {
        ask_for_tiles(ctx, (cb::GAMMA, tiles), &gamma, 0..tiles);
        ask_for_tiles(ctx, (cb::BETA, tiles), &beta, 0..tiles);
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(cb::GAMMA, tiles);
        ctx.cb_push_back(cb::BETA, tiles);
    }
    for row in first..first + rows {
        if plan.path == Path::Row {
            ask_for_tiles(ctx, (cb::X, tiles), &x, row * tiles..(row + 1) * tiles);
            ctx.noc_async_read_barrier();
            ctx.cb_push_back(cb::X, tiles);
            continue;
        }
        for is_last_pass in [false, false, true] {
            for column in (0..tiles).step_by(BLOCK as usize) {
                let block = BLOCK.min(tiles - column);
                let tile = row * tiles + column;
                ask_for_tiles(ctx, (cb::X, BLOCK), &x, tile..tile + block);
                if is_last_pass {
                    ask_for_tiles(ctx, (cb::GAMMA, BLOCK), &gamma, column..column + block);
                    ask_for_tiles(ctx, (cb::BETA, BLOCK), &beta, column..column + block);
                }
                ctx.noc_async_read_barrier();
                ctx.cb_push_back(cb::X, BLOCK);
                if is_last_pass {
                    ctx.cb_push_back(cb::GAMMA, BLOCK);
                    ctx.cb_push_back(cb::BETA, BLOCK);
                }
            }
        }
    }
}
