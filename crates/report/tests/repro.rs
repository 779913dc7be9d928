//! The published failure, drawn for a terminal.

use crate::common::check;
use tilewright_ops::layernorm::repro::{CASES, Case};
use tilewright_report::record::Repro;
use tilewright_report::terminal::{self, Paint};
use tilewright_run::repro::{Reproduced, Row};

fn row(case: Case, faulty_max: f64, faulty_mean: f64, ours_worst_ratio: f64) -> Row {
    Row { case, faulty_max, faulty_mean, ours_max: 0.25, ours_worst_ratio }
}

#[test]
fn agreement_and_bounds_are_told() {
    let [first, second, random] = [CASES[0], CASES[1], CASES[5]];
    let right = [row(first, 1000.0, 1004.2123, 0.0), row(random, 0.041, 0.0074, 0.99989)];
    let wrong = [row(first, 1000.0, 1004.2123, 1.0001), row(second, 999.0, 994.63, 0.5)];
    let draw = |rows: &[Row]| {
        let all = Reproduced { rows: rows.to_vec(), graded: Vec::new() };
        terminal::repro(&Repro::from(&all), Paint::Plain)
    };
    check("repro-right", &draw(&right));
    check("repro-wrong", &draw(&wrong));
    check("repro-unpublished", &draw(&right[1..]));
}
