//! Reductions within their derived bounds: pools, dimensions, shapes, inputs.

use crate::common::{check, check_same_bits, check_tight, refusal, requests};
use tilewright_metal::{DstSync, Family};
use tilewright_ops::Request;
use tilewright_tile::{DataFormat, Fidelity};

/// Single rows and columns of negative values would show padding in their maxima.
const SHAPES: [(&str, u32); 8] = [
    ("1x1", 1),
    ("32x32", 7),
    ("70", 64),
    ("33x1", 1),
    ("1x65", 7),
    ("33x65", 7),
    ("3x40x70", 64),
    ("2x2x64x320", 64),
];
const POOLS: [&str; 3] = ["sum", "avg", "max"];
const DIMS: [&str; 3] = ["row", "column", "scalar"];

/// Every combination of choices for a request.
fn combinations(request: &Request) -> Vec<Request> {
    let choose = |pool, dim| request.clone().choose("pool", pool).choose("dim", dim);
    POOLS.iter().flat_map(|pool| DIMS.iter().map(move |dim| choose(pool, dim))).collect()
}

#[test]
fn every_choice_holds_over_shapes_and_cores() {
    for (shape, cores) in SHAPES {
        for request in requests(shape, Family::Uniform) {
            for mut request in combinations(&request) {
                request.cores = cores;
                let judged = check("reduce", &request);
                // A single result may be exact by chance, which says nothing about its bound.
                if judged.judged > 32 {
                    check_tight(&request, &judged, 32.0);
                }
            }
        }
    }
}

#[test]
fn every_family_holds() {
    for family in Family::ALL {
        for request in requests("2x40x96", family) {
            for request in combinations(&request) {
                check("reduce", &request);
            }
        }
    }
}

#[test]
fn every_fidelity_holds() {
    for fidelity in [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4] {
        for mut request in requests("33x65", Family::Normal) {
            request.settings.fidelity = fidelity;
            for request in combinations(&request) {
                check("reduce", &request);
            }
        }
    }
}

#[test]
fn whole_sections_of_dst_hold() {
    for mut request in requests("20x32x340", Family::Uniform) {
        request.settings.sync = DstSync::Full;
        request.cores = 1;
        for request in combinations(&request) {
            check("reduce", &request);
        }
    }
}

#[test]
fn bits_do_not_depend_on_cores_or_schedule() {
    for request in requests("5x70x330", Family::Normal) {
        for dim in DIMS {
            check_same_bits("reduce", &request.clone().choose("dim", dim));
        }
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let request = Request::new("32x32".parse().expect("a shape"), DataFormat::Bfloat16);
    let said = |request| refusal("reduce", &request);
    assert_eq!(
        said(request.clone().choose("dim", "depth")),
        "dim cannot be `depth`; expected `row`, `column` or `scalar`"
    );
    assert_eq!(
        said(request.clone().choose("op", "add")),
        "unknown option `op`; expected `pool` or `dim`"
    );
    assert_eq!(said(Request { cores: 0, ..request }), "work for 0 cores; the grid has 1 to 64");
}
