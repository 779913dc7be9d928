//! The kernel API's calls by the names that golden data has for them.

use tilewright_metal::api::Compute;
use tilewright_tile::Broadcast;
use tilewright_tile::fpu::Elementwise;

use super::script::{Init, OneTile, ThreeTiles, TileAndScalar};

/// Configures an elementwise operation of two buffers.
pub(super) type TwoBuffers = fn(&Compute<'_>, u8, u8);
/// Performs it.
pub(super) type TwoBufferTiles = fn(&Compute<'_>, u8, u8, u32, u32, u32);

macro_rules! one_tile {
    ($init:ident, $tile:ident) => {
        Some((|k: &Compute<'_>| k.$init(), |k: &Compute<'_>, dst: u32| k.$tile(dst)))
    };
}

/// Functions of one tile, with the API's defaults.
pub(super) fn one_tile(name: &str) -> Option<(Init, OneTile)> {
    match name {
        "rsqrt_tile" => one_tile!(rsqrt_tile_init, rsqrt_tile),
        "sqrt_tile" => one_tile!(sqrt_tile_init, sqrt_tile),
        "recip_tile" => one_tile!(recip_tile_init, recip_tile),
        "exp_tile" => one_tile!(exp_tile_init, exp_tile),
        "square_tile" => one_tile!(square_tile_init, square_tile),
        "gelu_tile" => one_tile!(gelu_tile_init, gelu_tile),
        "sigmoid_tile" => one_tile!(sigmoid_tile_init, sigmoid_tile),
        "silu_tile" => one_tile!(silu_tile_init, silu_tile),
        "tanh_tile" => one_tile!(tanh_tile_init, tanh_tile),
        "log_tile" => one_tile!(log_tile_init, log_tile),
        "abs_tile" => one_tile!(abs_tile_init, abs_tile),
        "negative_tile" => one_tile!(negative_tile_init, negative_tile),
        _ => None,
    }
}

macro_rules! with_scalar {
    ($tile:ident) => {
        Some((
            |k: &Compute<'_>| k.binop_with_scalar_tile_init(),
            |k: &Compute<'_>, dst: u32, bits: u32| k.$tile(dst, bits),
        ))
    };
}

/// Functions of a tile and a scalar.
pub(super) fn tile_and_scalar(name: &str) -> Option<(Init, TileAndScalar)> {
    match name {
        "add_unary_tile" => with_scalar!(add_unary_tile),
        "sub_unary_tile" => with_scalar!(sub_unary_tile),
        "mul_unary_tile" => with_scalar!(mul_unary_tile),
        "div_unary_tile" => with_scalar!(div_unary_tile),
        "rsub_unary_tile" => with_scalar!(rsub_unary_tile),
        "fill_tile" => Some((
            |k: &Compute<'_>| k.fill_tile_init(),
            |k: &Compute<'_>, dst: u32, bits: u32| k.fill_tile(dst, f32::from_bits(bits)),
        )),
        "fill_tile_bitcast" => Some((
            |k: &Compute<'_>| k.fill_tile_init(),
            |k: &Compute<'_>, dst: u32, bits: u32| k.fill_tile_bitcast(dst, bits),
        )),
        _ => None,
    }
}

macro_rules! three_tiles {
    ($init:ident, $tile:ident) => {
        Some((
            |k: &Compute<'_>| k.$init(),
            |k: &Compute<'_>, x: u32, y: u32, out: u32| k.$tile(x, y, out),
        ))
    };
}

/// Functions of two tiles to a third.
pub(super) fn three_tiles(name: &str) -> Option<(Init, ThreeTiles)> {
    match name {
        "add_binary_tile" => three_tiles!(add_binary_tile_init, add_binary_tile),
        "sub_binary_tile" => three_tiles!(sub_binary_tile_init, sub_binary_tile),
        "mul_binary_tile" => three_tiles!(mul_binary_tile_init, mul_binary_tile),
        "div_binary_tile" => three_tiles!(div_binary_tile_init, div_binary_tile),
        "rsub_binary_tile" => three_tiles!(rsub_binary_tile_init, rsub_binary_tile),
        "binary_max_tile" => three_tiles!(binary_max_tile_init, binary_max_tile),
        "binary_min_tile" => three_tiles!(binary_min_tile_init, binary_min_tile),
        _ => None,
    }
}

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
