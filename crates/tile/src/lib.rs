//! Numbers and their layout: what a Tensix core computes on 32x32 tiles, bit for bit.
//!
//! Knows no device: no core, no clock, no memory but the slices it is given. Register files are
//! held as fp32 bit patterns in `u32`: a bf16 value is its pattern shifted left by 16, a tf32
//! value has its low 13 bits zero.
//!
//! A product of two tiles, as the matrix unit gives it. With one phase it takes five bits of one
//! operand and seven of the other; all four phases take the rest as well:
//!
//! ```
//! use tilewright_tile::fpu::{Elementwise, ElementwiseOp, elementwise};
//! use tilewright_tile::{Broadcast, Chip, DataFormat, DstWidth};
//! use tilewright_tile::{Fidelity, SourceFormats, TILE_VALUES};
//!
//! let product = |fidelity| {
//!     let operation = ElementwiseOp {
//!         op: Elementwise::Mul,
//!         broadcast: Broadcast::None,
//!         accumulate: false,
//!         fidelity,
//!         width: DstWidth::Bits32,
//!         chip: Chip::Wormhole,
//!         formats: SourceFormats { a: DataFormat::Bfloat16, b: DataFormat::Bfloat16 },
//!     };
//!     let (operand, mut dst) = ([1.9921875_f32.to_bits(); TILE_VALUES], [0; TILE_VALUES]);
//!     elementwise(&operation, &operand, &operand, &mut dst, true);
//!     f32::from_bits(dst[0])
//! };
//! assert_eq!(product(Fidelity::HiFi4), 1.9921875 * 1.9921875);
//! assert!(product(Fidelity::LoFi) < product(Fidelity::HiFi4));
//! ```

pub mod bfloat16;
mod bits;
pub mod block_float;
pub mod bound;
pub mod chip;
pub mod dispatch;
pub mod face;
pub mod format;
pub mod fpu;
mod lane_set;
mod magnitudes;
pub mod pack;
pub mod sfpu;
pub mod tilize;
pub mod unpack;
mod vector16;
pub mod zeros;

pub use chip::Chip;
pub use dispatch::SimdLevel;
pub use face::{index, position};
pub use format::{
    Broadcast, DataFormat, DstWidth, Fidelity, FormatError, Integer, Small, SourceFormats,
    UnsupportedConversion,
};
pub use lane_set::LaneSet;
pub use magnitudes::Magnitudes;
pub use pack::{PackMask, Packing, Relu, pack, pack_row_major};
pub use tilize::{Transpose, tilize, transpose, transpose_as, untilize};
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
