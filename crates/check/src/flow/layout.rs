//! From the bytes of a tile in memory to its places, and back.

use tilewright_machine::GRANULE_BYTES;
use tilewright_tile::{DataFormat, FACE_SIDE, FACE_VALUES, LaneSet, TILE_SIDE};

/// Granules of the largest tile.
pub(crate) const TILE_GRANULES: usize = 256;

/// Bytes that hold the shared exponents of a block-float tile, in front of its values.
const EXPONENT_BYTES: usize = 64;

/// Where a granule's values are in its tile: row, first column, how many; none for exponents.
fn values_of(format: DataFormat, granule: usize) -> Option<(usize, usize, usize)> {
    let (granule, value_bytes) = match format.value_bytes() {
        Some(value_bytes) => (granule, value_bytes),
        None => (granule.checked_sub(EXPONENT_BYTES / GRANULE_BYTES)?, 1),
    };
    let values = GRANULE_BYTES / value_bytes;
    let first = granule * values;
    let (face, within) = (first / FACE_VALUES, first % FACE_VALUES);
    let row = face / 2 * FACE_SIDE + within / FACE_SIDE;
    Some((row, face % 2 * FACE_SIDE + within % FACE_SIDE, values))
}

/// Adds the places whose bytes, a bit each, are given.
pub(crate) fn add_lanes(lanes: &mut LaneSet, format: DataFormat, granule: usize, bytes: u16) {
    if bytes == 0 {
        return;
    }
    match values_of(format, granule) {
        Some((row, column, values)) => {
            lanes.add_to_row(row, value_bits(bytes, values) << column);
        }
        // An exponent is shared by the 16 values of a face's row.
        None => {
            for byte in (0..GRANULE_BYTES).filter(|byte| bytes >> byte & 1 == 1) {
                let (face, row) = {
                    let exponent = granule * GRANULE_BYTES + byte;
                    (exponent / FACE_SIDE, exponent % FACE_SIDE)
                };
                let columns = 0xffff << (face % 2 * FACE_SIDE);
                lanes.add_to_row(face / 2 * FACE_SIDE + row, columns);
            }
        }
    }
}

/// Which bytes of a tile mean something, and the places of those that do not: tiles of one tensor
/// are padded alike, one after the other.
#[derive(Default)]
pub(crate) struct Pattern {
    format: Option<DataFormat>,
    defined: Vec<u16>,
    lanes: LaneSet,
}

impl Pattern {
    /// The places that mean nothing, by the bytes of each granule that mean something.
    pub(crate) fn lanes(&mut self, format: DataFormat, defined: &[u16]) -> LaneSet {
        if self.format != Some(format) || self.defined != defined {
            self.format = Some(format);
            self.defined.clear();
            self.defined.extend_from_slice(defined);
            self.lanes = LaneSet::EMPTY;
            for (granule, defined) in defined.iter().enumerate() {
                add_lanes(&mut self.lanes, format, granule, !defined);
            }
        }
        self.lanes
    }
}

/// The bytes of each granule of a tile that mean something, if these places do not.
pub(crate) fn defined_bytes(lanes: &LaneSet, format: DataFormat) -> ([u16; TILE_GRANULES], usize) {
    let granules = format.tile_bytes() / GRANULE_BYTES;
    let mut defined = [u16::MAX; TILE_GRANULES];
    for (granule, defined) in defined[..granules].iter_mut().enumerate() {
        if let Some((row, column, values)) = values_of(format, granule) {
            *defined = !byte_bits(lanes.row(row) >> column, values);
        }
    }
    (defined, granules)
}

/// The bytes of a granule in a row of values that mean something, if these columns do not.
pub(crate) fn defined_row(columns: u32, value_bytes: usize, granule: usize) -> u16 {
    let values = GRANULE_BYTES / value_bytes;
    !byte_bits(columns >> (granule * values), values)
}

/// The columns of a row of values whose bytes, a bit each, are given.
pub(crate) fn columns_of(bytes: u16, value_bytes: usize, granule: usize) -> u32 {
    let values = GRANULE_BYTES / value_bytes;
    value_bits(bytes, values) << (granule * values)
}

/// Granules of one row of a tile in a row-major block.
pub(crate) fn row_granules(value_bytes: usize) -> usize {
    TILE_SIDE * value_bytes / GRANULE_BYTES
}

/// A bit a value: one of its bytes is set.
fn value_bits(bytes: u16, values: usize) -> u32 {
    let bytes = u32::from(bytes);
    match values {
        16 => bytes,
        8 => {
            let pairs = (bytes | bytes >> 1) & 0x5555;
            let fours = (pairs | pairs >> 1) & 0x3333;
            let eights = (fours | fours >> 2) & 0x0f0f;
            (eights | eights >> 4) & 0xff
        }
        _ => {
            let bit = |value: usize| u32::from(bytes >> (4 * value) & 15 != 0) << value;
            bit(0) | bit(1) | bit(2) | bit(3)
        }
    }
}

/// A bit a byte: its value is set.
fn byte_bits(columns: u32, values: usize) -> u16 {
    let width = GRANULE_BYTES / values;
    let mask = (1u32 << width) - 1;
    let bits = |value: usize| if columns >> value & 1 == 1 { mask << (value * width) } else { 0 };
    (0..values).map(bits).fold(0, |all, bits| all | bits) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_the_way_through_bytes() {
        for format in [DataFormat::Bfloat16, DataFormat::Float32, DataFormat::Bfp8] {
            let lanes = LaneSet::outside(29, 7);
            let (defined, granules) = defined_bytes(&lanes, format);
            assert_eq!(granules * GRANULE_BYTES, format.tile_bytes());
            let mut pattern = Pattern::default();
            for _ in 0..2 {
                assert_eq!(pattern.lanes(format, &defined[..granules]), lanes, "{format:?}");
            }
            let all = [u16::MAX; TILE_GRANULES];
            assert_eq!(pattern.lanes(format, &all[..granules]), LaneSet::EMPTY, "{format:?}");
        }
    }

    #[test]
    fn an_exponent_stands_for_a_row_of_its_face() {
        let mut lanes = LaneSet::EMPTY;
        add_lanes(&mut lanes, DataFormat::Bfp8, 1, 0b100);
        assert_eq!((lanes.count(), lanes.first()), (16, Some((2, 16))));
    }
}
