//! Events, as data. Observers see every event and can change nothing.

use std::hash::Hash;

use tilewright_tile::fpu::Bfloat16Tile;
use tilewright_tile::{DataFormat, FACE_SIDE, Lanes, PackMask, TILE_SIDE, index, zeros};

use crate::circular_buffer::RingPointer;
use crate::config::{MathOperation, PackFormats, PackMode, UnpackFormats, UnpackOperation};
use crate::data_movement::Channel;
use crate::dst::{DstTile, DstUse};
use crate::grid::CoreCoord;
use crate::noc::{NocAddress, NocId};
use crate::processor::{Barrier, ProcessorId, SemaphoreTest, SourceId, Waiting};
use crate::tensix::CbTile;
use crate::transfer::Target;
use crate::units::{CbId, L1Address};
use crate::vector::VectorOperation;
use crate::{Cycle, Site};

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub cycle: Cycle,
    /// On which processor, or for which processor's transfer.
    pub processor: ProcessorId,
    /// The call that caused it.
    pub site: Site,
    /// What.
    pub kind: EventKind,
}

/// A transfer's number, unique on its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferId(pub u64);

/// The parts of the configuration that a call may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// An unpacker's formats.
    UnpackFormats(SourceId, UnpackFormats),
    /// What unpack does.
    Unpack(UnpackOperation),
    /// The matrix unit's format of one source.
    AluFormat(SourceId, DataFormat),
    /// What math does.
    Math(MathOperation),
    /// What the vector unit's constants are set for.
    Vector(VectorOperation),
    /// The packers' formats.
    PackFormats(PackFormats),
    /// How pack walks.
    Pack(PackMode),
    /// The packers' ReLU.
    Relu,
    /// The packers' mask for reduced tiles.
    Mask(PackMask),
    /// The packers' accumulation in L1.
    Accumulate,
}

/// A place that an operation takes a tile from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A source register file.
    Source(SourceId),
    /// A tile of Dst.
    Dst(DstTile),
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the fields are what their names and types say")]
pub enum EventKind {
    /// A kernel began.
    KernelStarted,
    /// A kernel returned.
    KernelFinished,
    /// A processor cannot go on.
    Blocked(Waiting),
    /// A producer's reservation succeeded.
    Reserved { cb: CbId, pages: u32 },
    /// A producer pushed pages.
    Pushed { cb: CbId, pages: u32 },
    /// A consumer's wait for pages is over.
    Waited { cb: CbId, pages: u32 },
    /// A consumer popped pages.
    Popped { cb: CbId, pages: u32 },
    /// Start-up ran.
    StartedUp,
    /// Configuration changed.
    Configured(Setting),
    /// Math took a section of Dst.
    DstAcquired,
    /// Math gave a section to pack.
    DstCommitted,
    /// Pack took a section.
    DstWaited,
    /// Pack cleared a section and gave it back.
    DstReleased,
    /// Operands went to the source registers; `bytes` is how far each reaches in L1 from its
    /// first byte, `called` is what the kernel asked for.
    Unpacked {
        a: Option<L1Address>,
        b: Option<L1Address>,
        bytes: [u32; 2],
        /// The tiles of SrcA and SrcB as the call named them.
        tiles: [Option<CbTile>; 2],
        configured: UnpackOperation,
        called: UnpackOperation,
    },
    /// An operand of the next unpack or vector operation has zeros. For observers alone: no part
    /// of the digest.
    Zeros { operand: Operand, zeros: Zeros },
    /// Sources went to Dst; `called` is what the kernel asked for.
    Computed { dst: DstUse, configured: MathOperation, called: MathOperation },
    /// The vector unit worked on Dst; some functions only take values into its registers.
    Vectored { operation: VectorOperation, reads: [Option<DstUse>; 2], writes: Option<DstUse> },
    /// Dst went to L1, to a tile as the call named it.
    Packed { dst: DstUse, tile: CbTile, to: L1Address, bytes: u32 },
    /// An address generator was asked for a page that its tensor does not have, or for another one
    /// after that: where the page would be, and the base address it was computed from.
    PageAddressed { at: NocAddress, base: u32, page: u32 },
    /// A transfer into this core's L1 was asked for.
    ReadIssued { id: TransferId, channel: Channel, from: NocAddress, to: L1Address, bytes: u32 },
    /// Its bytes are there.
    ReadLanded { id: TransferId },
    /// A write was asked for: out of this core's L1, or of a word that the request carries.
    WriteIssued {
        id: TransferId,
        channel: Channel,
        from: Option<L1Address>,
        to: Target,
        bytes: u32,
        posted: bool,
    },
    /// Its bytes have been read from this core's L1.
    WriteDeparted { id: TransferId },
    /// It was acknowledged.
    WriteAcknowledged { id: TransferId },
    /// An addition to a word elsewhere was asked for.
    AtomicIssued { id: TransferId, channel: Channel, to: Target, by: u32 },
    /// It was acknowledged.
    AtomicAcknowledged { id: TransferId },
    /// A write or an atomic has changed a core's L1; it is the sender's transfer.
    Arrived { id: TransferId, core: CoreCoord, to: L1Address, bytes: u32 },
    /// A barrier has nothing left to wait for.
    BarrierPassed { noc: NocId, barrier: Barrier, transaction: Option<u8> },
    /// A processor set a word of its own L1.
    SemaphoreSet { at: L1Address, value: u32 },
    /// A processor saw the value it waited for.
    SemaphoreWaited { at: L1Address, until: SemaphoreTest },
    /// A processor read its L1 directly.
    L1Read { at: L1Address, bytes: u32 },
    /// A processor wrote its L1 directly.
    L1Written { at: L1Address, bytes: u32 },
    /// A kernel printed a line; without its text if it has printed more than is kept.
    Printed { text: Option<&'static str> },
    /// A kernel passed a named point.
    Waypoint { name: &'static str },
    /// A kernel entered or left a named part of itself.
    Zone { name: &'static str, is_begin: bool },
    /// Start-up, which is to be called once, is called again. Last, so that digests of runs without
    /// it stay what they were.
    StartupRepeated,
    /// A processor set one of its pointers into a ring by hand.
    PointerMoved { cb: CbId, pointer: RingPointer, to: L1Address },
    /// The next multicast was asked for with another number of cores than it reaches.
    CoresMiscounted { counted: u32, reached: u32 },
}

/// The order in which an observer sees events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventOrder {
    /// By cycle, core and sequence.
    Time,
    /// Core after core, each in the order of its own time, for a window of time in which nothing
    /// that one core does can reach another: causes come before effects, and what is kept of a
    /// core stays in the host's caches for many events.
    CoreByCore,
}

/// An observer of a run.
///
/// ```
/// use tilewright_machine::{Event, EventKind, Observer};
///
/// /// Counts pages as they are pushed.
/// struct Pushes(u32);
///
/// impl Observer for Pushes {
///     fn event(&mut self, event: &Event) {
///         if let EventKind::Pushed { pages, .. } = event.kind {
///             self.0 += pages;
///         }
///     }
/// }
/// # let _ = Pushes(0);
/// ```
pub trait Observer: Send {
    /// Takes one event.
    fn event(&mut self, event: &Event);

    /// The order in which it wants them, the same for the whole run.
    fn order(&self) -> EventOrder {
        EventOrder::Time
    }
}

/// Where a tile is +0 or -0: whole rows, whole columns, and places of the first rows of its upper
/// and lower faces, where reductions have their scalers. A bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Zeros {
    /// Rows of zeros.
    pub rows: u32,
    /// Columns of zeros.
    pub columns: u32,
    /// Zeros in rows 0 and 16.
    pub scalers: [u32; 2],
}

impl Zeros {
    /// None.
    pub const NONE: Zeros = Zeros { rows: 0, columns: 0, scalers: [0; 2] };

    /// Those of a tile. One with a row of zeros has a zero in its first column, one with such a
    /// column in its first row, which spares most tiles the walk.
    pub(crate) fn of(lanes: &Lanes) -> Zeros {
        let is_zero = |row: usize, column: usize| lanes[index(row, column)] << 1 == 0;
        let scalers = [0, FACE_SIDE].map(|row| {
            let mark = |column| u32::from(is_zero(row, column)) << column;
            (0..TILE_SIDE).map(mark).fold(0, |all, mark| all | mark)
        });
        if scalers[0] == 0 && !(0..TILE_SIDE).any(|row| is_zero(row, 0)) {
            return Zeros { scalers, ..Zeros::NONE };
        }
        let (rows, columns) = zeros::rows_and_columns(lanes);
        Zeros { rows, columns, scalers }
    }

    /// The same of a bf16 tile as it lies in L1.
    pub(crate) fn of_bfloat16(tile: &Bfloat16Tile) -> Zeros {
        let lines: &[Line; TILE_LINES] = tile.as_chunks().0.try_into().expect("lines of a tile");
        let first_column = (0..FACE_SIDE).flat_map(|row| [row, 2 * FACE_SIDE + row]);
        let in_column = first_column.fold(0, |seen, line| {
            let first = u64::from_le_bytes(*lines[line].first_chunk().expect("four values"));
            seen | zeros_of_four(first) & 1 << 15
        });
        let seen =
            [0, 1, 2, 3].map(|face| lines[face * FACE_SIDE]).iter().fold(in_column, any_zero);
        if seen == 0 {
            return Zeros::NONE;
        }
        let (rows, columns) = zeros::rows_and_columns_of_bfloat16(tile);
        let scalers = [0, FACE_SIDE].map(|row| {
            let [left, right] = [row / FACE_SIDE * 2, row / FACE_SIDE * 2 + 1];
            zeros_of(&lines[left * FACE_SIDE]) | zeros_of(&lines[right * FACE_SIDE]) << FACE_SIDE
        });
        Zeros { rows, columns, scalers }
    }
}

/// The bytes of a row of a face of bf16 values.
type Line = [u8; 2 * FACE_SIDE];

const TILE_LINES: usize = TILE_SIDE * TILE_SIDE / FACE_SIDE;

/// Not zero if one of four bf16 values is: the lowest that is has its highest bit there.
#[inline(always)]
fn zeros_of_four(values: u64) -> u64 {
    const MAGNITUDES: u64 = 0x7fff_7fff_7fff_7fff;
    (values & MAGNITUDES).wrapping_sub(0x0001_0001_0001_0001) & !MAGNITUDES
}

/// Not zero if `seen` is not or a value of a line is zero.
#[inline(always)]
fn any_zero(seen: u64, line: &Line) -> u64 {
    let words = line.as_chunks().0.iter();
    words.fold(seen, |seen, word| seen | zeros_of_four(u64::from_le_bytes(*word)))
}

/// The zeros of a line, a bit each.
fn zeros_of(line: &Line) -> u32 {
    let values = line.as_chunks().0.iter().enumerate();
    let mark =
        |(at, value): (usize, &[u8; 2])| u32::from(u16::from_le_bytes(*value) << 1 == 0) << at;
    values.map(mark).fold(0, |all, mark| all | mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_of_zeros_are_seen_whatever_their_sign() {
        let mut lanes = [1; tilewright_tile::TILE_VALUES];
        assert_eq!(Zeros::of(&lanes), Zeros::NONE);
        for place in 0..TILE_SIDE {
            lanes[index(17, place)] = 0x8000_0000;
            lanes[index(place, 3)] = 0;
        }
        let zeros = Zeros { rows: 1 << 17, columns: 1 << 3, scalers: [1 << 3; 2] };
        assert_eq!(Zeros::of(&lanes), zeros);
        lanes[index(17, 30)] = 1;
        lanes[index(16, 31)] = 0x8000_0000;
        let zeros = Zeros { rows: 0, scalers: [1 << 3, 1 << 31 | 1 << 3], ..zeros };
        assert_eq!(Zeros::of(&lanes), zeros);
    }

    /// Of tiles with zeros in random places, rows and columns, and of some with few zeros.
    #[test]
    fn they_are_the_same_of_a_tile_in_l1() {
        let mut state = 1_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for turn in 0..2_000 {
            let (mut lanes, mut tile) = ([1; tilewright_tile::TILE_VALUES], [1; 2048]);
            let mut clear = |row: usize, column: usize, sign: usize| {
                lanes[index(row, column)] = (sign as u32) << 31;
                tile[2 * index(row, column)..][..2].copy_from_slice(&[0, (sign as u8) << 7]);
            };
            for _ in 0..next(3) {
                let row = next(TILE_SIDE);
                (0..TILE_SIDE).for_each(|column| clear(row, column, next(2)));
            }
            for _ in 0..next(3) {
                let column = next(TILE_SIDE);
                (0..TILE_SIDE).for_each(|row| clear(row, column, next(2)));
            }
            for _ in 0..next(4) {
                clear(next(TILE_SIDE), next(TILE_SIDE), next(2));
            }
            assert_eq!(Zeros::of_bfloat16(&tile), Zeros::of(&lanes), "turn {turn}");
        }
        assert_eq!(Zeros::of_bfloat16(&[1; 2048]), Zeros::NONE);
    }
}
