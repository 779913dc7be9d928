//! A compiler and kernels for tests of C++ kernels.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::{Path, PathBuf};

use tilewright_testing::skip;

use tilewright_metal::cpp::{CompileOptions, CppKernel, CppRole, CppSource, Workshop};

/// Names the compiler that `cargo xtask ci` repeats these tests with. Not `CXX`: build scripts read
/// that, and crates would be built anew.
const COMPILER: &str = "TILEWRIGHT_TEST_CXX";

/// How kernels are compiled into a cache.
pub fn options(cache: PathBuf) -> CompileOptions {
    let cxx = std::env::var_os(COMPILER).map(PathBuf::from);
    CompileOptions { cxx, cache: Some(cache), ..CompileOptions::default() }
}

/// A workshop, or none where the host has no compiler: the test is then skipped.
pub fn workshop() -> Option<Workshop> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tilewright");
    match Workshop::open(&options(cache)) {
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
