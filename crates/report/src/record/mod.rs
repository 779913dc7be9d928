//! What each command answers, as data that JSON and the terminal show alike.
//!
//! The fields are an interface that others script against: they may be added to, not changed.

mod cache;
mod capture;
mod completions;
mod corpus;
mod drawn;
mod explain;
mod list;
mod repro;
mod vectors;

pub use cache::Cache;
pub use capture::Capture;
pub use completions::Completions;
pub use corpus::{Corpus, CorpusOpStrings, CorpusRole, NotCompiled};
pub use drawn::{Drawn, DrawnDevices, DrawnProgram, Written};
pub use explain::{Explain, Manual};
pub use list::{Choice, List, Operation, Reference};
pub use repro::{Repro, ReproGrade, ReproRow};
pub use vectors::{Group, Mismatch, Vectors, VectorsVerdict};

pub use tilewright_run::record::{
    Answer, Blame, Breadcrumb, BreadcrumbEvent, Caller, Checked, CheckedProgram, Devices, Diff,
    Doctor, EquivalentFault, Fact, Failure, FailureVerdict, Finding, FindingDifference, Grade,
    GradeComparison, GradedClass, GradedFault, GradedTest, HostSeconds, LineDifference, Mark, New,
    Number, Output, OutputDifference, Pause, PausedBuffer, PausedCore, PausedProcessor, Place,
    PlannedTest, Printed, PrintedSource, Program, Replay, Request, Run, RunVerdict, Said, Stage,
    StageChange, StageFinding, StageStatus, Stages, Sweep, SweepFailure, TestPlan, Zone,
};
