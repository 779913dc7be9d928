//! What a Rust kernel may call. Names, operands and effects are tt-metal's.

mod arguments;
mod compute;
mod configure;
mod dataflow;
mod elementwise;
mod layout;
mod packing;
mod reduction;
mod sfpu;

pub use compute::Compute;
pub use dataflow::DataMovement;
pub use sfpu::{Init, OnTile, UNARY_TILES};
