//! Every operation under many schedules with every tool on: nothing is found, and all schedules
//! leave the same bits.
//!
//! `cargo xtask many-seeds A..B` hands the range over in `TILEWRIGHT_SEEDS`. Each schedule has a
//! device of its own, as on the command line: what an earlier one left behind may hide a fault.

use std::ops::Range;

use tilewright_check::{Finding, Session, Tools};
use tilewright_metal::{Device, Ending, NocMode, RunOptions};
use tilewright_ops::{Operation, Request, operations};
use tilewright_tile::DataFormat;

fn seeds() -> Range<u64> {
    let Ok(asked) = std::env::var("TILEWRIGHT_SEEDS") else { return 0..4 };
    let (first, end) = asked.split_once("..").expect("a range of seeds, such as 0..64");
    let seed = |text: &str| text.parse().expect("a seed");
    let seeds = seed(first)..seed(end);
    assert!(!seeds.is_empty(), "no seed in {asked}");
    seeds
}

/// What one schedule finds, and the bits it leaves.
fn run(
    operation: &dyn Operation,
    shape: &str,
    options: RunOptions,
) -> (Vec<Finding>, Vec<(String, u64)>) {
    let format = DataFormat::Bfloat16;
    let mut request = Request::new(shape.parse().expect("a shape"), format);
    request.settings = operation.settings(format);
    let mut device = Device::n150();
    let prepared = operation.prepare(&mut device, &request).expect("a right request");
    let mut findings = Vec::new();
    for program in &prepared.programs {
        let mut session = Session::new(program, &Tools::all());
        let outcome = program.run(&mut device, options, &mut [&mut session]).expect("stacks");
        assert_eq!(outcome.ending, Ending::Completed, "{} {shape}", operation.name());
        findings.extend(session.findings(program, &outcome));
    }
    (findings, prepared.output_bits(&mut device).expect("outputs"))
}

#[track_caller]
fn check_all(shape: &str) {
    for operation in operations() {
        let mut expected = None;
        for noc in [NocMode::Timed, NocMode::Late] {
            for seed in seeds() {
                let options = RunOptions { seed, noc, ..RunOptions::USUAL };
                let (findings, bits) = run(*operation, shape, options);
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
