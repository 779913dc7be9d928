//! C++ kernels are graded and swept in worker processes.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_run::grade::{Comparison, Grading};
use tilewright_run::prelude::*;
use tilewright_run::sweep::{Plan, Sweep, Word};
use tilewright_run::{FrontEnd, Silent};
use tilewright_testing::skip;

use crate::grade::source_line;

/// A process supervises the workers of one command at a time.
static WORKERS: Mutex<()> = Mutex::new(());

/// Whether there is a compiler; without, the test passes and says so.
fn has_compiler() -> bool {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tilewright"));
    let options = CompileOptions { cache, ..CompileOptions::default() };
    Workshop::open(&options).map_err(|error| skip!(error)).is_ok()
}

/// How an example's own test is graded.
fn grading(example: &str, cores: u32, set: &[(&str, &str)]) -> Grading {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = root.join(format!("examples/{example}/program.toml")).display().to_string();
    let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Grading::new(Request { cores: Some(cores), set, ..Request::new(manifest) })
}

#[test]
fn faults_of_a_manifest_are_tried_in_processes() {
    if !has_compiler() {
        return;
    }
    let _turn = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let graded = grading("eltwise", 2, &[]).run().expect("the example completes");
    let grade = graded.record(Comparison::default()).expect("passes without a fault");
    assert!(grade.injected >= 30 && grade.changed >= 10, "{}", grade.injected);
    assert!(grade.uncaught.is_empty(), "{:?}", grade.uncaught);
    let is_cpp = |file: &String| file.ends_with(".cpp") || file.ends_with(".h");
    let files: Vec<_> = grade.equivalents.iter().filter_map(|it| it.file.clone()).collect();
    assert!(files.iter().all(is_cpp), "{files:?}");
}

/// Faults of the softmax example that stay inside the bounds: kind, how the source line begins, and
/// why no comparison of values can tell.
const EXPLAINED: &[(&str, &str, &str)] = &[
    ("", "reduce_tile<PoolType::MAX,", "any maximum cancels out; it avoids overflow"),
    ("missing-wait", "cb_wait_front(cb_x, (part + 1)", "only the maximum is read too early"),
    ("", "pack_block(0, cb, tiles)", "of a row's blocks, the maximum is packed first"),
    ("early-push", "cb_push_back(cb, tiles)", "the block pushed early is the maximum"),
    ("stale-accumulation", "tile_regs_release()", "what stays in Dst raises the maximum alone"),
];

#[test]
fn every_fault_inside_the_bounds_of_an_example_is_explained() {
    if !has_compiler() {
        return;
    }
    let _turn = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let graded = grading("softmax", 2, &[]).run().expect("the example completes");
    let grade = graded.record(Comparison::default()).expect("passes without a fault");
    assert!(grade.injected >= 100 && grade.changed >= 80, "{}", grade.injected);
    let mut used = Vec::new();
    for fault in &grade.uncaught {
        assert!(!fault.is_beyond_bound, "{fault:?}");
        let line = source_line(fault);
        let is_it = |it: &&(&str, &str, &str)| {
            (it.0.is_empty() || it.0 == fault.class) && line.starts_with(it.1)
        };
        let found = EXPLAINED.iter().find(is_it);
        assert!(found.is_some(), "{} `{line}`: {}", fault.class, fault.edit);
        used.extend(found);
    }
    let unused: Vec<_> = EXPLAINED.iter().filter(|it| !used.contains(it)).collect();
    assert!(unused.is_empty(), "these are caught now, or gone: {unused:?}");
}

/// The suggested tests catch every fault of two C++ examples by the bound, on several threads.
#[test]
fn suggested_tests_catch_every_fault_of_the_examples() {
    if !has_compiler() {
        return;
    }
    let _turn = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let front: Arc<dyn FrontEnd> = Arc::new(Silent);
    for name in ["eltwise", "softmax"] {
        let grading = grading(name, 1, &[("rows", "32"), ("columns", "64")]);
        let graded = grading.run().expect("the example completes");
        let bound = Comparison::default();
        let grade = grading.suggest(&graded, bound, &front).expect("passes without a fault");
        assert!(!grade.uncaught.iter().any(|fault| fault.is_beyond_bound), "{name}");
        let plan = grade.plan.expect("a plan");
        assert_eq!(plan.caught, plan.catchable, "{name}");
    }
}

/// The mistake of the tutorial fails; what is captured of it fails in the same way.
#[test]
fn the_smallest_failing_run_of_a_sweep_is_captured() {
    if !has_compiler() {
        return;
    }
    let _turn = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweeps/tutorial");
    drop(std::fs::remove_dir_all(&folder));
    let subject = root.join("examples/tutorial/program.toml").display().to_string();
    let options = [("mistake".to_owned(), vec![Word::Number(0), Word::Number(1)])].into();
    let plan = Plan { subject, options, data_seeds: vec![3, 4], ..Plan::default() };
    let swept = Sweep::new(plan, &folder).run().expect("runs");
    assert_eq!((swept.summary.pass, swept.summary.fail), (2, 2));
    let smallest = swept.summary.smallest_failure.expect("a failing run");
    assert_eq!(smallest.point["mistake"], "1");
    let capture = smallest.capture.expect("a capture");
    let again = Request::new(capture).run().expect("runs");
    assert_eq!(again.verdict(), RunVerdict::Fail);
    assert_eq!(again.findings()[0].id, smallest.findings[0]);
}
