//! LayerNorm forward and backward within their bounds: shapes, paths, core counts, inputs.

mod common;

use common::{check, judged};
use tilewright_metal::{Device, RunOptions, Shape};
use tilewright_ops::family::Family;
use tilewright_ops::{Request, find};
use tilewright_tile::{DataFormat, Fidelity};

const OPERATIONS: [&str; 2] = ["layernorm-fw", "layernorm-bw"];

fn request(name: &str, shape: &str, format: DataFormat) -> Request {
    let shape: Shape = shape.parse().expect("a shape");
    let mut request = Request::new(shape, format);
    request.settings = find(name).expect("an operation").settings(format);
    request
}

#[test]
fn shapes_paths_and_cores() {
    for name in OPERATIONS {
        for shape in ["1x1", "32x32", "13x20", "32x33", "19x213", "3x40x70", "2x4x8x512"] {
            for (path, cores) in [("row", 1), ("block", 7), ("auto", 64)] {
                let mut request = request(name, shape, DataFormat::Bfloat16).choose("path", path);
                request.cores = cores;
                check(name, &request);
            }
        }
    }
}

#[test]
fn every_family() {
    for name in OPERATIONS {
        for family in Family::ALL {
            let mut request = request(name, "40x100", DataFormat::Bfloat16);
            request.family = family;
            check(name, &request);
        }
    }
}

#[test]
fn float32_goes_through_without_loss() {
    for name in OPERATIONS {
        for path in ["row", "block"] {
            let request = request(name, "33x130", DataFormat::Float32).choose("path", path);
            check(name, &request);
        }
    }
}

#[test]
fn products_that_are_not_whole_are_refused() {
    for name in OPERATIONS {
        let mut request = request(name, "32x32", DataFormat::Bfloat16);
        request.settings.fidelity = Fidelity::HiFi2;
        let refused = find(name).expect("an operation").prepare(&mut Device::n150(), &request);
        let message = refused.err().expect("a refusal").to_string();
        let wanted = format!("{name} needs whole products; ask for fidelity HiFi4, not HiFi2");
        assert_eq!(message, wanted);
    }
}

#[test]
fn bounds_are_tight_enough_to_matter() {
    for (name, outputs) in [("layernorm-fw", &["y"][..]), ("layernorm-bw", &["dx"])] {
        let request = request(name, "64x512", DataFormat::Bfloat16);
        for (output, judged) in judged(name, &request, RunOptions::default()) {
            if outputs.contains(&output) {
                assert!(judged.median_slack <= 20.0, "{name} {output}: {judged:?}");
            }
        }
    }
}
