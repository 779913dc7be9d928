//! Faces: what a command has to say, as records, drawn for a terminal, a browser or a trace viewer,
//! or written as JSON.
//!
//! Computes no new fact: a record holds what others found, and all faces show the same record.
//!
//! A failure as text and as JSON, from one record:
//!
//! ```
//! use tilewright_report::record::Failure;
//! use tilewright_report::terminal::{self, Paint};
//! use tilewright_report::json;
//!
//! let failure = Failure::new("unknown operation `idenity`").help("did you mean `identity`?");
//! let text = terminal::failure(&failure, Paint::Plain);
//! assert_eq!(text, "error: unknown operation `idenity`\nhelp: did you mean `identity`?\n");
//! assert!(json::text(&failure).starts_with("{\n  \"verdict\": \"error\""));
//! ```
//!
//! A run as a trace that ui.perfetto.dev opens:
//!
//! ```
//! use tilewright_metal::{Device, RunOptions};
//! use tilewright_ops::Request;
//! use tilewright_report::timeline::{Limits, Recorder};
//! use tilewright_tile::DataFormat::Bfloat16;
//!
//! let mut device = Device::n150();
//! let request = Request::new("64x64".parse()?, Bfloat16);
//! let operation = tilewright_ops::find("identity").expect("an operation");
//! let prepared = operation.prepare(&mut device, &request)?;
//! let mut recorder = Recorder::new(Limits::TRACE);
//! for program in &prepared.programs {
//!     recorder.begin(program);
//!     let outcome = program.run(&mut device, RunOptions::default(), &mut [&mut recorder])?;
//!     recorder.end(&outcome);
//! }
//! let trace = tilewright_report::perfetto(recorder.timelines(), None);
//! assert_eq!(trace[0], 0x0a, "a packet of a trace");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod book;
pub mod ci;
pub mod drawing;
pub mod html;
pub mod json;
pub mod jsonl;
pub mod line_costs;
mod perfetto;
pub mod record;
mod source;
pub mod stages;
pub mod terminal;
pub mod timeline;

pub use perfetto::perfetto;
