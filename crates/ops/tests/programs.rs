//! Every operation within its derived bounds, over shapes, core counts, formats and inputs.

mod common;

use common::check;
use tilewright_metal::Shape;
use tilewright_ops::Request;
use tilewright_ops::family::Family;
use tilewright_tile::{DataFormat, DstWidth};

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
