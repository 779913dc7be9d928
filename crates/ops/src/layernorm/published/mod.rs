//! The LayerNorm backward kernel as it was published, with its faults as switches.
//!
//! A test program and the subject of `tilewright repro`, not an operation to use. Follows the
//! original call by call, so that every page it makes can be compared bit for bit: dx, and dγ and
//! dβ not yet summed over rows. Rebuilt from a description of its steps.

mod compute;
mod program_factory;
mod reader;
pub mod reference;
mod writer;

pub use super::Path;
pub use program_factory::{Inputs, Outputs, path, program};

/// What is wrong with a kernel. All false is the repaired one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Published. dx: a product is added to a register that still holds mean(dy·γ), which is then
    /// subtracted twice.
    pub stale_accumulation: bool,
    /// Published. Block path: the sum of dy·γ·x̂ is kept in Dst across a helper that acquires and
    /// commits Dst itself.
    pub nested_acquire: bool,
    /// Published. The matmul that sums a row runs with the matrix unit's source formats exchanged.
    pub swapped_alu_formats: bool,
    /// What the reports believed: every product overwrites the sum of dy·γ.
    pub overwritten_sum: bool,
    /// The last tile of a row is left out of the sums.
    pub dropped_last_tile: bool,
    /// The last tile of a row is not masked.
    pub unmasked_tail: bool,
    /// No start-up before the first operation.
    pub missing_startup: bool,
    /// The buffer of x has one page where a block, or a row, must be held.
    pub one_page_buffer: bool,
}

impl Faults {
    /// The repaired kernel.
    pub const REPAIRED: Faults = Faults {
        stale_accumulation: false,
        nested_acquire: false,
        swapped_alu_formats: false,
        overwritten_sum: false,
        dropped_last_tile: false,
        unmasked_tail: false,
        missing_startup: false,
        one_page_buffer: false,
    };

    /// The kernel of November 2025.
    pub const PUBLISHED: Faults = Faults {
        stale_accumulation: true,
        nested_acquire: true,
        swapped_alu_formats: true,
        ..Faults::REPAIRED
    };
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
