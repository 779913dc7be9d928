//! Reads rows of x whole, or in blocks in three passes; γ and β once, or with the last pass.

use tilewright_metal::api::DataMovement;

use super::compute::Plan;
use crate::layernorm::constants::{push_mask, push_ones};
use crate::layernorm::row::BLOCK;
use crate::layernorm::transfers::read_tiles;
use crate::layernorm::{Path, cb};

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (x, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (gamma, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (beta, _) = ctx.tensor_accessor(next, ctx.arg(2));
    let (first, rows) = (ctx.arg(3), ctx.arg(4));
    let tiles = plan.row_tiles;
    push_ones(ctx);
    push_mask(ctx, plan.features);
    if plan.path == Path::Row {
        read_tiles(ctx, cb::GAMMA, &gamma, 0, tiles, tiles);
        read_tiles(ctx, cb::BETA, &beta, 0, tiles, tiles);
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(cb::GAMMA, tiles);
        ctx.cb_push_back(cb::BETA, tiles);
    }
    for row in first..first + rows {
        if plan.path == Path::Row {
            read_tiles(ctx, cb::X, &x, row * tiles, tiles, tiles);
            ctx.noc_async_read_barrier();
            ctx.cb_push_back(cb::X, tiles);
            continue;
        }
        for is_last_pass in [false, false, true] {
            for column in (0..tiles).step_by(BLOCK as usize) {
                let block = BLOCK.min(tiles - column);
                read_tiles(ctx, cb::X, &x, row * tiles + column, block, BLOCK);
                if is_last_pass {
                    read_tiles(ctx, cb::GAMMA, &gamma, column, block, BLOCK);
                    read_tiles(ctx, cb::BETA, &beta, column, block, BLOCK);
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
