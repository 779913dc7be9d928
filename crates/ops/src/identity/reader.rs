//! Reads 32 sticks' segments for each block; what lies below the last row or right of the last
//! column is zero.

use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

use super::program_factory::STICKS_IN;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let (height, row_blocks) = (ctx.compile_time_arg(0), ctx.compile_time_arg(1));
    let (segment, stick) = (ctx.compile_time_arg(2), ctx.compile_time_arg(3));
    let (tensor, _) = ctx.tensor_accessor(5, ctx.arg(0));
    let (first, blocks, pages) = (ctx.arg(1), ctx.arg(2), ctx.compile_time_arg(4));
    let rows = TILE_SIDE as u32;
    let matrix_rows = height.div_ceil(rows);
    for block in first..first + blocks {
        let (tile_row, column) = (block / row_blocks, block % row_blocks);
        let (matrix, row) = (tile_row / matrix_rows, tile_row % matrix_rows * rows);
        let offset = column * segment;
        let valid_rows = rows.min(height - row);
        let valid_bytes = segment.min(stick - offset);
        ctx.cb_reserve_back(STICKS_IN, pages);
        let to = ctx.get_write_ptr(STICKS_IN);
        if valid_rows < rows || valid_bytes < segment {
            ctx.write_l1(to, rows * segment, |bytes| bytes.fill(0));
        }
        for place in 0..valid_rows {
            let from = tensor.page_offset(matrix * height + row + place, offset);
            ctx.noc_async_read(from, to + place * segment, valid_bytes);
        }
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(STICKS_IN, pages);
    }
}
