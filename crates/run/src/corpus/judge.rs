//! One kernel compiled under one assumption after the other, until one suits it.

use std::collections::BTreeSet;

use tilewright_machine::Processor;
use tilewright_metal::cpp::{CppError, Diagnostic, DiagnosticKind, Workshop};

use super::assume::{self, Assumed};
use super::find::{self, Found, Role};
use super::{Answer, Target, reason};

/// How often arguments are changed because an assertion of the kernel demands it.
const LESSONS_MAX: usize = 4;

/// What becomes of a kernel.
pub(super) fn judge(
    workshop: &Workshop,
    kernel: &Found,
    target: Target<'_>,
) -> Result<Answer, CppError> {
    let texts = find::texts(&kernel.file, target.include_paths);
    let processors = processors(kernel.role, &texts);
    let case = Case { workshop, kernel, target, texts: &texts, processors };
    let mut trials = Trials::default();
    trials.take(case.wrong_with(&Assumed::Distinct, None)?);
    let mut learned = Assumed::Distinct;
    for _ in 0..LESSONS_MAX {
        let Some(more) = learned.taught_by(&trials.last) else { break };
        learned = more;
        trials.take(case.wrong_with(&learned, None)?);
    }
    for assumed in [Assumed::Ones, Assumed::Zeros] {
        if trials.fewest.is_empty() || reason::is_beyond(&trials.fewest) {
            break;
        }
        trials.take(case.wrong_with(&assumed, Some(&trials.fewest))?);
    }
    let wrong = trials.fewest;
    if wrong.is_empty() {
        return Ok(Answer::Compiles);
    }
    let names = wrong.iter().map(reason::name).collect();
    Ok(match reason::refusal(&wrong) {
        Some(why) => Answer::Refused { why, names },
        None => Answer::Missing(names),
    })
}

/// The processors whose units can differ: all three, if the kernel or a header of its own tells
/// them apart. Our headers compile on every one, which a test holds.
fn processors(role: Role, texts: &[String]) -> &'static [Processor] {
    const WORDS: [&str; 10] = [
        "UNPACK",
        "MATH",
        "PACK",
        "TRISC_UNPACK",
        "TRISC_MATH",
        "TRISC_PACK",
        "UCK_CHLKC_UNPACK",
        "UCK_CHLKC_MATH",
        "UCK_CHLKC_PACK",
        "COMPILE_FOR_TRISC",
    ];
    let differ = || texts.iter().any(|text| WORDS.iter().any(|word| find::has_word(text, word)));
    match role {
        Role::Dataflow => &[Processor::Writer],
        Role::Compute if differ() => &[Processor::Unpack, Processor::Math, Processor::Pack],
        Role::Compute => &[Processor::Math],
    }
}

/// A kernel and where it is compiled.
struct Case<'a> {
    workshop: &'a Workshop,
    kernel: &'a Found,
    target: Target<'a>,
    texts: &'a [String],
    processors: &'static [Processor],
}

impl Case<'_> {
    /// What is wrong under an assumption. Stops as soon as that is no better than `fewest`: more
    /// processors can only add to it.
    fn wrong_with(
        &self,
        assumed: &Assumed,
        fewest: Option<&[Diagnostic]>,
    ) -> Result<Vec<Diagnostic>, CppError> {
        let mut wrong = BTreeSet::new();
        for processor in self.processors {
            let unit =
                assume::unit(&self.kernel.file, self.target, self.texts, *processor, assumed);
            match self.workshop.survey(&unit) {
                Ok(()) => {}
                Err(CppError::Kernels(diagnostics)) => wrong.extend(diagnostics),
                Err(other) => return Err(other),
            }
            if fewest.is_some_and(|fewest| weight(wrong.iter()) >= weight(fewest.iter())) {
                break;
            }
        }
        Ok(wrong.into_iter().collect())
    }
}

/// What was wrong so far: with the last assumption, and with the best.
#[derive(Default)]
struct Trials {
    last: Vec<Diagnostic>,
    fewest: Vec<Diagnostic>,
    are_begun: bool,
}

impl Trials {
    fn take(&mut self, wrong: Vec<Diagnostic>) {
        if !self.are_begun || weight(wrong.iter()) < weight(self.fewest.iter()) {
            self.fewest = wrong.clone();
        }
        self.are_begun = true;
        self.last = wrong;
    }
}

/// How far assumed arguments are from suiting a kernel: complaints that name nothing weigh most,
/// since they come from the arguments.
fn weight<'a>(wrong: impl Iterator<Item = &'a Diagnostic>) -> (usize, usize) {
    wrong.fold((0, 0), |(nameless, all), it| {
        (nameless + usize::from(it.kind == DiagnosticKind::Other), all + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::{Processor, Role, processors};

    #[test]
    fn a_kernel_that_tells_processors_apart_is_compiled_for_each() {
        let of = |text: &str| processors(Role::Compute, &[text.to_owned()]).len();
        assert_eq!(of("void kernel_main() { add_tiles(0, 1, 0, 0, 0); }"), 1);
        assert_eq!(of("PACK((llk_pack_relu_config(1)));"), 3);
        assert_eq!(of("#ifdef TRISC_MATH"), 3);
        assert_eq!(processors(Role::Dataflow, &[]), [Processor::Writer]);
    }
}
