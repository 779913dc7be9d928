//! Reads, step by step along K, the tiles of A and B that each block needs.

use tilewright_metal::api::DataMovement;

use super::blocks::Blocks;
use super::program_factory::{A, B};
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let blocks = Blocks::from_words(|at| ctx.compile_time_arg(at));
    let (a, next) = ctx.tensor_accessor(Blocks::WORDS, ctx.arg(0));
    let (b, _) = ctx.tensor_accessor(next, ctx.arg(1));
    let (first, count) = (ctx.arg(2), ctx.arg(3));
    for block in first..first + count {
        for step in 0..blocks.steps {
            ask_for_tiles(ctx, (A, blocks.a_tiles()), &a, blocks.a_pages(block, step));
            ask_for_tiles(ctx, (B, blocks.b_tiles()), &b, blocks.b_pages(block, step));
            ctx.noc_async_read_barrier();
            ctx.cb_push_back(A, blocks.a_tiles());
            ctx.cb_push_back(B, blocks.b_tiles());
        }
    }
}
