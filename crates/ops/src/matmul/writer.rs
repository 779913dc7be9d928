//! Writes the tiles of each block.

use tilewright_metal::api::DataMovement;

use super::blocks::Blocks;
use super::program_factory::OUT;
use crate::movement::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let blocks = Blocks::from_words(|at| ctx.compile_time_arg(at));
    let (out, _) = ctx.tensor_accessor(Blocks::WORDS, ctx.arg(0));
    let (first, count) = (ctx.arg(1), ctx.arg(2));
    for block in first..first + count {
        write_tiles(ctx, (OUT, blocks.tiles()), &out, blocks.out_pages(block));
    }
}
