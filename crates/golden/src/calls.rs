//! The kernel API's calls of two buffers, by what they do.

use tilewright_metal::api::Compute;
use tilewright_tile::Broadcast;
use tilewright_tile::fpu::Elementwise;

/// Configures an elementwise operation of two buffers.
pub(super) type TwoBuffers = fn(&Compute<'_>, u8, u8);
/// Performs it.
pub(super) type TwoBufferTiles = fn(&Compute<'_>, u8, u8, u32, u32, u32);

macro_rules! two_buffers {
    ($init:ident, $tiles:ident) => {
        (
            |k: &Compute<'_>, a: u8, b: u8| k.$init(a, b),
            |k: &Compute<'_>, a: u8, b: u8, x: u32, y: u32, dst: u32| k.$tiles(a, b, x, y, dst),
        )
    };
}

/// The init call and the operation of two buffers.
pub(super) fn two_buffers(op: Elementwise, broadcast: Broadcast) -> (TwoBuffers, TwoBufferTiles) {
    use Broadcast::{Column, None, Row, Scalar};
    use Elementwise::{Add, Mul, Sub};
    match (op, broadcast) {
        (Add, None) => two_buffers!(add_init, add_tiles),
        (Sub, None) => two_buffers!(sub_init, sub_tiles),
        (Mul, None) => two_buffers!(mul_init, mul_tiles),
        (Add, Column) => two_buffers!(add_bcast_cols_init, add_tiles_bcast_cols),
        (Sub, Column) => two_buffers!(sub_bcast_cols_init, sub_tiles_bcast_cols),
        (Mul, Column) => two_buffers!(mul_bcast_cols_init, mul_tiles_bcast_cols),
        (Add, Row) => two_buffers!(add_bcast_rows_init, add_tiles_bcast_rows),
        (Sub, Row) => two_buffers!(sub_bcast_rows_init, sub_tiles_bcast_rows),
        (Mul, Row) => two_buffers!(mul_bcast_rows_init, mul_tiles_bcast_rows),
        (Add, Scalar) => two_buffers!(add_bcast_scalar_init, add_tiles_bcast_scalar),
        (Sub, Scalar) => two_buffers!(sub_bcast_scalar_init, sub_tiles_bcast_scalar),
        (Mul, Scalar) => two_buffers!(mul_bcast_scalar_init, mul_tiles_bcast_scalar),
    }
}
