//! A compiler and kernels for tests of C++ kernels.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::Command;

use tilewright_testing::skip;

use tilewright_metal::cpp::{CompileOptions, CppKernel, CppRole, CppSource, Workshop};

/// A workshop, or none where the host has no compiler: the test is then skipped.
pub fn workshop() -> Option<Workshop> {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-cache"));
    match Workshop::open(&CompileOptions { cache, ..CompileOptions::default() }) {
        Ok(workshop) => Some(workshop),
        Err(error) => {
            skip!(error);
            None
        }
    }
}

/// A kernel of `tests/kernels`, by a path from the crate's folder, in which tests run.
pub fn kernel(file: &str, role: CppRole) -> CppKernel {
    let file = PathBuf::from("tests/kernels").join(file);
    CppKernel { source: CppSource::file(file), role }
}

/// Runs all tests of a file once more with clang++, where the host has it.
pub fn again_with_clang(file: &str) {
    const CLANG: &str = "clang++";
    if std::env::var_os("CXX").is_some() {
        return; // This is the second time, or somebody has chosen.
    }
    if Command::new(CLANG).arg("--version").output().is_err() {
        skip!(format!("there is no {CLANG} on PATH"));
        return;
    }
    let this = std::env::current_exe().expect("a test has a file");
    let output = Command::new(this)
        .arg(format!("{file}::"))
        .env("CXX", CLANG)
        .output()
        .expect("it runs again");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "with {CLANG}:\n{said}");
}
