//! Moving whole tiles between row-major and face order.
//!
//! Values are copied, never converted: that is `unpack` and `pack`.

use crate::{FACE_SIDE, Lanes, TILE_SIDE, TILE_VALUES, index};

/// Copies a 32x32 block of a row-major matrix into face order.
///
/// `row_stride` is the distance between rows in values.
pub fn tilize<T: Copy>(row_major: &[T], row_stride: usize, out: &mut [T]) {
    assert_eq!(out.len(), TILE_VALUES, "a tile has 1024 values");
    for row in 0..TILE_SIDE {
        let source = &row_major[row * row_stride..][..TILE_SIDE];
        let (left, right) = source.split_at(FACE_SIDE);
        out[index(row, 0)..][..FACE_SIDE].copy_from_slice(left);
        out[index(row, FACE_SIDE)..][..FACE_SIDE].copy_from_slice(right);
    }
}

/// Copies a tile in face order into a 32x32 block of a row-major matrix.
pub fn untilize<T: Copy>(tile: &[T], out: &mut [T], row_stride: usize) {
    assert_eq!(tile.len(), TILE_VALUES, "a tile has 1024 values");
    for row in 0..TILE_SIDE {
        let target = &mut out[row * row_stride..][..TILE_SIDE];
        let (left, right) = target.split_at_mut(FACE_SIDE);
        left.copy_from_slice(&tile[index(row, 0)..][..FACE_SIDE]);
        right.copy_from_slice(&tile[index(row, FACE_SIDE)..][..FACE_SIDE]);
    }
}

/// Transposes the 32x32 values of a tile in face order.
pub fn transpose(tile: &Lanes, out: &mut Lanes) {
    // A transpose of the tile transposes each face and swaps faces 1 and 2.
    for (to, from) in [(0, 0), (256, 512), (512, 256), (768, 768)] {
        for row in 0..FACE_SIDE {
            for column in 0..FACE_SIDE {
                out[to + row * FACE_SIDE + column] = tile[from + column * FACE_SIDE + row];
            }
        }
    }
}
