//! A worker process that its kernel takes down is told of, with the last line.
//!
//! The worker is this test's own binary, started again with a variable that says what to do.

#![cfg(all(feature = "cpp", target_os = "linux"))]

mod common;
mod cpp_common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::ORIGIN;
use cpp_common::workshop;
use tilewright_machine::{Processor, RunOptions};
use tilewright_metal::cpp::worker::{Lost, WorkerEnd, supervise};
use tilewright_metal::cpp::{CppKernel, CppRole, CppSource};
use tilewright_metal::{CbSpec, CompileTimeArgs, DataMovementPlace, Device, Program};
use tilewright_tile::DataFormat;

const BODY: &str = "TILEWRIGHT_TEST_BODY";

/// Runs the kernel of the variable, if this process is a worker; true if it was.
fn is_worker() -> bool {
    let Ok(name) = std::env::var(BODY) else { return false };
    let (_, body) = KERNELS.iter().find(|(known, _)| *known == name).expect("a kernel of ours");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-worker");
    fs::create_dir_all(&folder).expect("a folder for kernels");
    let file = folder.join(format!("{name}.cpp"));
    fs::write(&file, body).expect("a file for a kernel");
    let mut builder = Program::builder("worker");
    builder.circular_buffer(ORIGIN, CbSpec::tiles(0, "cb", DataFormat::Bfloat16, 2));
    let role = CppRole::DataMovement(DataMovementPlace::Writer);
    let kernel = CppKernel { source: CppSource::file(file), role };
    builder.cpp_kernel("writer", ORIGIN, kernel, CompileTimeArgs::default());
    let mut device = Device::n150();
    let built = builder.build(device.architecture(), device.l1_lowest());
    let mut program = built.expect("it is right");
    let workshop = workshop().expect("the parent has found a compiler");
    program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    program.run(&mut device, RunOptions::default(), &mut []).expect("it runs");
    true
}

const KERNELS: &[(&str, &str)] = &[
    (
        "quiet",
        "#include \"api/dataflow/dataflow_api.h\"\nvoid kernel_main() {\n    cb_reserve_back(0, 1);\n}\n",
    ),
    (
        "killed",
        r#"#include "api/dataflow/dataflow_api.h"
extern "C" int raise(int);
void kernel_main() {
    cb_reserve_back(0, 1);
    raise(9);
}
"#,
    ),
    (
        "left",
        r#"#include "api/dataflow/dataflow_api.h"
extern "C" void quick_exit(int);
void kernel_main() {
    cb_reserve_back(0, 1);
    quick_exit(0);
}
"#,
    ),
    (
        "silent",
        r#"#include "api/dataflow/dataflow_api.h"
extern "C" int pause();
void kernel_main() {
    cb_reserve_back(0, 1);
    pause();
}
"#,
    ),
];

/// How a worker with a kernel ends, if there is a compiler.
fn end(test: &str, kernel: &str) -> Option<WorkerEnd> {
    workshop()?;
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command.args(["--exact", test]).env(BODY, kernel).stdout(Stdio::null());
    Some(supervise(command, Duration::from_secs(2)).expect("it can be started"))
}

#[track_caller]
fn check_lost(test: &str, kernel: &str, expected: &str) {
    let Some(end) = end(test, kernel) else { return };
    let WorkerEnd::Lost(Lost { what, last }) = end else { panic!("{end:?}") };
    assert_eq!(what, expected);
    let latest = last.first().expect("it made a call");
    assert_eq!((latest.processor.core, latest.processor.processor), (ORIGIN, Processor::Writer));
    assert!(latest.site.file.ends_with(&format!("{kernel}.cpp")), "{}", latest.site);
    assert_eq!(latest.site.line, 4);
}

#[test]
fn a_worker_that_ends_well() {
    if !is_worker() {
        let Some(end) = end("a_worker_that_ends_well", "quiet") else { return };
        assert!(matches!(end, WorkerEnd::Exited(0)), "{end:?}");
    }
}

#[test]
fn a_worker_that_is_killed() {
    if !is_worker() {
        check_lost("a_worker_that_is_killed", "killed", "somebody kills it (SIGKILL)");
    }
}

#[test]
fn a_worker_whose_kernel_leaves() {
    if !is_worker() {
        let what = "its kernel ends the process with code 0";
        check_lost("a_worker_whose_kernel_leaves", "left", what);
    }
}

#[test]
fn a_worker_that_falls_silent() {
    if !is_worker() {
        check_lost("a_worker_that_falls_silent", "silent", "its kernel says nothing for 2 s");
    }
}
