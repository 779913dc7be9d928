//! Copy: exact up to what the registers change, on every core count.

use crate::common::check;
use tilewright_metal::{Family, Shape};
use tilewright_ops::Request;
use tilewright_tile::{DataFormat, DstWidth};

#[test]
fn tiles_arrive_as_they_left() {
    for (shape, cores) in [("1x1", 1), ("70x300", 7), ("3x64x640", 64)] {
        for format in [DataFormat::Bfloat16, DataFormat::Float32] {
            for width in [DstWidth::Bits16, DstWidth::Bits32] {
                let shape: Shape = shape.parse().expect("a shape");
                let mut request = Request::new(shape, format);
                (request.cores, request.settings.width) = (cores, width);
                check("copy", &request);
            }
        }
    }
}

#[test]
fn every_family_arrives() {
    for family in Family::ALL {
        let mut request = Request::new("64x64".parse().expect("a shape"), DataFormat::Bfloat16);
        request.family = family;
        check("copy", &request);
    }
}
