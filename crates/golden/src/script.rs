//! A golden case as the machine is to run it: buffers, and sections of steps on Dst.
//!
//! Plain data and function pointers of the kernel API. `kernel` performs it.

use tilewright_machine::{ComputeSettings, SourceId};
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::sfpu::program::FunctionId;
use tilewright_tile::sfpu::{Binary, Mask, Unary};
use tilewright_tile::{Broadcast, DataFormat, Relu};

/// The buffer of the first operands.
pub(super) const A: u8 = 0;
/// The buffer of the second operands.
pub(super) const B: u8 = 1;
/// The buffer that chains pack to and read again.
pub(super) const T: u8 = 2;
/// The buffer of results.
pub(super) const OUT: u8 = 16;
/// The buffer of the same results in Float32.
pub(super) const OUT32: u8 = 17;

/// Everything that one case does on one core.
pub(super) struct Script {
    pub(super) settings: ComputeSettings,
    pub(super) bfp8_pack_precise: bool,
    /// Buffers that go straight to Dst.
    pub(super) to_dst: Vec<u8>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) relu: Relu,
    /// Whether packing adds to what L1 holds.
    pub(super) accumulate_in_l1: bool,
    pub(super) sections: Vec<Section>,
    /// The formats that the case says are derived.
    pub(super) formats: Vec<ExpectedFormat>,
}

impl Script {
    /// Whether the script has a buffer.
    pub(super) fn has(&self, id: u8) -> bool {
        self.buffers.iter().any(|buffer| buffer.id == id)
    }
}

/// A ring and what the host writes into it.
pub(super) struct Buffer {
    pub(super) id: u8,
    pub(super) format: DataFormat,
    /// Pages of one tile each.
    pub(super) pages: u32,
    /// From the first byte of the ring.
    pub(super) contents: Vec<u8>,
    /// Pages that the reader pushes.
    pub(super) pushed: u32,
}

/// A format that the case names, and where it is to be found.
pub(super) struct ExpectedFormat {
    pub(super) field: &'static str,
    pub(super) buffer: u8,
    pub(super) side: Side,
    pub(super) format: DataFormat,
}

/// Which derived format of a buffer.
#[derive(Clone, Copy)]
pub(super) enum Side {
    /// What unpacking makes of it.
    Register,
    /// What packing to it reads Dst as.
    PackSource,
}

/// What happens between an acquire and a release, or a block call that has sections of its own.
pub(super) enum Section {
    /// Steps on Dst, then tiles packed to buffers.
    Dst { steps: Vec<Step>, packs: Vec<Packs> },
    /// Row-major sticks in A to tiles in OUT.
    Tilize { tiles: u32 },
    /// Tiles in A to row-major sticks in OUT.
    Untilize { tiles: u32 },
}

/// Tiles of Dst packed to one buffer, in this order.
pub(super) struct Packs {
    pub(super) to: u8,
    pub(super) tiles: Vec<u32>,
}

/// A tile of a buffer.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) cb: u8,
    pub(super) tile: u32,
}

/// One operation with its configuration calls.
pub(super) enum Step {
    /// Unpack waits for pages.
    Wait {
        cb: u8,
        pages: u32,
    },
    Copy {
        from: Operand,
        dst: u32,
        reconfigure: bool,
    },
    Transpose {
        from: Operand,
        dst: u32,
    },
    Broadcast {
        broadcast: Broadcast,
        from: Operand,
        dst: u32,
    },
    Elementwise(ElementwiseStep),
    Reuse {
        op: Elementwise,
        dest_to: SourceId,
        from: Operand,
        dst: u32,
    },
    Matmul {
        in0: Operand,
        in1: Operand,
        transpose: bool,
        dst: u32,
    },
    Reduce {
        pool: Pool,
        dim: ReduceDim,
        data: Operand,
        scaler: Operand,
        dst: u32,
    },
    OnDst(DstStep),
}

/// One operation that needs no buffer, with its init call.
pub(super) enum DstStep {
    Unary {
        op: Unary,
        dst: u32,
    },
    Binary {
        op: Binary,
        x: u32,
        y: u32,
        out: u32,
    },
    /// A function that is a program.
    Function {
        function: FunctionId,
        tiles: Vec<u32>,
        out: u32,
        scalars: Vec<u32>,
    },
    /// The mask is the next tile.
    Mask {
        mask: Mask,
        dst: u32,
    },
    CopyDstValues {
        from: u32,
        to: u32,
    },
    TransposeDst {
        dst: u32,
    },
}

/// An elementwise operation of two buffers.
#[derive(Clone, Copy)]
pub(super) struct ElementwiseStep {
    pub(super) op: Elementwise,
    pub(super) broadcast: Broadcast,
    /// Whether add and subtract keep what Dst holds.
    pub(super) accumulate: bool,
    pub(super) a: Operand,
    pub(super) b: Operand,
    pub(super) dst: u32,
    pub(super) reconfigure: bool,
}
