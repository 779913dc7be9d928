//! Every operation under many schedules: the seed decides when things happen, never what comes out.
//!
//! `cargo xtask many-seeds A..B` hands the range over in `TILEWRIGHT_SEEDS`.

use std::ops::Range;

use tilewright_metal::{Device, Ending, L1Address, NocMode, Prepared, RunOptions};
use tilewright_ops::{Operation, Request, judge, operations};
use tilewright_tile::DataFormat;

/// Shapes that all operations take: several cores, and several blocks of a row on one.
const SHAPES: [&str; 2] = ["2x32x64", "32x352"];

fn seeds() -> Range<u64> {
    let Ok(asked) = std::env::var("TILEWRIGHT_SEEDS") else { return 0..8 };
    let (first, end) = asked.split_once("..").expect("a range of seeds, such as 0..64");
    let seed = |text: &str| text.parse().expect("a seed");
    let seeds = seed(first)..seed(end);
    assert!(!seeds.is_empty(), "no seed in {asked}");
    seeds
}

/// Runs each seed on one host thread and on two: the events are the same, and the bits are the
/// same for all seeds, and right.
#[track_caller]
fn check(
    operation: &dyn Operation,
    shape: &str,
    noc: NocMode,
    expected: &mut Option<Vec<Vec<u8>>>,
) {
    let format = DataFormat::Bfloat16;
    let mut request = Request::new(shape.parse().expect("a shape"), format);
    request.settings = operation.settings(format);
    let mut device = Device::n150();
    let prepared = operation.prepare(&mut device, &request).expect("a right request");
    for seed in seeds() {
        let what = format!("{} of {shape}, {noc:?}, seed {seed}", operation.name());
        let mut digests = Vec::new();
        for threads in [1, 2] {
            forget(&mut device, &prepared);
            let options = RunOptions { seed, threads, noc, ..RunOptions::default() };
            let outcomes = prepared.run(&mut device, options, &mut []).expect("stacks");
            assert!(outcomes.iter().all(|outcome| outcome.ending == Ending::Completed), "{what}");
            digests.push(outcomes.iter().map(|outcome| outcome.digest).collect::<Vec<_>>());
            let read = |output: &tilewright_metal::Expected| {
                output.tensor.buffer.read(&mut device).expect("an output")
            };
            let bytes: Vec<Vec<u8>> = prepared.outputs.iter().map(read).collect();
            if expected.is_none() {
                for (output, judged) in judge::outputs(&prepared, &mut device).expect("outputs") {
                    assert!(judged.in_bound, "{what} {output}: {judged:?}");
                }
            }
            let expected = expected.get_or_insert_with(|| bytes.clone());
            assert!(*expected == bytes, "{what}, {threads} threads: other values");
        }
        assert!(digests[0] == digests[1], "{what}: other events on two threads");
    }
}

/// Overwrites outputs and circular buffers: what a run leaves there would be right for the next.
fn forget(device: &mut Device, prepared: &Prepared) {
    for output in &prepared.outputs {
        output.tensor.buffer.fill(device, 0xff).expect("an output");
    }
    let (base, cores) = {
        let arch = device.architecture();
        let cores = usize::from(arch.grid_columns) * usize::from(arch.grid_rows);
        (arch.l1_base, (0..cores).map(|at| arch.core_at(at)).collect::<Vec<_>>())
    };
    for core in cores {
        let bytes = prepared.programs.iter().map(|program| program.circular_buffer_bytes(core));
        let bytes = bytes.max().unwrap_or(0) as usize;
        let l1 = device.machine_mut().core_mut(core).expect("a core").l1_mut();
        l1.get_mut(L1Address(base), bytes).expect("inside L1").fill(0xff);
    }
}

#[track_caller]
fn check_all(shape: &str) {
    for operation in operations() {
        let mut expected = None;
        for noc in [NocMode::Timed, NocMode::Late] {
            check(*operation, shape, noc, &mut expected);
        }
    }
}

#[test]
fn schedules_do_not_change_what_several_cores_make() {
    check_all(SHAPES[0]);
}

#[test]
fn schedules_do_not_change_what_one_core_makes() {
    check_all(SHAPES[1]);
}
