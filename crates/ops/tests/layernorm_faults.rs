//! What each fault does to LayerNorm backward, which inputs reveal it, and which do not.
//!
//! The repaired kernel is inside its own derived bound on every input here; a fault is revealed
//! when an element leaves it, or when the run does not complete.

use tilewright_machine::{StopReason, Unset};
use tilewright_metal::{Device, Ending, Family, RunOptions, Shape};
use tilewright_ops::judge::{Judgement, judge};
use tilewright_ops::layernorm::published::{Faults, reference};
use tilewright_ops::layernorm::reference::BackwardInputs;
use tilewright_ops::layernorm::repro::prepare_published;
use tilewright_tile::DataFormat;

const OPTIONS: RunOptions = RunOptions { threads: 2, ..RunOptions::USUAL };

fn inputs(shape: &Shape, family: Family) -> BackwardInputs {
    let row = Shape::new(&[shape.width()]).expect("a width");
    let gamma: Vec<f32> =
        Family::Uniform.values(&row, 7, 1).iter().map(|unit| 0.5 + 0.5 * unit).collect();
    let (x, dy) = (family.values(shape, 7, 0), family.values(shape, 7, 3));
    BackwardInputs::new((DataFormat::Bfloat16, family), shape, [&x, &gamma, &dy])
}

/// What became of the published kernel.
#[derive(Debug, PartialEq)]
enum Published {
    /// It completed with this dx.
    Values(Vec<f32>),
    /// It did not.
    Ended(Ending),
}

fn run(shape: &Shape, inputs: &BackwardInputs, faults: Faults, padding: f32) -> Published {
    let mut device = Device::n150();
    let prepared = prepare_published(&mut device, shape, inputs, faults, padding);
    let (program, outputs) = prepared.expect("a program that fits");
    let outcome = program.run(&mut device, OPTIONS, &mut []).expect("stacks");
    match outcome.ending {
        Ending::Completed => {
            Published::Values(outputs.dx.to_host(&mut device).expect("values").to_f32())
        }
        ending => Published::Ended(ending),
    }
}

fn judged(shape: &str, family: Family, faults: Faults, padding: f32) -> Judgement {
    let shape: Shape = shape.parse().expect("a shape");
    let inputs = inputs(&shape, family);
    match run(&shape, &inputs, faults, padding) {
        Published::Values(dx) => judge(&dx, &reference::dx(&inputs)),
        Published::Ended(ending) => panic!("{faults:?} did not complete: {ending:?}"),
    }
}

/// The families of finite data with something to get wrong.
const FAMILIES: [Family; 8] = [
    Family::Uniform,
    Family::Normal,
    Family::Constant,
    Family::ShiftedMean,
    Family::Ramp,
    Family::Alternating,
    Family::Impulse,
    Family::OneHotRow,
];

/// Which families reveal a fault on a shape.
fn revealing(shape: &str, faults: Faults, padding: f32) -> Vec<Family> {
    let reveals = |family: &Family| !judged(shape, *family, faults, padding).in_bound;
    FAMILIES.into_iter().filter(reveals).collect()
}

/// Rows that fit in L1, and rows that do not (the block path begins at 163 tiles).
const ROW_SHAPE: &str = "40x213";
const BLOCK_SHAPE: &str = "33x5301";

#[test]
fn the_repaired_kernel_is_inside_its_bounds() {
    for shape in [ROW_SHAPE, BLOCK_SHAPE] {
        assert_eq!(revealing(shape, Faults::REPAIRED, 0.0), []);
    }
}

#[test]
fn garbage_in_the_padding_does_not_reach_the_repaired_kernel() {
    assert_eq!(revealing(ROW_SHAPE, Faults::REPAIRED, 3.0), []);
}

#[track_caller]
fn expect(shape: &str, faults: Faults, padding: f32, reveal: &[Family]) {
    let seen = revealing(shape, faults, padding);
    let names = |families: &[Family]| -> Vec<&str> {
        families.iter().map(|family| family.name()).collect()
    };
    assert_eq!(names(&seen), names(reveal), "{faults:?} on {shape}");
}

fn all_but(hidden: &[Family]) -> Vec<Family> {
    FAMILIES.into_iter().filter(|family| !hidden.contains(family)).collect()
}

/// On a ramp dy·γ has a mean near zero, so that subtracting it twice is within the bound.
#[test]
fn stale_accumulation_and_an_overwritten_sum_are_hidden_by_a_ramp() {
    let stale = Faults { stale_accumulation: true, ..Faults::REPAIRED };
    expect(ROW_SHAPE, stale, 0.0, &all_but(&[Family::Ramp]));
    let overwritten = Faults { overwritten_sum: true, ..Faults::REPAIRED };
    expect(ROW_SHAPE, overwritten, 0.0, &all_but(&[Family::Ramp]));
}

/// With x̂ = 0 the sum that the nested acquire loses is zero.
#[test]
fn a_nested_acquire_is_hidden_where_x_is_constant_in_a_row() {
    let faults = Faults { nested_acquire: true, ..Faults::REPAIRED };
    expect(BLOCK_SHAPE, faults, 0.0, &all_but(&[Family::Constant, Family::OneHotRow]));
}

/// Only a large sum needs the bits that the wrong format cuts off.
#[test]
fn swapped_formats_are_revealed_by_large_sums_alone() {
    let faults = Faults { swapped_alu_formats: true, ..Faults::REPAIRED };
    let large = [Family::Constant, Family::ShiftedMean, Family::OneHotRow];
    expect(BLOCK_SHAPE, faults, 0.0, &large);
}

#[test]
fn a_dropped_last_tile_is_hidden_where_it_holds_little() {
    let faults = Faults { dropped_last_tile: true, ..Faults::REPAIRED };
    expect(ROW_SHAPE, faults, 0.0, &all_but(&[Family::Ramp, Family::Impulse]));
}

#[test]
fn an_unmasked_tail_is_revealed_by_garbage_in_the_padding() {
    let faults = Faults { unmasked_tail: true, ..Faults::REPAIRED };
    expect(ROW_SHAPE, faults, 3.0, &FAMILIES);
}

#[test]
fn zero_padding_hides_an_unmasked_tail() {
    let faults = Faults { unmasked_tail: true, ..Faults::REPAIRED };
    expect(ROW_SHAPE, faults, 0.0, &[]);
}

/// The lesson: on uniform data a tolerance of 0.5 accepts the published kernel at 8,462 features,
/// and so would have accepted it for ever.
#[test]
fn a_tolerance_of_one_half_on_uniform_data_accepts_the_published_kernel() {
    let published = judged("32x8462", Family::Uniform, Faults::PUBLISHED, 0.0);
    assert!(published.max_abs_error < 0.5, "{published:?}");
    assert!(!published.in_bound, "a derived bound does not: {published:?}");
    let constant = judged("32x8462", Family::Constant, Faults::PUBLISHED, 0.0);
    assert!(constant.max_abs_error > 100.0, "{constant:?}");
}

#[test]
fn a_missing_start_up_stops_the_run_at_the_first_operation() {
    let shape: Shape = ROW_SHAPE.parse().expect("a shape");
    let faults = Faults { missing_startup: true, ..Faults::REPAIRED };
    let ended = run(&shape, &inputs(&shape, Family::Uniform), faults, 0.0);
    let Published::Ended(Ending::Stopped(stops)) = ended else { panic!("{ended:?}") };
    let unset = |reason: &StopReason| {
        matches!(reason, StopReason::Unconfigured(what)
        if matches!(what, Unset::UnpackFormats | Unset::AluFormats | Unset::PackFormats))
    };
    assert!(stops.iter().all(|stop| unset(&stop.reason)), "{stops:?}");
}

#[test]
fn a_one_page_buffer_that_must_hold_a_row_is_stuck() {
    let shape: Shape = ROW_SHAPE.parse().expect("a shape");
    let faults = Faults { one_page_buffer: true, ..Faults::REPAIRED };
    let ended = run(&shape, &inputs(&shape, Family::Uniform), faults, 0.0);
    assert_eq!(ended, Published::Ended(Ending::Stuck));
}
