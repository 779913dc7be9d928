//! How far the hardware's functions are from the mathematics: measured, and written into the book.
//!
//! It is the proof of the mathematics, too: a wrong formula would be far from every function.

use std::fmt::Write as _;
use std::path::Path;

use tilewright_metal::{Given, Layout, Shape, Tensor};
use tilewright_ops::Request;
use tilewright_ops::vector::{Element, elements};
use tilewright_testing::stored;
use tilewright_tile::{DataFormat, DstWidth};

use super::cases::{Case, all};
use super::proof::{Family, Trial, UNITS};

/// What was measured of a function in one format.
struct Measured {
    /// Operands for which function and hardware have numbers.
    operands: usize,
    /// Those for which the hardware has not a single digit right.
    lost: usize,
    /// The largest error of the others, in steps of the output's format.
    steps: f64,
}

/// The distance of neighbouring numbers of a format.
fn step(format: DataFormat, value: f64) -> f64 {
    let magnitude = value.abs().max(f64::from(f32::MIN_POSITIVE));
    let bits = if format == DataFormat::Bfloat16 { 7 } else { 23 };
    2_f64.powi(magnitude.log2().floor() as i32 - bits)
}

fn elements_of(trial: &Trial) -> Option<Vec<Element>> {
    let given = trial.inputs.iter().cloned().map(|tensor| Given { tensor }).collect();
    let mut request = Request::new(*trial.inputs[0].shape(), trial.inputs[0].format());
    request.settings.width = trial.unit.width;
    request.kernel = trial.unit.kernel(trial.to);
    elements(&request.choose("call", &trial.case.call()), given).ok()
}

fn measure(trial: &Trial) -> Option<Measured> {
    let (all, to) = (elements_of(trial)?, trial.to);
    let is_number = |it: &&Element| it.value.is_finite() && it.device.is_finite();
    let numbers: Vec<Element> = all.iter().filter(is_number).copied().collect();
    let near = numbers.iter().filter(|it| it.is_near());
    let steps = near.clone().map(|it| (it.device - it.value).abs() / step(to, it.value));
    let (steps, lost) = (steps.fold(0.0, f64::max), numbers.len() - near.count());
    Some(Measured { operands: numbers.len(), lost, steps })
}

/// Every bf16 for a function of one tile.
fn all_patterns() -> Tensor {
    let shape = Shape::new(&[2048, 32]).expect("a shape");
    let bytes = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    Tensor::from_bytes(shape, Layout::RowMajor, DataFormat::Bfloat16, bytes).expect("all")
}

/// Operands that belong to the first: the exponential that `logsigmoid_tile` takes, and the
/// logarithm of `lgamma_stirling_float_tile`.
fn with_second(trial: &mut Trial) {
    let of: fn(f32) -> f32 = match trial.case.base() {
        "logsigmoid_tile" => |x| (-x).exp(),
        "lgamma_stirling_float_tile" => |x| x.max(1.0 - x).ln(),
        _ => return,
    };
    let first = &trial.inputs[0];
    let second: Vec<f32> = first.to_f32().into_iter().map(of).collect();
    let second = Tensor::from_f32(*first.shape(), &second).expect("as many");
    trial.inputs[1] = second.convert(Layout::RowMajor, first.format()).expect("in its format");
}

fn is_of_whole_numbers(case: &Case) -> bool {
    [case.from, case.to].into_iter().flatten().any(DataFormat::is_integer)
}

fn cell(measured: Option<Measured>) -> String {
    let Some(it) = measured else { return "| – | – ".to_owned() };
    let steps = match it.steps {
        steps if steps >= 100.0 => format!("{steps:.0}"),
        steps => format!("{steps:.2}"),
    };
    format!("| {steps} | {} of {} ", it.lost, it.operands)
}

const HEAD: &str = "\
# Accuracy of the vector unit

How far the vector unit's own functions are from the mathematics, as they are on Wormhole and here.
Every figure is measured by `crates/ops/tests/vector/accuracy.rs`, and none is used to judge a
result: a [reference](manifest.md#references-of-tt-metals-kernels) runs the function on the same
operands and takes its error there.

- 16-bit Dst: all bf16 operands for functions of one tile, 8,192 random ones between 2^-6 and 2^4 in
  magnitude for the others.
- 32-bit Dst: 8,192 random fp32 operands between 2^-6 and 2^4 that go straight to Dst.
- *Steps* is the largest error in steps between neighbouring numbers of the format (half a step is
  correct rounding), where the function has at least its first digit right. *Lost* counts the
  operands where it has not: the error is larger than half of the value.

Functions of whole numbers, comparisons and roundings that are exact for all these operands are left
out.

| call | steps of bf16 | lost | steps of fp32 | lost |
|---|---|---|---|---|
";

#[test]
fn the_book_tells_how_accurate_functions_are() {
    let mut text = HEAD.to_owned();
    let mut far = Vec::new();
    for case in all().iter().filter(|case| !is_of_whole_numbers(case)) {
        let mut cells = String::new();
        let mut is_exact = true;
        for (unit, float) in [UNITS[0], UNITS[2]] {
            let Some(mut trial) = Trial::new(case, unit, float, Family::Usual) else {
                cells += &cell(None);
                continue;
            };
            with_second(&mut trial);
            let usual = measure(&trial);
            if usual.as_ref().is_some_and(|it| it.lost * 50 > it.operands) {
                far.push(case.name.clone());
                far.dedup();
            }
            let is_all = case.tiles == 1 && unit.width == DstWidth::Bits16;
            let measured = if is_all {
                trial.inputs = vec![all_patterns()];
                measure(&trial)
            } else {
                usual
            };
            is_exact &= measured.as_ref().is_none_or(|it| it.steps == 0.0 && it.lost == 0);
            cells += &cell(measured);
        }
        if !is_exact {
            let _ = writeln!(text, "| `{}` {cells}|", case.call());
        }
    }
    assert_eq!(far, FAR, "functions that miss more than one in fifty usual operands");
    stored(Path::new("../../docs/src/accuracy.md"), &text);
}

/// Functions that are far from their mathematics even for usual operands: left of zero (digamma),
/// where results are tiny (erfc, GELU, softplus), at zero (xIELU) and beyond 0.7 (exp without
/// clamping); and a logarithm by a cubic near the zeros of ln Γ.
const FAR: &[&str] = &[
    "digamma_tile",
    "erfc_tile",
    "exp_tile<true,ClampNone>",
    "gelu_tanh_tile",
    "gelu_tile",
    "gelu_tile<false>",
    "lgamma_stirling_tile",
    "softplus_tile",
    "xielu_tile",
];

#[test]
fn whole_numbers_are_exact() {
    let mut different = Vec::new();
    for case in all() {
        for (unit, float) in UNITS {
            let Some(trial) = Trial::new(&case, unit, float, Family::Bits) else { continue };
            let is_whole = trial.inputs[0].format().is_integer() && trial.to.is_integer();
            let Some(all) = elements_of(&trial).filter(|_| is_whole) else { continue };
            let differs = |it: &&Element| it.value != it.device && !it.value.is_nan();
            if all.iter().any(|it| differs(&it)) {
                different.push(case.name.clone());
                different.dedup();
            }
        }
    }
    assert_eq!(different, DIFFERENT);
}

/// Where the hardware does something else with whole numbers: right shifts repeat the highest bit,
/// and on Blackhole a negative number of places shifts to the left; multiples are exact for
/// operands below 2^15; a product before it is rounded has 24 bits; and a 16-bit Dst does not hold
/// numbers of 8 bits as this cast reads them.
const DIFFERENT: &[&str] = &[
    "binary_right_shift_tile<Int32>",
    "binary_right_shift_tile<UInt32>",
    "lcm_tile",
    "requant_tile",
    "right_shift_tile<UInt32>",
    "typecast_tile<UInt8,UInt16>",
];
