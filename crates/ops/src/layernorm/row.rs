//! What the LayerNorm compute kernels share: operands into Dst without loss, and row sums.
//!
//! All arithmetic on values is the vector unit's, in a 32-bit Dst; the matrix unit only moves,
//! broadcasts and sums. Its sums take 11 bits of a value, so a sum goes there in two parts.

use std::ops::Range;

use tilewright_metal::SourceId;
use tilewright_metal::api::Compute;
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::{Broadcast, DataFormat};

use super::cb;

/// What a tilized block takes from the sticks' buffer and gives to its own, whatever its size.
#[derive(Clone, Copy)]
pub(super) struct TilizePages {
    pub(super) sticks: u32,
    pub(super) tiles: u32,
}

/// Operands and row sums of one kernel.
pub(super) struct Row<'a> {
    pub(super) ctx: &'a Compute<'a>,
    /// The format of the operation's tensors.
    pub(super) format: DataFormat,
}

impl Row<'_> {
    /// A tile to Dst. Float32 buffers of these kernels go straight there, so nothing is lost.
    pub(super) fn load(&self, from: u8, tile: u32, to: u32) {
        self.load_tiles(from, tile, to, 1);
    }

    /// Consecutive tiles to consecutive registers.
    pub(super) fn load_tiles(&self, from: u8, first: u32, to: u32, tiles: u32) {
        self.ctx.reconfig_data_format_srca(from);
        self.ctx.copy_tile_init(from);
        for tile in 0..tiles {
            self.ctx.copy_tile(from, first + tile, to + tile);
        }
    }

    /// Column 0 of a tile, in every column.
    pub(super) fn load_column(&self, from: u8, tile: u32, to: u32) {
        self.load_columns(&[(from, to)], tile);
    }

    /// Column 0 of a tile of each buffer, in every column of a register. The buffers are alike.
    pub(super) fn load_columns(&self, columns: &[(u8, u32)], tile: u32) {
        let first = columns[0].0;
        self.ctx.reconfig_data_format(first, first);
        self.ctx.unary_bcast_init(Broadcast::Column, first);
        columns.iter().for_each(|(from, to)| self.load_next_column(*from, tile, *to));
    }

    /// As [`Self::load_column`], of a buffer like the last one: only the vector unit has worked
    /// since.
    pub(super) fn load_next_column(&self, from: u8, tile: u32, to: u32) {
        self.ctx.unary_bcast(Broadcast::Column, from, tile, to);
    }

    /// Row 0 of a tile, in every row.
    fn load_row(&self, from: u8, tile: u32, to: u32) {
        self.load_rows_init(from);
        self.load_rows(from, tile, to, 1);
    }

    fn load_rows_init(&self, from: u8) {
        if self.format == DataFormat::Float32 {
            self.ctx.reconfig_data_format(from, from);
            self.ctx.unary_bcast_init(Broadcast::Row, from);
        } else {
            self.ctx.reconfig_data_format(cb::ZEROS, from);
            self.ctx.add_bcast_rows_init(cb::ZEROS, from);
        }
    }

    /// Row 0 of consecutive tiles, in every row of consecutive registers. A 16-bit row cannot be
    /// broadcast into a 32-bit Dst by a move; a sum with zeros does it, exactly.
    fn load_rows(&self, from: u8, first: u32, to: u32, tiles: u32) {
        for tile in 0..tiles {
            if self.format == DataFormat::Float32 {
                self.ctx.unary_bcast(Broadcast::Row, from, first + tile, to + tile);
            } else {
                self.ctx.add_tiles_bcast_rows(cb::ZEROS, from, 0, first + tile, to + tile);
            }
        }
    }

    /// Multiplies the first registers by row 0 of consecutive tiles, in every row.
    pub(super) fn multiply_by_rows(&self, from: u8, first: u32, tiles: u32, spare: Range<u32>) {
        self.load_rows_init(from);
        self.ctx.mul_binary_tile_init();
        self.with_rows(from, first, tiles, spare, |tile, row| {
            self.ctx.mul_binary_tile(tile, row, tile);
        });
    }

    /// Adds row 0 of consecutive tiles, in every row, to the first registers.
    pub(super) fn add_rows(&self, from: u8, first: u32, tiles: u32, spare: Range<u32>) {
        self.load_rows_init(from);
        self.ctx.add_binary_tile_init();
        self.with_rows(from, first, tiles, spare, |tile, row| {
            self.ctx.add_binary_tile(tile, row, tile);
        });
    }

    /// Loads rows for as many tiles at a time as there are spare registers.
    fn with_rows(
        &self,
        from: u8,
        first: u32,
        tiles: u32,
        spare: Range<u32>,
        each: impl Fn(u32, u32),
    ) {
        for tile in (0..tiles).step_by(spare.len()) {
            let group = (spare.len() as u32).min(tiles - tile);
            self.load_rows(from, first + tile, spare.start, group);
            (0..group).for_each(|place| each(tile + place, spare.start + place));
        }
    }

    /// Tiles times row 0 of others; bf16 products are exact in a 32-bit Dst. Float32 needs a
    /// register more.
    pub(super) fn load_times_rows(
        &self,
        (factor, row): (u8, u8),
        first: u32,
        to: u32,
        spare: u32,
        tiles: u32,
    ) {
        let ctx = self.ctx;
        if self.format == DataFormat::Float32 {
            for tile in 0..tiles {
                self.load(factor, first + tile, to + tile);
                self.load_row(row, first + tile, spare);
                self.multiply(to + tile, spare, to + tile);
            }
        } else {
            self.zero_tiles(to, tiles);
            ctx.reconfig_data_format(factor, row);
            ctx.mul_bcast_rows_init(factor, row);
            for tile in 0..tiles {
                ctx.mul_tiles_bcast_rows(factor, row, first + tile, first + tile, to + tile);
            }
        }
    }

    /// Dst to zero: products add to what is there, and acquiring a section clears nothing.
    pub(super) fn zero(&self, to: u32) {
        self.zero_tiles(to, 1);
    }

    pub(super) fn zero_tiles(&self, first: u32, tiles: u32) {
        self.ctx.fill_tile_init();
        (first..first + tiles).for_each(|tile| self.ctx.fill_tile(tile, 0.0));
    }

    pub(super) fn add(&self, x: u32, y: u32, out: u32) {
        self.ctx.add_binary_tile_init();
        self.ctx.add_binary_tile(x, y, out);
    }

    pub(super) fn subtract(&self, x: u32, y: u32, out: u32) {
        self.ctx.sub_binary_tile_init();
        self.ctx.sub_binary_tile(x, y, out);
    }

    pub(super) fn multiply(&self, x: u32, y: u32, out: u32) {
        self.ctx.mul_binary_tile_init();
        self.ctx.mul_binary_tile(x, y, out);
    }

    /// Subtracts the same tile from consecutive ones.
    pub(super) fn subtract_from_each(&self, first: u32, tiles: u32, taken: u32) {
        self.ctx.sub_binary_tile_init();
        (first..first + tiles).for_each(|tile| self.ctx.sub_binary_tile(tile, taken, tile));
    }

    /// Multiplies consecutive tiles by the same one.
    pub(super) fn multiply_all(&self, first: u32, tiles: u32, factor: u32) {
        self.ctx.mul_binary_tile_init();
        (first..first + tiles).for_each(|tile| self.ctx.mul_binary_tile(tile, factor, tile));
    }

    /// Adds the same tile to consecutive ones.
    pub(super) fn add_to_each(&self, first: u32, tiles: u32, added: u32) {
        self.ctx.add_binary_tile_init();
        (first..first + tiles).for_each(|tile| self.ctx.add_binary_tile(tile, added, tile));
    }

    /// Adds consecutive tiles to a sum.
    pub(super) fn add_all(&self, sum: u32, first: u32, tiles: u32) {
        self.ctx.add_binary_tile_init();
        (first..first + tiles).for_each(|tile| self.ctx.add_binary_tile(sum, tile, sum));
    }

    /// Zeroes the lanes beyond the last feature. The mask must be in the next register.
    pub(super) fn mask(&self, data: u32) {
        self.ctx.mask_tile_init();
        self.ctx.mask_tile(data, data + 1);
    }

    /// Cuts a tile of Dst into a part of ten bits, which goes to `high`, and the rest, which stays.
    /// Both are exact.
    pub(super) fn split(&self, sum: u32, high: u32) {
        let ctx = self.ctx;
        ctx.copy_dest_values_init();
        ctx.copy_dest_values(sum, high);
        // Moving Dst to SrcA cuts it to that source's format, and a product uses ten bits of it.
        ctx.reconfig_data_format(cb::SPLIT, cb::ONES);
        ctx.binary_reuse_dest_init(Elementwise::Mul, SourceId::A);
        ctx.binary_reuse_dest_tiles(Elementwise::Mul, SourceId::A, cb::ONES, 0, high);
        self.subtract(sum, high, sum);
    }

    /// Makes tiles of 32 sticks, which lie one after another, `tiles` tiles wide. Takes Dst once
    /// for each tile.
    pub(super) fn tilize(&self, tiles: u32, pages: TilizePages, to: u8) {
        let ctx = self.ctx;
        ctx.reconfig_data_format_srca(cb::STICKS);
        ctx.pack_reconfig_data_format(to);
        ctx.tilize_init(cb::STICKS, tiles, to);
        ctx.cb_wait_front(cb::STICKS, pages.sticks);
        ctx.cb_reserve_back(to, pages.tiles);
        ctx.tilize_block(cb::STICKS, tiles, to);
        ctx.cb_push_back(to, pages.tiles);
        ctx.cb_pop_front(cb::STICKS, pages.sticks);
        ctx.tilize_uninit(cb::STICKS, to);
    }

    /// Packs registers to consecutive pages of a buffer.
    pub(super) fn pack(&self, registers: &[u32], to: u8) {
        let ctx = self.ctx;
        let pages = registers.len() as u32;
        ctx.cb_reserve_back(to, pages);
        ctx.pack_reconfig_data_format(to);
        registers.iter().for_each(|register| ctx.pack_tile(*register, to));
        ctx.cb_push_back(to, pages);
    }

    /// Adds up the rows, or the columns, of both parts of a split sum: pages `first` and the next.
    pub(super) fn reduce(&self, dim: ReduceDim, first: u32, to: u32) {
        let ctx = self.ctx;
        self.zero(to);
        ctx.reconfig_data_format_reduce(Pool::Sum, dim, cb::SPLIT, cb::ONES);
        ctx.reduce_init(Pool::Sum, dim, cb::SPLIT, cb::ONES, cb::SPLIT);
        for part in [first, first + 1] {
            ctx.reduce_tile(Pool::Sum, dim, (cb::SPLIT, part), (cb::ONES, 0), to);
        }
    }

    /// Multiplies a tile by 1/N.
    pub(super) fn over(&self, features: u32, to: u32) {
        self.ctx.binop_with_scalar_tile_init();
        self.ctx.mul_unary_tile(to, reciprocal_bits(features));
    }
}

/// 1/N as the kernels use it: the nearest fp32.
pub(super) fn reciprocal_bits(features: u32) -> u32 {
    (1.0 / f64::from(features) as f32).to_bits()
}
