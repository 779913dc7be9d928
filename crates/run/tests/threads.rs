//! Runs of C++ kernels on several threads of one process, which has children of its own.

#![cfg(target_os = "linux")]

use std::process::Command;

use tilewright_run::prelude::*;
use tilewright_testing::skip;

/// Whether the host has a compiler.
fn has_compiler() -> bool {
    let works = |name| Command::new(name).arg("--version").output().is_ok();
    std::env::var_os("CXX").is_some() || ["g++", "clang++"].into_iter().any(works)
}

#[test]
fn a_run_that_ends_leaves_others_and_other_children_alone() {
    if !has_compiler() {
        skip!("there is no C++ compiler");
        return;
    }
    let mut other = Command::new("sleep").arg("600").spawn().expect("a child");
    let runs = |times: u32| {
        for _ in 0..times {
            let request = Request::new("tests/manifests/bindings/program.toml");
            let outcome = request.run().expect("it can run");
            assert_eq!(outcome.verdict(), RunVerdict::Pass, "{:?}", outcome.run.findings);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| runs(6));
        scope.spawn(|| runs(5));
    });
    let still = other.try_wait().expect("a child");
    drop(other.kill());
    drop(other.wait());
    assert_eq!(still, None, "a child that has nothing to do with it was ended");
}
