//! Functions of the vector unit as short programs: their notation, and how they run.
//!
//! A program is the unit's instructions on one lane, in the order that decides the bits. It runs on
//! all lanes of a tile at once: programs know no neighbours. Functions that exchange values between
//! lanes are in `sequence`.

mod assemble;
mod catalogue;
mod instruction;
pub(super) mod named;
mod parse;
mod run;
mod sequence;
mod state;
mod table;
pub mod unit;

pub(super) use catalogue::name_hash;
pub use catalogue::{Function, FunctionId, Rows, functions};
pub use instruction::Instruction;
pub use run::{MOST_TILES, Mode, Operands, StoredLanes};
pub use sequence::{Registers, Writes};
pub use state::VectorState;
