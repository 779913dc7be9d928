//! Softmax within its derived bounds, on both of its paths.

use crate::common::{check, check_same_bits, check_tight, refusal, requests, run};
use tilewright_metal::{Device, DstSync, Family, RunOptions, Shape};
use tilewright_ops::{Request, find};
use tilewright_tile::{DataFormat, DstWidth, Fidelity, TILE_SIDE, TILE_VALUES, position};

/// The roundings of a row's sum, at their worst, count in every element: measured, 4 to 20.
const SLACK: f64 = 40.0;

#[test]
fn softmax_holds_over_shapes_and_cores() {
    for (shape, cores) in
        [("32x32", 64), ("33x65", 1), ("40", 1), ("3x40x70", 7), ("2x2x64x320", 64)]
    {
        for request in requests(shape, Family::Uniform) {
            let request = Request { cores, ..request };
            let judged = check("softmax", &request);
            check_tight(&request, &judged, SLACK);
        }
    }
}

#[test]
fn one_value_alone_is_one() {
    for request in requests("3x1", Family::ShiftedMean) {
        let (_, bits) = run("softmax", &request, RunOptions::default());
        assert_eq!(bits, [1.0_f32.to_bits(); 3], "{request:?}");
    }
}

#[test]
fn softmax_holds_for_every_family() {
    for family in Family::ALL {
        for request in requests("40x90", family) {
            let judged = check("softmax", &request);
            assert!(judged.unjudged == 0 || family == Family::Special, "{judged:?}");
            assert!(judged.judged > 0, "{judged:?}");
        }
    }
}

#[test]
fn softmax_holds_at_every_fidelity() {
    for fidelity in [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4] {
        for mut request in requests("64x96", Family::Normal) {
            request.settings.fidelity = fidelity;
            check_tight(&request, &check("softmax", &request), SLACK);
        }
    }
}

#[test]
fn softmax_holds_with_all_of_dst_at_once() {
    for mut request in requests("32x512", Family::Normal) {
        request.settings.sync = DstSync::Full;
        check("softmax", &request);
    }
}

#[test]
fn softmax_has_the_same_bits_on_any_cores_path_and_schedule() {
    for request in requests("3x70x200", Family::Normal) {
        let row = request.clone().choose("path", "row");
        let blocks = request.choose("path", "blocks");
        let bits = |request| run("softmax", request, RunOptions::default()).1;
        assert!(bits(&row) == bits(&blocks), "{row:?}");
        check_same_bits("softmax", &row);
        check_same_bits("softmax", &blocks);
    }
}

/// Tiles that the input's ring holds.
fn x_tiles(request: &Request) -> u32 {
    let operation = find("softmax").expect("softmax");
    let prepared = operation.prepare(&mut Device::n150(), request).expect("a right request");
    let rings = prepared.programs[0].circular_buffers().iter().flat_map(|ring| &ring.specs);
    rings.filter(|ring| ring.name == "cb_x").map(|ring| ring.pages).sum()
}

#[test]
fn rows_that_do_not_fit_in_l1_are_read_in_blocks() {
    for (format, width, kept, too_wide) in [
        (DataFormat::Bfloat16, DstWidth::Bits16, 216, 224),
        (DataFormat::Float32, DstWidth::Bits32, 104, 112),
    ] {
        for (tiles, is_kept) in [(kept, true), (too_wide, false)] {
            let shape = Shape::new(&[20, 32 * tiles - 5]).expect("a shape");
            let mut request = Request::new(shape, format);
            request.settings.width = width;
            request.family = Family::ShiftedMean;
            assert_eq!(x_tiles(&request) == 2 * tiles as u32, is_kept, "{request:?}");
            let judged = check("softmax", &request);
            check_tight(&request, &judged, SLACK);
        }
    }
}

#[test]
fn columns_of_padding_come_out_as_zero() {
    for path in ["row", "blocks"] {
        let shape: Shape = "32x70".parse().expect("a shape");
        let mut request = Request::new(shape, DataFormat::Bfloat16).choose("path", path);
        request.family = Family::ShiftedMean;
        let mut device = Device::n150();
        let softmax = find("softmax").expect("softmax");
        let prepared = softmax.prepare(&mut device, &request).expect("a right request");
        prepared.run(&mut device, RunOptions::default(), &mut []).expect("stacks");
        let output = prepared.outputs[0].tensor.to_host(&mut device).expect("an output");
        for (place, value) in output.bytes().chunks_exact(2).enumerate() {
            let column = place / TILE_VALUES * TILE_SIDE + position(place % TILE_VALUES).1;
            assert_eq!(value == [0, 0], column >= 70, "{path}: value {place}, column {column}");
        }
    }
}

#[test]
fn impossible_requests_are_refused() {
    let wide: Shape = "32x32000".parse().expect("a shape");
    let request = Request::new(wide, DataFormat::Float32);
    let refused = refusal("softmax", &request.clone().choose("path", "row"));
    assert!(refused.contains("`cb_x` takes 8192000"), "{refused}");
    let refused = refusal("softmax", &request.choose("path", "column"));
    assert_eq!(refused, "path cannot be `column`; expected `auto`, `row` or `blocks`");
    let refused = refusal("softmax", &Request::new(wide, DataFormat::Tf32));
    assert_eq!(refused, "softmax does not take Tf32 tensors; use bf16 or fp32");
}
