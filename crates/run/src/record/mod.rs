//! What came of a request, as data that every front end shows alike.
//!
//! The fields are an interface that others script against: they may be added to, not changed.

mod checked;
mod comparison;
mod doctor;
mod failure;
mod finding;
mod grade;
mod number;
mod printed;
mod replay;
mod run;
mod stages;
mod sweep;

pub use checked::{Checked, CheckedProgram};
pub use comparison::{Devices, Diff, FindingDifference, LineDifference, OutputDifference};
pub use doctor::{Doctor, Fact};
pub use failure::{Answer, Failure, FailureVerdict, Place};
pub use finding::{Blame, Caller, Finding, FindingIdentity, Mark, identities};
pub use grade::{
    EquivalentFault, Grade, GradeComparison, GradedClass, GradedFault, GradedTest, PlannedTest,
    TestPlan,
};
pub use number::Number;
pub use printed::{Printed, PrintedSource, Said, Zone};
pub use replay::{Pause, PausedBuffer, PausedCore, PausedProcessor, Replay};
pub use run::{HostSeconds, Output, Program, Request, Run, RunVerdict};
pub use stages::{
    Breadcrumb, BreadcrumbEvent, New, Stage, StageChange, StageFinding, StageStatus, Stages,
};
pub use sweep::{Sweep, SweepFailure};
