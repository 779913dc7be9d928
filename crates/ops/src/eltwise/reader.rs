//! Reads both operands' tiles of each block. The vector unit cannot broadcast, so for it the
//! second operand's tiles are spread out in L1.

use tilewright_metal::api::DataMovement;
use tilewright_tile::Broadcast;

use super::blocks::Blocks;
use super::program_factory::{FIRST, SECOND};
use super::{Engine, Options};
use crate::l1_tiles::spread;
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, options: Options) {
    let blocks = Blocks::from_words(|index| ctx.compile_time_arg(index));
    let (first, next) = ctx.tensor_accessor(Blocks::WORDS, ctx.arg(2));
    let (second, _) = ctx.tensor_accessor(next, ctx.arg(3));
    let second_block = blocks.second_block();
    let must_spread = matches!(options.engine, Engine::Sfpu(_));
    for block in ctx.arg(0)..ctx.arg(0) + ctx.arg(1) {
        ask_for_tiles(ctx, (FIRST, blocks.block), &first, blocks.tiles(block));
        let tiles = blocks.second_tiles(block);
        let at = ask_for_tiles(ctx, (SECOND, second_block), &second, tiles.clone());
        ctx.noc_async_read_barrier();
        if must_spread && options.broadcast != Broadcast::None {
            for place in 0..tiles.len() as u32 {
                let at = at + place * ctx.get_tile_size(SECOND);
                spread(ctx, (SECOND, at), options.broadcast);
            }
        }
        ctx.cb_push_back(FIRST, blocks.block);
        ctx.cb_push_back(SECOND, second_block);
    }
}
