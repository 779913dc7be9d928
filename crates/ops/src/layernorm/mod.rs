//! LayerNorm: forward, backward, and the backward kernel whose faults hid for eight months.

pub mod backward;
mod buffers;
pub mod forward;
pub mod fused_rm;
pub mod graded;
pub(crate) mod inputs;
pub mod published;
pub mod reference;
pub mod repro;
mod row;
mod tile_rows;

pub use buffers::Path;
use buffers::{asked, cb, choose, unpack_to_dst};

use tilewright_metal::{ComputeSettings, DstSync};
use tilewright_tile::{DstWidth, Fidelity};

use crate::operation::Choice;

/// Sums need a 32-bit Dst, and these kernels keep more tiles in it than half of it holds.
pub(crate) const SETTINGS: ComputeSettings =
    ComputeSettings { width: DstWidth::Bits32, sync: DstSync::Full, fidelity: Fidelity::HiFi4 };

/// Which path a kernel takes; `auto` takes the whole row when it fits in L1.
pub(crate) const PATH: Choice = Choice {
    name: "path",
    values: &["auto", "row", "block"],
    about: "keep a tile-row in L1, read it in blocks, or whichever fits",
};

/// tt-train's epsilon.
pub(crate) const EPSILON: f32 = 1e-6;
