//! Bytes of one layout or format into those of another, for whole tensors.
//!
//! Values are groups of bytes here, so that one function serves every size. Which conversions a
//! tensor may have is `tensor`'s business.

use tilewright_tile::{
    DataFormat, FACE_SIDE, Integer, TILE_SIDE, TILE_VALUES, bfloat16, tilize, untilize,
};

use crate::block_float;
use crate::shape::Shape;

/// Values of `N` bytes, row-major, into tiles whose padding is `padding`.
pub fn to_tiles<const N: usize>(shape: &Shape, bytes: &[u8], padding: [u8; N]) -> Vec<u8> {
    let values = values::<N>(bytes);
    assert_eq!(values.len(), shape.volume());
    let (width, height) = (shape.width(), shape.height());
    let mut tiles = vec![0; shape.padded_volume() * N];
    let mut block = [padding; TILE_VALUES];
    let mut places = places(shape);
    for tile in values_mut::<N>(&mut tiles).chunks_exact_mut(TILE_VALUES) {
        let Some((matrix, row, column)) = places.next() else { break };
        let start = (matrix * height + row) * width + column;
        let (rows, columns) = (TILE_SIDE.min(height - row), TILE_SIDE.min(width - column));
        if rows == TILE_SIDE && columns == TILE_SIDE {
            tilize(&values[start..], width, tile);
            continue;
        }
        block.fill(padding);
        for (row, padded) in block.chunks_exact_mut(TILE_SIDE).take(rows).enumerate() {
            padded[..columns].copy_from_slice(&values[start + row * width..][..columns]);
        }
        tilize(&block, TILE_SIDE, tile);
    }
    tiles
}

/// Tiles of values of `N` bytes into row-major order, without the padding.
pub fn to_row_major<const N: usize>(shape: &Shape, bytes: &[u8]) -> Vec<u8> {
    let tiles = values::<N>(bytes);
    assert_eq!(tiles.len(), shape.padded_volume());
    let (width, height) = (shape.width(), shape.height());
    let mut row_major = vec![0; shape.volume() * N];
    let out = values_mut::<N>(&mut row_major);
    let mut block = [[0; N]; TILE_VALUES];
    for (tile, (matrix, row, column)) in tiles.chunks_exact(TILE_VALUES).zip(places(shape)) {
        let start = (matrix * height + row) * width + column;
        let (rows, columns) = (TILE_SIDE.min(height - row), TILE_SIDE.min(width - column));
        if rows == TILE_SIDE && columns == TILE_SIDE {
            untilize(tile, &mut out[start..], width);
            continue;
        }
        untilize(tile, &mut block, TILE_SIDE);
        for (row, padded) in block.chunks_exact(TILE_SIDE).take(rows).enumerate() {
            out[start + row * width..][..columns].copy_from_slice(&padded[..columns]);
        }
    }
    row_major
}

/// Row-major fp32 values into tiles of bf16, as `fp32_to_bf16` and `to_tiles` do it.
pub fn fp32_to_bf16_tiles(shape: &Shape, values: &[f32], padding: f32) -> Vec<u8> {
    assert_eq!(values.len(), shape.volume());
    let mut tiles = vec![0; shape.padded_volume() * 2];
    let (width, height) = (shape.width(), shape.height());
    let mut block = [bfloat16::from_f32(padding).to_le_bytes(); TILE_VALUES];
    let mut places = places(shape);
    for tile in values_mut::<2>(&mut tiles).chunks_exact_mut(TILE_VALUES) {
        let Some((matrix, row, column)) = places.next() else { break };
        let (rows, columns) = (TILE_SIDE.min(height - row), TILE_SIDE.min(width - column));
        if rows < TILE_SIDE || columns < TILE_SIDE {
            block.fill(bfloat16::from_f32(padding).to_le_bytes());
        }
        for (line, block) in block.chunks_exact_mut(TILE_SIDE).take(rows).enumerate() {
            let start = (matrix * height + row + line) * width + column;
            let values = values[start..start + columns].iter();
            let values = values.map(|value| bfloat16::from_f32(*value).to_le_bytes());
            block.iter_mut().zip(values).for_each(|(to, value)| *to = value);
        }
        tilize(&block, TILE_SIDE, tile);
    }
    tiles
}

/// Nearest bf16 of each fp32 value, ties to even.
pub fn fp32_to_bf16(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0; bytes.len() / 2];
    for (to, from) in values_mut::<2>(&mut out).iter_mut().zip(values::<4>(bytes)) {
        *to = bfloat16::from_f32(f32::from_le_bytes(*from)).to_le_bytes();
    }
    out
}

/// The same values in fp32.
pub fn bf16_to_fp32(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0; bytes.len() * 2];
    for (to, from) in values_mut::<4>(&mut out).iter_mut().zip(values::<2>(bytes)) {
        *to = [0, 0, from[0], from[1]];
    }
    out
}

/// Tiles of fp32 values into tiles of a block format.
pub fn fp32_to_blocks(bytes: &[u8], format: DataFormat) -> Vec<u8> {
    let tiles = values::<4>(bytes).chunks_exact(TILE_VALUES);
    let mut out = vec![0; tiles.len() * format.tile_bytes()];
    for (to, from) in out.chunks_exact_mut(format.tile_bytes()).zip(tiles) {
        block_float::encode(from, format, to);
    }
    out
}

/// Tiles of a block format into tiles of fp32 values.
pub fn blocks_to_fp32(bytes: &[u8], format: DataFormat) -> Vec<u8> {
    let tiles = bytes.chunks_exact(format.tile_bytes());
    let mut out = vec![0; tiles.len() * DataFormat::Float32.tile_bytes()];
    for (to, from) in values_mut::<4>(&mut out).chunks_exact_mut(TILE_VALUES).zip(tiles) {
        block_float::decode(from, format, to);
    }
    out
}

/// Whole numbers as the nearest fp32.
pub fn integers_to_fp32(integer: Integer, bytes: &[u8]) -> Vec<u8> {
    let numbers = integers_to_f64(integer, bytes);
    numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect()
}

/// Whole numbers as they are.
pub fn integers_to_f64(integer: Integer, bytes: &[u8]) -> Vec<f64> {
    match integer {
        Integer::UInt32 => values(bytes).iter().map(|it| u32::from_le_bytes(*it).into()).collect(),
        Integer::Int32 => values(bytes).iter().map(|it| i32::from_le_bytes(*it).into()).collect(),
        Integer::UInt16 => values(bytes).iter().map(|it| u16::from_le_bytes(*it).into()).collect(),
        Integer::UInt8 => bytes.iter().map(|byte| f64::from(*byte)).collect(),
        Integer::Int8 => bytes.iter().map(|byte| sign_magnitude(*byte)).collect(),
    }
}

/// The number of a sign and 7 bits.
fn sign_magnitude(byte: u8) -> f64 {
    let magnitude = f64::from(byte & 127);
    if byte & 128 == 0 { magnitude } else { -magnitude }
}

/// Fp32 values that are whole numbers of a format, in that format.
pub fn fp32_to_integers(integer: Integer, bytes: &[u8]) -> Vec<u8> {
    let numbers = values(bytes).iter().map(|value| f64::from(f32::from_le_bytes(*value)) as i64);
    match integer {
        Integer::UInt32 | Integer::Int32 => {
            numbers.flat_map(|number| (number as u32).to_le_bytes()).collect()
        }
        Integer::UInt16 => numbers.flat_map(|number| (number as u16).to_le_bytes()).collect(),
        Integer::UInt8 => numbers.map(|number| number as u8).collect(),
        Integer::Int8 => {
            numbers.map(|number| number.unsigned_abs() as u8 | u8::from(number < 0) << 7).collect()
        }
    }
}

/// Bytes in groups of `N`; there must be whole groups only.
pub fn values<const N: usize>(bytes: &[u8]) -> &[[u8; N]] {
    let (values, rest) = bytes.as_chunks();
    assert!(rest.is_empty(), "{} bytes are not values of {N}", bytes.len());
    values
}

/// As `values`, to be written to.
pub fn values_mut<const N: usize>(bytes: &mut [u8]) -> &mut [[u8; N]] {
    let (values, rest) = bytes.as_chunks_mut();
    assert!(rest.is_empty(), "bytes are not values of {N}");
    values
}

/// Reads values of `N` bytes in row-major order, from an index on, whether in tiles or not.
pub fn read<const N: usize>(
    (shape, is_tiled, start): (&Shape, bool, usize),
    bytes: &[u8],
    mut out: &mut [f32],
    value: impl Fn([u8; N]) -> f32,
) {
    let stored = values::<N>(bytes);
    let mut index = start;
    while !out.is_empty() {
        let (place, run) = if is_tiled { run(shape, index) } else { (index, out.len()) };
        let (now, rest) = out.split_at_mut(run.min(out.len()));
        let stored = &stored[place..place + now.len()];
        now.iter_mut().zip(stored).for_each(|(out, bytes)| *out = value(*bytes));
        index += now.len();
        out = rest;
    }
}

/// Where a tiled value lies among all that are stored, and how many of its row follow it there.
fn run(shape: &Shape, index: usize) -> (usize, usize) {
    let (stick, column) = (index / shape.width(), index % shape.width());
    let (matrix, row) = (stick / shape.height(), stick % shape.height());
    let tile_row = matrix * shape.tile_rows() + row / TILE_SIDE;
    let tile = tile_row * shape.tile_columns() + column / TILE_SIDE;
    let inside = tilewright_tile::index(row % TILE_SIDE, column % TILE_SIDE);
    let run = (FACE_SIDE - column % FACE_SIDE).min(shape.width() - column);
    (tile * TILE_VALUES + inside, run)
}

/// Matrix, first row and first column of every tile, in the order tiles are stored.
fn places(shape: &Shape) -> impl Iterator<Item = (usize, usize, usize)> {
    let (tile_rows, tile_columns) = (shape.tile_rows(), shape.tile_columns());
    (0..shape.matrices()).flat_map(move |matrix| {
        (0..tile_rows).flat_map(move |row| {
            (0..tile_columns).map(move |column| (matrix, row * TILE_SIDE, column * TILE_SIDE))
        })
    })
}
