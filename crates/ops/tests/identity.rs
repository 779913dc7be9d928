//! Identity within its derived bounds, over shapes, core counts, formats and inputs.

use crate::common::{check, check_same_bits, requests};
use tilewright_metal::Family;

#[test]
fn it_holds_over_shapes_and_cores() {
    for (shape, cores) in [("1x1", 1), ("32x32", 1), ("3x65x70", 7), ("2x2x64x320", 64)] {
        for mut request in requests(shape, Family::Uniform) {
            request.cores = cores;
            check("identity", &request);
        }
    }
}

#[test]
fn it_holds_for_every_family() {
    for family in Family::ALL {
        for request in requests("40x96", family) {
            check("identity", &request);
        }
    }
}

#[test]
fn bits_do_not_depend_on_cores_or_schedule() {
    check_same_bits("identity", &requests("3x65x70", Family::Normal)[1]);
}
