//! What the tests of all operations share: requests, and runs held against references.
#![allow(dead_code, reason = "each test file uses a part")]

use std::cell::RefCell;

use tilewright_metal::{Device, Ending, Expected, Family, NocMode, Prepared, RunOptions, Shape};
use tilewright_ops::judge::{Judgement, judge};
use tilewright_ops::{OpError, Request, find};
use tilewright_tile::{DataFormat, DstWidth};

/// Requests for a shape in both formats and both widths of Dst.
pub fn requests(shape: &str, family: Family) -> Vec<Request> {
    let shape: Shape = shape.parse().expect("a shape");
    let mut requests = Vec::new();
    for format in [DataFormat::Bfloat16, DataFormat::Float32] {
        for width in [DstWidth::Bits16, DstWidth::Bits32] {
            let mut request = Request::new(shape, format);
            request.settings.width = width;
            request.family = family;
            requests.push(request);
        }
    }
    requests
}

/// A request for a shape and format with the operation's own settings.
pub fn usual(name: &str, shape: &str, format: DataFormat) -> Request {
    let mut request = Request::new(shape.parse().expect("a shape"), format);
    request.settings = find(name).expect("an operation").settings(format);
    request
}

/// Demands that every element of every output is inside its bound: how the first output compares.
#[track_caller]
pub fn check(name: &str, request: &Request) -> Judgement {
    run(name, request, RunOptions::default()).0
}

/// Demands the same bits for 1, 7 and 64 cores, under several schedules, and with transfers that
/// land as late as the kernels' barriers allow.
#[track_caller]
pub fn check_same_bits(name: &str, request: &Request) {
    let mut first = None;
    let runs = [(64, 0), (64, 1), (7, 2), (7, 3), (1, 4), (7, 5)];
    for ((cores, seed), noc) in runs.into_iter().zip([NocMode::Timed, NocMode::Late].repeat(3)) {
        let request = Request { cores, ..request.clone() };
        let options = RunOptions { seed, noc, ..RunOptions::default() };
        let bits = run(name, &request, options).1;
        let first = first.get_or_insert_with(|| bits.clone());
        assert!(*first == bits, "{name}: {cores} cores, {options:?}: differs for {request:?}");
    }
}

/// Demands that a judgement left nothing out, and that its bounds are no more than `slack` times
/// as wide as the errors, by their medians. Where most elements are exact there is nothing to tell.
#[track_caller]
pub fn check_tight(request: &Request, judged: &Judgement, slack: f64) {
    assert_eq!(judged.unjudged, 0, "{judged:?} for {request:?}");
    let is_loose = judged.median_slack.is_finite() && judged.median_slack > slack;
    assert!(!is_loose, "slack {}: {judged:?} for {request:?}", judged.median_slack);
}

/// What an operation says to a request that it must refuse.
#[track_caller]
pub fn refusal(name: &str, request: &Request) -> String {
    let prepared = find(name).expect("an operation").prepare(&mut Device::n150(), request);
    let error: Option<OpError> = prepared.err();
    error.unwrap_or_else(|| panic!("{name} takes {request:?}")).to_string()
}

thread_local! {
    /// One chip for all runs of a test: making one takes longer than most runs.
    static DEVICE: RefCell<Device> = RefCell::new(Device::n150());
}

/// Gives a test the chip of its thread, as new.
pub fn with_device<T>(act: impl FnOnce(&mut Device) -> T) -> T {
    DEVICE.with_borrow_mut(|device| {
        device.reset();
        act(device)
    })
}

/// Runs an operation and demands that every element is inside its bound: how its first output
/// compares, and the bits of all outputs.
#[track_caller]
pub fn run(name: &str, request: &Request, options: RunOptions) -> (Judgement, Vec<u32>) {
    let (outputs, bits) = with_device(|device| run_on(device, name, request, options));
    for (output, judged) in &outputs {
        assert!(judged.in_bound, "{name} {output}: {judged:?} for {request:?}");
    }
    (outputs.into_iter().next().expect("an output").1, bits)
}

/// Runs an operation: its outputs' judgements, by name.
#[track_caller]
pub fn judged(name: &str, request: &Request, options: RunOptions) -> Judgements {
    with_device(|device| run_on(device, name, request, options)).0
}

type Judgements = Vec<(&'static str, Judgement)>;

#[track_caller]
fn run_on(
    device: &mut Device,
    name: &str,
    request: &Request,
    options: RunOptions,
) -> (Judgements, Vec<u32>) {
    let operation = find(name).expect("an operation");
    let prepared = operation.prepare(device, request).expect("a right request");
    let values = outputs(device, &prepared, options);
    let judge_one = |(output, values): (&Expected, &Vec<f32>)| {
        (output.name, judge(values, &(output.reference)()))
    };
    let judgements = prepared.outputs.iter().zip(&values).map(judge_one).collect();
    (judgements, values.concat().into_iter().map(f32::to_bits).collect())
}

/// Runs a prepared operation to its end: the values of its outputs.
#[track_caller]
pub fn outputs(device: &mut Device, prepared: &Prepared, options: RunOptions) -> Vec<Vec<f32>> {
    for output in &prepared.outputs {
        // What a kernel does not write must not look like a result of the run before.
        output.tensor.buffer.fill(device, 0xff).expect("an output");
    }
    for outcome in prepared.run(device, options, &mut []).expect("stacks") {
        assert_eq!(outcome.ending, Ending::Completed);
    }
    let values = |output: &Expected| output.tensor.to_host(device).expect("an output").to_f32();
    prepared.outputs.iter().map(values).collect()
}
