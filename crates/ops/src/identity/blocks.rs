//! The blocks of sticks that reader and writer walk over, as their arguments describe them.

use tilewright_metal::TensorAccessor;
use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

/// One core's blocks of one tensor.
pub(super) struct Blocks {
    tensor: TensorAccessor,
    height: u32,
    row_blocks: u32,
    stick_bytes: u32,
    /// Bytes of a stick in a block.
    pub(super) segment_bytes: u32,
    /// Pages that a block takes of its ring.
    pub(super) pages: u32,
    first: u32,
    count: u32,
}

/// The part of the tensor that a block covers; the rest of the block is padding.
pub(super) struct Block {
    first_stick: u32,
    offset: u32,
    pub(super) sticks: u32,
    pub(super) bytes: u32,
}

impl Blocks {
    pub(super) fn of(ctx: &DataMovement<'_>) -> Blocks {
        let (tensor, _) = ctx.tensor_accessor(5, ctx.arg(0));
        Blocks {
            tensor,
            height: ctx.compile_time_arg(0),
            row_blocks: ctx.compile_time_arg(1),
            segment_bytes: ctx.compile_time_arg(2),
            stick_bytes: ctx.compile_time_arg(3),
            pages: ctx.compile_time_arg(4),
            first: ctx.arg(1),
            count: ctx.arg(2),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Block> {
        let rows = TILE_SIDE as u32;
        let matrix_rows = self.height.div_ceil(rows);
        (self.first..self.first + self.count).map(move |block| {
            let (tile_row, column) = (block / self.row_blocks, block % self.row_blocks);
            let (matrix, row) = (tile_row / matrix_rows, tile_row % matrix_rows * rows);
            let offset = column * self.segment_bytes;
            Block {
                first_stick: matrix * self.height + row,
                offset,
                sticks: rows.min(self.height - row),
                bytes: self.segment_bytes.min(self.stick_bytes - offset),
            }
        })
    }

    /// Where a block's part of a stick lies in the tensor.
    pub(super) fn place(&self, block: &Block, stick: u32) -> tilewright_metal::NocAddress {
        self.tensor.page_offset(block.first_stick + stick, block.offset)
    }
}
