//! Writes the valid part of each block's sticks.

use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

use super::program_factory::STICKS_OUT;

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
        ctx.cb_wait_front(STICKS_OUT, pages);
        let from = ctx.get_read_ptr(STICKS_OUT);
        for place in 0..rows.min(height - row) {
            let to = tensor.page_offset(matrix * height + row + place, offset);
            ctx.noc_async_write(from + place * segment, to, segment.min(stick - offset));
        }
        ctx.noc_async_write_barrier();
        ctx.cb_pop_front(STICKS_OUT, pages);
    }
}
