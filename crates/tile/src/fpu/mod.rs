//! The matrix engine: element-wise operations, matrix products, reductions and moves on tiles.
//!
//! Every function is one whole-tile operation of the compute API. Registers are not modelled
//! here: operands come as unpacked tiles, and undefined rows of Dst are the caller's knowledge.

use crate::{Broadcast, Chip, DataFormat, DstWidth, Fidelity};

mod accumulate;
mod blocks;
mod dot;
mod elementwise;
mod half;
mod half16;
mod host_products;
mod host_sums;
pub mod lane;
mod matmul;
mod moves;
mod narrow;
mod reduce;
mod row_sums;

pub use crate::format::SourceFormats;
pub use elementwise::{elementwise, elementwise_bfloat16};
pub use half::{has_half, refusal as half_refusal};
pub use host_products::multiply_bfloat16;
pub use matmul::matmul;
pub use moves::{copy, move_dst_to_source, move_source_to_dst, transpose_dst, unary_broadcast};
pub use narrow::{Bfloat16Tile, copy_bfloat16, is_zero_bfloat16, row_of_bfloat16};
pub use reduce::reduce;

/// An element-wise operation of SrcA and SrcB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elementwise {
    /// SrcA + SrcB.
    Add,
    /// SrcA - SrcB.
    Sub,
    /// SrcA * SrcB, added to Dst.
    Mul,
}

/// An element-wise operation and its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementwiseOp {
    /// The operation.
    pub op: Elementwise,
    /// How operand B is spread over the tile.
    pub broadcast: Broadcast,
    /// Whether Add and Sub add to Dst; Mul always does.
    pub accumulate: bool,
    /// Phases of Mul; Add and Sub have none.
    pub fidelity: Fidelity,
    /// Width of Dst.
    pub width: DstWidth,
    /// Configured source formats.
    pub formats: SourceFormats,
    /// The chip.
    pub chip: Chip,
}

impl ElementwiseOp {
    /// Whether nothing of what Dst holds is left.
    pub fn overwrites(&self) -> bool {
        self.op != Elementwise::Mul && !self.accumulate
    }

    /// Whether both operands are bf16 tiles.
    pub fn is_of_bfloat16(&self) -> bool {
        self.formats == SourceFormats { a: DataFormat::Bfloat16, b: DataFormat::Bfloat16 }
    }

    /// Whether it is a sum or a difference of two bf16 tiles, value by value, that overwrites Dst.
    pub fn is_plain_sum(&self) -> bool {
        self.is_of_bfloat16() && self.overwrites() && self.broadcast == Broadcast::None
    }
}

/// What a reduction computes. An average is a sum with another scaler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// Scaled sum.
    Sum,
    /// The same with the data in SrcA also along rows, as tt-llk had it before tt-metal v0.74:
    /// GAPOOL over transposed faces, then a transposition of the sums.
    PooledSum,
    /// Maximum.
    Max,
    /// Maximum of a row of tiles, whose results are moved into column 0 rather than added to zero
    /// (`reduce_block_max_row`).
    BlockMax,
}

/// Along what a reduction runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceDim {
    /// Each row to its column 0.
    Row,
    /// Each column to its row 0.
    Column,
    /// The tile to one value.
    Scalar,
}
