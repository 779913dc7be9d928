//! Manifests that give C++ kernels their arguments by name. The examples are `examples_cpp`.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

use std::fs;
use std::path::Path;

use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_metal::{Device, Ending, RunOptions};
use tilewright_ops::manifest::{Manifest, Overrides};

/// The kernels assert what they are given; the writer's tensor is the reader's second one.
#[test]
fn kernels_are_given_everything_by_name() {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-cache"));
    let workshop = match Workshop::open(&CompileOptions { cache, ..CompileOptions::default() }) {
        Ok(workshop) => workshop,
        Err(error) => return eprintln!("nothing is tested here: {error}"),
    };
    let path = Path::new("tests/manifests/bindings/program.toml");
    let text = fs::read_to_string(path).expect("a manifest");
    let manifest = Manifest::parse(path, &text).unwrap_or_else(|error| panic!("{error}"));
    let mut device = Device::n150();
    let ready = manifest.prepare(&mut device, &Overrides::default());
    let mut prepared = ready.unwrap_or_else(|error| panic!("{error}")).prepared;
    for program in &mut prepared.programs {
        let arch = device.architecture();
        program.compile(arch, &workshop, &|_, _| {}).unwrap_or_else(|error| panic!("{error}"));
    }
    let outcomes = prepared.run(&mut device, RunOptions::default(), &mut []).expect("it can run");
    assert!(outcomes.iter().all(|outcome| outcome.ending == Ending::Completed), "{outcomes:?}");
    for (name, judgement) in prepared.judge(&mut device).expect("outputs can be read") {
        assert!(judgement.in_bound, "{name}: {judgement:?}");
    }
    let y = prepared.outputs[0].tensor.to_host(&mut device).expect("an output");
    assert!(y.bytes().iter().any(|byte| *byte != 0));
}
