//! Face order: where the value at a row and column of a tile is stored.
//!
//! Only arithmetic on indices; moving values is `tilize`.

/// Index, in face order, of the value at `row` and `column`.
#[inline(always)]
pub const fn index(row: usize, column: usize) -> usize {
    (row >> 4) * 512 + (column >> 4) * 256 + (row & 15) * 16 + (column & 15)
}

/// Row and column of the value stored at `index`.
#[inline(always)]
pub const fn position(index: usize) -> (usize, usize) {
    let (face, within) = (index >> 8, index & 255);
    ((face >> 1) * 16 + (within >> 4), (face & 1) * 16 + (within & 15))
}
