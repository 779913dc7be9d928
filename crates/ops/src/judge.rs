//! A result against its reference: every element inside its own derived bound, or not.

use tilewright_tile::bound::Approx;

use tilewright_metal::{Device, Expected, Prepared, Tensor, TensorError};

use crate::parallel;

/// How a device output compares with its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Elements that were compared with something: a bound, or the class of a NaN or infinity.
    pub judged: usize,
    /// Elements of which nothing is known: they depend on a NaN or an infinity, or may overflow.
    pub unjudged: usize,
    /// The largest error of any judged element.
    pub max_abs_error: f64,
    /// The largest error relative to the exact value, where that is not zero.
    pub max_relative_error: f64,
    /// The mean error.
    pub mean_abs_error: f64,
    /// The median of the bounds over the median of the errors: how loose the bounds are.
    pub median_slack: f64,
    /// The element that came nearest to its bound, or furthest beyond it.
    pub worst: Worst,
    /// Whether every judged element is inside its bound.
    pub in_bound: bool,
    /// The judged elements that are not, in row-major order.
    pub outside: Vec<usize>,
}

/// One element, its values and its bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// Its place in row-major order.
    pub index: usize,
    /// The exact value.
    pub wanted: f64,
    /// The device's.
    pub got: f64,
    /// The bound on their difference.
    pub bound: f64,
    /// Difference over bound; at most 1 is inside.
    pub ratio: f64,
}

/// A device's value: f32 for all formats but those of whole numbers.
pub trait Number: Copy + Into<f64> + Sync {}

impl Number for f32 {}

impl Number for f64 {}

/// Elements that one thread judges at a time; the mean is summed by these blocks on every host.
const BLOCK: usize = 1 << 15;

/// Reads the outputs back and holds each against its reference.
pub fn outputs(
    prepared: &Prepared,
    device: &mut Device,
) -> Result<Vec<(&'static str, Judgement)>, TensorError> {
    let judge = |output: &Expected| {
        let contents = output.tensor.to_host(device)?;
        Ok((output.name, judge_expected(output, &contents, &(output.reference)())))
    };
    prepared.outputs.iter().map(judge).collect()
}

/// Holds the values of an output against its bits, if it has some, or else its reference.
pub fn judge_expected(expected: &Expected, values: &Tensor, reference: &[Approx]) -> Judgement {
    match &expected.bits {
        Some(bits) => judge_bits(&values.to_f32(), bits),
        None if values.format().is_integer() => judge(&values.to_f64(), reference),
        None => judge(&values.to_f32(), reference),
    }
}

/// Holds device values against exact ones, element by element.
pub fn judge<Value: Number>(device: &[Value], reference: &[Approx]) -> Judgement {
    assert_eq!(device.len(), reference.len(), "an output has as many values as its reference");
    let blocks = parallel::map(device.len().div_ceil(BLOCK), |block| {
        let all = block * BLOCK..device.len().min((block + 1) * BLOCK);
        Block::judge(all.start, &device[all.clone()], &reference[all])
    });
    let worst = blocks.iter().filter_map(|block| block.worst).reduce(worse);
    let worst = worst.unwrap_or(Worst { index: 0, wanted: 0.0, got: 0.0, bound: 0.0, ratio: 0.0 });
    let judged = blocks.iter().map(|block| block.judged).sum();
    let sum: f64 = blocks.iter().map(|block| block.error_sum).sum();
    let max = |of: fn(&Block) -> f64| blocks.iter().map(of).fold(0.0, f64::max);
    let elements = || device.iter().zip(reference).filter(|(_, exact)| exact.is_finite());
    let (bound, error) = parallel::both(
        || median(blocks.iter().map(|it| &it.bounds), elements().map(|(_, exact)| exact.error)),
        || {
            let errors = elements().map(|(got, exact)| error((*got).into(), *exact));
            median(blocks.iter().map(|it| &it.errors), errors)
        },
    );
    Judgement {
        judged,
        unjudged: device.len() - judged,
        max_abs_error: max(|block| block.max_abs_error),
        max_relative_error: max(|block| block.max_relative_error),
        mean_abs_error: if judged == 0 { 0.0 } else { sum / judged as f64 },
        median_slack: bound / error,
        worst,
        in_bound: worst.ratio <= 1.0,
        outside: blocks.iter().flat_map(|block| &block.outside).copied().collect(),
    }
}

/// Holds device values against those of a file: every bit must be equal, signs of zeros and NaNs
/// included.
pub fn judge_bits(device: &[f32], file: &[f32]) -> Judgement {
    let exact: Vec<_> = file.iter().map(|value| Approx::exact(f64::from(*value))).collect();
    let judged = judge(device, &exact);
    let pairs = device.iter().zip(file).enumerate();
    let differs = pairs.filter(|(_, (got, wanted))| got.to_bits() != wanted.to_bits());
    let outside: Vec<usize> = differs.map(|(index, _)| index).collect();
    let Some(index) = outside.first().copied() else { return judged };
    let (wanted, got) = (f64::from(file[index]), f64::from(device[index]));
    let first = Worst { index, wanted, got, bound: 0.0, ratio: f64::INFINITY };
    // The first element that differs, unless another one differs by more than its bits.
    let worst = if judged.in_bound { first } else { judged.worst };
    Judgement { worst, in_bound: false, outside, ..judged }
}

/// Elements that follow one another, judged.
#[derive(Default)]
struct Block {
    judged: usize,
    errors: Spread,
    bounds: Spread,
    error_sum: f64,
    max_abs_error: f64,
    max_relative_error: f64,
    worst: Option<Worst>,
    outside: Vec<usize>,
}

impl Block {
    /// Judges elements, the first of which has the index `start`.
    fn judge<Value: Number>(start: usize, device: &[Value], reference: &[Approx]) -> Block {
        let mut block = Block::default();
        for (index, (got, exact)) in device.iter().zip(reference).enumerate() {
            if exact.is_judged() {
                block.add(start + index, (*got).into(), *exact);
            }
        }
        block
    }

    fn add(&mut self, index: usize, got: f64, exact: Approx) {
        let error = error(got, exact);
        self.max_abs_error = self.max_abs_error.max(error);
        self.error_sum += error;
        self.judged += 1;
        // Most elements are neither further out than the worst so far nor outside: a product tells.
        let is_nearer = |worst: Worst| is_within(error, worst.ratio.min(1.0), exact.error);
        if !exact.is_finite() || !self.worst.is_some_and(is_nearer) {
            self.compare(index, got, exact);
        }
        // A NaN or an infinity is of its class or not: it says nothing of how loose bounds are.
        if !exact.is_finite() {
            return;
        }
        let magnitude = exact.value.abs();
        if !is_within(error, self.max_relative_error, magnitude) && magnitude != 0.0 {
            self.max_relative_error = self.max_relative_error.max(error / magnitude);
        }
        self.errors.count(error);
        self.bounds.count(exact.error);
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

/// Whether an error is surely at most so many times a whole; a quotient decides if it is not.
fn is_within(error: f64, share: f64, whole: f64) -> bool {
    /// Far more than the rounding of a product and a quotient.
    const MARGIN: f64 = 1.0 - 1e-12;
    /// Below it a product may lose more than that.
    const LEAST: f64 = 1e-250;
    error <= share * MARGIN * whole && (error == 0.0 || error > LEAST)
}

/// How far a device value is from the exact one; infinitely, if only one of them is a number, or
/// they are of different classes.
#[inline]
fn error(got: f64, exact: Approx) -> f64 {
    match (got.is_finite(), exact.is_finite()) {
        (true, true) => (got - exact.value).abs(),
        (_, false) if exact.ratio(got) == 0.0 => 0.0,
        (_, _) => f64::INFINITY,
    }
}

/// The first, unless the second is further out.
fn worse(first: Worst, second: Worst) -> Worst {
    if second.ratio > first.ratio { second } else { first }
}

/// How many magnitudes lie in each quarter of a power of two, least first.
///
/// Large outputs have millions of them: only those of the quarter with the median are looked at.
struct Spread(Vec<u32>);

impl Spread {
    /// Bits of an f64 below its exponent and the first two of its mantissa.
    const SHIFT: u32 = 50;

    /// Patterns of magnitudes are in the order of the magnitudes.
    fn place(magnitude: f64) -> usize {
        (magnitude.abs().to_bits() >> Self::SHIFT) as usize
    }

    fn count(&mut self, magnitude: f64) {
        self.0[Self::place(magnitude)] += 1;
    }
}

impl Default for Spread {
    fn default() -> Spread {
        Spread(vec![0; Spread::place(f64::INFINITY) + 1])
    }
}

/// The median of magnitudes that were counted in parts.
fn median<'a>(
    parts: impl Iterator<Item = &'a Spread>,
    magnitudes: impl Iterator<Item = f64>,
) -> f64 {
    let mut counts = vec![0_usize; Spread::default().0.len()];
    for part in parts {
        counts.iter_mut().zip(&part.0).for_each(|(all, part)| *all += *part as usize);
    }
    let mut rank = counts.iter().sum::<usize>() / 2;
    let holds = |count: &usize| {
        let is_here = rank < *count;
        rank -= if is_here { 0 } else { *count };
        is_here
    };
    let Some(place) = counts.iter().position(holds) else { return 0.0 };
    let mut near = Vec::with_capacity(counts[place]);
    near.extend(magnitudes.filter(|magnitude| Spread::place(*magnitude) == place));
    *near.select_nth_unstable_by(rank, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, judge, judge_bits};
    use tilewright_tile::bound::Approx;

    #[test]
    fn the_worst_element_is_the_one_nearest_its_own_bound() {
        let reference = [Approx::new(1.0, 0.5), Approx::new(100.0, 10.0), Approx::special()];
        let judged = judge(&[1.4, 102.0, f32::NAN], &reference);
        assert_eq!((judged.judged, judged.unjudged, judged.worst.index), (2, 1, 0));
        assert!(judged.in_bound && (judged.max_abs_error - 2.0).abs() < 1e-9);
    }

    #[test]
    fn one_element_outside_its_bound_fails_the_output() {
        let reference = [Approx::new(1.0, 0.5), Approx::exact(2.0)];
        assert!(!judge(&[1.0, 2.000_001], &reference).in_bound);
        assert!(!judge(&[f32::NAN, 2.0], &reference).in_bound);
        assert!(judge(&[1.5, 2.0], &reference).in_bound);
    }

    #[test]
    fn values_that_are_not_finite_are_judged_by_their_class() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let exact = |value: f32| Approx::exact(f64::from(value));
        let reference = [exact(nan), exact(inf), exact(-inf), Approx::new(1.0, 0.5)];
        let right = judge(&[-nan, inf, -inf, 1.25], &reference);
        assert!(right.in_bound && right.outside.is_empty());
        assert_eq!((right.judged, right.unjudged, right.max_abs_error), (4, 0, 0.25));
        for (at, got) in [(0, inf), (0, 1.0), (1, -inf), (1, nan), (2, f32::MIN), (3, inf)] {
            let mut device = [nan, inf, -inf, 1.25];
            device[at] = got;
            let judged = judge(&device, &reference);
            assert!(!judged.in_bound && judged.outside == [at], "{got} at {at}: {judged:?}");
            assert!(judged.max_abs_error.is_infinite());
        }
    }

    #[test]
    fn elements_that_need_no_quotient_change_nothing() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let bounds = [0.0, 1e-300, 0.25, 0.5, 1.0];
        let reference: Vec<_> = (0..10_000)
            .map(|at| Approx::new(if at % 7 == 0 { 0.0 } else { next() }, bounds[at % 5]))
            .collect();
        let off = |at: usize| if at.is_multiple_of(3) { 0.0 } else { 1.1 };
        let device: Vec<_> = (0..10_000)
            .map(|at| (reference[at].value + off(at) * bounds[at % 5] * next()) as f32)
            .collect();
        let pairs = || device.iter().map(|got| f64::from(*got)).zip(&reference);
        let ratios: Vec<_> = pairs().map(|(got, exact)| exact.ratio(got)).collect();
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        let outside: Vec<_> = (0..10_000).filter(|at| ratios[*at] > 1.0).collect();
        let relative = pairs().filter(|(_, exact)| exact.value != 0.0);
        let relative = relative.map(|(got, it)| (got - it.value).abs() / it.value.abs());
        let judged = judge(&device, &reference);
        assert_eq!(ratios[judged.worst.index], worst);
        assert_eq!((judged.worst.ratio, judged.outside), (worst, outside));
        assert_eq!(judged.max_relative_error, relative.fold(0.0, f64::max));
    }

    #[test]
    fn bits_are_equal_or_not() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        assert!(judge_bits(&[0.0, -0.0, nan, inf], &[0.0, -0.0, nan, inf]).in_bound);
        for (got, wanted) in [(0.0, -0.0), (nan, inf), (inf, -inf), (1.0, nan), (inf, 1.0)] {
            let judged = judge_bits(&[2.0, got], &[2.0, wanted]);
            assert!(!judged.in_bound && judged.worst.index == 1, "{got} {wanted}: {judged:?}");
            assert_eq!(judged.outside, [1]);
        }
    }

    #[test]
    fn medians_are_those_of_all_judged_elements() {
        for count in [1, 2, 3, 1000, 2 * BLOCK + 17] {
            let magnitude = |at: usize| ((at * 7919 + 13) % 1009) as f64 / 64.0;
            let bound = |at: usize| 100.0 + ((at * 104_729) % 907) as f64;
            let reference: Vec<_> = (0..count).map(|at| Approx::new(1.0, bound(at))).collect();
            let device: Vec<_> = (0..count).map(|at| (1.0 + magnitude(at)) as f32).collect();
            let median = |of: &dyn Fn(usize) -> f64| {
                let mut all: Vec<_> = (0..count).map(of).collect();
                all.sort_by(f64::total_cmp);
                all[count / 2]
            };
            let wanted = median(&bound) / median(&magnitude);
            assert_eq!(judge(&device, &reference).median_slack, wanted, "{count} elements");
        }
        assert!(judge::<f32>(&[], &[]).median_slack.is_nan(), "0 over 0");
        assert_eq!(judge(&[f32::INFINITY], &[Approx::new(1.0, 1.0)]).median_slack, 0.0);
    }

    #[test]
    fn blocks_make_one_judgement() {
        let reference = vec![Approx::new(0.0, 1.0); 3 * BLOCK + 5];
        let mut device = vec![0.25_f32; reference.len()];
        (device[2 * BLOCK + 7], device[3 * BLOCK + 1]) = (-0.5, 0.5);
        let judged = judge(&device, &reference);
        assert_eq!((judged.judged, judged.worst.index), (3 * BLOCK + 5, 2 * BLOCK + 7));
        assert_eq!((judged.max_abs_error, judged.median_slack), (0.5, 4.0));
        let mean = (0.25 * device.len() as f64 + 0.5) / device.len() as f64;
        assert!((judged.mean_abs_error - mean).abs() < 1e-15);
        assert!(judged.outside.is_empty());
        (device[7], device[BLOCK + 7]) = (1.5, -2.0);
        assert_eq!(judge(&device, &reference).outside, [7, BLOCK + 7]);
    }
}
