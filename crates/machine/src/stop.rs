//! Why a run cannot go on: a kernel's fault that silicon leaves undefined, or one we do not model.

use std::fmt;

use tilewright_tile::UnsupportedConversion;

use crate::config::{MathOperation, PackMode, UnpackOperation};
use crate::fiber::CaughtPanic;
use crate::noc::NocAddress;
use crate::processor::ProcessorId;
use crate::units::{CbId, L1Address};
use crate::vector::VectorOperation;
use crate::{CoreCoord, Cycle, Site};

/// The end of a run by one processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Who.
    pub processor: ProcessorId,
    /// When.
    pub cycle: Cycle,
    /// The call.
    pub site: Site,
    /// Why.
    pub reason: StopReason,
}

/// What a processor needed that start-up or an init call would have set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// An unpacker's formats.
    UnpackFormats,
    /// What unpack does.
    UnpackOperation,
    /// The matrix unit's formats.
    AluFormats,
    /// What math does.
    MathOperation,
    /// What the vector unit is initialised for.
    VectorFunction,
    /// The packers' formats.
    PackFormats,
    /// How pack walks.
    PackMode,
}

impl fmt::Display for Unset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unset::UnpackFormats => "the unpacker's formats",
            Unset::UnpackOperation => "the unpacker's operation",
            Unset::AluFormats => "the matrix unit's source formats",
            Unset::MathOperation => "the matrix unit's operation",
            Unset::VectorFunction => "the vector unit's function",
            Unset::PackFormats => "the packer's formats",
            Unset::PackMode => "the packer's mode",
        })
    }
}

/// What a call asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// An operation of unpack, with the buffers of its operands.
    Unpack(UnpackOperation, [Option<CbId>; 2]),
    /// One of the matrix unit.
    Math(MathOperation),
    /// One of the vector unit.
    Vector(VectorOperation),
}

impl Called {
    /// What an init call would have set.
    pub fn unset(self) -> Unset {
        match self {
            Called::Unpack(..) => Unset::UnpackOperation,
            Called::Math(_) => Unset::MathOperation,
            Called::Vector(_) => Unset::VectorFunction,
        }
    }
}

/// A place in L1 that a kernel read over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polled {
    /// The first byte.
    pub at: L1Address,
    /// How many.
    pub bytes: u32,
    /// The word there.
    pub word: Option<u32>,
}

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The kernel panicked.
    Panic(CaughtPanic),
    /// An operation came before anything had configured it.
    Unconfigured(Unset),
    /// An operation came before any init call had said what to do.
    Uninitialised(Called),
    /// The call lacks an operand that unpack is initialised to take.
    OtherUnpack {
        /// What unpack is initialised for.
        configured: UnpackOperation,
        /// What the call is for.
        called: UnpackOperation,
    },
    /// Pack is initialised for another walk through L1 than the call's.
    OtherPack {
        /// What pack is initialised for.
        configured: PackMode,
    },
    /// A buffer that the program does not have on this core.
    NoSuchBuffer(CbId),
    /// An access beyond the end of L1.
    OutsideL1 {
        /// The first byte.
        at: L1Address,
        /// How many.
        bytes: u32,
        /// The size of L1.
        l1_bytes: u32,
    },
    /// A transfer from or to a place that does not exist or holds no data.
    NoSuchPlace {
        /// The place.
        at: NocAddress,
        /// How many bytes.
        bytes: u32,
    },
    /// A transfer whose two addresses are not congruent.
    Misaligned {
        /// The address in this core's L1.
        local: L1Address,
        /// The other.
        remote: NocAddress,
        /// They must be equal modulo this.
        alignment: u32,
    },
    /// A kernel asked for an argument it was not given.
    NoSuchArgument {
        /// The argument, as the kernel named it.
        name: String,
        /// What there is.
        given: String,
    },
    /// Something real that is not modelled.
    NotModelled(String),
    /// The kernel made so many calls while nothing changed on any core and nothing was under way.
    Livelock {
        /// Calls since the last change.
        calls: u64,
        /// What its last call read, if that was L1.
        polled: Option<Polled>,
    },
    /// The run took more simulated time than its limit.
    CycleLimit(u64),
    /// The kernel did what ends a process: a fault, an exit, an exception that nobody caught.
    Crashed(String),
    /// The kernel ran so many steps without a call that takes time.
    EndlessLoop(u64),
    /// A condition that the kernel asserts does not hold.
    AssertFailed(String),
    /// A raw pointer to the L1 of another core.
    ForeignL1 {
        /// The core whose L1 it points to.
        owner: CoreCoord,
        /// The place there.
        at: L1Address,
        /// How many bytes.
        bytes: u32,
    },
}

impl From<UnsupportedConversion> for StopReason {
    fn from(refused: UnsupportedConversion) -> StopReason {
        StopReason::NotModelled(refused.to_string())
    }
}
