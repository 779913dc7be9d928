//! The circular buffers of the LayerNorm kernels, and whether a whole tile-row fits in L1.

use tilewright_metal::{CbSpec, Device};
use tilewright_tile::DataFormat;

use super::PATH;
use crate::operation::{OpError, Request};

/// Whether a core keeps a tile-row in L1 or reads it in blocks, several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The whole row.
    Row,
    /// Blocks of tiles.
    Block,
}

/// Buffer indices; each kernel uses some.
pub(super) mod cb {
    pub(crate) const X: u8 = 0;
    pub(crate) const GAMMA: u8 = 1;
    pub(crate) const BETA: u8 = 2;
    /// Ones: the scaler of sums.
    pub(crate) const ONES: u8 = 3;
    /// 1 where a column of the last tile is a feature.
    pub(crate) const MASK: u8 = 4;
    pub(crate) const DY: u8 = 5;
    /// mean in column 0.
    pub(crate) const MEAN: u8 = 6;
    /// 1/std in column 0.
    pub(crate) const RSTD: u8 = 7;
    /// The two parts of a sum, for the matrix unit.
    pub(crate) const SPLIT: u8 = 8;
    /// (1/N) Σ dy·γ in column 0.
    pub(crate) const MEAN_DY_GAMMA: u8 = 9;
    /// (1/N) Σ dy·γ·x̂ in column 0.
    pub(crate) const MEAN_DY_GAMMA_X_HAT: u8 = 10;
    /// Partial sums from other cores.
    pub(crate) const PARTIAL_IN: u8 = 11;
    /// Partial sums for another core.
    pub(crate) const PARTIAL_OUT: u8 = 12;
    /// Sticks on their way to tilize: x, γ or β.
    pub(crate) const STICKS: u8 = 13;
    /// A running sum between two sections of Dst.
    pub(crate) const CARRY: u8 = 14;
    /// Zeros: the other term of a broadcast, and what a reader copies.
    pub(crate) const ZEROS: u8 = 15;
    pub(crate) const OUT: u8 = 16;
    pub(crate) const MEAN_OUT: u8 = 17;
    pub(crate) const RSTD_OUT: u8 = 18;
    pub(crate) const DBETA: u8 = 19;
}

/// The path that a request asks for, if it asks for one.
pub(super) fn asked(request: &Request) -> Result<Option<Path>, OpError> {
    Ok(match request.choice(&PATH)? {
        "row" => Some(Path::Row),
        "block" => Some(Path::Block),
        _ => None,
    })
}

/// Chooses the path: what the row path's buffers need against what L1 leaves them.
pub(super) fn choose(device: &Device, row_path: &[CbSpec]) -> Path {
    let needed: u64 =
        row_path.iter().map(|spec| u64::from(spec.page_bytes) * u64::from(spec.pages)).sum();
    let room = u64::from(device.l1_lowest()) - u64::from(device.architecture().l1_base);
    if needed <= room { Path::Row } else { Path::Block }
}

/// Float32 buffers whose values go straight to Dst; the parts of a sum go through SrcA or SrcB.
pub(super) fn unpack_to_dst(specs: &[CbSpec]) -> std::collections::BTreeSet<u8> {
    specs
        .iter()
        .filter(|spec| spec.format == DataFormat::Float32 && spec.id != cb::SPLIT)
        .map(|spec| spec.id)
        .collect()
}
