//! One core: its L1, its rings and its register files, and what operations do to what is in them.

use std::ops::Range;

use tilewright_machine::{
    CbId, CbTile, ComputeSettings, CoreCoord, DstUse, Event, Granule, L1Address, PackMode, Shadow,
    SourceId, UnpackOperation, Zeros,
};
use tilewright_metal::Program;
use tilewright_tile::{DataFormat, LaneSet, PackMask, TILE_SIDE, Transpose};

use super::dst::kept_by_mask;
use super::facts::{Birth, Births, BornId, Fact, Place, Step, TileFacts};
use super::layout;
use super::ring::Ring;
use super::sources::Sources;
use super::touch::Touch;
use crate::free_l1::FreeL1;

/// The banks of one source register file, as a queue.
#[derive(Clone)]
pub(super) struct Banks {
    tiles: [TileFacts; 2],
    first: usize,
    full: usize,
    /// Zeros of the tile that is unpacked next.
    zeros: Zeros,
}

impl Banks {
    const EMPTY: Banks =
        Banks { tiles: [TileFacts::CLEAN; 2], first: 0, full: 0, zeros: Zeros::NONE };

    fn fill(&mut self, mut tile: TileFacts) {
        tile.zeros = std::mem::take(&mut self.zeros);
        *self.next() = tile;
    }

    /// Fills a bank with initialised data.
    fn fill_clean(&mut self, sources: Sources) {
        let zeros = std::mem::take(&mut self.zeros);
        self.next().replace(sources, zeros);
    }

    /// The bank that is filled now.
    fn next(&mut self) -> &mut TileFacts {
        let place = (self.first + self.full) % 2;
        self.full = (self.full + 1).min(2);
        &mut self.tiles[place]
    }

    /// Drains a bank, which keeps its tile until it is filled again.
    pub(super) fn drain(&mut self) -> usize {
        let place = self.first;
        self.first = (self.first + 1) % 2;
        self.full = self.full.saturating_sub(1);
        place
    }

    pub(super) fn tile(&self, place: usize) -> &TileFacts {
        &self.tiles[place]
    }
}

/// What is known of one core.
pub(crate) struct CoreFlow {
    pub(crate) core: CoreCoord,
    pub(crate) l1: Shadow<Fact>,
    pub(crate) rings: Vec<Ring>,
    /// Where each of them begins and ends.
    places: Vec<Range<usize>>,
    /// Whether zeros were read into one of them.
    pub(super) may_have_zeros: bool,
    free: FreeL1,
    /// A tile of Dst that is clear has nothing to tell.
    pub(super) dst: Vec<Option<TileFacts>>,
    pub(super) banks: [Banks; 2],
    pub(super) settings: ComputeSettings,
    pub(super) pack_half: usize,
    pack_mode: PackMode,
    /// What the packers keep; the rest of a tile is written as zero.
    mask: PackMask,
    /// Whether something has set accumulation in L1; whether it is on, events do not say.
    may_accumulate: bool,
    /// Zeros of the mask that is used next.
    pub(super) mask_zeros: Zeros,
    /// What the vector unit keeps in registers between calls.
    pub(super) registers: TileFacts,
    /// The last padding that was met.
    pattern: layout::Pattern,
    pub(super) touch: Touch,
}

impl CoreFlow {
    pub(crate) fn new(program: &Program, core: CoreCoord) -> CoreFlow {
        let placed = program.placed_buffers(core);
        let ring = |config: &tilewright_machine::CbConfig| {
            let sharing = placed.iter().filter(|other| other.base == config.base).count();
            let spec = program.buffer(core, config.id);
            let is_scratch = spec.is_some_and(|(spec, _)| spec.is_scratch);
            let is_tensors = program.tensor_of_ring(core, config.id).is_some();
            Ring::new(*config, sharing > 1 || is_scratch || is_tensors)
        };
        let place =
            |ring: &tilewright_machine::CbConfig| ring.base.0 as usize..ring.limit().0 as usize;
        let config = program.compute_config(core);
        CoreFlow {
            core,
            l1: Shadow::new(placed.iter().map(|ring| ring.limit().0 as usize).max().unwrap_or(0)),
            rings: placed.iter().map(ring).collect(),
            places: placed.iter().map(place).collect(),
            may_have_zeros: false,
            free: FreeL1::of(program, core),
            dst: vec![None; 16],
            banks: [Banks::EMPTY; 2],
            settings: config.map(|config| config.settings).unwrap_or_default(),
            pack_half: 0,
            pack_mode: PackMode::Tile,
            mask: PackMask::None,
            may_accumulate: false,
            mask_zeros: Zeros::NONE,
            registers: TileFacts::CLEAN,
            pattern: layout::Pattern::default(),
            touch: Touch::default(),
        }
    }

    pub(crate) fn ring(&self, cb: CbId) -> Option<&Ring> {
        self.rings.iter().find(|ring| ring.config.id == cb)
    }

    pub(crate) fn ring_mut(&mut self, cb: CbId) -> Option<&mut Ring> {
        self.rings.iter_mut().find(|ring| ring.config.id == cb)
    }

    pub(crate) fn ring_at(&self, at: usize) -> Option<&Ring> {
        Some(&self.rings[self.place_of(at)?])
    }

    pub(crate) fn ring_at_mut(&mut self, at: usize) -> Option<&mut Ring> {
        let place = self.place_of(at)?;
        Some(&mut self.rings[place])
    }

    /// Which ring holds a byte.
    #[inline]
    fn place_of(&self, at: usize) -> Option<usize> {
        self.places.iter().position(|place| place.contains(&at))
    }

    /// Where an uninitialised byte came from: an earlier lap, or no write at all. Buffers of the
    /// host, and what the chip keeps, are taken to be initialised.
    pub(crate) fn birth(&self, at: usize, fact: Option<&Fact>) -> Option<Birth> {
        let core = self.core;
        let Some(ring) = self.ring_at(at) else {
            let at = L1Address(at as u32);
            let place = self.free.has(at).then(|| self.free.place(at))?;
            return Some(Birth::L1 { core, place });
        };
        let cb = ring.config.id;
        Some(match fact {
            Some(Fact { writer, .. }) => {
                Birth::Lap { core, cb, written: writer.site, by: writer.processor }
            }
            None => Birth::Page { core, cb },
        })
    }

    /// What is known of a tile in L1.
    pub(crate) fn tile_at(
        &mut self,
        at: usize,
        format: DataFormat,
        births: &mut Births,
        place: Option<Place>,
    ) -> TileFacts {
        let bytes = format.tile_bytes();
        if let Some(fact) = self.l1.whole(at, bytes) {
            return TileFacts { sources: fact.sources, ..TileFacts::CLEAN };
        }
        let mut tile = TileFacts::CLEAN;
        let owned = self.l1.owned(at, bytes).filter(|(fact, _)| fact.born != BornId::NOT);
        if let Some((fact, defined)) = owned {
            (tile.sources, tile.born) = (fact.sources, fact.born);
            tile.lanes = self.pattern.lanes(format, defined);
            return tile;
        }
        for (number, granule) in self.l1.span(at, bytes).enumerate() {
            let undefined = !granule.defined & granule.bytes;
            if self.note(&mut tile, &granule, births, place) {
                layout::add_lanes(&mut tile.lanes, format, number, undefined);
            }
        }
        tile
    }

    /// Takes a granule's sources and birth; says whether its undefined bytes are to be followed.
    fn note(
        &self,
        tile: &mut TileFacts,
        granule: &Granule<'_, Fact>,
        births: &mut Births,
        place: Option<Place>,
    ) -> bool {
        let undefined = !granule.defined & granule.bytes;
        let fact = granule.fact;
        let is_old = fact.is_some_and(|fact| fact.born == BornId::NOT) && undefined == u16::MAX;
        if let Some(fact) = fact.filter(|fact| !is_old && fact.sources != tile.sources) {
            births.sets.join(&mut tile.sources, &fact.sources);
        }
        if undefined == 0 {
            return false;
        }
        let known = fact.map_or(BornId::NOT, |fact| fact.born);
        // The written part of a granule is of this lap, unless it is zeros from before the first
        // one; the rest of it is uninitialised.
        let of_this_lap = granule.defined & granule.bytes & !self.zeros_at(granule.at);
        let before = fact.filter(|_| of_this_lap == 0);
        let born = match self.birth(granule.at, before) {
            Some(birth) if known == BornId::NOT => births.id(birth, place),
            Some(_) | None => known,
        };
        tile.born = tile.born.or(born);
        born != BornId::NOT
    }

    /// What is known of a tile whose rows lie apart in L1.
    fn rows_at(
        &self,
        start: usize,
        stride: usize,
        value_bytes: usize,
        births: &mut Births,
        place: Option<Place>,
    ) -> TileFacts {
        let mut tile = TileFacts::CLEAN;
        let row_bytes = TILE_SIDE * value_bytes;
        for row in 0..TILE_SIDE {
            let at = start + row * stride;
            if let Some(fact) = self.l1.whole(at, row_bytes) {
                if fact.sources != tile.sources {
                    births.sets.join(&mut tile.sources, &fact.sources);
                }
                continue;
            }
            for (number, granule) in self.l1.span(at, row_bytes).enumerate() {
                let undefined = !granule.defined & granule.bytes;
                if self.note(&mut tile, &granule, births, place) {
                    let columns = layout::columns_of(undefined, value_bytes, number);
                    tile.lanes.add_to_row(row, columns);
                }
            }
        }
        tile
    }

    /// Operands went to the source registers.
    pub(crate) fn unpacked(
        &mut self,
        event: &Event,
        operands: [Option<(u32, DataFormat)>; 2],
        operation: UnpackOperation,
        births: &mut Births,
    ) {
        let place = Some((event.site, event.processor));
        if let UnpackOperation::Tilize { row_tiles } = operation {
            let Some((at, format)) = operands[0] else { return };
            let tile = self.tilized((at, format), row_tiles, births, place);
            self.note_read(at, format.tile_bytes() * row_tiles as usize);
            return self.fill(0, at, tile);
        }
        let how = match operation {
            UnpackOperation::One { transpose, .. } => transpose,
            UnpackOperation::Both | UnpackOperation::Tilize { .. } => Transpose::None,
        };
        for (bank, operand) in operands.into_iter().enumerate() {
            let Some((at, format)) = operand else { continue };
            self.note_read(at, format.tile_bytes());
            if let Some(fact) = self.l1.whole(at as usize, format.tile_bytes()) {
                let mut sources = fact.sources;
                sources.traces.join(self.touch.now);
                sources.traces.join(self.ring_traces(at as usize));
                self.banks[bank].fill_clean(sources);
                continue;
            }
            let mut tile = self.tile_at(at as usize, format, births, place);
            if how != Transpose::None && !tile.is_clean() {
                tile = tile.with_lanes(tile.lanes.transposed_as(how));
            }
            self.fill(bank, at, tile);
        }
    }

    /// Unpack reads bytes of whatever ring is there.
    fn note_read(&mut self, at: u32, bytes: usize) {
        if let Some(ring) = self.ring_at_mut(at as usize) {
            ring.note_read(at as usize, bytes);
        }
    }

    /// A tile from a place in L1 is in a source register.
    fn fill(&mut self, bank: usize, at: u32, mut tile: TileFacts) {
        tile.sources.traces.join(self.touch.now);
        tile.sources.traces.join(self.ring_traces(at as usize));
        self.banks[bank].fill(tile);
    }

    /// Where an operand is, and the format of what is there: that of the ring around it, or of the
    /// ring that the call names if it has left every ring.
    pub(crate) fn operand(
        &self,
        at: L1Address,
        called: Option<CbTile>,
    ) -> Option<(u32, DataFormat)> {
        let named = || called.and_then(|tile| self.ring(tile.cb));
        let ring = self.ring_at(at.0 as usize).or_else(named)?;
        Some((at.0, ring.config.format))
    }

    /// A tile of a row-major block, from its first row on.
    fn tilized(
        &self,
        (at, format): (u32, DataFormat),
        row_tiles: u32,
        births: &mut Births,
        place: Option<Place>,
    ) -> TileFacts {
        let Some(value_bytes) = format.value_bytes() else { return TileFacts::CLEAN };
        let stride = TILE_SIDE * value_bytes * row_tiles as usize;
        self.rows_at(at as usize, stride, value_bytes, births, place)
    }

    pub(crate) fn source_zeros(&mut self, source: SourceId, zeros: Zeros) {
        self.banks[source as usize].zeros = zeros;
    }

    pub(crate) fn mask_zeros(&mut self, zeros: Zeros) {
        self.mask_zeros = zeros;
    }

    /// Dst went to L1.
    pub(crate) fn packed(
        &mut self,
        event: &Event,
        dst: DstUse,
        (at, bytes): (usize, usize),
        births: &mut Births,
    ) {
        if let Some(ring) = self.ring_at_mut(at) {
            ring.note_packed(at, bytes);
        }
        self.note_written(at, bytes);
        let mut tile = self.dst_tile(dst, births, (event.site, event.processor));
        if let (false, Some(kept)) = (tile.is_clean(), kept_by_mask(self.mask)) {
            tile = tile.with_lanes(tile.lanes.minus(&LaneSet::ALL.minus(&kept)));
        }
        if self.may_accumulate {
            for granule in self.l1.span(at, bytes).filter(|granule| granule.defined != 0) {
                let sources = granule.fact.map(|fact| fact.sources);
                sources.iter().for_each(|it| births.sets.join(&mut tile.sources, it));
            }
        }
        tile.sources.traces.join(self.touch.now);
        let fact = Fact { writer: Step::of(event), sources: tile.sources, born: tile.born };
        match self.pack_mode {
            PackMode::Tile => self.pack_tile(&tile, at, bytes, fact),
            PackMode::Untilize { row_tiles, .. } => {
                self.pack_rows(&tile, at, row_tiles, bytes, fact)
            }
        }
    }

    fn pack_tile(&mut self, tile: &TileFacts, at: usize, bytes: usize, fact: Fact) {
        let formats = [DataFormat::Bfloat16, DataFormat::Float32, DataFormat::Bfp8];
        let format = formats.into_iter().find(|format| format.tile_bytes() == bytes);
        match format.filter(|_| !tile.is_clean()) {
            Some(format) => {
                let (defined, granules) = layout::defined_bytes(&tile.lanes, format);
                self.l1.write_defined(at, &defined[..granules], fact);
            }
            None => self.l1.write(at, bytes, fact),
        }
    }

    /// `bytes` reach from the first row's first byte to the last row's last.
    fn pack_rows(&mut self, tile: &TileFacts, at: usize, row_tiles: u32, bytes: usize, fact: Fact) {
        let tile_rows = 1 + (TILE_SIDE - 1) * row_tiles as usize;
        let value_bytes = bytes / (TILE_SIDE * tile_rows);
        let row_bytes = TILE_SIDE * value_bytes;
        for row in 0..TILE_SIDE {
            let at = at + row * row_bytes * row_tiles as usize;
            if tile.is_clean() || tile.lanes.row(row) == 0 {
                self.l1.write(at, row_bytes, fact);
                continue;
            }
            let mut defined = [u16::MAX; 8];
            let granules = layout::row_granules(value_bytes);
            for (granule, defined) in defined[..granules].iter_mut().enumerate() {
                *defined = layout::defined_row(tile.lanes.row(row), value_bytes, granule);
            }
            self.l1.write_defined(at, &defined[..granules], fact);
        }
    }

    pub(crate) fn set_pack_mode(&mut self, mode: PackMode) {
        self.pack_mode = mode;
    }

    pub(crate) fn set_mask(&mut self, mask: PackMask) {
        self.mask = mask;
    }

    pub(crate) fn set_accumulation(&mut self) {
        self.may_accumulate = true;
    }
}
