//! The matrix engine: element-wise operations, matrix products, reductions and moves on tiles.
//!
//! Every function is one whole-tile operation of the compute API. Registers are not modelled
//! here: operands come as unpacked tiles, and undefined rows of Dst are the caller's knowledge.

use crate::{Broadcast, DataFormat, DstWidth, Fidelity, Lanes};

pub use crate::format::SourceFormats;

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
}

/// What a reduction computes. An average is a sum with another scaler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// Scaled sum.
    Sum,
    /// Maximum.
    Max,
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

/// Applies `op` to `a` and `b` (the tile as unpacked; the broadcast is applied here).
///
/// With `dst_is_zero` every value of `dst` counts as +0, whatever is there.
pub fn elementwise(op: &ElementwiseOp, a: &Lanes, b: &Lanes, dst: &mut Lanes, dst_is_zero: bool) {
    let _ = (op, a, b, dst, dst_is_zero);
    unimplemented!()
}

/// `copy_tile` from SrcA.
pub fn copy(width: DstWidth, formats: SourceFormats, a: &Lanes, dst: &mut Lanes) {
    let _ = (width, formats, a, dst);
    unimplemented!()
}

/// Moves a Dst tile into a source register (MOVD2A, MOVD2B).
///
/// How a 32-bit Dst is truncated depends on SrcA's format, also for a move to SrcB.
pub fn move_dst_to_source(width: DstWidth, srca_format: DataFormat, dst: &Lanes, out: &mut Lanes) {
    let _ = (width, srca_format, dst, out);
    unimplemented!()
}

/// `transpose_dest`: transposes a tile within Dst.
pub fn transpose_dst(width: DstWidth, dst: &mut Lanes) {
    let _ = (width, dst);
    unimplemented!()
}

/// What `unary_bcast` leaves in Dst, for the combinations that broadcast.
pub fn unary_broadcast(
    width: DstWidth,
    formats: SourceFormats,
    broadcast: Broadcast,
    source: &Lanes,
    dst: &mut Lanes,
) {
    let _ = (width, formats, broadcast, source, dst);
    unimplemented!()
}

/// One K tile of a matrix product: `dst += in0 * in1`, with in0 in SrcB and in1 in SrcA.
pub fn matmul(
    width: DstWidth,
    fidelity: Fidelity,
    formats: SourceFormats,
    in0: &Lanes,
    in1: &Lanes,
    transpose_in1: bool,
    dst: &mut Lanes,
) {
    let _ = (width, fidelity, formats, in0, in1, transpose_in1, dst);
    unimplemented!()
}

/// `reduce_tile`: reduces `data` into the kept positions of `dst`, adding to what is there.
///
/// For Max, rows of `dst` that are undefined hold 0xffff_ffff; for Sum, zero. `formats` are those
/// of the registers SrcA and SrcB, whichever operand sits in them.
#[allow(clippy::too_many_arguments)] // The instruction has that many.
pub fn reduce(
    pool: Pool,
    dim: ReduceDim,
    width: DstWidth,
    fidelity: Fidelity,
    formats: SourceFormats,
    data: &Lanes,
    scaler: &Lanes,
    dst: &mut Lanes,
) {
    let _ = (pool, dim, width, fidelity, formats, data, scaler, dst);
    unimplemented!()
}
