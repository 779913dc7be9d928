//! What is wrong with a run, and how it ended: findings from events.
//!
//! Prints nothing, stops nothing, changes nothing. How a finding looks is `report`'s business.
//!
//! A kernel that pushes a page which nobody pops, and what is found:
//!
//! ```
//! use tilewright_check::{FindingId, Session, Tools};
//! use tilewright_metal::{
//!     CbSpec, CompileTimeArgs, CoreCoord, CoreRange, DataMovementPlace, Device, Program,
//!     RunOptions,
//! };
//! use tilewright_tile::DataFormat::Bfloat16;
//!
//! let mut device = Device::n150();
//! let cores = CoreRange::new(CoreCoord::new(0, 0), CoreCoord::new(0, 0));
//! let mut builder = Program::builder("leaves a page");
//! builder.circular_buffer(cores, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
//! let args = CompileTimeArgs::default();
//! builder.data_movement("reader", cores, DataMovementPlace::Reader, args, |k| {
//!     k.cb_reserve_back(0, 1);
//!     k.cb_push_back(0, 1);
//! });
//! let program = builder.build(device.architecture(), device.l1_lowest())?;
//!
//! let mut session = Session::new(&program, &Tools::all());
//! let outcome = program.run(&mut device, RunOptions::default(), &mut [&mut session])?;
//! let findings = session.findings(&program, &outcome);
//! assert_eq!(findings[0].id, FindingId::LeftoverPages);
//! assert_eq!(findings[0].marks[0].site.file, file!());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allow;
mod catalogue;
mod class;
mod consequences;
mod covered;
mod declaration;
pub mod dst;
pub mod ending;
pub mod ending_manual;
pub mod finding;
mod flow;
pub mod format;
mod free_l1;
mod host_program;
mod identity;
pub mod init;
#[cfg(target_os = "linux")]
mod lost_worker;
pub mod memory;
pub mod pause;
mod per_core;
pub mod race;
mod rings;
mod schedules;
mod session;
mod sticks;
pub mod sync;
mod tool;
mod trace;
mod undeclared;
pub mod value;
mod written;

pub use allow::Report;
pub use catalogue::FindingId;
pub use host_program::{host_crash, host_error};
pub use identity::{FindingLine, Identities, Identity};
#[cfg(target_os = "linux")]
pub use lost_worker::{Loss, Lost, lost_worker};
pub use schedules::{MergedFinding, MergedSchedules};
pub use session::{Session, Sighting};
pub use tool::{Tool, Tools};
pub use undeclared::undeclared;

pub use finding::{Blame, Finding, Mark, Remedy};

/// What `of_class!` names.
#[doc(hidden)]
pub use tilewright_machine::{EventKind, Setting};
