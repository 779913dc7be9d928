//! What each command answers, as data that JSON and the terminal show alike.
//!
//! The fields are an interface that others script against: they may be added to, not changed.

mod cache;
mod completions;
mod corpus;
mod doctor;
mod drawn;
mod explain;
mod failure;
mod list;
mod number;
mod printed;
mod replay;
mod repro;
mod run;
mod vectors;

pub use cache::Cache;
pub use completions::Completions;
pub use corpus::{Corpus, CorpusOpStrings, CorpusRole, NotCompiled};
pub use doctor::{Doctor, Fact};
pub use drawn::{Drawn, DrawnProgram, Written};
pub use explain::{Explain, Manual};
pub use failure::{Answer, Failure, FailureVerdict, Place};
pub use list::{Choice, List, Operation, Reference};
pub use number::Number;
pub use printed::{Printed, PrintedSource, Said, Zone};
pub use replay::{Pause, PausedBuffer, PausedCore, PausedProcessor, Replay};
pub use repro::{Repro, ReproRow};
pub use run::{Blame, Caller, Finding, Mark, Output, Program, Request, Run, RunVerdict};
pub use vectors::{Group, Mismatch, Vectors, VectorsVerdict};
