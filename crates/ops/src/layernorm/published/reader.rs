//! Reads a tile-row at once, or in blocks of three tiles in three passes.

use tilewright_metal::TensorAccessor;
use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

use super::{BLOCK, Path, cb};
use crate::l1_tiles::{push_column_mask, push_tile};
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, path: Path) {
    let (features, row_tiles) = (ctx.compile_time_arg(0), ctx.compile_time_arg(1));
    let (gamma, next) = ctx.tensor_accessor(2, ctx.arg(0));
    let (x, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (mean, next) = ctx.tensor_accessor(next, ctx.arg(2));
    let (rstd, next) = ctx.tensor_accessor(next, ctx.arg(3));
    let (dy, _) = ctx.tensor_accessor(next, ctx.arg(4));
    let (first, rows) = (ctx.arg(5), ctx.arg(6));
    let reader = Reader { ctx, row_tiles, gamma, x, dy };

    if !features.is_multiple_of(TILE_SIDE as u32) {
        push_column_mask(ctx, cb::MASK, features % TILE_SIDE as u32);
    }
    // The buffer's format cuts it to bf16.
    push_tile(ctx, cb::SCALER, |_, _| 1.0 / features as f32);
    for row in first..first + rows {
        reader.read(cb::RSTD, &rstd, row, 1, 1);
        reader.read(cb::MEAN, &mean, row, 1, 1);
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(cb::MEAN, 1);
        ctx.cb_push_back(cb::RSTD, 1);
        match path {
            Path::Row => reader.whole_row(row, row == first),
            Path::Block => reader.row_in_blocks(row),
        }
    }
}

struct Reader<'a> {
    ctx: &'a DataMovement<'a>,
    row_tiles: u32,
    gamma: TensorAccessor,
    x: TensorAccessor,
    dy: TensorAccessor,
}

impl Reader<'_> {
    /// Reserves `pages` pages and asks for `tiles` tiles into them.
    fn read(&self, to: u8, from: &TensorAccessor, first: u32, tiles: u32, pages: u32) {
        ask_for_tiles(self.ctx, (to, pages), from, first..first + tiles);
    }

    fn whole_row(&self, row: u32, is_first: bool) {
        let (first, tiles) = (row * self.row_tiles, self.row_tiles);
        self.read(cb::X, &self.x, first, tiles, tiles);
        self.read(cb::DY, &self.dy, first, tiles, tiles);
        self.ctx.noc_async_read_barrier();
        self.ctx.cb_push_back(cb::DY, tiles);
        self.ctx.cb_push_back(cb::X, tiles);
        if is_first {
            self.read(cb::GAMMA, &self.gamma, 0, tiles, tiles);
            self.ctx.noc_async_read_barrier();
            self.ctx.cb_push_back(cb::GAMMA, tiles);
        }
    }

    /// Pushes whole blocks whatever the tail's size: pages beyond it keep what they held.
    fn row_in_blocks(&self, row: u32) {
        let (x, dy, gamma) = (cb::X, cb::DY, cb::GAMMA);
        for buffers in [&[dy, gamma][..], &[x, dy, gamma], &[x, gamma, dy]] {
            for column in (0..self.row_tiles).step_by(BLOCK as usize) {
                let tiles = BLOCK.min(self.row_tiles - column);
                for buffer in buffers {
                    let (from, first) = match *buffer {
                        cb::GAMMA => (&self.gamma, column),
                        cb::X => (&self.x, row * self.row_tiles + column),
                        _ => (&self.dy, row * self.row_tiles + column),
                    };
                    self.read(*buffer, from, first, tiles, BLOCK);
                }
                self.ctx.noc_async_read_barrier();
                buffers.iter().for_each(|buffer| self.ctx.cb_push_back(*buffer, BLOCK));
            }
        }
    }
}
