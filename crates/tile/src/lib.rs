//! Numbers and their layout: what a Tensix core computes on 32x32 tiles, bit for bit.
//!
//! Knows no device: no core, no clock, no memory but the slices it is given.

/// Values in a tile: 32 rows of 32.
pub const TILE_VALUES: usize = 1024;
