//! Reads sticks in blocks of columns: γ and β once and each row once, or in three passes.

use tilewright_metal::api::DataMovement;
use tilewright_metal::{NocAddress, TensorAccessor};
use tilewright_tile::TILE_SIDE;

use super::Faults;
use super::program_factory::{TILE_ROW_BYTES, block_tiles};
use crate::l1_tiles::{push_ones, push_zeros};
use crate::layernorm::forward::compute::Plan;
use crate::layernorm::{Path, cb};

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan, faults: Faults) {
    let (x, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (gamma, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (beta, _) = ctx.tensor_accessor(next, ctx.arg(2));
    let (first, rows) = (ctx.arg(3), ctx.arg(4));
    push_ones(ctx, cb::ONES);
    let sticks = Sticks { ctx, plan, faults, zeros: make_zeros(ctx) };
    let over_gamma = faults.overwritten_gamma.then_some(&beta);
    match plan.path {
        Path::Row => {
            for (parameter, over) in [(&gamma, over_gamma), (&beta, None)] {
                sticks
                    .blocks(|column, tiles| sticks.read_parameter(parameter, over, column, tiles));
            }
            for row in first..first + rows {
                sticks.blocks(|column, tiles| sticks.read(&x, row, column, tiles));
            }
        }
        Path::Block => {
            for row in first..first + rows {
                for is_last_pass in [false, false, true] {
                    sticks.blocks(|column, tiles| {
                        sticks.read(&x, row, column, tiles);
                        if is_last_pass {
                            sticks.read_parameter(&gamma, over_gamma, column, tiles);
                            sticks.read_parameter(&beta, None, column, tiles);
                        }
                    });
                }
            }
        }
    }
}

/// A tile of zeros in this core's L1, for the compute kernel too.
fn make_zeros(ctx: &DataMovement<'_>) -> NocAddress {
    let at = ctx.get_write_ptr(cb::ZEROS);
    push_zeros(ctx, cb::ZEROS);
    ctx.get_noc_addr(ctx.core(), at)
}

/// Segments of sticks, `tiles` tiles wide from tile column `column`.
struct Sticks<'a> {
    ctx: &'a DataMovement<'a>,
    plan: Plan,
    faults: Faults,
    /// A tile of zeros.
    zeros: NocAddress,
}

impl Sticks<'_> {
    fn blocks(&self, each: impl Fn(u32, u32)) {
        let block = block_tiles(self.plan.path);
        for column in (0..self.plan.row_tiles).step_by(block as usize) {
            each(column, block.min(self.plan.row_tiles - column));
        }
    }

    /// The 32 sticks of a tile-row.
    fn read(&self, from: &TensorAccessor, row: u32, column: u32, tiles: u32) {
        let ctx = self.ctx;
        let segment_bytes = tiles * TILE_ROW_BYTES;
        self.push(|| {
            let to = ctx.get_write_ptr(cb::STICKS);
            for place in 0..TILE_SIDE as u32 {
                let stick = row * TILE_SIDE as u32 + place;
                let segment = from.page_offset(stick, column * TILE_ROW_BYTES);
                ctx.noc_async_read(segment, to + place * segment_bytes, segment_bytes);
            }
        });
    }

    /// The only stick of γ or β, with 31 of zeros below it: tilize reads them all. A processor
    /// would take five cycles to write four of their bytes; the network copies 32 in one.
    fn read_parameter(
        &self,
        from: &TensorAccessor,
        over: Option<&TensorAccessor>,
        column: u32,
        tiles: u32,
    ) {
        let ctx = self.ctx;
        let segment_bytes = tiles * TILE_ROW_BYTES;
        self.push(|| {
            let to = ctx.get_write_ptr(cb::STICKS);
            let zeros = (TILE_SIDE as u32 - 1) * TILE_ROW_BYTES;
            for tile in 0..tiles {
                ctx.noc_async_read(self.zeros, to + segment_bytes + tile * zeros, zeros);
            }
            let segment = from.page_offset(0, column * TILE_ROW_BYTES);
            ctx.noc_async_read(segment, to, segment_bytes);
            if let Some(over) = over {
                ctx.noc_async_read_barrier();
                let segment = over.page_offset(0, column * TILE_ROW_BYTES);
                ctx.noc_async_read(segment, to, segment_bytes);
            }
        });
    }

    /// The ring moves on by whole blocks, whatever the tail's size, so that no block wraps.
    fn push(&self, fill: impl Fn()) {
        let ctx = self.ctx;
        let pages = match self.faults.stick_sized_page {
            true => TILE_SIDE as u32,
            false => block_tiles(self.plan.path),
        };
        ctx.cb_reserve_back(cb::STICKS, pages);
        fill();
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(cb::STICKS, pages);
    }
}
