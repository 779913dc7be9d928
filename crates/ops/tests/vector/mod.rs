//! References of the vector unit's functions.

mod accuracy;
mod calls;
mod cases;
mod machine;
mod proof;
mod rows;
