//! Every operation within its derived bounds, over shapes, core counts, formats and inputs.

use tilewright_metal::{Device, Ending, RunOptions, Shape};
use tilewright_ops::family::Family;
use tilewright_ops::{Request, find};
use tilewright_tile::{DataFormat, DstWidth};

/// Runs an operation and demands that every output element is inside its bound.
#[track_caller]
fn check(name: &str, request: &Request) {
    let mut device = Device::n150();
    let operation = find(name).expect("an operation");
    let prepared = operation.prepare(&mut device, request).expect("a right request");
    let options = RunOptions::default();
    let outcome = prepared.program.run(&mut device, options, &mut []).expect("stacks");
    assert_eq!(outcome.ending, Ending::Completed, "{name} {request:?}");
    for (output, judged) in prepared.judge(&mut device).expect("outputs") {
        assert!(judged.in_bound, "{name} {output}: {judged:?} for {request:?}");
    }
}

fn requests(shape: &str, family: Family) -> Vec<Request> {
    let shape: Shape = shape.parse().expect("a shape");
    let mut requests = Vec::new();
    for format in [DataFormat::Bfloat16, DataFormat::Float32] {
        for width in [DstWidth::Bits16, DstWidth::Bits32] {
            let mut request = Request::new(shape.clone(), format);
            request.settings.width = width;
            request.family = family;
            requests.push(request);
        }
    }
    requests
}

#[test]
fn identity_holds_over_shapes_and_cores() {
    for (shape, cores) in [("1x1", 1), ("32x32", 1), ("3x65x70", 7), ("2x2x64x320", 64)] {
        for mut request in requests(shape, Family::Uniform) {
            request.cores = cores;
            check("identity", &request);
        }
    }
}

#[test]
fn identity_holds_for_every_family() {
    for family in Family::ALL {
        requests("40x96", family).iter().for_each(|request| check("identity", request));
    }
}
