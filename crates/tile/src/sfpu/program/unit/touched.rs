//! What code uses besides registers, found out once however often it is executed.

use std::collections::{BTreeMap, BTreeSet};

use super::super::run::TILE_ROWS;
use super::code::Step;

/// Tiles of Dst, counted from the section's first, and the generators.
#[derive(Debug)]
pub struct Touched {
    /// Tiles that are loaded from, in order.
    pub loads: Vec<u32>,
    /// Tiles that are stored to, in order, with the accesses that do: 16 groups of four rows, even
    /// and odd columns of each, a bit each.
    pub stores: Vec<(u32, u32)>,
    /// Whether numbers are taken from the generators.
    pub takes_random_numbers: bool,
}

impl Step {
    /// The row of Dst that it is about.
    pub(super) fn row(&self) -> u32 {
        match *self {
            Step::Load { row, .. } | Step::Store { row, .. } => row,
            Step::Word { .. }
            | Step::Lanes { .. }
            | Step::Merge { .. }
            | Step::Random { .. }
            | Step::Swap { .. }
            | Step::Transpose { .. }
            | Step::Rotate { .. }
            | Step::Lookup { .. }
            | Step::Configure { .. }
            | Step::Lanewise(_)
            | Step::Push
            | Step::Pop
            | Step::Complement
            | Step::EnableAll
            | Step::Require(_) => 0,
        }
    }
}

impl Touched {
    pub(super) fn of(steps: &[Step]) -> Touched {
        let (mut loads, mut stores) = (BTreeSet::new(), BTreeMap::new());
        let mut takes_random_numbers = false;
        let place = |row: u32| (row / TILE_ROWS as u32, row % TILE_ROWS as u32);
        // Two rows of 16 bits are one of 32 bits, and one of them is a part of a tile's values.
        let narrow_tile = |row: u32| row / (2 * TILE_ROWS as u32);
        for step in steps {
            match *step {
                Step::Load { mode, row, .. } if mode.is_narrow() => {
                    loads.insert(narrow_tile(row));
                }
                Step::Load { row, .. } => {
                    loads.insert(place(row).0);
                }
                Step::Store { mode, row, .. } if mode.is_narrow() => {
                    stores.entry(narrow_tile(row)).or_default();
                }
                Step::Store { row, .. } => {
                    let (tile, inside) = place(row);
                    *stores.entry(tile).or_default() |= 1 << (inside / 2);
                }
                Step::Random { .. } => takes_random_numbers = true,
                Step::Word { .. }
                | Step::Lanes { .. }
                | Step::Merge { .. }
                | Step::Swap { .. }
                | Step::Transpose { .. }
                | Step::Rotate { .. }
                | Step::Lookup { .. }
                | Step::Configure { .. }
                | Step::Lanewise(_)
                | Step::Push
                | Step::Pop
                | Step::Complement
                | Step::EnableAll
                | Step::Require(_) => {}
            }
        }
        let (loads, stores) = (loads.into_iter().collect(), stores.into_iter().collect());
        Touched { loads, stores, takes_random_numbers }
    }
}
