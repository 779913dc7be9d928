//! Faces: what a command has to say, as records, drawn for a terminal, a browser or a trace viewer,
//! or written as JSON.
//!
//! Computes no new fact: a record holds what others found, and all faces show the same record.

pub mod book;
pub mod html;
pub mod json;
pub mod jsonl;
mod perfetto;
pub mod record;
pub mod terminal;
pub mod timeline;

pub use perfetto::perfetto;
