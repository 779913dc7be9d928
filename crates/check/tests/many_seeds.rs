//! Every operation under many schedules with every tool on: nothing is found, and all schedules
//! leave the same bits.
//!
//! So do small programs that are right, and faults of theirs are found (`trials`).
//!
//! `cargo xtask many-seeds A..B` hands the range over in `TILEWRIGHT_SEEDS`. Each schedule has a
//! device of its own, as on the command line: what an earlier one left behind may hide a fault.
//! With `TILEWRIGHT_EVERYWHERE` set, every format, path and shape goes through the range, too,
//! which takes long; without, each of these has one schedule.

#![allow(clippy::print_stderr, reason = "a test tells what it has counted")]

#[cfg(target_os = "linux")]
mod trials;

use std::ops::Range;

use tilewright_check::{Finding, Session, Tools};
use tilewright_metal::{Device, Ending, Expected, NocMode, RunOptions, fingerprint};
use tilewright_ops::{Operation, Request, operations};
use tilewright_tile::DataFormat;

fn seeds() -> Range<u64> {
    asked_seeds().unwrap_or(0..4)
}

fn asked_seeds() -> Option<Range<u64>> {
    let asked = std::env::var("TILEWRIGHT_SEEDS").ok()?;
    let (first, end) = asked.split_once("..").expect("a range of seeds, such as 0..64");
    let seed = |text: &str| text.parse().expect("a seed");
    let seeds = seed(first)..seed(end);
    assert!(!seeds.is_empty(), "no seed in {asked}");
    Some(seeds)
}

/// Findings, and a fingerprint of each output.
type Ran = (Vec<Finding>, Vec<(String, u64)>);

/// What one schedule finds, and the bits it leaves; nothing if the operation refuses the request.
fn run(operation: &dyn Operation, request: &Request, options: RunOptions) -> Option<Ran> {
    let mut device = Device::n150();
    let prepared = operation.prepare(&mut device, request).ok()?;
    let mut findings = Vec::new();
    for program in &prepared.programs {
        let mut session = Session::new(program, &Tools::all());
        let outcome = program.run(&mut device, options, &mut [&mut session]).expect("stacks");
        assert_eq!(outcome.ending, Ending::Completed, "{} {request:?}", operation.name());
        findings.extend(session.findings(program, &outcome));
    }
    let mut bits = |output: &Expected| {
        let tensor = output.tensor.to_host(&mut device).expect("an output");
        (output.name.to_owned(), fingerprint(tensor.bytes()))
    };
    Some((findings, prepared.outputs.iter().map(&mut bits).collect()))
}

fn request(operation: &dyn Operation, shape: &str, format: DataFormat) -> Request {
    let mut request = Request::new(shape.parse().expect("a shape"), format);
    request.settings = operation.settings(format);
    request
}

#[track_caller]
fn check_all(shape: &str) {
    for operation in operations() {
        let mut expected = None;
        for noc in [NocMode::Timed, NocMode::Late] {
            for seed in seeds() {
                let options = RunOptions { seed, noc, ..RunOptions::USUAL };
                let request = request(*operation, shape, DataFormat::Bfloat16);
                let (findings, bits) = run(*operation, &request, options).expect("it is right");
                let what = format!("{} of {shape}, {noc:?}, seed {seed}", operation.name());
                assert!(findings.is_empty(), "{what}: {findings:#?}");
                let expected = expected.get_or_insert_with(|| bits.clone());
                assert!(*expected == bits, "{what}: other values");
            }
        }
    }
}

#[test]
fn several_cores_are_clean_under_every_schedule() {
    check_all("2x32x64");
}

#[test]
fn one_core_is_clean_under_every_schedule() {
    check_all("32x352");
}

/// Shapes with whole and padded tiles, wide and tall; in the tall ones cores share the sums over
/// rows.
const SHAPES: [&str; 8] = [
    "1x1x64x96",
    "2x1x40x70",
    "1x1x512x64",
    "1x1x300x90",
    "3x1x70x33",
    "1x2x96x416",
    "13x20",
    "33x213",
];

/// Requests of every format, path and shape that the operation takes.
fn requests(operation: &dyn Operation) -> Vec<Request> {
    let choice = operation.choices().iter().find(|choice| choice.name == "path");
    let paths = choice.map_or(vec![None], |it| it.values.iter().copied().map(Some).collect());
    let mut requests = Vec::new();
    for format in [DataFormat::Bfloat16, DataFormat::Float32, DataFormat::Bfp8] {
        for shape in SHAPES {
            for path in &paths {
                let mut request = request(operation, shape, format);
                request.cores = 4;
                if let Some(path) = path {
                    request.choices.insert("path".to_owned(), (*path).to_owned());
                }
                requests.push(request);
            }
        }
    }
    requests
}

#[test]
fn every_format_path_and_shape_is_clean() {
    let is_everywhere = std::env::var_os("TILEWRIGHT_EVERYWHERE").is_some();
    let mut schedules = 0;
    for operation in operations() {
        for (turn, request) in requests(*operation).iter().enumerate() {
            let turn = turn as u64;
            let seeds = if is_everywhere { seeds() } else { turn..turn + 1 };
            for seed in seeds {
                let noc = if seed % 2 == 0 { NocMode::Timed } else { NocMode::Late };
                let options = RunOptions { seed, noc, ..RunOptions::USUAL };
                let Some((findings, _)) = run(*operation, request, options) else { break };
                let name = operation.name();
                assert!(findings.is_empty(), "{name} {request:?}, seed {seed}: {findings:#?}");
                schedules += 1;
            }
        }
    }
    assert!(schedules >= 200, "only {schedules} schedules ran: requests were refused");
}

#[cfg(target_os = "linux")]
#[test]
fn faults_of_small_programs_are_found() {
    trials::faults_are_found(&asked_seeds().unwrap_or(0..32));
}

#[cfg(target_os = "linux")]
#[test]
fn small_programs_that_are_right_stay_silent() {
    trials::twins_are_silent(&asked_seeds().unwrap_or(0..8));
}
