//! Tables of single instructions, held against the lane functions of `tile`.

use tilewright_tile::DstWidth::{Bits16, Bits32};
use tilewright_tile::fpu::lane::Unit;
use tilewright_tile::sfpu::lane::{self, Rounding};
use tilewright_tile::{Chip, DataFormat, FACE_SIDE, TILE_VALUES, block_float, fpu};

use super::case::{Arrays, Element, Refusal, Table};

/// Tables are Wormhole's.
const NARROW: Unit = (Chip::Wormhole, Bits16);
const WIDE: Unit = (Chip::Wormhole, Bits32);

/// A result that differs.
pub(super) struct Difference {
    pub(super) column: usize,
    pub(super) row: usize,
    pub(super) wanted: u32,
    pub(super) got: u32,
}

/// What an instruction answers: the results of a row from its operands and its number.
type Answers = fn(usize, &[u32]) -> Vec<u32>;

/// The first result that differs, and how many do.
pub(super) fn check(
    table: &Table,
    arrays: &Arrays,
) -> Result<Option<(Difference, usize)>, Refusal> {
    let (operands, results, answers) = instruction(&table.id)?;
    let columns = operands + results;
    if table.data.t != Element::U32 || table.rows.checked_mul(columns) != Some(table.data.n) {
        let why = format!("holds not {} rows of {columns} words (u32)", table.rows);
        return Err(Refusal::new("data", why));
    }
    let mut first = None;
    let mut differences = 0;
    let words = arrays.elements(&table.data);
    for (row, words) in words.chunks_exact(columns).enumerate() {
        let (inputs, wanted) = words.split_at(operands);
        let got = answers(row, inputs);
        for (place, (wanted, got)) in wanted.iter().zip(got).enumerate() {
            if *wanted != got {
                differences += 1;
                let column = operands + place;
                first.get_or_insert(Difference { column, row, wanted: *wanted, got });
            }
        }
    }
    Ok(first.map(|first| (first, differences)))
}

/// How many words of a row are operands, how many are results, and who gives the results.
fn instruction(name: &str) -> Result<(usize, usize, Answers), Refusal> {
    match name {
        "sfpu_fma" => Ok((3, 1, |_, x| vec![lane::fma(Chip::Wormhole, x[0], x[1], x[2])])),
        "elwadd" => Ok((3, 4, |_, x| elwadd(x[0], x[1], x[2]))),
        "elwmul_phase" => Ok((4, 2, |_, x| elwmul(x[0], x[1], x[2], x[3]))),
        "dot16_phase" => Ok((2 * FACE_SIDE + 2, 2, |_, x| dot16(x))),
        "bfp8_decode" => Ok((0, 1, |row, _| vec![bfp8(row)])),
        "sfpu_convert" => Ok((1, 7, |_, x| convert(x[0]))),
        unknown => {
            let known = "sfpu_fma, elwadd, elwmul_phase, dot16_phase, bfp8_decode, sfpu_convert";
            let why = format!("table `{unknown}` is not known; known: {known}");
            Err(Refusal::new("id", why))
        }
    }
}

/// A 16-bit Dst holds the upper half of what the table gives as its old value.
fn narrow(dst: u32) -> u32 {
    dst & Bits16.mask()
}

fn elwadd(a: u32, b: u32, dst: u32) -> Vec<u32> {
    let overwritten = [fpu::lane::add(NARROW, a, b, 0), fpu::lane::add(WIDE, a, b, 0)];
    let accumulated = [fpu::lane::add(NARROW, a, b, narrow(dst)), fpu::lane::add(WIDE, a, b, dst)];
    [overwritten, accumulated].concat()
}

fn elwmul(a: u32, b: u32, dst: u32, phase: u32) -> Vec<u32> {
    let multiply = fpu::lane::multiply_phase;
    vec![multiply(NARROW, phase, a, b, narrow(dst)), multiply(WIDE, phase, a, b, dst)]
}

fn dot16(words: &[u32]) -> Vec<u32> {
    let (a, rest) = words.split_first_chunk().expect("the row's length was checked");
    let (b, rest) = rest.split_first_chunk().expect("the row's length was checked");
    let (dst, phase) = (rest[0], rest[1]);
    let dot = fpu::lane::dot16_phase;
    vec![dot(NARROW, phase, a, b, narrow(dst)), dot(WIDE, phase, a, b, dst)]
}

/// Row `exponent * 256 + byte` is what the byte means under the exponent.
fn bfp8(row: usize) -> u32 {
    let mut tile = vec![0; DataFormat::Bfp8.tile_bytes()];
    tile[0] = (row / 256) as u8;
    tile[block_float::EXPONENT_BYTES] = (row % 256) as u8;
    let mut values = [0; TILE_VALUES];
    block_float::decode(&tile, DataFormat::Bfp8, &mut values);
    values[0]
}

fn convert(x: u32) -> Vec<u32> {
    let rounded = [
        Rounding::Bfloat16,
        Rounding::Unsigned8,
        Rounding::SignMagnitude8,
        Rounding::Unsigned16,
        Rounding::SignMagnitude16,
    ]
    .map(|mode| lane::stochastic_round(mode, x));
    [&rounded[..], &[lane::cast_sign_magnitude(x), lane::absolute(x)]].concat()
}
