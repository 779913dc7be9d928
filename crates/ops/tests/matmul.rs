//! Matrix products within their derived bounds.

use crate::common::{check, check_same_bits, check_tight, refusal, requests};
use tilewright_metal::{DstSync, Family};
use tilewright_ops::Request;
use tilewright_tile::{DataFormat, Fidelity};

/// Roundings at their worst all point the same way, real ones do not: measured, 1 to 38, the more
/// products the more.
const SLACK: f64 = 50.0;

#[test]
fn products_hold_over_shapes_and_cores() {
    for (shape, n, cores) in [
        ("1x1", "k", 1),
        ("32x32", "k", 64),
        ("33x65", "40", 1),
        ("40", "7", 7),
        ("3x40x70", "100", 7),
        ("2x2x64x320", "33", 64),
    ] {
        for request in requests(shape, Family::Uniform) {
            let request = Request { cores, ..request }.choose("n", n);
            let judged = check("matmul", &request);
            check_tight(&request, &judged, SLACK);
        }
    }
}

#[test]
fn products_hold_for_every_family() {
    for family in Family::ALL {
        for request in requests("40x96", family) {
            let judged = check("matmul", &request);
            assert!(judged.unjudged == 0 || family == Family::Special, "{judged:?}");
        }
    }
}

#[test]
fn products_hold_at_every_fidelity() {
    for fidelity in [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4] {
        for mut request in requests("64x96", Family::Normal) {
            request.settings.fidelity = fidelity;
            check_tight(&request, &check("matmul", &request), SLACK);
        }
    }
}

#[test]
fn products_have_the_same_bits_on_any_cores_and_schedule() {
    for request in requests("2x64x70", Family::Normal) {
        check_same_bits("matmul", &request.choose("n", "96"));
    }
}

#[test]
fn products_hold_with_all_of_dst_at_once() {
    for mut request in requests("128x64", Family::ShiftedMean) {
        request.settings.sync = DstSync::Full;
        request.cores = 1;
        check("matmul", &request.choose("n", "256"));
    }
}

#[test]
fn impossible_requests_are_refused() {
    let shape = "64x64".parse().expect("a shape");
    let with =
        |n: &str| refusal("matmul", &Request::new(shape, DataFormat::Float32).choose("n", n));
    for n in ["0", "-1", "+3", "x", "", "99999999999"] {
        assert_eq!(with(n), format!("n cannot be `{n}`; expected `k` or a whole number from 1"));
    }
    assert_eq!(
        with("4000000000"),
        "shape 64x4000000000 has more than 68719476736 values once padded to tiles; no device \
         holds so many"
    );
    let refused = refusal("matmul", &Request::new(shape, DataFormat::Bfp8));
    assert_eq!(refused, "matmul does not take Bfp8_b tensors; use bf16 or fp32");
}
