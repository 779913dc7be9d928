//! Who noticed which faults, counted.

use super::fault::{Cause, Fault, FaultClass};
use super::trial::Trial;
use super::{Comparison, Graded};
use crate::record::{EquivalentFault, Grade, GradeComparison, GradedClass, GradedFault, Number};

/// What a fault does to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The run does not complete.
    Ended,
    /// A value of an output is another one.
    Changed,
    /// No value changes, and a tool finds something.
    Latent,
    /// Nothing happens that anybody could notice.
    Equivalent,
}

/// What a fault did to a run.
pub(super) fn effect(trial: &Trial) -> Effect {
    match (&trial.ended, trial.is_changed, trial.findings.is_empty()) {
        (Some(_), ..) => Effect::Ended,
        (None, true, _) => Effect::Changed,
        (None, false, false) => Effect::Latent,
        (None, false, true) => Effect::Equivalent,
    }
}

/// Who notices a value-changing fault.
struct Noticed {
    by_test: bool,
    by_tool: bool,
    by_bound: bool,
}

impl Noticed {
    fn new(trial: &Trial, comparison: Comparison) -> Noticed {
        let distance = trial.distance();
        Noticed {
            by_test: !comparison.accepts(&distance),
            by_tool: !trial.findings.is_empty(),
            by_bound: distance.is_beyond,
        }
    }
}

/// The grade of a test that compares in this way.
pub(super) fn record(graded: &Graded, comparison: Comparison) -> Grade {
    let of = |wanted| move |it: &&(Fault, Trial)| effect(&it.1) == wanted;
    let count = |wanted| graded.faults.iter().filter(of(wanted)).count();
    let changed = || graded.faults.iter().filter(of(Effect::Changed));
    let noticed = |by: fn(&Noticed) -> bool| {
        changed().filter(|(_, trial)| by(&Noticed::new(trial, comparison))).count()
    };
    let is_uncaught = |it: &&(Fault, Trial)| !Noticed::new(&it.1, comparison).by_test;
    let (all, caught) = (changed().count(), noticed(|by| by.by_test));
    Grade {
        request: graded.echo.clone(),
        comparison: comparison_record(comparison),
        injected: graded.faults.len(),
        ended: count(Effect::Ended),
        changed: all,
        latent: count(Effect::Latent),
        equivalent: count(Effect::Equivalent),
        caught_by_test: caught,
        caught_by_tool: noticed(|by| by.by_tool),
        caught_by_bound: noticed(|by| by.by_bound),
        caught_by_nobody: noticed(|by| !by.by_test && !by.by_tool && !by.by_bound),
        score: (all > 0).then(|| Number(caught as f64 / all as f64)),
        threshold: None,
        classes: classes(graded, comparison),
        uncaught: changed()
            .filter(is_uncaught)
            .map(|it| uncaught(graded, comparison, it))
            .collect(),
        equivalents: graded
            .faults
            .iter()
            .filter(of(Effect::Equivalent))
            .map(|(fault, _)| equivalent(fault))
            .collect(),
        tests: Vec::new(),
        plan: None,
        notes: notes(graded),
    }
}

/// A score says nothing of faults that the inputs hide, and that is said.
fn notes(graded: &Graded) -> Vec<String> {
    let is_hidden = |(fault, trial): &&(Fault, Trial)| match effect(trial) {
        Effect::Latent => true,
        Effect::Equivalent => fault.proof.is_none(),
        Effect::Ended | Effect::Changed => false,
    };
    let hidden = graded.faults.iter().filter(is_hidden).count();
    let all = graded.faults.len();
    let note =
        format!("{hidden} of {all} faults change no value with these inputs; {}", graded.hint);
    graded.notes.iter().cloned().chain((hidden > 0).then_some(note)).collect()
}

fn comparison_record(comparison: Comparison) -> GradeComparison {
    GradeComparison {
        atol: comparison.atol.map(Number),
        rtol: comparison.rtol.map(Number),
        pcc: comparison.pcc.map(Number),
        is_bound: comparison.is_bound(),
        own: None,
    }
}

fn classes(graded: &Graded, comparison: Comparison) -> Vec<GradedClass> {
    let class = |class: &FaultClass| {
        let all = || graded.faults.iter().filter(|(fault, _)| fault.class == *class);
        let changed = || all().filter(|(_, trial)| effect(trial) == Effect::Changed);
        let noticed = |by: fn(&Noticed) -> bool| {
            changed().filter(|(_, trial)| by(&Noticed::new(trial, comparison))).count()
        };
        GradedClass {
            class: class.name().to_owned(),
            about: class.about().to_owned(),
            injected: all().count(),
            ended: all().filter(|(_, trial)| effect(trial) == Effect::Ended).count(),
            changed: changed().count(),
            caught_by_test: noticed(|by| by.by_test),
            caught_by_tool: noticed(|by| by.by_tool),
            caught_by_bound: noticed(|by| by.by_bound),
        }
    };
    FaultClass::ALL.iter().map(class).filter(|class| class.injected > 0).collect()
}

fn uncaught(
    graded: &Graded,
    comparison: Comparison,
    (fault, trial): &(Fault, Trial),
) -> GradedFault {
    let site = fault.site();
    let distance = trial.distance();
    GradedFault {
        class: fault.class.name().to_owned(),
        edit: fault.text(),
        file: site.map(|site| site.file.to_owned()),
        line: site.map(|site| site.line),
        program: match &fault.cause {
            Cause::Injected(injection) => injection.program,
            Cause::Reported(..) => 0,
        },
        findings: trial.findings.clone(),
        is_beyond_bound: distance.is_beyond,
        atol_needed: Some(Number(distance.atol)),
        suggestion: tighter(graded, comparison, trial),
    }
}

/// What helps where one tolerance for all elements does not.
const BY_BOUND: &str = "the derived bound of each element in place of one tolerance";

/// Whether a suggestion keeps the test's own kind of comparison.
pub(super) fn is_tolerance(suggestion: Option<&String>) -> bool {
    suggestion.is_some_and(|text| text.starts_with("an atol"))
}

/// The smallest change that needs no other run: a tighter tolerance, or the derived bound.
fn tighter(graded: &Graded, comparison: Comparison, trial: &Trial) -> Option<String> {
    let distance = trial.distance();
    let justified = graded.justified_atol.map(rounded_up);
    match justified {
        Some(atol) if !comparison.is_bound() && distance.atol > atol => {
            Some(format!("an atol of {atol}, which the bounds justify"))
        }
        Some(_) | None if distance.is_beyond => Some(BY_BOUND.to_owned()),
        Some(_) | None => {
            trial.findings.first().map(|id| format!("a run under the tools: they report {id}"))
        }
    }
}

/// Two significant digits, not below the value.
pub(super) fn rounded_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = value.log10().floor() as i32 - 1;
    // Text has the nearest f64 of a decimal; a power of ten times a whole number may not be it.
    let digits = (value / 10_f64.powi(exponent)).ceil();
    let rounded = format!("{digits}e{exponent}").parse().unwrap_or(value);
    if rounded >= value { rounded } else { value }
}

fn equivalent(fault: &Fault) -> EquivalentFault {
    let site = fault.site();
    EquivalentFault {
        class: fault.class.name().to_owned(),
        edit: fault.text(),
        file: site.map(|site| site.file.to_owned()),
        line: site.map(|site| site.line),
        reason: fault.proof.unwrap_or_else(|| unproven(fault.class)).to_owned(),
        is_proven: fault.proof.is_some(),
    }
}

/// What is known where nothing is proven.
fn unproven(class: FaultClass) -> &'static str {
    match class {
        FaultClass::MissingWait | FaultClass::LateBarrier | FaultClass::EarlyPush => {
            "the data were there in time in this schedule"
        }
        FaultClass::LessPrecision => "the results need no more precision with these inputs",
        FaultClass::WrongShare => {
            "the argument makes no difference with this shape and these cores"
        }
        FaultClass::DroppedTile
        | FaultClass::LostLastBlock
        | FaultClass::DoubledTile
        | FaultClass::WrongTile
        | FaultClass::SwappedOperands
        | FaultClass::WrongBroadcast
        | FaultClass::SkippedMask
        | FaultClass::StaleAccumulation
        | FaultClass::LostCarry
        | FaultClass::WrongRegister
        | FaultClass::MissingInit
        | FaultClass::Reported => "no value depends on it with these inputs",
    }
}

#[cfg(test)]
mod tests {
    use super::rounded_up;

    #[test]
    fn tolerances_are_rounded_up_to_two_digits() {
        for (value, rounded) in [(0.0123, 0.013), (0.012, 0.012), (9.91, 10.0), (123.0, 130.0)] {
            assert_eq!(rounded_up(value), rounded);
        }
        assert_eq!(rounded_up(0.0), 0.0);
    }
}
