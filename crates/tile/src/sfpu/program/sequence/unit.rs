//! The unit's 32 lanes and eight registers: loads, stores, and the instructions between lanes.

use crate::bits::order_key;
pub(super) use crate::sfpu::program::run::TILE_ROWS;
use crate::sfpu::program::run::{Mode, Operands};
use crate::sfpu::program::state::{LANES, Register};
use crate::{FACE_SIDE, Lanes};

/// Columns of a row that a register holds.
pub(super) const COLUMNS: usize = 8;
/// Rows of Dst of a face.
pub(super) const FACE_ROWS: usize = 16;
/// Added to an address, it means the odd columns.
pub(super) const ODD: usize = 2;

/// Where a lane lies in a tile.
pub(super) fn place(at: usize, lane: usize) -> usize {
    let (row, column) = (at & !3, at & ODD);
    (row + lane / COLUMNS) * FACE_SIDE + 2 * (lane % COLUMNS) + column / ODD
}

/// The register at an address of a tile.
pub(super) fn load(tile: &Lanes, at: usize) -> Register {
    std::array::from_fn(|lane| tile[place(at, lane)])
}

/// SFPTRANSP of four registers: row i of register j against row j of register i.
pub(super) fn transpose(registers: &mut [Register; 4]) {
    let before = *registers;
    for (i, register) in registers.iter_mut().enumerate() {
        for (at, value) in register.iter_mut().enumerate() {
            *value = before[at / COLUMNS][i * COLUMNS + at % COLUMNS];
        }
    }
}

/// SFPSHFT2: within a row each column takes its left neighbour, some times over.
pub(super) fn rotated(register: &Register, turns: usize) -> Register {
    std::array::from_fn(|at| {
        let column = (at % COLUMNS + COLUMNS - turns) % COLUMNS;
        register[at - at % COLUMNS + column]
    })
}

/// Which rows of a register SFPSWAP gives the minimum of a pair to its first operand; the other
/// rows get the maximum. One bit for each of the four rows.
#[derive(Clone, Copy)]
pub(super) struct MinimumRows(pub(super) u8);

impl MinimumRows {
    pub(super) const NONE: MinimumRows = MinimumRows(0);
    pub(super) const ALL: MinimumRows = MinimumRows(0b1111);
    /// All but rows 0 and 1.
    pub(super) const NOT_01: MinimumRows = MinimumRows(0b1100);
    /// All but rows 0 and 2.
    pub(super) const NOT_02: MinimumRows = MinimumRows(0b1010);

    fn has(self, lane: usize) -> bool {
        self.0 >> (lane / COLUMNS) & 1 == 1
    }
}

/// SFPSWAP: sorts each lane of a pair. Says which lanes have changed places. Equal values change
/// places where the second operand gets the maximum.
pub(super) fn sort(x: &mut Register, y: &mut Register, minimum: MinimumRows) -> [bool; LANES] {
    let mut moved = [false; LANES];
    for lane in 0..LANES {
        let is_smaller = order_key(x[lane]) < order_key(y[lane]);
        moved[lane] = is_smaller != minimum.has(lane);
    }
    exchange(x, y, &moved);
    moved
}

/// Lanes of two registers that change places.
pub(super) fn exchange(x: &mut Register, y: &mut Register, moved: &[bool; LANES]) {
    for lane in (0..LANES).filter(|lane| moved[*lane]) {
        std::mem::swap(&mut x[lane], &mut y[lane]);
    }
}

/// The unit at work on the tiles of a call. Addresses count rows of Dst from the first row of the
/// first operand, as if the operands lay one after another.
pub(super) struct Unit<'a, 'b> {
    it: &'a mut Operands<'b>,
}

impl<'a, 'b> Unit<'a, 'b> {
    pub(super) fn of(it: &'a mut Operands<'b>) -> Unit<'a, 'b> {
        Unit { it }
    }

    /// SFPLOAD.
    pub(super) fn load(&mut self, register: usize, mode: Mode, at: usize) {
        let slot = self.it.slots.get(at / TILE_ROWS);
        match slot.and_then(|slot| self.it.tiles.get(*slot)) {
            Some(tile) => {
                let value = load(tile, at % TILE_ROWS).map(|value| mode.load(value));
                self.it.state.registers[register] = value;
            }
            None => self.it.overran = true,
        }
    }

    /// SFPSTORE.
    pub(super) fn store(&mut self, register: usize, mode: Mode, at: usize) {
        let value = self.it.state.registers[register];
        let slot = self.it.slots.get(at / TILE_ROWS).copied().unwrap_or(usize::MAX);
        self.it.store(slot, at % TILE_ROWS, mode, &value);
    }

    /// SFPTRANSP.
    pub(super) fn transpose(&mut self) {
        for half in self.it.state.registers.as_chunks_mut().0 {
            transpose(half);
        }
    }

    /// SFPSWAP of two of the first four registers; those four above follow them.
    pub(super) fn sort_tracked(&mut self, x: usize, y: usize, minimum: MinimumRows) {
        let registers = &mut self.it.state.registers;
        let [first, second] = registers.get_disjoint_mut([x, y]).expect("two registers");
        let moved = sort(first, second, minimum);
        let [first, second] = registers.get_disjoint_mut([x + 4, y + 4]).expect("two registers");
        exchange(first, second, &moved);
    }

    /// SFPSWAP of all lanes of two of the first four registers; those four above follow them.
    pub(super) fn exchange_tracked(&mut self, x: usize, y: usize) {
        self.it.state.registers.swap(x, y);
        self.it.state.registers.swap(x + 4, y + 4);
    }
}
