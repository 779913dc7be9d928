//! Moving whole tiles between row-major and face order.
//!
//! Values are copied, never converted: that is `unpack` and `pack`.

use std::hash::{Hash, Hasher};

use crate::{Broadcast, FACE_SIDE, Lanes, TILE_SIDE, TILE_VALUES, index};

/// Copies a 32x32 block of a row-major matrix into face order.
///
/// `row_stride` is the distance between rows in values.
///
/// ```
/// use tilewright_tile::{index, tilize, untilize};
///
/// // A matrix 64 values wide; the tile of its columns 32 to 63.
/// let matrix: Vec<u32> = (0..32 * 64).collect();
/// let (mut tile, mut again) = ([0; 1024], vec![0; 32 * 64]);
/// tilize(&matrix[32..], 64, &mut tile);
/// assert_eq!(tile[index(5, 20)], matrix[5 * 64 + 32 + 20]);
/// untilize(&tile, &mut again[32..], 64);
/// assert_eq!(again[32..64], matrix[32..64]);
/// ```
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

/// What is transposed of a tile on its way from L1 (llk `_llk_unpack_A_init_`: the order of faces,
/// and the values within each, by a parameter of their own).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transpose {
    /// Nothing.
    #[default]
    None,
    /// The tile.
    Whole,
    /// Faces 1 and 2 change places; each stays as it is.
    Faces,
    /// Each face where it is.
    Within,
}

impl Transpose {
    /// A number for each: digests and C++ kernels have it.
    pub fn code(self) -> u8 {
        match self {
            Transpose::None => 0,
            Transpose::Whole => 1,
            Transpose::Faces => 2,
            Transpose::Within => 3,
        }
    }

    /// The one with a number.
    pub fn from_code(code: u8) -> Option<Transpose> {
        let all = [Transpose::None, Transpose::Whole, Transpose::Faces, Transpose::Within];
        all.get(usize::from(code)).copied()
    }

    /// Where the value of a row and a column goes.
    pub fn place(self, (row, column): (usize, usize)) -> (usize, usize) {
        let (faces, within) = match self {
            Transpose::None => (false, false),
            Transpose::Whole => (true, true),
            Transpose::Faces => (true, false),
            Transpose::Within => (false, true),
        };
        let (face_row, face_column) = (row / FACE_SIDE, column / FACE_SIDE);
        let (inner_row, inner_column) = (row % FACE_SIDE, column % FACE_SIDE);
        let (face_row, face_column) =
            if faces { (face_column, face_row) } else { (face_row, face_column) };
        let (inner_row, inner_column) =
            if within { (inner_column, inner_row) } else { (inner_row, inner_column) };
        (face_row * FACE_SIDE + inner_row, face_column * FACE_SIDE + inner_column)
    }
}

/// In one byte, as a flag was that said whether it is transposed.
impl Hash for Transpose {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(self.code());
    }
}

/// Puts the values of a tile in face order where a transpose has them.
pub fn transpose_as(how: Transpose, tile: &Lanes, out: &mut Lanes) {
    if how == Transpose::Whole {
        return transpose(tile, out);
    }
    for row in 0..TILE_SIDE {
        for column in 0..TILE_SIDE {
            let (to_row, to_column) = how.place((row, column));
            out[index(to_row, to_column)] = tile[index(row, column)];
        }
    }
}

/// Transposes the 32x32 values of a tile in face order.
pub fn transpose(tile: &Lanes, out: &mut Lanes) {
    // A transpose of the tile transposes each face and swaps faces 1 and 2.
    let faces = tile.as_chunks::<FACE_SIDE>().0.as_chunks::<FACE_SIDE>().0;
    let out = out.as_chunks_mut::<FACE_SIDE>().0.as_chunks_mut::<FACE_SIDE>().0;
    for (out, from) in out.iter_mut().zip([0, 2, 1, 3]) {
        for row in 0..FACE_SIDE {
            for column in 0..FACE_SIDE {
                out[row][column] = faces[from][column][row];
            }
        }
    }
}

/// Spreads column 0, row 0 or the first value of `tile` over `out`.
pub(crate) fn broadcast_tile(broadcast: Broadcast, tile: &Lanes, out: &mut Lanes) {
    broadcast_changed(broadcast, tile, out, |value| value);
}

/// The same with every value changed: once, however often it is spread.
pub(crate) fn broadcast_changed(
    broadcast: Broadcast,
    tile: &Lanes,
    out: &mut Lanes,
    change: impl Fn(u32) -> u32,
) {
    let lines = tile.as_chunks::<FACE_SIDE>().0;
    let faces = out.as_chunks_mut::<{ FACE_SIDE * FACE_SIDE }>().0;
    for (face, out) in faces.iter_mut().enumerate() {
        let (left, right) = (face / 2 * 2 * FACE_SIDE, face * FACE_SIDE);
        let out = out.as_chunks_mut::<FACE_SIDE>().0;
        match broadcast {
            Broadcast::None => {
                for (out, value) in
                    out.as_flattened_mut().iter_mut().zip(&tile[right * FACE_SIDE..])
                {
                    *out = change(*value);
                }
            }
            Broadcast::Scalar => out.fill([change(tile[0]); FACE_SIDE]),
            Broadcast::Column => {
                for (out, values) in out.iter_mut().zip(&lines[left..]) {
                    out.fill(change(values[0]));
                }
            }
            Broadcast::Row => {
                let (first, others) = out.split_at_mut(1);
                for (out, value) in first[0].iter_mut().zip(lines[right % (2 * FACE_SIDE)]) {
                    *out = change(value);
                }
                others.iter_mut().for_each(|out| out.copy_from_slice(&first[0]));
            }
        }
    }
}
