//! Numbers and their layout: what a Tensix core computes on 32x32 tiles, bit for bit.
//!
//! Knows no device: no core, no clock, no memory but the slices it is given. Register files are
//! held as fp32 bit patterns in `u32`: a bf16 value is its pattern shifted left by 16, a tf32
//! value has its low 13 bits zero.

pub mod bfloat16;
mod bits;
pub mod block_float;
pub mod bound;
pub mod dispatch;
pub mod face;
pub mod format;
pub mod fpu;
mod lane_set;
pub mod pack;
pub mod sfpu;
pub mod tilize;
pub mod unpack;

pub use dispatch::SimdLevel;
pub use face::{index, position};
pub use format::{
    Broadcast, DataFormat, DstWidth, Fidelity, FormatError, Integer, SourceFormats,
    UnsupportedConversion,
};
pub use lane_set::LaneSet;
pub use pack::{PackMask, Packing, Relu, pack, pack_row_major};
pub use tilize::{tilize, transpose, untilize};
pub use unpack::{unpack, unpack_row_major};

/// Rows, and columns, of a tile.
pub const TILE_SIDE: usize = 32;
/// Rows, and columns, of a face.
pub const FACE_SIDE: usize = 16;
/// Values in a face.
pub const FACE_VALUES: usize = FACE_SIDE * FACE_SIDE;
/// Values in a tile: 32 rows of 32.
pub const TILE_VALUES: usize = 1024;
const _: () = assert!(TILE_SIDE == 2 * FACE_SIDE && TILE_VALUES == 4 * FACE_VALUES);

/// One tile in a register file, in face order, each value an fp32 bit pattern.
pub type Lanes = [u32; TILE_VALUES];
