//! What came of a request, as data that every front end shows alike.
//!
//! The fields are an interface that others script against: they may be added to, not changed.

mod checked;
mod comparison;
mod failure;
mod grade;
mod number;
mod printed;
mod replay;
mod run;
mod stages;
mod sweep;

pub use checked::{Checked, CheckedProgram};
pub use comparison::{Devices, Diff, FindingDifference, LineDifference, OutputDifference};
pub use failure::{Answer, Failure, FailureVerdict, Place};
pub use grade::{
    EquivalentFault, Grade, GradeComparison, GradedClass, GradedFault, GradedTest, PlannedTest,
    TestPlan,
};
pub use number::Number;
pub use printed::{Printed, PrintedSource, Said, Zone};
pub use replay::{Pause, PausedBuffer, PausedCore, PausedProcessor, Replay};
pub use run::{
    Blame, Caller, Finding, FindingIdentity, HostSeconds, Mark, Output, Program, Request, Run,
    RunVerdict, identities,
};
pub use stages::{
    Breadcrumb, BreadcrumbEvent, New, Stage, StageChange, StageFinding, StageStatus, Stages,
};
pub use sweep::{Sweep, SweepFailure};
