//! References of the vector unit's functions.

mod accuracy;
mod cases;
mod machine;
mod proof;
mod rows;
