//! Combines a block of tiles in each section of Dst.

use tilewright_metal::api::Compute;
use tilewright_tile::Broadcast;
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::sfpu::Binary;

use super::blocks::Blocks;
use super::program_factory::{FIRST, OUT, SECOND};
use super::{Engine, Options};

pub(super) fn kernel(ctx: &Compute<'_>, options: Options) {
    let blocks = Blocks::from_words(|index| ctx.compile_time_arg(index));
    ctx.compute_kernel_hw_startup(FIRST, SECOND, OUT);
    if let Engine::Fpu(op) = options.engine {
        ctx.any_tiles_bcast_init(op, options.broadcast);
    }
    for block in ctx.arg(0)..ctx.arg(0) + ctx.arg(1) {
        let tiles = blocks.tiles(block).len() as u32;
        let seconds = blocks.second_tiles(block).len() as u32;
        ctx.cb_wait_front(FIRST, blocks.block);
        ctx.cb_wait_front(SECOND, blocks.second_block());
        ctx.tile_regs_acquire();
        match options.engine {
            Engine::Fpu(op) => matrix_unit(ctx, op, options.broadcast, tiles, seconds),
            Engine::Sfpu(op) => vector_unit(ctx, op, tiles, seconds),
        }
        ctx.tile_regs_commit();
        ctx.cb_pop_front(FIRST, blocks.block);
        ctx.cb_pop_front(SECOND, blocks.second_block());

        ctx.cb_reserve_back(OUT, blocks.block);
        ctx.tile_regs_wait();
        ctx.pack_block(0, OUT, tiles);
        ctx.tile_regs_release();
        ctx.cb_push_back(OUT, blocks.block);
    }
}

/// The section is clear, so that products, which always add to Dst, come out alone.
fn matrix_unit(ctx: &Compute<'_>, op: Elementwise, broadcast: Broadcast, tiles: u32, seconds: u32) {
    for tile in 0..tiles {
        let second = (SECOND, tile.min(seconds - 1));
        ctx.any_tiles_bcast(op, broadcast, (FIRST, tile), second, tile);
    }
}

/// Dst holds the first operand's tiles, then the second's; results replace the first.
fn vector_unit(ctx: &Compute<'_>, op: Binary, tiles: u32, seconds: u32) {
    ctx.copy_tile_init(FIRST);
    (0..tiles).for_each(|tile| ctx.copy_tile(FIRST, tile, tile));
    ctx.copy_tile_init(SECOND);
    (0..seconds).for_each(|tile| ctx.copy_tile(SECOND, tile, tiles + tile));
    ctx.binary_tile_init(op);
    for tile in 0..tiles {
        ctx.binary_tile(op, tile, tiles + tile.min(seconds - 1), tile);
    }
}
