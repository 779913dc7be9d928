//! Other inputs and shapes, tried on the faults that get past a test: the fewest that catch all.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tilewright_metal::{Family, Shape};

use super::fault::Fault;
use super::tally::{Effect, effect, is_tolerance, rounded_up};
use super::{Comparison, Graded, Grading, pool, test_bed};
use crate::ask::Ask;
use crate::progress::{FrontEnd, Progress};
use crate::record::{Failure, Grade, Number, PlannedTest, TestPlan};
use crate::request::{Request, Subject};

/// Tests of a plan that are sought in all combinations; more are added one by one.
const EXACT: usize = 3;

/// A fault that gets past the test, with its number.
type Open<'a> = (usize, &'a Fault);

/// Another test: what it runs, what is different, and what a progress line says.
type Candidate<'a> = (Request, String, &'a str);

/// A test that was tried.
struct Tried {
    test: PlannedTest,
    /// What is different from the test that is graded.
    difference: String,
    /// Faults, by their numbers, that change a value.
    changed: BTreeSet<usize>,
    /// Faults that the comparison as it is catches.
    caught_as_is: BTreeSet<usize>,
    /// Faults that the comparison catches with the tolerance that the bounds justify here.
    caught: BTreeSet<usize>,
}

/// Adds to a grade what would catch the faults that get past the test.
pub(super) fn suggest(
    grading: &Grading,
    graded: &Graded,
    comparison: Comparison,
    (grade, front): (&mut Grade, &Arc<dyn FrontEnd>),
) -> Result<(), Failure> {
    let progress = Progress::new(front);
    let base = base(grading, graded, comparison, &progress)?;
    let open = open(graded, comparison, &base);
    let mut tried = Vec::new();
    for (request, difference) in candidates(&grading.request) {
        let what = format!("faults with {difference}");
        let asked = (request, difference, what.as_str());
        if let Some(one) = attempt(grading, graded, (asked, &open), comparison, front) {
            tried.push(one);
        }
    }
    advise(graded, comparison, &tried, grade);
    grade.plan = Some(plan(base, tried));
    Ok(())
}

/// The test that is graded, with the tolerance that its bounds justify.
fn base(
    grading: &Grading,
    graded: &Graded,
    comparison: Comparison,
    progress: &Progress,
) -> Result<Tried, Failure> {
    let ask = Ask::new(&grading.request, progress)?;
    let justified = justified(comparison, graded.justified_atol);
    let of = |is_it: &dyn Fn(&super::Trial) -> bool| {
        let all = graded.faults.iter().enumerate();
        let all = all.filter(|(_, (_, trial))| effect(trial) == Effect::Changed && is_it(trial));
        all.map(|(number, _)| number).collect::<BTreeSet<usize>>()
    };
    Ok(Tried {
        test: planned(&ask, justified),
        difference: "a tighter tolerance".to_owned(),
        changed: of(&|_| true),
        caught_as_is: of(&|trial| !comparison.accepts(&trial.distance())),
        caught: of(&|trial| !justified.accepts(&trial.distance())),
    })
}

/// The comparison with the absolute tolerance that bounds justify, unless it is the bounds' own.
fn justified(comparison: Comparison, atol: Option<f64>) -> Comparison {
    match atol {
        Some(atol) if !comparison.is_bound() => {
            Comparison { atol: Some(rounded_up(atol)), ..comparison }
        }
        Some(_) | None => comparison,
    }
}

fn planned(ask: &Ask<'_>, comparison: Comparison) -> PlannedTest {
    let echo = ask.echo();
    let mut command = ask.replay("grade", ask.options.seed);
    let tolerances =
        [("atol", comparison.atol), ("rtol", comparison.rtol), ("pcc", comparison.pcc)];
    for (name, tolerance) in tolerances {
        let word = tolerance.map(|tolerance| format!(" --{name} {tolerance}"));
        command.push_str(&word.unwrap_or_default());
    }
    PlannedTest {
        input: echo.input,
        shape: echo.shape,
        atol: comparison.atol.map(Number),
        catches: 0,
        command,
    }
}

/// The faults that get past the test, and those that change nothing here but might elsewhere.
fn open<'a>(graded: &'a Graded, comparison: Comparison, base: &Tried) -> Vec<Open<'a>> {
    let is_open = |number: usize, (fault, trial): &(Fault, super::Trial)| match effect(trial) {
        Effect::Ended => false,
        Effect::Latent => true,
        Effect::Changed => comparison.accepts(&trial.distance()) || !base.caught.contains(&number),
        Effect::Equivalent => fault.proof.is_none(),
    };
    let all = graded.faults.iter().enumerate();
    all.filter(|(number, it)| is_open(*number, it)).map(|(number, it)| (number, &it.0)).collect()
}

/// Other tests of the same program, with what is different: inputs first, then shapes.
fn candidates(request: &Request) -> Vec<(Request, String)> {
    let is_operation = match &request.subject {
        Subject::Named(name) if name.ends_with(".cap") => return Vec::new(),
        Subject::Named(_) => !request.is_foreign(),
        Subject::Own(_) | Subject::Described(_) => return Vec::new(),
    };
    let shapes = if is_operation { other_shapes(request.shape_or_usual()) } else { Vec::new() };
    let with = |family: Family| {
        let input = Some(family);
        Request { input, given: BTreeMap::new(), ..request.clone() }
    };
    let is_other = |family: &Family| request.input.unwrap_or(Family::Uniform) != *family;
    let others = Family::ALL.into_iter().filter(|it| is_tried(*it)).filter(is_other);
    let mut all: Vec<(Request, String)> =
        others.clone().map(|family| (with(family), format!("--input {family}"))).collect();
    for shape in shapes {
        let difference = format!("--shape {shape}");
        all.push((Request { shape: Some(shape), ..request.clone() }, difference.clone()));
        let both = others.clone().map(|family| {
            let request = Request { shape: Some(shape), ..with(family) };
            (request, format!("{difference} --input {family}"))
        });
        all.extend(both);
    }
    all
}

/// A shape whose last tiles are partly filled, and one with more tiles both ways.
/// Inputs that are tried: those with which a right kernel stays within its bounds.
fn is_tried(family: Family) -> bool {
    !matches!(family, Family::Tiny | Family::Zeros | Family::Special)
}

fn other_shapes(shape: Shape) -> Vec<Shape> {
    let sizes: Vec<usize> = shape.sizes().iter().map(|size| *size as usize).collect();
    let with = |rows: usize, columns: usize| {
        let mut sizes = sizes.clone();
        let last = sizes.len();
        sizes[last - 1] = columns;
        if last > 1 {
            sizes[last - 2] = rows;
        }
        Shape::new(&sizes).ok().filter(|other| *other != shape)
    };
    let (columns, rows) = (shape.width(), shape.height());
    let ragged = with(rows.next_multiple_of(32) - 9, columns.next_multiple_of(32) - 15);
    let more = with(rows.next_multiple_of(32) + 32, columns.next_multiple_of(32) + 96);
    ragged.into_iter().chain(more).collect()
}

/// Tries the open faults on another test; nothing if the program cannot run it without a fault.
fn attempt(
    grading: &Grading,
    graded: &Graded,
    ((request, difference, what), open): (Candidate<'_>, &[Open<'_>]),
    comparison: Comparison,
    front: &Arc<dyn FrontEnd>,
) -> Option<Tried> {
    let ask = Ask::new(&request, &Progress::new(front)).ok()?;
    let (test_bed, clean, faults) = test_bed(&ask, &[], grading.rtol).ok()?;
    let justified = justified(comparison, test_bed.justified_atol());
    if !justified.accepts(&clean.distance()) || !clean.findings.is_empty() {
        return None;
    }
    let like = |number: usize| faults.iter().find(|it| it.is_like(&graded.faults[number].0));
    let found: Vec<(usize, &Fault)> =
        open.iter().filter_map(|(number, _)| Some((*number, like(*number)?))).collect();
    let all: Vec<&Fault> = found.iter().map(|(_, fault)| *fault).collect();
    let trials = pool::attempt_all(&test_bed, &ask, &all, (front, what)).ok()?;
    let is_usable = comparison.accepts(&clean.distance());
    let mut tried = Tried {
        test: planned(&ask, justified),
        difference,
        changed: BTreeSet::new(),
        caught_as_is: BTreeSet::new(),
        caught: BTreeSet::new(),
    };
    for ((number, _), trial) in found.iter().zip(&trials) {
        if effect(trial) != Effect::Changed {
            continue;
        }
        tried.changed.insert(*number);
        if is_usable && !comparison.accepts(&trial.distance()) {
            tried.caught_as_is.insert(*number);
        }
        if !justified.accepts(&trial.distance()) {
            tried.caught.insert(*number);
        }
    }
    Some(tried)
}

/// Names, for each fault that gets past the test, the smallest change that was seen to catch it.
fn advise(graded: &Graded, comparison: Comparison, tried: &[Tried], grade: &mut Grade) {
    let is_uncaught = |trial: &super::Trial| {
        effect(trial) == Effect::Changed && comparison.accepts(&trial.distance())
    };
    let numbers = graded.faults.iter().enumerate();
    let numbers = numbers.filter(|(_, (_, trial))| is_uncaught(trial)).map(|(number, _)| number);
    for (number, fault) in numbers.zip(&mut grade.uncaught) {
        if is_tolerance(fault.suggestion.as_ref()) {
            continue;
        }
        let as_is = tried.iter().find(|one| one.caught_as_is.contains(&number));
        let tighter = || tried.iter().find(|one| one.caught.contains(&number));
        if let Some(one) = as_is {
            fault.suggestion = Some(one.difference.clone());
        } else if let Some(one) = tighter() {
            let atol = one.test.atol.map_or(String::new(), |atol| format!(" --atol {}", atol.0));
            fault.suggestion = Some(format!("{}{atol}", one.difference));
        }
    }
}

/// The fewest of the tests that catch all that any of them catches, after the base.
fn plan(base: Tried, tried: Vec<Tried>) -> TestPlan {
    let all = || std::iter::once(&base).chain(&tried);
    let catchable: BTreeSet<usize> = all().flat_map(|one| one.caught.iter().copied()).collect();
    let changed: BTreeSet<usize> = all().flat_map(|one| one.changed.iter().copied()).collect();
    let left: BTreeSet<usize> = catchable.difference(&base.caught).copied().collect();
    let sets: Vec<BTreeSet<usize>> =
        tried.iter().map(|one| one.caught.intersection(&left).copied().collect()).collect();
    let chosen = cover(&sets, &left);
    let count = tried.len() + 1;
    let mut caught = base.caught.clone();
    let mut tests = vec![PlannedTest { catches: base.caught.len(), ..base.test }];
    for number in chosen {
        let new: Vec<usize> = sets[number].difference(&caught).copied().collect();
        tests.push(PlannedTest { catches: new.len(), ..tried[number].test.clone() });
        caught.extend(new);
    }
    TestPlan { tests, catchable: changed.len(), caught: caught.len(), tried: count }
}

/// The numbers of the fewest sets whose union is `all`; the first of equally good choices.
fn cover(sets: &[BTreeSet<usize>], all: &BTreeSet<usize>) -> Vec<usize> {
    for size in 0..=EXACT.min(sets.len()) {
        if let Some(chosen) = exact(sets, all, size, 0) {
            return chosen;
        }
    }
    let (mut left, mut chosen) = (all.clone(), Vec::new());
    while !left.is_empty() {
        let gain = |set: &BTreeSet<usize>| set.intersection(&left).count();
        let best = (0..sets.len()).rev().max_by_key(|number| gain(&sets[*number]));
        let Some(best) = best.filter(|best| gain(&sets[*best]) > 0) else { break };
        left = left.difference(&sets[best]).copied().collect();
        chosen.push(best);
    }
    chosen
}

/// So many sets, from a number on, whose union has all.
fn exact(
    sets: &[BTreeSet<usize>],
    all: &BTreeSet<usize>,
    size: usize,
    from: usize,
) -> Option<Vec<usize>> {
    if all.is_empty() {
        return Some(Vec::new());
    }
    let size = size.checked_sub(1)?;
    (from..sets.len()).find_map(|number| {
        let left = all.difference(&sets[number]).copied().collect();
        let mut rest = exact(sets, &left, size, number + 1)?;
        rest.insert(0, number);
        Some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sets: &[&[usize]], expected: &[usize]) {
        let sets: Vec<BTreeSet<usize>> =
            sets.iter().map(|set| set.iter().copied().collect()).collect();
        let all = sets.iter().flatten().copied().collect();
        assert_eq!(cover(&sets, &all), expected);
    }

    #[test]
    fn the_fewest_sets_are_chosen() {
        check(&[], &[]);
        check(&[&[1, 2], &[1, 2, 3]], &[1]);
        // The largest first would take three.
        check(&[&[1, 2, 3, 4], &[1, 2, 5], &[3, 4, 6]], &[1, 2]);
        check(&[&[1], &[2], &[3], &[4], &[5]], &[0, 1, 2, 3, 4]);
    }
}
