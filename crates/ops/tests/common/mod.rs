//! Runs an operation and holds every output element against its derived bound.

use tilewright_metal::{Device, Ending, RunOptions};
use tilewright_ops::judge::Judgement;
use tilewright_ops::{Request, find};

/// Runs an operation; its outputs' judgements, by name.
#[track_caller]
pub fn judged(
    name: &str,
    request: &Request,
    options: RunOptions,
) -> Vec<(&'static str, Judgement)> {
    let mut device = Device::n150();
    let operation = find(name).expect("an operation");
    let prepared = operation.prepare(&mut device, request).expect("a right request");
    for outcome in prepared.run(&mut device, options, &mut []).expect("stacks") {
        assert_eq!(outcome.ending, Ending::Completed, "{name} {request:?}");
    }
    prepared.judge(&mut device).expect("outputs")
}

/// Demands that every output element is inside its bound.
#[track_caller]
pub fn check(name: &str, request: &Request) {
    for (output, judged) in judged(name, request, RunOptions::default()) {
        assert!(judged.in_bound, "{name} {output}: {judged:?} for {request:?}");
    }
}
