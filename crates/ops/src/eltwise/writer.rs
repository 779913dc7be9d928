//! Writes each block's tiles.

use tilewright_metal::api::DataMovement;

use super::blocks::Blocks;
use super::program_factory::OUT;
use crate::movement::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let blocks = Blocks::from_words(|index| ctx.compile_time_arg(index));
    let (output, _) = ctx.tensor_accessor(Blocks::WORDS, ctx.arg(2));
    for block in ctx.arg(0)..ctx.arg(0) + ctx.arg(1) {
        write_tiles(ctx, (OUT, blocks.block), &output, blocks.tiles(block));
    }
}
