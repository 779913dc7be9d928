//! What is known of a value: who wrote it, which inputs are in it, and where uninitialised data
//! came from.

use std::collections::BTreeMap;

use tilewright_machine::{CbId, CoreCoord, Cycle, Event, ProcessorId, Site, Zeros};
use tilewright_tile::{Broadcast, LaneSet};

use super::sources::{SourceSets, Sources};
use crate::free_l1::FreePlace;

/// Who did something, where and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) site: Site,
    pub(crate) processor: ProcessorId,
    pub(crate) cycle: Cycle,
}

impl Step {
    pub(crate) fn of(event: &Event) -> Step {
        Step { site: event.site, processor: event.processor, cycle: event.cycle }
    }
}

/// Where an uninitialised value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Birth {
    /// An uninitialised page of a ring.
    Page { core: CoreCoord, cb: CbId },
    /// A ring's page that was last written before it was popped.
    Lap { core: CoreCoord, cb: CbId, written: Site, by: ProcessorId },
    /// Uninitialised L1 outside of rings and buffers.
    L1 { core: CoreCoord, place: FreePlace },
    /// A tile of Dst that was not written since it was cleared.
    Dst { index: u32 },
    /// What a reduction leaves of an uninitialised tile of Dst.
    Leftover { index: u32 },
    /// What an input's tiles hold beyond its shape.
    Padding { input: u8 },
    /// An uninitialised place of an output.
    Output { output: u8 },
}

/// A line and who was there.
pub(crate) type Place = (Site, ProcessorId);

/// An origin, the line that read the value, and the line that combined it with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Born {
    pub(crate) birth: Birth,
    pub(crate) seen: Option<Place>,
    pub(crate) mixed: Option<Place>,
}

/// A number for a `Born`, and how specific it is; 0 for initialised values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BornId(u32);

impl BornId {
    pub(crate) const NOT: BornId = BornId(0);
    /// The number is in the bits below.
    const RANK: u32 = 30;

    /// The more specific one: what reductions leave is never read, padding is in most values, and
    /// harmless until it is combined with others.
    pub(crate) fn or(self, other: BornId) -> BornId {
        let tells_more = other.0 >> BornId::RANK > self.0 >> BornId::RANK;
        if self == BornId::NOT || tells_more { other } else { self }
    }

    fn new(number: usize, born: &Born) -> BornId {
        let rank = match (born.birth, born.mixed) {
            (Birth::Leftover { .. }, _) => 0,
            (Birth::Padding { .. }, None) => 1,
            (Birth::Padding { .. }, Some(_)) => 2,
            (
                Birth::Page { .. }
                | Birth::Lap { .. }
                | Birth::L1 { .. }
                | Birth::Dst { .. }
                | Birth::Output { .. },
                _,
            ) => 3,
        };
        BornId(rank << BornId::RANK | number as u32)
    }

    fn number(self) -> usize {
        (self.0 & ((1 << BornId::RANK) - 1)) as usize
    }
}

/// Every origin of a run's values. Of uninitialised ones there are as many as lines that read them.
#[derive(Default)]
pub(crate) struct Births {
    /// The inputs that values are made of.
    pub(crate) sets: SourceSets,
    ids: BTreeMap<Born, BornId>,
    all: Vec<Born>,
    /// Those that were asked for of late, by their lines: mostly it is the same ones.
    recent: Vec<Option<(Born, BornId)>>,
}

/// Origins that are remembered as asked for.
const RECENT: usize = 64;

impl Births {
    pub(crate) fn id(&mut self, birth: Birth, seen: Option<Place>) -> BornId {
        self.intern(Born { birth, seen, mixed: None })
    }

    pub(crate) fn get(&self, id: BornId) -> Option<&Born> {
        self.all.get(id.number().checked_sub(1)?)
    }

    /// The same value after an operation that has combined it with others.
    pub(crate) fn mixed(&mut self, id: BornId, place: Place) -> BornId {
        match self.get(id) {
            Some(born) if born.mixed.is_none() => {
                let born = Born { mixed: Some(place), ..*born };
                self.intern(born)
            }
            Some(_) | None => id,
        }
    }

    fn intern(&mut self, born: Born) -> BornId {
        let line = |place: Option<Place>| place.map_or(0, |(site, _)| site.line * 7 + site.column);
        let place = (line(born.seen) + 3 * line(born.mixed)) as usize % RECENT;
        self.recent.resize(RECENT, None);
        match &self.recent[place] {
            Some((known, id)) if *known == born => return *id,
            Some(_) | None => {}
        }
        let id = match self.ids.get(&born) {
            Some(id) => *id,
            None => {
                self.all.push(born);
                let id = BornId::new(self.all.len(), &born);
                self.ids.insert(born, id);
                id
            }
        };
        self.recent[place] = Some((born, id));
        id
    }
}

/// What is known of bytes in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) writer: Step,
    pub(crate) sources: Sources,
    /// Where its uninitialised bytes came from; not set if they are from before.
    pub(crate) born: BornId,
}

/// What is known of a tile in a register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileFacts {
    /// The places that hold uninitialised data.
    pub(crate) lanes: LaneSet,
    pub(crate) born: BornId,
    pub(crate) sources: Sources,
    /// What is known to be zero.
    pub(crate) zeros: Zeros,
}

impl TileFacts {
    pub(crate) const CLEAN: TileFacts = TileFacts {
        lanes: LaneSet::EMPTY,
        born: BornId::NOT,
        sources: Sources::NONE,
        zeros: Zeros::NONE,
    };

    pub(crate) fn unwritten(born: BornId) -> TileFacts {
        TileFacts { lanes: LaneSet::ALL, born, ..TileFacts::CLEAN }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.born == BornId::NOT
    }

    /// Another value, of initialised data, takes its place. Written where it is: it is large, and
    /// values without an origin have no lanes.
    pub(crate) fn replace(&mut self, sources: Sources, zeros: Zeros) {
        if !self.is_clean() {
            (self.lanes, self.born) = (LaneSet::EMPTY, BornId::NOT);
        }
        (self.sources, self.zeros) = (sources, zeros);
    }

    /// What a broadcast makes of it.
    pub(crate) fn broadcast(mut self, broadcast: Broadcast) -> TileFacts {
        let Zeros { rows, columns, .. } = self.zeros;
        let spread = |bits: u32| if bits & 1 == 1 { u32::MAX } else { 0 };
        let (rows, columns) = match broadcast {
            Broadcast::None => (rows, columns),
            Broadcast::Column => (rows, spread(columns)),
            Broadcast::Row => (spread(rows), columns),
            Broadcast::Scalar => (spread(rows | columns), 0),
        };
        self.zeros = Zeros { rows, columns, scalers: [0; 2] };
        if self.is_clean() { self } else { self.with_lanes(self.lanes.broadcast(broadcast)) }
    }

    /// The places that are known to be zero.
    pub(crate) fn zero_lanes(&self) -> LaneSet {
        LaneSet::rows_and_columns(self.zeros.rows, self.zeros.columns)
    }

    /// Both in one value.
    pub(crate) fn join(&mut self, other: &TileFacts, sets: &mut SourceSets) {
        sets.join(&mut self.sources, &other.sources);
        if !other.is_clean() {
            self.lanes = self.lanes.union(&other.lanes);
        }
        self.born = self.born.or(other.born);
        self.zeros = Zeros::NONE;
    }

    /// The same with other lanes; a value without any has no origin.
    pub(crate) fn with_lanes(mut self, lanes: LaneSet) -> TileFacts {
        if lanes.is_empty() {
            self.born = BornId::NOT;
        }
        self.lanes = lanes;
        self
    }
}
