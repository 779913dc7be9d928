//! Makes the scaler tile, reads the blocks of each group, and fills what padding their tiles have.

use tilewright_metal::Shape;
use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;
use tilewright_tile::fpu::ReduceDim;

use super::Options;
use super::program_factory::{IN, SCALER};
use super::strips::Strips;
use crate::l1_tiles::{fill_padding, push_scaler};
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, options: Options, shape: &Shape) {
    let strips = Strips::from_words(|index| ctx.compile_time_arg(index));
    let (input, _) = ctx.tensor_accessor(Strips::WORDS, ctx.arg(2));
    let (block, tile_bytes) = (strips.block(), ctx.get_tile_size(IN));
    push_scaler(ctx, SCALER, options.scaler());
    for group in ctx.arg(0)..ctx.arg(0) + ctx.arg(1) {
        for part in strips.parts() {
            let tiles = strips.tiles(group, part.clone());
            let mut at = ask_for_tiles(ctx, (IN, block), &input, tiles);
            ctx.noc_async_read_barrier();
            for tile in strips.tiles(group, part) {
                let valid = valid_part(shape, options.dim, tile);
                if valid != WHOLE {
                    fill_padding(ctx, (IN, at), valid, options.neutral());
                }
                at = at + tile_bytes;
            }
            ctx.cb_push_back(IN, block);
        }
    }
}

const WHOLE: (u32, u32) = (TILE_SIDE as u32, TILE_SIDE as u32);

/// Rows and columns of a tile that may enter results. Padding that only results in padding is
/// left alone.
fn valid_part(shape: &Shape, dim: ReduceDim, tile: u32) -> (u32, u32) {
    let (rows, columns) = (shape.tile_rows() as u32, shape.tile_columns() as u32);
    let (row, column) = (tile / columns % rows, tile % columns);
    let height = (shape.height() as u32 - row * WHOLE.0).min(WHOLE.0);
    let width = (shape.width() as u32 - column * WHOLE.1).min(WHOLE.1);
    match dim {
        ReduceDim::Row => (WHOLE.0, width),
        ReduceDim::Column => (height, WHOLE.1),
        ReduceDim::Scalar => (height, width),
    }
}
