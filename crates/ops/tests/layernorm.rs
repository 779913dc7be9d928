//! LayerNorm forward and backward inside their bounds: shapes, paths, cores, inputs, schedules.
//!
//! `TILEWRIGHT_LONG=1` runs the whole product of all of them, in release best; it takes long.

use std::collections::BTreeMap;

use crate::common::{check, judged, outputs, refusal, usual, with_device};
use tilewright_metal::{Family, NocMode, ProgramError, RunOptions};
use tilewright_ops::judge::judge;
use tilewright_ops::{OpError, Request, find};
use tilewright_tile::{DataFormat, Fidelity};

const OPERATIONS: [&str; 2] = ["layernorm-fw", "layernorm-bw"];
const BF16: DataFormat = DataFormat::Bfloat16;
const CORES: [u32; 3] = [1, 7, 64];

/// The shapes of the published tests that are small.
const SMALL: [&str; 6] =
    ["1x1x13x20", "1x1x32x33", "1x1x19x213", "1x1x32x32", "1x1x12x19", "2x4x8x512"];
/// The others, and the same widths with fewer rows.
const LARGE: [&str; 4] = ["2x1x182x2083", "3x1x100x8191", "3x1x273x8462", "4x1x324x9132"];
const WIDE: [&str; 3] = ["2x1x2x8191", "1x1x3x8462", "2x1x1x9132"];
const MIDDLE: &str = "2x1x33x2083";

/// The bits of outputs seen so far. Sums along a row have one order, so that y, mean, 1/std and dx
/// have the same bits on any path and cores; sums over rows are shared out among cores.
#[derive(Default)]
struct Seen(BTreeMap<(&'static str, Option<u32>), Vec<u32>>);

impl Seen {
    /// Whether bits are the first of their kind; if not, they must be the same again.
    #[track_caller]
    fn is_first(&mut self, output: &'static str, cores: u32, values: &[f32], what: &str) -> bool {
        let is_over_rows = ["dgamma", "dbeta"].contains(&output);
        let key = (output, is_over_rows.then_some(cores));
        let bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        let Some(first) = self.0.get(&key) else {
            self.0.insert(key, bits);
            return true;
        };
        assert!(*first == bits, "{what}: {output} has other bits");
        false
    }
}

/// Both paths and every core count: inside the bounds, and the same bits where they must be.
#[track_caller]
fn check_product(name: &str, shape: &str, family: Family, cores: &[u32]) {
    let mut seen = Seen::default();
    for path in ["row", "block"] {
        for cores in cores {
            let mut request = usual(name, shape, BF16).choose("path", path);
            (request.family, request.cores) = (family, *cores);
            check_one(name, &request, RunOptions::default(), &mut seen);
        }
    }
}

#[track_caller]
fn check_one(name: &str, request: &Request, options: RunOptions, seen: &mut Seen) {
    let what = format!("{name} {request:?} {options:?}");
    with_device(|device| {
        let prepared = match find(name).expect("an operation").prepare(device, request) {
            // Rows of more than two hundred tiles have the block path alone.
            Err(OpError::Program(ProgramError::TooMuchL1 { .. }))
                if request.shape.tile_columns() > 200 =>
            {
                return;
            }
            prepared => prepared.expect("a right request"),
        };
        let values = outputs(device, &prepared, options);
        for (output, values) in prepared.outputs.iter().zip(&values) {
            if seen.is_first(output.name, request.cores, values, &what) {
                let judged = judge(values, &(output.reference)());
                assert!(judged.in_bound, "{what} {}: {judged:?}", output.name);
            }
        }
    });
}

#[test]
fn small_shapes_forward() {
    for shape in SMALL {
        Family::ALL.iter().for_each(|family| check_product(OPERATIONS[0], shape, *family, &CORES));
    }
}

#[test]
fn small_shapes_backward() {
    for shape in SMALL {
        Family::ALL.iter().for_each(|family| check_product(OPERATIONS[1], shape, *family, &CORES));
    }
}

#[test]
fn a_middle_shape() {
    for name in OPERATIONS {
        Family::ALL.iter().for_each(|family| check_product(name, MIDDLE, *family, &CORES));
    }
}

#[test]
fn wide_shapes() {
    for name in OPERATIONS {
        for (turn, shape) in WIDE.iter().enumerate() {
            for family in Family::ALL {
                check_product(name, shape, family, &CORES[turn..=turn]);
            }
            check_product(name, shape, Family::Uniform, &CORES);
        }
    }
}

fn is_long() -> bool {
    std::env::var("TILEWRIGHT_LONG").is_ok_and(|asked| asked == "1")
}

#[track_caller]
fn check_large(name: &str) {
    for shape in LARGE.iter().filter(|_| is_long()) {
        Family::ALL.iter().for_each(|family| check_product(name, shape, *family, &CORES));
    }
}

#[test]
fn large_shapes_forward_when_asked_for() {
    check_large(OPERATIONS[0]);
}

#[test]
fn large_shapes_backward_when_asked_for() {
    check_large(OPERATIONS[1]);
}

#[test]
fn schedules_and_threads_do_not_change_a_bit() {
    for name in OPERATIONS {
        for family in [Family::Uniform, Family::ShiftedMean, Family::WideRange, Family::Special] {
            let mut seen = Seen::default();
            for cores in CORES {
                for (seed, threads, noc) in
                    [(0, 1, NocMode::Timed), (1, 2, NocMode::Late), (17, 8, NocMode::Timed)]
                {
                    let mut request = usual(name, "3x40x200", BF16);
                    (request.family, request.cores) = (family, cores);
                    let options = RunOptions { seed, threads, noc, ..RunOptions::default() };
                    check_one(name, &request, options, &mut seen);
                }
            }
        }
    }
}

#[test]
fn one_value_alone() {
    for name in OPERATIONS {
        check_product(name, "1x1", Family::ShiftedMean, &CORES);
    }
}

#[test]
fn float32_goes_through_without_loss() {
    for name in OPERATIONS {
        for path in ["row", "block"] {
            check(name, &usual(name, "33x130", DataFormat::Float32).choose("path", path));
        }
    }
}

/// Tiles reach beyond their tensors; what lies there reaches no result.
#[test]
fn garbage_in_the_padding_does_not_change_a_bit() {
    for name in OPERATIONS {
        for shape in ["13x20", "3x40x70", "2x33x1"] {
            for format in [BF16, DataFormat::Float32] {
                let mut seen = Seen::default();
                for padding in [0.0, 3.0, f32::NAN] {
                    for path in ["row", "block"] {
                        let request = usual(name, shape, format).choose("path", path);
                        let request = Request { padding, cores: 7, ..request };
                        check_one(name, &request, RunOptions::default(), &mut seen);
                    }
                }
            }
        }
    }
}

#[test]
fn products_that_are_not_whole_are_refused() {
    for name in OPERATIONS {
        let mut request = usual(name, "32x32", BF16);
        request.settings.fidelity = Fidelity::HiFi2;
        let wanted = format!("{name} needs whole products; ask for fidelity HiFi4, not HiFi2");
        assert_eq!(refusal(name, &request), wanted);
    }
}

#[test]
fn bounds_are_tight_enough_to_matter() {
    for name in OPERATIONS {
        for shape in ["64x512", "40x2083"] {
            for (output, judged) in judged(name, &usual(name, shape, BF16), RunOptions::default()) {
                assert!(judged.median_slack <= 20.0, "{name} {output}: {judged:?}");
            }
        }
    }
}
