//! The vector unit as kernels program it: registers of 32 lanes, lane flags, and instructions one
//! after another.
//!
//! A kernel's instructions are recorded as [`Code`] and executed together: nothing that a kernel
//! does can depend on a lane before the code ends. Recording resolves addresses, and [`Code::fuse`]
//! applies the rules of the sfpi compiler, which decide how often a result is rounded. What an
//! instruction computes is defined beside, in `instruction`; this module has no arithmetic of its
//! own.

mod code;
mod counters;
mod decode;
mod fuse;
mod lookup;
mod settle;
mod state;
mod together;
mod touched;
mod turns;
mod words;

pub use code::{Code, LaneMode, Place, Swap, Test};
pub use counters::{AddressMode, Counters};
pub use decode::{Effect, Refusal, issue};
pub use lookup::Table;
pub use state::{Rows, Unit};
pub use touched::Touched;
pub use words::{LoadMode, half_word};

/// Lanes of a register.
pub const LANES: usize = 32;
/// Columns that an access of Dst covers: the even or the odd ones of a row.
pub const COLUMNS: usize = 8;

/// One register.
pub type Register = [u32; LANES];
