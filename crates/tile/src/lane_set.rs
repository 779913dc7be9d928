//! Sets of places in a tile, by row and column.
//!
//! Knows rows, columns and how operations move them about. Holds no values and no reasons.

use crate::sfpu::Sum;
use crate::{Broadcast, TILE_SIDE, Transpose};

/// Some of the 1,024 places of a tile: a bit a column, a word a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneSet {
    rows: [u32; TILE_SIDE],
}

impl LaneSet {
    /// No place.
    pub const EMPTY: LaneSet = LaneSet { rows: [0; TILE_SIDE] };
    /// Every place.
    pub const ALL: LaneSet = LaneSet { rows: [u32::MAX; TILE_SIDE] };

    /// Whole rows and whole columns, each a bit.
    pub fn rows_and_columns(rows: u32, columns: u32) -> LaneSet {
        let row = |row: usize| if rows >> row & 1 == 1 { u32::MAX } else { columns };
        LaneSet { rows: std::array::from_fn(row) }
    }

    /// What lies outside the first rows and columns: the padding of a tensor's last tiles.
    pub fn outside(rows: usize, columns: usize) -> LaneSet {
        LaneSet::rows_and_columns(!first(rows), !first(columns))
    }

    /// Whether there is no place in it.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().fold(0, |all, row| all | row) == 0
    }

    /// How many places it has.
    pub fn count(&self) -> u32 {
        self.rows.iter().map(|row| row.count_ones()).sum()
    }

    /// The first place of it, by rows.
    pub fn first(&self) -> Option<(usize, usize)> {
        let row = self.rows.iter().position(|row| *row != 0)?;
        Some((row, self.rows[row].trailing_zeros() as usize))
    }

    /// The columns of a row, a bit each.
    pub fn row(&self, row: usize) -> u32 {
        self.rows[row]
    }

    /// Adds some columns of a row.
    pub fn add_to_row(&mut self, row: usize, columns: u32) {
        self.rows[row] |= columns;
    }

    /// The rows that have a place in it, a bit each.
    pub fn any_rows(&self) -> u32 {
        let bit = |(row, columns): (usize, &u32)| u32::from(*columns != 0) << row;
        self.rows.iter().enumerate().map(bit).fold(0, |all, row| all | row)
    }

    /// The columns that have a place in it, a bit each.
    pub fn any_columns(&self) -> u32 {
        self.rows.iter().fold(0, |all, row| all | row)
    }

    /// The places of both.
    #[must_use]
    pub fn union(&self, other: &LaneSet) -> LaneSet {
        LaneSet { rows: std::array::from_fn(|row| self.rows[row] | other.rows[row]) }
    }

    /// The places of one that are not in the other.
    #[must_use]
    pub fn minus(&self, other: &LaneSet) -> LaneSet {
        LaneSet { rows: std::array::from_fn(|row| self.rows[row] & !other.rows[row]) }
    }

    /// Rows for columns.
    #[must_use]
    pub fn transposed(&self) -> LaneSet {
        self.transposed_as(Transpose::Whole)
    }

    /// Where a transpose has them.
    #[must_use]
    pub fn transposed_as(&self, how: Transpose) -> LaneSet {
        let mut transposed = LaneSet::EMPTY;
        for (row, columns) in self.rows.iter().enumerate() {
            for column in (0..TILE_SIDE).filter(|column| columns >> column & 1 == 1) {
                let (row, column) = how.place((row, column));
                transposed.rows[row] |= 1 << column;
            }
        }
        transposed
    }

    /// The places of a sum over a tile that depend on these (`sfpu::sum`). A column's sum is stored
    /// in four rows, a row's in the even columns of the left faces; the other places stay.
    #[must_use]
    pub fn summed(&self, sum: Sum) -> LaneSet {
        const STORED_ROWS: usize = 4;
        const STORED_COLUMNS: u32 = 0x5555;
        let columns = self.any_columns();
        let row = |row: usize| match sum {
            Sum::Columns if row < STORED_ROWS => columns,
            Sum::Columns => self.rows[row],
            Sum::Rows if self.rows[row] != 0 => self.rows[row] | STORED_COLUMNS,
            Sum::Rows => 0,
        };
        LaneSet { rows: std::array::from_fn(row) }
    }

    /// The places that a broadcast fills from these.
    #[must_use]
    pub fn broadcast(&self, broadcast: Broadcast) -> LaneSet {
        match broadcast {
            Broadcast::None => *self,
            Broadcast::Column => {
                let column = self.rows.iter().enumerate().map(|(row, bits)| (bits & 1) << row);
                LaneSet::rows_and_columns(column.fold(0, |all, row| all | row), 0)
            }
            Broadcast::Row => LaneSet { rows: [self.rows[0]; TILE_SIDE] },
            Broadcast::Scalar if self.rows[0] & 1 == 1 => LaneSet::ALL,
            Broadcast::Scalar => LaneSet::EMPTY,
        }
    }
}

/// The first `count` bits.
fn first(count: usize) -> u32 {
    if count >= TILE_SIDE { u32::MAX } else { (1 << count) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lanes, TILE_VALUES, index, transpose_as};

    #[test]
    fn places_go_where_values_go() {
        let mut tile: Lanes = [0; TILE_VALUES];
        for how in (0..4).filter_map(Transpose::from_code) {
            for (row, column) in [(0, 0), (3, 21), (17, 2), (30, 19)] {
                let mut set = LaneSet::EMPTY;
                set.rows[row] = 1 << column;
                tile.fill(0);
                tile[index(row, column)] = 7;
                let mut moved = tile;
                transpose_as(how, &tile, &mut moved);
                let set = set.transposed_as(how);
                for to in 0..TILE_SIDE {
                    let values = (0..TILE_SIDE).filter(|at| moved[index(to, *at)] == 7);
                    let found = values.fold(0, |columns, at| columns | 1 << at);
                    assert_eq!(set.rows[to], found, "{how:?}: ({row},{column})");
                }
            }
        }
    }

    #[test]
    fn padding_is_what_lies_outside() {
        let padding = LaneSet::outside(30, 5);
        assert_eq!(padding.count(), 1024 - 150);
        assert_eq!(padding.first(), Some((0, 5)));
        assert!(LaneSet::outside(32, 32).is_empty());
        assert_eq!(LaneSet::outside(0, 0), LaneSet::ALL);
    }

    #[test]
    fn broadcasts_take_the_first_column_row_or_place() {
        let columns = LaneSet::outside(32, 5);
        assert!(columns.broadcast(Broadcast::Column).is_empty());
        assert_eq!(columns.broadcast(Broadcast::Row), columns);
        assert!(columns.broadcast(Broadcast::Scalar).is_empty());
        let rows = LaneSet::outside(5, 32);
        assert_eq!(rows.broadcast(Broadcast::Column), rows);
        assert!(rows.broadcast(Broadcast::Row).is_empty());
        assert_eq!(LaneSet::outside(0, 32).broadcast(Broadcast::Scalar), LaneSet::ALL);
    }

    #[test]
    fn sums_depend_on_whole_columns_or_rows() {
        let mut one = LaneSet::EMPTY;
        one.add_to_row(9, 1 << 7);
        let columns = one.summed(Sum::Columns);
        assert_eq!((columns.row(0), columns.row(3), columns.row(4)), (1 << 7, 1 << 7, 0));
        assert_eq!((columns.row(9), columns.count()), (1 << 7, 5));
        let rows = one.summed(Sum::Rows);
        assert_eq!((rows.row(9), rows.count()), (0x5555 | 1 << 7, 9));
        assert!(LaneSet::EMPTY.summed(Sum::Rows).is_empty());
    }

    #[test]
    fn sets_are_transposed_joined_and_cut() {
        let columns = LaneSet::outside(32, 5);
        assert_eq!(columns.transposed(), LaneSet::outside(5, 32));
        let both = columns.union(&columns.transposed());
        assert_eq!(both, LaneSet::outside(5, 5));
        assert_eq!(both.minus(&columns).count(), 27 * 5);
        assert_eq!(both.minus(&columns).any_columns(), 0b1_1111);
        assert_eq!(both.minus(&columns).any_rows(), !0b1_1111);
    }
}
