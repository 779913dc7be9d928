//! Functions of one value of a 16-bit Dst, by table: there are only 65,536 of them.
//!
//! A table is made once a function has been computed for as many values as the table holds, so that
//! a function of a few tiles costs nothing more. Holds what the program computes and nothing else.

use std::cell::RefCell;

use super::run::{Operands, Program, ProgramId};
use crate::{Chip, DstWidth, Lanes, TILE_VALUES};

/// Patterns of a 16-bit value.
const PATTERNS: usize = 1 << 16;

/// Tables that a thread keeps, 128 KiB each.
const KEPT: usize = 8;

/// A function that has been called, with everything that its results depend on.
struct Called {
    program: ProgramId,
    chip: Chip,
    constants: [u32; 3],
    scalars: Vec<u32>,
    results: Results,
}

/// What is kept of a function.
enum Results {
    /// So many tiles have been computed.
    Counted(usize),
    /// The upper halves of results, by those of operands.
    Halves(Box<[u16; PATTERNS]>),
    /// Not all of its results have 16 bits.
    Wide,
}

thread_local! {
    /// The last used comes first.
    static CALLED: RefCell<Vec<Called>> = const { RefCell::new(Vec::new()) };
}

/// Replaces a tile by its function, if that is one of a single tile in a 16-bit Dst and has been
/// called often enough. Says whether it did.
pub(super) fn look_up(program: &Program, operands: &mut Operands<'_>) -> bool {
    let [tile] = &mut *operands.tiles else { return false };
    if operands.width != DstWidth::Bits16 || has_low_bits(tile) {
        return false;
    }
    CALLED.with_borrow_mut(|called| {
        let place = place_of(called, program, operands);
        called[..=place].rotate_right(1);
        let kept = &mut called[0].results;
        if let Results::Counted(tiles) = kept {
            *tiles += 1;
            if *tiles <= PATTERNS / TILE_VALUES {
                return false;
            }
            *kept = results(program, operands);
        }
        let Results::Halves(halves) = kept else { return false };
        for value in &mut operands.tiles[0] {
            *value = u32::from(halves[usize::from((*value >> 16) as u16)]) << 16;
        }
        true
    })
}

/// Whether a value is not one of 16 bits.
fn has_low_bits(tile: &Lanes) -> bool {
    tile.iter().fold(0, |bits, value| bits | value) & 0xffff != 0
}

/// Where a call is among those that are kept; a new one takes the place of the last.
fn place_of(called: &mut Vec<Called>, program: &Program, operands: &Operands<'_>) -> usize {
    let is_same = |it: &Called| {
        (it.program, it.chip, it.constants) == (program.id, operands.chip, operands.constants)
            && it.scalars == operands.scalars
    };
    called.iter().position(is_same).unwrap_or_else(|| {
        called.truncate(KEPT - 1);
        called.push(Called {
            program: program.id,
            chip: operands.chip,
            constants: operands.constants,
            scalars: operands.scalars.to_vec(),
            results: Results::Counted(0),
        });
        called.len() - 1
    })
}

/// The function of every pattern.
fn results(program: &Program, operands: &mut Operands<'_>) -> Results {
    let Operands { chip, width, constants, scalars, .. } = *operands;
    // On the heap from the beginning: kernels call this, whose stacks are small.
    let halves = vec![0; PATTERNS].into_boxed_slice();
    let mut halves: Box<[u16; PATTERNS]> = halves.try_into().expect("as many as asked for");
    for (tile, halves) in halves.chunks_exact_mut(TILE_VALUES).enumerate() {
        let first = tile * TILE_VALUES;
        let mut values = [std::array::from_fn(|lane| ((first + lane) as u32) << 16)];
        let unit = (chip, width);
        program.compute(&mut Operands::new(unit, constants, scalars, &mut values, operands.state));
        if has_low_bits(&values[0]) {
            return Results::Wide;
        }
        for (half, value) in halves.iter_mut().zip(values[0]) {
            *half = (value >> 16) as u16;
        }
    }
    Results::Halves(halves)
}
