//! Dst: the register file that math writes and pack drains, and the semaphore between them.
//!
//! Held as fp32 bit patterns, a tile after the other. Rows have a flag that says whether they
//! were written since they were last cleared; clearing only takes the flags away
//! (numerics specification, section 2; ISA documentation, Dst.md and ZEROACC.md).

mod rows;
mod wide;

use std::hash::{Hash, Hasher};

use tilewright_tile::sfpu::program::StoredLanes;
use tilewright_tile::{DstWidth, FACE_SIDE, Lanes, Magnitudes, TILE_VALUES};

use rows::{loaded16, stored16};

/// Rows of a tile in Dst: four faces of sixteen.
pub(crate) const TILE_ROWS: usize = 64;

/// How Dst is shared between math and pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DstSync {
    /// Two halves: math fills one while pack drains the other.
    Half,
    /// One section: math and pack take turns.
    Full,
}

impl DstSync {
    /// Tiles of one section (Dst.md: 1,024 rows of 16 bits, 64 rows a tile).
    pub fn section_tiles(self, width: DstWidth) -> u32 {
        let tiles = match width {
            DstWidth::Bits16 => 16,
            DstWidth::Bits32 => 8,
        };
        match self {
            DstSync::Half => tiles / 2,
            DstSync::Full => tiles,
        }
    }
}

/// A tile of Dst as the row arithmetic finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DstTile(pub u8);

/// A tile of Dst as a call names it, and as it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DstUse {
    /// The index in the section, as the kernel gave it.
    pub index: u32,
    /// The tile it falls on.
    pub tile: DstTile,
}

/// In one word: most events name one to three of them, and digests take a step a word.
impl Hash for DstUse {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.index) << 8 | u64::from(self.tile.0));
    }
}

/// How far math and pack are with the sections of Dst, as data, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DstSections {
    /// Sections that math has committed and pack has not released.
    pub committed: u8,
    /// Committed sections at which math must wait.
    pub limit: u8,
    /// The half that math writes to.
    pub math_half: u8,
    /// The half that pack reads.
    pub pack_half: u8,
}

/// The register file with its flags and its semaphore.
pub struct Dst {
    width: DstWidth,
    sync: DstSync,
    /// 16 tiles in 16-bit mode; the first 8 are used in 32-bit mode.
    values: Vec<Lanes>,
    /// Nothing has been written since boot: every value is zero, in either width.
    is_blank: bool,
    /// A bit a row.
    defined: [u64; 16],
    /// In a 32-bit Dst, rows whose lower halves were written as rows of 16 bits ([`rows`]).
    lower_defined: [u64; 16],
    /// What is known of a tile's values, if all its rows are defined. Any write to the tile clears
    /// it.
    known: [Option<Magnitudes>; 16],
    /// Tiles of a 16-bit Dst that hold values of 32 bits, which on the device take the room of two
    /// tiles. Any write to the tile clears it.
    wide: [bool; 16],
    math_half: usize,
    pack_half: usize,
    committed: u8,
    sections: u8,
}

impl Dst {
    /// As after boot: the semaphore is {value 0, max 1} (firmware's `semaphore init`).
    pub fn new() -> Dst {
        let mut dst = Dst::at_boot();
        dst.take_memory();
        dst
    }

    /// The same, without the host's memory for its tiles before a launch asks for it: most programs
    /// leave most cores idle.
    pub(crate) fn at_boot() -> Dst {
        Dst {
            width: DstWidth::Bits16,
            sync: DstSync::Half,
            values: Vec::new(),
            is_blank: true,
            defined: [0; 16],
            lower_defined: [0; 16],
            known: [None; 16],
            wide: [false; 16],
            math_half: 0,
            pack_half: 0,
            committed: 0,
            sections: 1,
        }
    }

    fn take_memory(&mut self) {
        if self.values.is_empty() {
            self.values = vec![[0; TILE_VALUES]; 16];
        }
    }

    /// What a launch does: takes the kernel's width and mode, and clears every row. The semaphore
    /// and the halves stay as the last program left them.
    pub fn launch(&mut self, width: DstWidth, sync: DstSync) {
        self.take_memory();
        if width != self.width && !self.is_blank {
            self.convert(width);
        }
        self.width = width;
        self.sync = sync;
        self.defined = [0; 16];
        self.lower_defined = [0; 16];
        self.known = [None; 16];
        self.wide = [false; 16];
    }

    /// Allocates the host's memory for the storage now instead of on first use.
    pub(crate) fn populate(&mut self) {
        self.take_memory();
        // A tile is a page of the host.
        self.values.iter_mut().for_each(|tile| tile[0] = std::hint::black_box(tile[0]));
    }

    /// The width of its values.
    pub fn width(&self) -> DstWidth {
        self.width
    }

    /// How it is shared.
    pub fn sync(&self) -> DstSync {
        self.sync
    }

    /// Tiles in one section.
    pub fn section_tiles(&self) -> usize {
        self.sync.section_tiles(self.width) as usize
    }

    /// Whether math may take a section.
    pub fn can_acquire(&self) -> bool {
        self.committed < self.sections
    }

    /// Whether pack has a section to drain.
    pub fn can_wait(&self) -> bool {
        self.committed > 0
    }

    /// Whether every committed section has been drained.
    pub fn is_drained(&self) -> bool {
        self.committed == 0
    }

    /// How far math and pack are.
    pub fn sections(&self) -> DstSections {
        DstSections {
            committed: self.committed,
            limit: self.sections,
            math_half: self.math_half as u8,
            pack_half: self.pack_half as u8,
        }
    }

    /// Start-up on math: both sides begin with half 0 (llk `_llk_math_pack_sync_init_`).
    pub fn start_math(&mut self) {
        assert!(self.is_drained(), "start-up waits until pack has drained Dst");
        self.sections = match self.sync {
            DstSync::Half => 2,
            DstSync::Full => 1,
        };
        self.math_half = 0;
    }

    /// Start-up on pack.
    pub fn start_pack(&mut self) {
        self.pack_half = 0;
    }

    /// Math gives its section to pack.
    pub fn commit(&mut self) {
        self.committed = self.committed.saturating_add(1).min(15);
        if self.sync == DstSync::Half {
            self.math_half ^= 1;
        }
    }

    /// Pack clears the section it has drained, unless that is left out, and gives it back.
    pub fn release(&mut self, is_kept: bool) {
        let section = self.section_tiles();
        let first = self.pack_half * section;
        if !is_kept {
            self.defined[first..first + section].fill(0);
            self.lower_defined[first..first + section].fill(0);
        }
        self.committed = self.committed.saturating_sub(1);
        if self.sync == DstSync::Half {
            self.pack_half ^= 1;
        }
    }

    /// The tile that an index means to math.
    pub fn math_tile(&self, index: u32) -> DstTile {
        self.tile(self.math_half, index)
    }

    /// The tile that an index means to pack.
    pub fn pack_tile(&self, index: u32) -> DstTile {
        self.tile(self.pack_half, index)
    }

    /// Row arithmetic of Dst.md: rows count to 1,024 and wrap; in 32-bit mode bits 8 and 9 of a
    /// row both select the upper half of the storage.
    fn tile(&self, half: usize, index: u32) -> DstTile {
        let place = (half * 8 + index as usize) % 16;
        match self.width {
            DstWidth::Bits16 => DstTile(place as u8),
            DstWidth::Bits32 => DstTile((place & 3 | ((place >> 2 | place >> 3) & 1) << 2) as u8),
        }
    }

    /// What is known of a tile's values.
    pub fn known(&self, tile: DstTile) -> Option<Magnitudes> {
        self.known[usize::from(tile.0)].filter(|_| self.is_defined(tile))
    }

    /// Notes what is known of a tile that has just been written.
    pub fn know(&mut self, tile: DstTile, known: Option<Magnitudes>) {
        self.known[usize::from(tile.0)] = known;
    }

    /// Whether no row of the tile has been written since it was cleared.
    pub fn is_clear(&self, tile: DstTile) -> bool {
        self.defined[usize::from(tile.0)] == 0
    }

    /// Whether every row of the tile has been written since it was cleared.
    pub fn is_defined(&self, tile: DstTile) -> bool {
        self.defined[usize::from(tile.0)] == u64::MAX
    }

    /// The tile as pack and the matrix unit read it: undefined rows are zero. The register file
    /// keeps the old data of such rows, which stores of the vector unit expose (`sfpu_tile`).
    pub fn read(&self, tile: DstTile, scratch: &mut Lanes) {
        let place = usize::from(tile.0);
        scratch.copy_from_slice(&self.values[place]);
        self.each_undefined_row(place, |row| scratch[row].fill(0));
    }

    /// The tile's storage when every row is defined.
    pub fn defined_tile(&self, tile: DstTile) -> Option<&Lanes> {
        self.is_defined(tile).then(|| &self.values[usize::from(tile.0)])
    }

    /// The raw data of a tile, whatever its flags say.
    pub fn raw(&self, tile: DstTile) -> &Lanes {
        &self.values[usize::from(tile.0)]
    }

    /// Notes that a tile is written to, and says where it is.
    fn written(&mut self, tile: DstTile) -> usize {
        self.is_blank = false;
        let place = usize::from(tile.0);
        self.forget(place);
        place
    }

    /// Invalidates what is known of a tile's values.
    fn forget(&mut self, place: usize) {
        self.known[place] = None;
        self.wide[place] = false;
    }

    /// The tile for an operation that writes all of it; undefined rows read as `undefined`.
    pub fn overwrite(&mut self, tile: DstTile, undefined: u32) -> &mut Lanes {
        let place = self.written(tile);
        if self.defined[place] != u64::MAX {
            let mut rows = std::mem::replace(&mut self.defined[place], u64::MAX) ^ u64::MAX;
            while rows != 0 {
                let row = rows.trailing_zeros() as usize;
                self.values[place][row * FACE_SIDE..(row + 1) * FACE_SIDE].fill(undefined);
                rows &= rows - 1;
            }
        }
        &mut self.values[place]
    }

    /// The tile for an operation that writes all of it without reading it.
    pub fn replace(&mut self, tile: DstTile) -> &mut Lanes {
        let place = self.written(tile);
        self.defined[place] = u64::MAX;
        &mut self.values[place]
    }

    /// The tile for an SFPU function that reads and writes it. In an undefined row the even
    /// columns read as zero; their store defines the row, and the odd columns read old data.
    pub fn sfpu_tile(&mut self, tile: DstTile) -> &mut Lanes {
        let place = self.written(tile);
        let mut rows = !std::mem::replace(&mut self.defined[place], u64::MAX);
        while rows != 0 {
            let row = rows.trailing_zeros() as usize;
            for column in (0..FACE_SIDE).step_by(2) {
                self.values[place][row * FACE_SIDE + column] = 0;
            }
            rows &= rows - 1;
        }
        &mut self.values[place]
    }

    /// Stores to some lanes of a tile, which defines their rows; the others keep their data.
    pub(crate) fn store(&mut self, tile: DstTile, values: &Lanes, stored: StoredLanes) {
        let place = usize::from(tile.0);
        self.forget(place);
        self.defined[place] |= stored.rows();
        self.is_blank &= stored.rows() == 0;
        for (at, value) in values.iter().enumerate().filter(|(at, _)| stored.has(*at)) {
            self.values[place][at] = *value;
        }
    }

    /// Two different tiles, the first for writing. Flags, and what is known of it, are the caller's
    /// business.
    pub fn pair(&mut self, first: DstTile, second: DstTile) -> (&mut Lanes, &Lanes) {
        assert_ne!(first, second, "the caller handles an operation of a tile with itself");
        let (a, b) = (usize::from(first.0), usize::from(second.0));
        if a < b {
            let (low, high) = self.values.split_at_mut(b);
            (&mut low[a], &high[0])
        } else {
            let (low, high) = self.values.split_at_mut(a);
            (&mut high[0], &low[b])
        }
    }

    fn each_undefined_row(&self, place: usize, mut each: impl FnMut(std::ops::Range<usize>)) {
        let mut rows = !self.defined[place];
        while rows != 0 {
            let row = rows.trailing_zeros() as usize;
            each(row * FACE_SIDE..(row + 1) * FACE_SIDE);
            rows &= rows - 1;
        }
    }

    /// The same bits seen through the other width (Dst.md): 32-bit row r lies in the 16-bit rows
    /// a and a + 8, upper half first, where a skips every other group of eight rows.
    fn convert(&mut self, width: DstWidth) {
        let mut converted = vec![[0; TILE_VALUES]; 16];
        for row32 in 0..512 {
            let (tile32, lane32) = (row32 / TILE_ROWS, row32 % TILE_ROWS * FACE_SIDE);
            let upper = (row32 & 0x1f8) << 1 | row32 & 7;
            for column in 0..FACE_SIDE {
                let at = |row: usize| (row / TILE_ROWS, row % TILE_ROWS * FACE_SIDE + column);
                let ((high, high_lane), (low, low_lane)) = (at(upper), at(upper + 8));
                match width {
                    DstWidth::Bits32 => {
                        converted[tile32][lane32 + column] =
                            self.values[high][high_lane] | stored16(self.values[low][low_lane]);
                    }
                    DstWidth::Bits16 => {
                        let value = self.values[tile32][lane32 + column];
                        converted[high][high_lane] = value & 0xffff_0000;
                        converted[low][low_lane] = loaded16(value & 0xffff);
                    }
                }
            }
        }
        self.values = converted;
        self.width = width;
    }
}

impl Default for Dst {
    fn default() -> Dst {
        Dst::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_beyond_the_half_goes_where_row_arithmetic_sends_it() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits32, DstSync::Half);
        assert_eq!(dst.math_tile(3), DstTile(3));
        assert_eq!(dst.math_tile(4), DstTile(4), "the other half's first tile");
        dst.start_math();
        dst.commit();
        assert_eq!(dst.math_tile(0), DstTile(4));
        assert_eq!(dst.math_tile(4), DstTile(4), "bits 8 and 9 select the same storage");
        dst.launch(DstWidth::Bits16, DstSync::Half);
        assert_eq!(dst.math_tile(7), DstTile(15));
        assert_eq!(dst.math_tile(8), DstTile(0), "rows wrap at 1,024");
    }

    #[test]
    fn acquire_commit_wait_release_count_sections() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits16, DstSync::Half);
        assert!(dst.can_acquire() && !dst.can_wait());
        dst.commit();
        assert!(!dst.can_acquire(), "one section until start-up has set two");
        dst.release(false);
        dst.start_math();
        dst.start_pack();
        dst.commit();
        dst.commit();
        assert!(!dst.can_acquire() && dst.can_wait());
        dst.release(false);
        assert!(dst.can_acquire());
    }

    #[test]
    fn release_clears_only_the_drained_half_and_keeps_the_data() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits32, DstSync::Half);
        dst.start_math();
        dst.start_pack();
        dst.replace(DstTile(0)).fill(7);
        dst.replace(DstTile(4)).fill(9);
        dst.commit();
        dst.release(false);
        assert!(dst.is_clear(DstTile(0)) && dst.is_defined(DstTile(4)));
        assert_eq!(dst.raw(DstTile(0))[5], 7);
        let mut seen = [1; TILE_VALUES];
        dst.read(DstTile(0), &mut seen);
        assert_eq!(seen, [0; TILE_VALUES]);
    }

    #[test]
    fn sfpu_stores_bring_old_data_back_in_odd_columns() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits32, DstSync::Half);
        dst.replace(DstTile(1)).fill(7);
        dst.defined[1] = !1;
        let tile = *dst.sfpu_tile(DstTile(1));
        assert_eq!(tile[..4], [0, 7, 0, 7]);
        assert_eq!(tile[16..18], [7, 7]);
    }

    #[test]
    fn widths_are_views_of_the_same_bits() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits32, DstSync::Full);
        for place in 0..8 {
            for (lane, value) in dst.replace(DstTile(place)).iter_mut().enumerate() {
                *value = (u32::from(place) << 24 | lane as u32).wrapping_mul(0x9e37_79b1);
            }
        }
        let before = dst.values[..8].to_vec();
        dst.launch(DstWidth::Bits16, DstSync::Full);
        assert_eq!(dst.values[0][0], before[0][0] & 0xffff_0000);
        assert_eq!(dst.values[0][8 * FACE_SIDE], loaded16(before[0][0] & 0xffff));
        dst.launch(DstWidth::Bits32, DstSync::Full);
        assert_eq!(dst.values[..8], before[..]);
    }

    #[test]
    fn stores_of_32_bits_stay_in_the_half_that_math_has() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits16, DstSync::Half);
        dst.start_math();
        for (half, tile) in [(0, DstTile(0)), (1, DstTile(8))] {
            assert_eq!(dst.math_row16(0), half * 512);
            assert!(dst.is_clear(tile));
            dst.write_row32(dst.math_row16(0), &[0x3f80_0000; FACE_SIDE]);
            assert_eq!(dst.raw(tile)[0], 0x3f80_0000);
            assert!(!dst.is_clear(tile));
            dst.commit();
        }
    }

    #[test]
    fn a_lower_half_shows_the_order_in_which_16_bits_are_stored() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits32, DstSync::Full);
        dst.write_row16(0, &[0xc004_0000; FACE_SIDE]);
        dst.write_row16(8, &[0xc004_0000; FACE_SIDE]);
        assert_eq!(dst.raw(DstTile(0))[0], 0xc004_8480);
        assert_eq!(loaded16(stored16(0xc004_0000)), 0xc004_0000);
    }
}
