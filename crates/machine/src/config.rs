//! What unpackers, matrix unit and packers will do next. Configuration is state: calls set it,
//! operations obey it, and it is unset until start-up.

use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::pack::{PackMask, Relu};
use tilewright_tile::sfpu::program::unit::Unit;
use tilewright_tile::{Broadcast, DataFormat, DstWidth, Fidelity, Transpose};

use crate::dst::DstSync;
use crate::processor::SourceId;
use crate::vector::VectorOperation;

/// What a compute kernel is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ComputeSettings {
    /// The width of Dst.
    pub width: DstWidth,
    /// How Dst is shared.
    pub sync: DstSync,
    /// Phases of a product.
    pub fidelity: Fidelity,
}

impl ComputeSettings {
    /// Tiles that one section of Dst holds.
    pub fn section_tiles(&self) -> u32 {
        self.sync.section_tiles(self.width)
    }
}

impl Default for ComputeSettings {
    /// tt-metal's ComputeConfig: HiFi4, 16-bit Dst, half sync.
    fn default() -> ComputeSettings {
        ComputeSettings { width: DstWidth::Bits16, sync: DstSync::Half, fidelity: Fidelity::HiFi4 }
    }
}

/// The formats of one unpacker: what it takes L1 to hold, and what it makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnpackFormats {
    /// The format in L1.
    pub l1: DataFormat,
    /// The format in the register file; Float32 means straight to Dst.
    pub register: DataFormat,
}

impl UnpackFormats {
    /// Whether values stay bf16.
    pub(crate) fn is_bfloat16(self) -> bool {
        (self.l1, self.register) == (DataFormat::Bfloat16, DataFormat::Bfloat16)
    }
}

/// What an unpack call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum UnpackOperation {
    /// One operand, to one register file.
    One {
        /// The register file.
        to: SourceId,
        /// What of the tile is transposed on the way.
        transpose: Transpose,
    },
    /// Two operands, one to each register file.
    #[default]
    Both,
    /// A tile's rows out of row-major sticks, to SrcA.
    Tilize {
        /// Tiles side by side in the row-major block.
        row_tiles: u32,
    },
}

impl UnpackOperation {
    /// The register files that it fills, in this order.
    pub(crate) fn fills(self) -> &'static [SourceId] {
        match self {
            UnpackOperation::One { to: SourceId::B, .. } => &[SourceId::B],
            UnpackOperation::One { to: SourceId::A, .. } | UnpackOperation::Tilize { .. } => {
                &[SourceId::A]
            }
            UnpackOperation::Both => &[SourceId::A, SourceId::B],
        }
    }
}

/// What a math call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MathOperation {
    /// SrcA to Dst.
    #[default]
    Copy,
    /// One operand to Dst, broadcast.
    Broadcast {
        /// Along what.
        broadcast: Broadcast,
        /// The register file that holds it.
        from: SourceId,
    },
    /// Two operands to Dst.
    Elementwise {
        /// Add, subtract or multiply.
        op: Elementwise,
        /// How SrcB is spread.
        broadcast: Broadcast,
        /// Whether add and subtract keep what Dst holds; multiply always does.
        accumulate: bool,
        /// The register file that takes Dst's tile instead of an operand.
        reuse: Option<SourceId>,
    },
    /// A product of tiles onto Dst; in0 is in SrcB, in1 in SrcA.
    Matmul {
        /// Whether in1 is transposed.
        transpose: bool,
        /// Its own fidelity, if that is not the kernel's.
        fidelity: Option<Fidelity>,
    },
    /// A reduction onto Dst.
    Reduce {
        /// Sum or maximum.
        pool: Pool,
        /// Over what.
        dim: ReduceDim,
    },
    /// SrcA to Dst by MOVA2D whatever the width of Dst, as `fast_tilize_block` does. The last:
    /// digests hash the places of variants.
    Move,
}

impl MathOperation {
    /// Whether it adds to what its tile of Dst holds (ELWMUL, MVMUL, GAPOOL and GMPOOL do).
    pub fn accumulates(self) -> bool {
        match self {
            MathOperation::Copy | MathOperation::Move | MathOperation::Broadcast { .. } => false,
            // The tile goes to a source first, and its place is cleared.
            MathOperation::Elementwise { reuse: Some(_), .. } => false,
            MathOperation::Elementwise { op, accumulate, reuse: None, .. } => match op {
                Elementwise::Mul => true,
                Elementwise::Add | Elementwise::Sub => accumulate,
            },
            MathOperation::Matmul { .. } | MathOperation::Reduce { .. } => true,
        }
    }
}

/// How packers walk through L1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PackMode {
    /// A tile after the other.
    Tile,
    /// Rows of a block of tiles, one below the other.
    Untilize {
        /// Tiles that one call packs.
        block_tiles: u32,
        /// Tiles side by side in the whole row.
        row_tiles: u32,
    },
}

/// The formats of the packers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackFormats {
    /// What Dst is read as.
    pub source: DataFormat,
    /// What L1 gets.
    pub output: DataFormat,
}

/// What calls set, and whether one has, for what every call asks for. An `Option` of these enums is
/// copied in parts that are then read as one word, each time a store-forwarding stall of the host.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Latest<T> {
    value: T,
    is_set: bool,
}

impl<T: Copy> Latest<T> {
    /// Takes the place of what was set before.
    pub(crate) fn set(&mut self, value: T) {
        *self = Latest { value, is_set: true };
    }

    /// What was set last.
    #[inline]
    pub(crate) fn get<E>(&self, unset: impl FnOnce() -> E) -> Result<T, E> {
        if !self.is_set {
            return Err(unset());
        }
        Ok(self.value)
    }
}

/// All configuration of a core's compute side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configuration {
    /// The processors on which start-up ran, in the order of `Processor::ALL`. Before it, what
    /// other calls have set is not enough.
    pub(crate) is_started: [bool; 5],
    /// The unpackers of SrcA and SrcB.
    pub(crate) unpack_formats: [Option<UnpackFormats>; 2],
    /// What unpack calls do.
    pub(crate) unpack: Latest<UnpackOperation>,
    /// The matrix unit's formats of SrcA and SrcB.
    pub(crate) alu_formats: [Option<DataFormat>; 2],
    /// What math calls do.
    pub(crate) math: Latest<MathOperation>,
    /// What the vector unit's constants are set for.
    pub(crate) vector: Option<VectorOperation>,
    /// The vector unit's programmable registers.
    pub(crate) vector_constants: [u32; 3],
    /// The vector unit's other registers and its flags.
    pub(crate) vector_unit: Unit,
    /// The packers' formats.
    pub(crate) pack_formats: Option<PackFormats>,
    /// How pack calls walk.
    pub(crate) pack_mode: Option<PackMode>,
    /// The packers' ReLU.
    pub(crate) relu: Relu,
    /// What the packers keep of a reduced tile.
    pub(crate) mask: PackMask,
    /// Whether the packers add to what L1 holds.
    pub(crate) accumulate: bool,
}
