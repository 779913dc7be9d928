//! The LayerNorm backward kernel as it was published, with its faults as switches.
//!
//! A test program and the subject of `tilewright repro`, not an operation to use. Follows the
//! original call by call, so that every page it makes can be compared bit for bit: dx, and dγ and
//! dβ not yet summed over rows. Rebuilt from a description of its steps.

mod compute;
mod program_factory;
mod reader;
mod writer;

pub use program_factory::{Inputs, Outputs, program};

/// What was wrong with the published kernel. All false is the repaired kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// dx: a product is added to a register that still holds mean(dy·γ), which is then
    /// subtracted twice.
    pub stale_accumulation: bool,
    /// Block path: the sum of dy·γ·x̂ is kept in Dst across a helper that acquires and commits
    /// Dst itself.
    pub nested_acquire: bool,
    /// The matmul that sums a row runs with the matrix unit's source formats exchanged.
    pub swapped_alu_formats: bool,
}

impl Faults {
    /// The kernel of November 2025.
    pub const PUBLISHED: Faults =
        Faults { stale_accumulation: true, nested_acquire: true, swapped_alu_formats: true };
    /// The same after its repair.
    pub const REPAIRED: Faults =
        Faults { stale_accumulation: false, nested_acquire: false, swapped_alu_formats: false };
}

/// Whether a tile-row is kept in L1 or read in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The whole row.
    Row,
    /// Blocks of three tiles, in three passes.
    Block,
}

/// Tiles of a block: a half of Dst holds four fp32 tiles, and a block needs one to spare.
pub const BLOCK: u32 = 3;

/// The buffers' indices.
pub mod cb {
    /// 1/N everywhere.
    pub const SCALER: u8 = 0;
    /// 1 where a column of the last tile is valid.
    pub const MASK: u8 = 1;
    /// γ.
    pub const GAMMA: u8 = 2;
    /// x̂.
    pub const X_HAT: u8 = 3;
    /// rstd in column 0.
    pub const RSTD: u8 = 4;
    /// dy.
    pub const DY: u8 = 5;
    /// x.
    pub const X: u8 = 6;
    /// mean in column 0.
    pub const MEAN: u8 = 7;
    /// mean in every column.
    pub const MEAN_BCAST: u8 = 8;
    /// dx.
    pub const DX: u8 = 9;
    /// dγ of each row.
    pub const DGAMMA: u8 = 10;
    /// dβ of each row.
    pub const DBETA: u8 = 11;
    /// rstd in every column.
    pub const RSTD_BCAST: u8 = 12;
    /// (1/N) Σ dy·γ.
    pub const SUM_DY_GAMMA: u8 = 13;
    /// (1/N) Σ dy·γ·x̂.
    pub const SUM_DY_GAMMA_X_HAT: u8 = 14;
}
