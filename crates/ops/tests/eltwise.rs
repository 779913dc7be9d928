//! Elementwise operations within their derived bounds: engines, broadcasts, shapes, inputs.

use crate::common::{check, check_same_bits, check_tight, refusal, requests};
use tilewright_metal::{DstSync, Family};
use tilewright_ops::Request;
use tilewright_tile::{DataFormat, Fidelity};

const SHAPES: [(&str, u32); 6] =
    [("1x1", 1), ("32x32", 7), ("70", 64), ("33x65", 7), ("3x40x70", 64), ("2x2x64x320", 64)];
const BROADCASTS: [&str; 4] = ["none", "row", "column", "scalar"];
const ENGINES: [(&str, &[&str]); 2] =
    [("fpu", &["add", "sub", "mul"]), ("sfpu", &["add", "sub", "mul", "div", "max", "min"])];

fn choose(request: &Request, op: &str, broadcast: &str, engine: &str) -> Request {
    request.clone().choose("op", op).choose("broadcast", broadcast).choose("engine", engine)
}

/// Every combination of choices for a request.
fn combinations(request: &Request) -> Vec<Request> {
    let mut all = Vec::new();
    for (engine, ops) in ENGINES {
        for op in ops {
            all.extend(BROADCASTS.map(|broadcast| choose(request, op, broadcast, engine)));
        }
    }
    all
}

#[test]
fn every_choice_holds() {
    for request in requests("2x33x65", Family::Normal) {
        for mut request in combinations(&request) {
            request.cores = 3;
            let judged = check("eltwise", &request);
            check_tight(&request, &judged, 24.0);
        }
    }
}

#[test]
fn shapes_and_cores_hold() {
    for (shape, cores) in SHAPES {
        for request in requests(shape, Family::Uniform) {
            for (broadcast, engine) in BROADCASTS.iter().zip(["sfpu", "fpu", "sfpu", "fpu"]) {
                let mut request = choose(&request, "sub", broadcast, engine);
                request.cores = cores;
                check("eltwise", &request);
            }
        }
    }
}

#[test]
fn every_family_holds() {
    for family in Family::ALL {
        for request in requests("40x96", family) {
            for (engine, ops) in ENGINES {
                for op in ops {
                    check("eltwise", &choose(&request, op, "none", engine));
                }
            }
        }
    }
}

#[test]
fn every_fidelity_holds() {
    for fidelity in [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4] {
        for mut request in requests("33x65", Family::Normal) {
            request.settings.fidelity = fidelity;
            check("eltwise", &choose(&request, "mul", "row", "fpu"));
        }
    }
}

#[test]
fn whole_sections_of_dst_hold() {
    for mut request in requests("2x64x340", Family::Uniform) {
        request.settings.sync = DstSync::Full;
        request.cores = 1;
        for broadcast in BROADCASTS {
            check("eltwise", &choose(&request, "add", broadcast, "fpu"));
            check("eltwise", &choose(&request, "max", broadcast, "sfpu"));
        }
    }
}

#[test]
fn bits_do_not_depend_on_cores_or_schedule() {
    for request in requests("3x40x330", Family::Normal) {
        check_same_bits("eltwise", &choose(&request, "mul", "row", "fpu"));
        check_same_bits("eltwise", &choose(&request, "div", "column", "sfpu"));
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let request = Request::new("32x32".parse().expect("a shape"), DataFormat::Bfloat16);
    let said = |request| refusal("eltwise", &request);
    assert_eq!(
        said(choose(&request, "div", "none", "fpu")),
        "the matrix unit has no div; choose engine sfpu"
    );
    assert_eq!(
        said(request.clone().choose("op", "pow")),
        "op cannot be `pow`; expected `add`, `sub`, `mul`, `div`, `max` or `min`"
    );
    assert_eq!(
        said(request.clone().choose("pool", "max")),
        "unknown option `pool`; expected `op`, `broadcast` or `engine`"
    );
    assert_eq!(
        said(Request { format: DataFormat::Bfp8, ..request.clone() }),
        "eltwise does not take Bfp8_b tensors; use bf16 or fp32"
    );
    assert_eq!(said(Request { cores: 65, ..request }), "work for 65 cores; the grid has 1 to 64");
}
