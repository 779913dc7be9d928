//! Faces: what a command has to say, as records, drawn for a terminal or written as JSON.
//!
//! Computes no new fact: a record holds what others found, and both faces show the same record.

pub mod json;
pub mod record;
pub mod terminal;
