//! What the tests of all operations share: requests, and runs held against references.
#![allow(dead_code, reason = "each test file uses a part")]

use tilewright_metal::{Device, Ending, RunOptions, Shape};
use tilewright_ops::family::Family;
use tilewright_ops::judge::Judgement;
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

/// Runs an operation with one output and demands that every element is inside its bound.
#[track_caller]
pub fn check(name: &str, request: &Request) -> Judgement {
    run(name, request, RunOptions::default()).0
}

/// Demands the same bits for 1, 7 and 64 cores, under several schedules.
#[track_caller]
pub fn check_same_bits(name: &str, request: &Request) {
    let mut first = None;
    for (cores, seed) in [(64, 0), (64, 1), (7, 2), (7, 3), (1, 4)] {
        let request = Request { cores, ..request.clone() };
        let options = RunOptions { seed, ..RunOptions::default() };
        let bits = run(name, &request, options).1;
        let first = first.get_or_insert_with(|| bits.clone());
        assert!(*first == bits, "{name}: {cores} cores and seed {seed} differ for {request:?}");
    }
}

/// What an operation says to a request that it must refuse.
#[track_caller]
pub fn refusal(name: &str, request: &Request) -> String {
    let prepared = find(name).expect("an operation").prepare(&mut Device::n150(), request);
    let error: Option<OpError> = prepared.err();
    error.unwrap_or_else(|| panic!("{name} takes {request:?}")).to_string()
}

#[track_caller]
fn run(name: &str, request: &Request, options: RunOptions) -> (Judgement, Vec<u32>) {
    let mut device = Device::n150();
    let operation = find(name).expect("an operation");
    let prepared = operation.prepare(&mut device, request).expect("a right request");
    let outcome = prepared.program.run(&mut device, options, &mut []).expect("stacks");
    assert_eq!(outcome.ending, Ending::Completed, "{name} {request:?}");
    let (output, judged) = prepared.judge(&mut device).expect("outputs").remove(0);
    assert!(judged.in_bound, "{name} {output}: {judged:?} for {request:?}");
    let values = prepared.outputs[0].tensor.to_host(&mut device).expect("an output").to_f32();
    (judged, values.into_iter().map(f32::to_bits).collect())
}
