//! What the LayerNorm compute kernels share: operands into Dst without loss, and row sums.
//!
//! All arithmetic on values is the vector unit's, in a 32-bit Dst; the matrix unit only moves,
//! broadcasts and sums. Its sums take 11 bits of a value, so a sum goes there in two parts.

use tilewright_metal::SourceId;
use tilewright_metal::api::Compute;
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::{Broadcast, DataFormat};

use super::cb;

/// Tiles of a block. Dst holds eight; a block leaves room for what all its tiles need.
pub(super) const BLOCK: u32 = 3;

/// Operands and row sums of one kernel.
pub(super) struct Row<'a> {
    pub(super) ctx: &'a Compute<'a>,
    /// The format of the operation's tensors.
    pub(super) format: DataFormat,
}

impl Row<'_> {
    /// A tile to Dst. Float32 buffers of these kernels go straight there, so nothing is lost.
    pub(super) fn load(&self, from: u8, tile: u32, to: u32) {
        self.ctx.reconfig_data_format_srca(from);
        self.ctx.copy_tile_init(from);
        self.ctx.copy_tile(from, tile, to);
    }

    /// Column 0 of a tile, in every column.
    pub(super) fn load_column(&self, from: u8, tile: u32, to: u32) {
        self.ctx.reconfig_data_format(from, from);
        self.ctx.unary_bcast_init(Broadcast::Column, from);
        self.ctx.unary_bcast(Broadcast::Column, from, tile, to);
    }

    /// Row 0 of a tile, in every row. A 16-bit row cannot be broadcast into a 32-bit Dst by a
    /// move; a product with ones does it, exactly.
    pub(super) fn load_row(&self, from: u8, tile: u32, to: u32) {
        if self.format == DataFormat::Float32 {
            self.ctx.reconfig_data_format(from, from);
            self.ctx.unary_bcast_init(Broadcast::Row, from);
            self.ctx.unary_bcast(Broadcast::Row, from, tile, to);
        } else {
            self.zero(to);
            self.add_row_product(cb::ONES, 0, from, tile, to);
        }
    }

    /// Row 0 of a tile, added to every row of Dst.
    pub(super) fn add_row(&self, from: u8, tile: u32, to: u32, spare: u32) {
        if self.format == DataFormat::Float32 {
            self.load_row(from, tile, spare);
            self.add(to, spare, to);
        } else {
            self.add_row_product(cb::ONES, 0, from, tile, to);
        }
    }

    /// A tile times row 0 of another; bf16 products are exact in a 32-bit Dst.
    pub(super) fn load_times_row(&self, tile: (u8, u32), row: (u8, u32), to: u32, spare: u32) {
        if self.format == DataFormat::Float32 {
            self.load(tile.0, tile.1, to);
            self.load_row(row.0, row.1, spare);
            self.multiply(to, spare, to);
        } else {
            self.zero(to);
            self.add_row_product(tile.0, tile.1, row.0, row.1, to);
        }
    }

    fn add_row_product(&self, a: u8, a_tile: u32, row: u8, row_tile: u32, to: u32) {
        self.ctx.reconfig_data_format(a, row);
        self.ctx.mul_bcast_rows_init(a, row);
        self.ctx.mul_tiles_bcast_rows(a, row, a_tile, row_tile, to);
    }

    /// Dst to zero: products add to what is there, and acquiring a section clears nothing.
    pub(super) fn zero(&self, to: u32) {
        self.ctx.fill_tile_init();
        self.ctx.fill_tile(to, 0.0);
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
