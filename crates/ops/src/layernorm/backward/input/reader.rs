//! Reads rows of x and dy whole, or in blocks in two passes; γ once, or with every pass.

use tilewright_metal::api::DataMovement;

use super::Plan;
use crate::layernorm::constants::{push_mask, push_ones};
use crate::layernorm::row::BLOCK;
use crate::layernorm::transfers::read_tiles;
use crate::layernorm::{Path, cb};

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (x, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (gamma, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (mean, next) = ctx.tensor_accessor(next, ctx.arg(2));
    let (rstd, next) = ctx.tensor_accessor(next, ctx.arg(3));
    let (dy, _) = ctx.tensor_accessor(next, ctx.arg(4));
    let (first, rows) = (ctx.arg(5), ctx.arg(6));
    let tiles = plan.row_tiles;
    push_ones(ctx);
    push_mask(ctx, plan.features);
    for row in first..first + rows {
        read_tiles(ctx, cb::MEAN, &mean, row, 1, 1);
        read_tiles(ctx, cb::RSTD, &rstd, row, 1, 1);
        if plan.path == Path::Row {
            if row == first {
                read_tiles(ctx, cb::GAMMA, &gamma, 0, tiles, tiles);
            }
            read_tiles(ctx, cb::X, &x, row * tiles, tiles, tiles);
            read_tiles(ctx, cb::DY, &dy, row * tiles, tiles, tiles);
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
                read_tiles(ctx, cb::X, &x, row * tiles + column, block, BLOCK);
                read_tiles(ctx, cb::DY, &dy, row * tiles + column, block, BLOCK);
                read_tiles(ctx, cb::GAMMA, &gamma, column, block, BLOCK);
                ctx.noc_async_read_barrier();
                for buffer in [cb::X, cb::DY, cb::GAMMA] {
                    ctx.cb_push_back(buffer, BLOCK);
                }
            }
        }
    }
}
