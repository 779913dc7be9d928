//! The examples in C++ against our own operations: equal bits, and the same events.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_metal::{Device, Ending, RunOptions, Shape};
use tilewright_ops::manifest::{Manifest, Overrides, Ready};
use tilewright_ops::{Prepared, Request, find};
use tilewright_tile::DataFormat;

/// The outputs' bytes, and the fingerprint of all events, which leaves out the lines of source.
fn run(prepared: &Prepared, device: &mut Device) -> (BTreeMap<&'static str, Vec<u8>>, Vec<u64>) {
    let outcomes = prepared.run(device, RunOptions::default(), &mut []).expect("it can run");
    assert!(outcomes.iter().all(|outcome| outcome.ending == Ending::Completed), "{outcomes:?}");
    for (name, judgement) in prepared.judge(device).expect("outputs can be read") {
        assert!(judgement.in_bound, "{name}: {judgement:?}");
    }
    let mut outputs = BTreeMap::new();
    for output in &prepared.outputs {
        let tensor = output.tensor.to_host(device).expect("an output");
        outputs.insert(output.name, tensor.bytes().to_vec());
    }
    (outputs, outcomes.iter().map(|outcome| outcome.digest.0).collect())
}

/// A workshop, or a plain message where the host has no compiler: the test then passes.
fn workshop() -> Option<Workshop> {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-cache"));
    Workshop::open(&CompileOptions { cache, ..CompileOptions::default() })
        .map_err(|error| eprintln!("nothing is tested here: {error}"))
        .ok()
}

/// A manifest with values set, ready to run.
fn compiled(
    path: &Path,
    values: &[(&str, i64)],
    workshop: &Workshop,
    device: &mut Device,
) -> Ready {
    let text = fs::read_to_string(path).expect("a manifest");
    let manifest = Manifest::parse(path, &text).unwrap_or_else(|error| panic!("{error}"));
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let overrides = Overrides { values, ..Overrides::default() };
    let ready = manifest.prepare(device, &overrides);
    let mut ready = ready.unwrap_or_else(|error| panic!("{error}"));
    for program in &mut ready.prepared.programs {
        let arch = device.architecture();
        program.compile(arch, workshop, &|_, _| {}).unwrap_or_else(|error| panic!("{error}"));
    }
    ready
}

/// Runs an example with values set, and our operation with a request; `names` pairs outputs.
fn check(example: &str, values: &[(&str, i64)], request: (&str, Request), names: (&str, &str)) {
    let Some(workshop) = workshop() else { return };
    let path = Path::new("../../examples").join(example).join("program.toml");
    let mut device = Device::n150();
    let ready = compiled(&path, values, &workshop, &mut device);
    let (cpp, cpp_events) = run(&ready.prepared, &mut device);
    let mut device = Device::n150();
    let (operation, request) = request;
    let operation = find(operation).expect("an operation");
    let ours = operation.prepare(&mut device, &request).expect("a right request");
    let (rust, rust_events) = run(&ours, &mut device);
    assert!(cpp[names.0] == rust[names.1], "{example}: bits differ");
    assert_eq!(cpp_events, rust_events, "{example}: events differ");
}

#[test]
fn eltwise_in_cpp_is_eltwise_in_rust() {
    for (rows, columns) in [(32, 32), (96, 160), (1024, 1024)] {
        let shape = Shape::new(&[rows, columns]).expect("a shape");
        let request = Request::new(shape, DataFormat::Bfloat16);
        let values = [("rows", rows as i64), ("columns", columns as i64)];
        check("eltwise", &values, ("eltwise", request), ("sum", "y"));
    }
}

/// The kernels assert what they are given; the writer's tensor is the reader's second one.
#[test]
fn kernels_are_given_everything_by_name() {
    let Some(workshop) = workshop() else { return };
    let mut device = Device::n150();
    let path = Path::new("tests/manifests/bindings/program.toml");
    let ready = compiled(path, &[], &workshop, &mut device);
    let (outputs, _) = run(&ready.prepared, &mut device);
    assert!(outputs["y"].iter().any(|byte| *byte != 0));
}
