//! An output judged while its exact values are computed, part by part: they are never held all at
//! once.
//!
//! Gives the judgement of whole references bit for bit. The mean is summed by the same blocks; the
//! medians are looked for where the first values have theirs, and not found if they are elsewhere.

use std::sync::Mutex;

use tilewright_metal::{Parts, Tensor};
use tilewright_tile::bound::Approx;

use super::selection::Selection;
use super::{BLOCK, Judgement, Worst, error, is_within, worse};
use crate::parallel;

/// Outputs with fewer values are not worth it.
const LEAST: usize = 1 << 16;

/// Values that one thread judges at a time, at most, unless a part has more.
const UNIT: usize = 1 << 18;

/// Units of an output, so that threads that are held up leave their share to the others.
const UNITS: usize = 32;

/// None if the output is small, or its first values say too little of where the medians are.
pub(super) fn judge(contents: &Tensor, parts: &Parts) -> Option<Judgement> {
    let output = Output { contents, parts, values: contents.shape().volume() };
    if output.values < LEAST || !contents.is_read_in_parts() {
        return None;
    }
    let medians = Mutex::new([Selection::ALL, Selection::ALL]);
    let now = || medians.lock().expect("nothing panics while it is held");
    let unit = (output.values / UNITS).min(UNIT).div_ceil(parts.values).max(1);
    let units = parallel::map(output.count().div_ceil(unit), |at| {
        let numbers = at * unit..output.count().min((at + 1) * unit);
        let empty = now().each_ref().map(Selection::empty);
        let mut judged = Unit::new(numbers.start * parts.values, empty);
        output.each(numbers, |start, got, exact| judged.judge(start, got, exact));
        let found = std::mem::replace(&mut judged.medians, [Selection::ALL, Selection::ALL]);
        now().iter_mut().zip(found).for_each(|(all, found)| all.add(found));
        judged
    });
    let [error, bound] = medians.into_inner().expect("nothing panics while it is held");
    Some(joined(&units, output.values, bound.median()? / error.median()?))
}

/// An output, and what it must hold.
struct Output<'a> {
    contents: &'a Tensor,
    parts: &'a Parts,
    values: usize,
}

impl Output<'_> {
    /// How many parts it has.
    fn count(&self) -> usize {
        self.values.div_ceil(self.parts.values)
    }

    /// Shows parts: the index of the first value, what was got and what is exact.
    fn each(
        &self,
        numbers: impl Iterator<Item = usize>,
        mut show: impl FnMut(usize, &[f32], &[Approx]),
    ) {
        let longest = self.parts.values.min(self.values);
        let (mut got, mut exact) = (vec![0.0; longest], vec![Approx::ZERO; longest]);
        for number in numbers {
            let start = number * self.parts.values;
            let count = longest.min(self.values - start);
            self.contents.read_f32(start, &mut got[..count]);
            (self.parts.part)(number, &mut exact[..count]);
            show(start, &got[..count], &exact[..count]);
        }
    }
}

/// Values that follow one another, judged.
struct Unit {
    judged: usize,
    /// Of the errors, and of the bounds.
    medians: [Selection; 2],
    sums: Sums,
    max_abs_error: f64,
    max_relative_error: f64,
    worst: Option<Worst>,
    outside: Vec<usize>,
}

impl Unit {
    fn new(start: usize, medians: [Selection; 2]) -> Unit {
        Unit {
            judged: 0,
            medians,
            sums: Sums::new(start),
            max_abs_error: 0.0,
            max_relative_error: 0.0,
            worst: None,
            outside: Vec::new(),
        }
    }

    /// Judges the next values, the first of which has the index `start`.
    fn judge(&mut self, start: usize, device: &[f32], reference: &[Approx]) {
        let mut first = 0;
        while first < device.len() {
            let next = device.len().min(first + BLOCK - (start + first) % BLOCK);
            for index in first..next {
                if reference[index].is_judged() {
                    self.add(start + index, f64::from(device[index]), reference[index]);
                }
            }
            self.sums.go_to(start + next);
            first = next;
        }
    }

    /// As `Block::add`, but for the medians.
    #[inline(always)]
    fn add(&mut self, index: usize, got: f64, exact: Approx) {
        let error = error(got, exact);
        self.max_abs_error = self.max_abs_error.max(error);
        self.sums.add(error);
        self.judged += 1;
        let is_nearer = |worst: Worst| is_within(error, worst.ratio.min(1.0), exact.error);
        if !exact.is_finite() || !self.worst.is_some_and(is_nearer) {
            self.compare(index, got, exact);
        }
        if !exact.is_finite() {
            return;
        }
        let magnitude = exact.value.abs();
        if !is_within(error, self.max_relative_error, magnitude) && magnitude != 0.0 {
            self.max_relative_error = self.max_relative_error.max(error / magnitude);
        }
        self.medians[0].count(error);
        self.medians[1].count(exact.error);
    }

    /// Holds an element against the worst so far, and against its bound.
    #[cold]
    fn compare(&mut self, index: usize, got: f64, exact: Approx) {
        let ratio = exact.ratio(got);
        let this = Worst { index, wanted: exact.value, got, bound: exact.error, ratio };
        self.worst = Some(self.worst.map_or(this, |worst| worse(worst, this)));
        if ratio > 1.0 {
            self.outside.push(index);
        }
    }
}

/// Errors summed by blocks. A unit that begins inside a block keeps that block's errors for whoever
/// has the sum of those before.
#[derive(Default)]
struct Sums {
    has_head: bool,
    is_in_head: bool,
    /// Errors of the block that another unit began.
    head: Vec<f64>,
    /// Sums of the blocks that are complete.
    whole: Vec<f64>,
    /// The sum of the block that is not.
    open: f64,
}

impl Sums {
    fn new(start: usize) -> Sums {
        let has_head = !start.is_multiple_of(BLOCK);
        Sums { has_head, is_in_head: has_head, ..Sums::default() }
    }

    #[inline]
    fn add(&mut self, error: f64) {
        if self.is_in_head {
            self.head.push(error);
        } else {
            self.open += error;
        }
    }

    /// What follows begins at `index`.
    fn go_to(&mut self, index: usize) {
        if !index.is_multiple_of(BLOCK) {
            return;
        }
        if !self.is_in_head {
            self.whole.push(std::mem::take(&mut self.open));
        }
        self.is_in_head = false;
    }

    /// The sums of all blocks of `values` values.
    fn joined<'a>(units: impl Iterator<Item = &'a Sums>, values: usize) -> Vec<f64> {
        let (mut sums, mut open) = (Vec::new(), 0.0);
        for unit in units {
            unit.head.iter().for_each(|error| open += error);
            if unit.is_in_head {
                continue;
            }
            if unit.has_head {
                sums.push(open);
            }
            sums.extend_from_slice(&unit.whole);
            open = unit.open;
        }
        sums.extend((!values.is_multiple_of(BLOCK)).then_some(open));
        sums
    }
}

fn joined(units: &[Unit], values: usize, median_slack: f64) -> Judgement {
    let worst = units.iter().filter_map(|unit| unit.worst).reduce(worse);
    let worst = worst.unwrap_or(Worst::NONE);
    let judged = units.iter().map(|unit| unit.judged).sum();
    let sum: f64 = Sums::joined(units.iter().map(|unit| &unit.sums), values).iter().sum();
    let max = |of: fn(&Unit) -> f64| units.iter().map(of).fold(0.0, f64::max);
    Judgement {
        judged,
        unjudged: values - judged,
        max_abs_error: max(|unit| unit.max_abs_error),
        max_relative_error: max(|unit| unit.max_relative_error),
        mean_abs_error: if judged == 0 { 0.0 } else { sum / judged as f64 },
        median_slack,
        worst,
        in_bound: worst.ratio <= 1.0,
        outside: units.iter().flat_map(|unit| &unit.outside).copied().collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tilewright_metal::{Layout, Shape};
    use tilewright_tile::DataFormat;

    use super::*;
    use crate::judge;

    /// Numbers between 0 and 1.
    fn random(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        }
    }

    /// Judges an output in parts and whole; whether the parts alone were enough.
    fn check(sizes: &[usize], part: usize, of: impl Fn(usize, f64) -> (f32, Approx)) -> bool {
        let shape = Shape::new(sizes).expect("a shape");
        let mut next = random(7);
        let both: Vec<_> = (0..shape.volume()).map(|at| of(at, next())).collect();
        let (got, exact): (Vec<f32>, Vec<Approx>) = both.into_iter().unzip();
        let kind = (Layout::Tile, DataFormat::Float32);
        let contents = Tensor::from_f32_as(shape, &got, kind, 0.0).expect("a tensor");
        let whole = judge::judge(&got, &exact);
        let write = move |number: usize, out: &mut [Approx]| {
            out.copy_from_slice(&exact[number * part..][..out.len()]);
        };
        let judged = judge(&contents, &Parts { values: part, part: Arc::new(write) });
        // Debug text tells floats apart as their bits do, and takes a NaN for itself.
        let text = |it: &Judgement| format!("{it:?}");
        let Some(judged) = judged else { return false };
        assert_eq!(text(&judged), text(&whole), "{sizes:?} in parts of {part}");
        true
    }

    #[test]
    fn parts_make_the_judgement_of_the_whole() {
        let usual = |_: usize, random: f64| {
            let bound = 0.25 + random;
            ((1.0 + random * random * bound) as f32, Approx::new(1.0, bound))
        };
        // Parts that divide blocks, that do not, that are larger, and a last one that is shorter.
        for (sizes, part) in [
            (&[512, 512][..], 512),
            (&[3, 111, 777], 777),
            (&[700, 1000], 1000),
            (&[8, 70_000], 70_000),
            (&[1000, 1100], 4096),
            (&[2048, 1024], 1024),
        ] {
            assert!(check(sizes, part, usual), "{sizes:?}");
        }
    }

    #[test]
    fn odd_values_are_judged_alike() {
        let odd = |at: usize, random: f64| {
            let got = [1.0, f32::NAN, f32::INFINITY, 0.0, random as f32][at % 5];
            let exact = match at % 7 {
                0 => Approx::special(),
                1 => Approx::exact(f64::INFINITY),
                2 => Approx::exact(f64::NAN),
                3 => Approx::ZERO,
                4 => Approx::new(random, 1e-300),
                _ => Approx::new(0.5, random),
            };
            (got, exact)
        };
        assert!(check(&[333, 444], 444, odd));
        assert!(check(&[300, 300], 300, |_, _| (2.0, Approx::exact(2.0))));
        assert!(check(&[300, 300], 300, |_, _| (2.0, Approx::special())));
        let late = |at: usize, _| (if at == 80_000 { 9.0 } else { 2.0 }, Approx::new(2.0, 1.0));
        assert!(check(&[300, 300], 300, late));
    }

    #[test]
    fn outputs_that_drift_are_judged_alike_or_not_at_all() {
        let drifting = |at: usize, random: f64| {
            let bound = (at as f64 + random) * 0.001;
            (random as f32, Approx::new(0.0, bound + 1.0))
        };
        // How many threads there are decides how much each of them has seen.
        check(&[2048, 1024], 1024, drifting);
        assert!(!check(&[100, 100], 100, drifting), "small outputs are judged whole");
    }
}
