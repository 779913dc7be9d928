//! Tests of C++ kernels are graded in worker processes, without compiling anything again.

#![cfg(target_os = "linux")]

use std::path::Path;

use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_run::grade::{Comparison, Grading};
use tilewright_run::prelude::*;
use tilewright_testing::skip;

/// Whether there is a compiler; without, the test passes and says so.
fn has_compiler() -> bool {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-cache"));
    let options = CompileOptions { cache, ..CompileOptions::default() };
    Workshop::open(&options).map_err(|error| skip!(error)).is_ok()
}

#[test]
fn faults_of_a_manifest_are_tried_in_processes() {
    if !has_compiler() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = root.join("examples/eltwise/program.toml").display().to_string();
    let request = Request { cores: Some(2), ..Request::new(manifest) };
    let graded = Grading::new(request).run().expect("the example completes");
    let grade = graded.record(Comparison::default()).expect("passes without a fault");
    println!("{grade:#?}");
    assert!(grade.injected >= 30 && grade.changed >= 10, "{}", grade.injected);
    assert!(grade.uncaught.is_empty(), "{:?}", grade.uncaught);
    let is_cpp = |file: &String| file.ends_with(".cpp") || file.ends_with(".h");
    let files: Vec<_> = grade.equivalents.iter().filter_map(|it| it.file.clone()).collect();
    assert!(files.iter().all(is_cpp), "{files:?}");
}
