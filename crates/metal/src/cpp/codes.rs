//! The operations of `abi.h` as the machine's own. The codes are the order of the machine's enums.

use tilewright_machine::{
    Barrier, MathOperation, NocId, PackMode, RingPointer, SourceId, UnpackOperation,
    VectorOperation,
};
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::sfpu::program::FunctionId;
use tilewright_tile::sfpu::{Binary, Mask, Options, Sum, Unary};
use tilewright_tile::{Broadcast, Fidelity, PackMask, Relu, Transpose};

use crate::kernel::ArgumentKind;

/// `tw_unpack_op`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawUnpack {
    kind: u8,
    to: u8,
    transpose: u8,
    unused: u8,
    row_tiles: u32,
}

/// `tw_math_op`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawMath {
    kind: u8,
    op: u8,
    broadcast: u8,
    source: u8,
    accumulate: u8,
    transpose: u8,
    unused: [u8; 2],
}

/// `tw_vector_op`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawVector {
    kind: u8,
    code: u8,
    flags: u8,
    unused: u8,
    name: u32,
    scalar: u32,
}

const NO_REUSE: u8 = 255;

/// Numbers of `abi.h` with their names there, without their common beginning.
macro_rules! named_codes {
    ($($name:ident = $value:literal,)*) => {
        $(pub(in crate::cpp) const $name: u32 = $value;)*
        #[cfg(test)]
        pub(in crate::cpp) const ALL: &[(&str, u32)] = &[$((stringify!($name), $value)),*];
    };
}
pub(super) use named_codes;

/// `tw_unary_flag`.
pub(super) mod unary_flag {
    super::named_codes! {
        APPROX = 1,
        LEGACY = 2,
        FAST = 4,
    }
}

/// `tw_noc_flag`.
pub(super) mod noc_flag {
    super::named_codes! {
        POSTED = 1,
        MULTICAST = 2,
        INCLUDE_SELF = 4,
    }
}

fn nth<T: Copy>(all: &[T], code: u32) -> Option<T> {
    all.get(code as usize).copied()
}

pub(super) fn source(code: u32) -> Option<SourceId> {
    nth(&[SourceId::A, SourceId::B], code)
}

pub(super) fn argument(code: u32) -> Option<ArgumentKind> {
    nth(&[ArgumentKind::Runtime, ArgumentKind::Common], code)
}

/// Which end of a zone a kernel has reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ZoneEdge {
    Begin,
    End,
}

pub(super) fn zone(code: u32) -> Option<ZoneEdge> {
    nth(&[ZoneEdge::Begin, ZoneEdge::End], code)
}

/// What a kernel may set of a ring by hand.
#[derive(Clone, Copy, Debug)]
pub(super) enum RingPart {
    Pointer(RingPointer),
    /// Pages packed since the last push.
    Packed,
}

pub(super) fn ring_part(code: u32) -> Option<RingPart> {
    let pointer = RingPart::Pointer;
    nth(&[pointer(RingPointer::Read), pointer(RingPointer::Write), RingPart::Packed], code)
}

pub(super) fn noc(code: u32) -> Option<NocId> {
    nth(&[NocId::Zero, NocId::One], code)
}

pub(super) fn barrier(code: u32) -> Option<Barrier> {
    let all = [
        Barrier::Reads,
        Barrier::Writes,
        Barrier::WritesDeparted,
        Barrier::PostedWritesDeparted,
        Barrier::Atomics,
    ];
    nth(&all, code)
}

fn broadcast(code: u8) -> Option<Broadcast> {
    let all = [Broadcast::None, Broadcast::Column, Broadcast::Row, Broadcast::Scalar];
    nth(&all, code.into())
}

fn elementwise(code: u8) -> Option<Elementwise> {
    nth(&[Elementwise::Add, Elementwise::Sub, Elementwise::Mul], code.into())
}

pub(super) fn mask(code: u32) -> Option<PackMask> {
    nth(&[PackMask::None, PackMask::Row, PackMask::Column, PackMask::Scalar], code)
}

pub(super) fn relu(code: u32, threshold: u32) -> Option<Relu> {
    let threshold = threshold as u16;
    let all = [Relu::Off, Relu::Zero, Relu::MinThreshold(threshold), Relu::MaxThreshold(threshold)];
    nth(&all, code)
}

/// Whole tiles if a block has none.
pub(super) fn pack_mode(block_tiles: u32, row_tiles: u32) -> PackMode {
    match block_tiles {
        0 => PackMode::Tile,
        block_tiles => PackMode::Untilize { block_tiles, row_tiles },
    }
}

impl RawUnpack {
    #[cfg(test)]
    pub(super) fn of_kind(kind: u8) -> RawUnpack {
        RawUnpack { kind, to: 0, transpose: 0, unused: 0, row_tiles: 1 }
    }

    pub(super) fn operation(self) -> Option<UnpackOperation> {
        Some(match self.kind {
            0 => UnpackOperation::One {
                to: source(self.to.into())?,
                transpose: Transpose::from_code(self.transpose)?,
            },
            1 => UnpackOperation::Both,
            2 => UnpackOperation::Tilize { row_tiles: self.row_tiles },
            _ => return None,
        })
    }
}

impl RawMath {
    #[cfg(test)]
    pub(super) fn of_kind(kind: u8, op: u8, broadcast: u8) -> RawMath {
        let (source, accumulate, transpose, unused) = (0, 0, 0, [0; 2]);
        RawMath { kind, op, broadcast, source, accumulate, transpose, unused }
    }

    pub(super) fn operation(self) -> Option<MathOperation> {
        Some(match self.kind {
            0 => MathOperation::Copy,
            1 => MathOperation::Broadcast {
                broadcast: broadcast(self.broadcast)?,
                from: source(self.source.into())?,
            },
            2 => MathOperation::Elementwise {
                op: elementwise(self.op)?,
                broadcast: broadcast(self.broadcast)?,
                accumulate: self.accumulate != 0,
                reuse: match self.source {
                    NO_REUSE => None,
                    code => Some(source(code.into())?),
                },
            },
            3 => MathOperation::Matmul {
                transpose: self.transpose != 0,
                fidelity: match self.op {
                    0 => None,
                    phases => Some(nth(&Fidelity::ALL, u32::from(phases) - 1)?),
                },
            },
            4 => MathOperation::Reduce {
                pool: nth(&POOLS, self.op.into())?,
                dim: nth(
                    &[ReduceDim::Row, ReduceDim::Column, ReduceDim::Scalar],
                    self.broadcast.into(),
                )?,
            },
            5 => MathOperation::Move,
            _ => return None,
        })
    }
}

const POOLS: [Pool; 4] = [Pool::Sum, Pool::Max, Pool::PooledSum, Pool::BlockMax];

impl RawVector {
    #[cfg(test)]
    pub(super) fn of_kind(kind: u8, code: u8, name: u32) -> RawVector {
        RawVector { kind, code, flags: 0, unused: 0, name, scalar: 0 }
    }

    pub(super) fn operation(self) -> Option<VectorOperation> {
        Some(match self.kind {
            0 => VectorOperation::Unary(Unary::from_hash(self.name, self.options())?),
            1 => VectorOperation::Binary(Binary::from_hash(self.name)?),
            2 => {
                let all = [Mask::Zero, Mask::PositiveInfinity];
                VectorOperation::Masked(nth(&all, self.code.into())?)
            }
            3 => VectorOperation::CopyValues,
            4 => VectorOperation::Transpose,
            5 => VectorOperation::Sum(nth(&[Sum::Columns, Sum::Rows], self.code.into())?),
            6 => VectorOperation::Function(FunctionId::from_hash(self.name)?),
            _ => return None,
        })
    }

    fn options(self) -> Options {
        use unary_flag::{APPROX, FAST, LEGACY};
        let flags = u32::from(self.flags);
        let [approx, legacy, fast] = [APPROX, LEGACY, FAST].map(|flag| flags & flag != 0);
        Options { approx, legacy, fast, scalar: self.scalar }
    }
}
