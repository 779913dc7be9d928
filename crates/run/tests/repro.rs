//! The published figures come out of the simulation, and not from a table.

use tilewright_metal::{Device, RunOptions};
use tilewright_ops::layernorm::repro::{CASES, Case, Data};
use tilewright_run::repro::Row;

/// A reported test with fewer rows: where every value is the same, rows do not differ.
fn run(sizes: [usize; 4], values: [f32; 3]) -> Row {
    let [dy, gamma, x] = values;
    let case = Case { sizes, data: Data::Constants(dy, gamma, x), ..CASES[0] };
    Row::of(&case, &Device::n150, RunOptions::default()).expect("a program that completes")
}

#[track_caller]
fn check(features: usize, values: [f32; 3], error: f64) {
    let row = run([1, 32, 1, features], values);
    assert_eq!(row.faulty_max, error, "{features} features of {values:?}");
    assert!(row.ours_worst_ratio <= 1.0, "{}", row.ours_worst_ratio);
}

#[test]
fn constants_give_the_published_errors() {
    check(2048, [1.0, 1.0, 0.5], 1000.0);
    check(4096, [1.0, 1.0, 0.5], 1000.0);
    check(8192, [0.5, 2.0, 1.0], 1000.0);
    check(8462, [1.0, 1.0, 0.5], 988.0);
}

/// The error is that everywhere, so that the published means are those of so many equal values,
/// added one after another in f32.
#[test]
fn the_mean_of_many_equal_errors_is_off_as_published() {
    let row = run([1, 100, 1, 4096], [1.0, 1.0, 0.5]);
    assert_eq!(format!("{:.2}", row.faulty_mean), "994.62");
}

#[test]
fn threads_change_nothing() {
    let nightly = CASES.iter().find(|case| case.name == "nightly, seed 0").expect("a test");
    let case = Case { sizes: [1, 40, 1, 5301], ..*nightly };
    let on = |threads| {
        let options = RunOptions { threads, ..RunOptions::default() };
        Row::of(&case, &Device::n150, options).expect("a run")
    };
    assert_eq!(on(1), on(3));
}
