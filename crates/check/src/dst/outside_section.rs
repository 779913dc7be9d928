//! Dst used by math before acquire or after commit, or by pack before wait or after release.

use super::sections::Stray;
use super::{Words, mark, words};
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::ending::count_of;
use crate::finding::{Finding, Mark, line_of};
use crate::flow::Step;
use crate::session::{Found, Token};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// Math works on Dst without having acquired a section, or pack reads Dst without having
    /// waited for one. If the section is then given away, its `tile_regs_acquire` or
    /// `tile_regs_wait` is missing, and the finding says where it belongs.
    /// # Why it matters
    /// Nothing orders the two then: pack may read a tile before math has written it, or math may
    /// write to a section that pack is draining or about to clear.
    /// # Instead
    /// Put math between `tile_regs_acquire` and `tile_regs_commit`, and pack between
    /// `tile_regs_wait` and `tile_regs_release`.
    pub struct DstOutsideSection {}
    Declaration {
        name: "dst-outside-section",
        tool: Some(Tool::Dst),
        loses_values: true,
        is_of_sections: true,
        follows: &[Cause::OfSections],
        stuck_waits: StuckWaits::OfCompute,
    }
}

/// Work after a section was given away, or before the first one: it stands at the wrong place.
pub(super) fn stray(stray: Stray, given: Option<Step>, found: &mut Found) {
    let (id, who, site) = (FindingId::DstOutsideSection, stray.first.processor, stray.first.site);
    found.add_token(stray.token, id, site, (stray.first.cycle, who.core), || {
        let Words { name, verb, take, give, .. } = words(who);
        let marks = marks(Some(stray), given, None);
        let help = match given {
            Some(_) => format!("move it to before the `{give}` at (1)"),
            None => format!("put it between `{take}()` and `{give}()`"),
        };
        let proof = match given {
            Some(_) => format!("{name} called no `{take}` between (1) and (2)"),
            None => format!("{name} has called no `{take}` before this"),
        };
        Finding {
            title: format!("{name} on core {} {verb} Dst outside a section", who.core),
            marks,
            facts: vec![format!("proof: {proof}")],
            help: Some(help),
            ..Finding::of(id)
        }
        .at(stray.first.cycle)
    });
}

/// A section given away that was never taken; `stray` is the work in it, `before` the section that
/// was given away before.
pub(super) fn not_taken(
    stray: Option<Stray>,
    given: Step,
    before: Option<Step>,
    found: &mut Found,
) {
    let id = FindingId::DstOutsideSection;
    let first = stray.map_or(given, |stray| stray.first);
    let token = match stray {
        Some(stray) => found.again(stray.token),
        None => found.token(id, given.site),
    };
    let who = given.processor;
    if let (None, Some(before)) = (stray, before.filter(|before| before.site != given.site)) {
        return given_twice(token, before, given, found);
    }
    found.add_token(token, id, first.site, (first.cycle, who.core), || {
        let Words { name, verb, take, .. } = words(who);
        let marks = marks(stray, before, Some(given));
        let proof = match before {
            Some(_) => format!("{name} called no `{take}` between (1) and (2)"),
            None => format!("{name} has called no `{take}` before this"),
        };
        let steps = stray.map_or(0, |stray| stray.steps);
        let mut facts = vec![format!("proof: {proof}")];
        if steps > 1 {
            let all = count_of(steps, "operation");
            facts.push(format!("{all} on Dst without a section, up to the {}", words(who).give));
        }
        Finding {
            title: format!("{name} on core {} {verb} Dst without `{take}`", who.core),
            marks,
            facts,
            help: Some(format!("call `{take}()` before {}", line_of(first.site))),
            ..Finding::of(id)
        }
        .at(first.cycle)
    });
}

/// A section that two calls give away, with no work between them.
fn given_twice(token: Token, before: Step, given: Step, found: &mut Found) {
    let (id, who) = (FindingId::DstOutsideSection, given.processor);
    found.add_token(token, id, given.site, (given.cycle, who.core), || {
        let Words { name, take, give, gives, .. } = words(who);
        Finding {
            title: format!("{name} on core {} {gives} its section of Dst twice", who.core),
            marks: marks(None, Some(before), Some(given)),
            facts: vec![format!("proof: {name} called no `{take}` between (1) and (2)")],
            help: Some(format!("remove the `{give}` of {}", line_of(given.site))),
            ..Finding::of(id)
        }
        .at(given.cycle)
    });
}

fn marks(stray: Option<Stray>, before: Option<Step>, given: Option<Step>) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    let gives = |step: Step| format!("{} its section", says(step));
    marks.extend(before.map(|step| mark(step, gives(step))));
    marks.extend(stray.map(|stray| {
        let Words { name, verb, .. } = words(stray.first.processor);
        mark(stray.first, format!("{name} {verb} Dst and holds no section"))
    }));
    let gives = |step: Step| format!("{} a section that it has not taken", says(step));
    marks.extend(given.map(|step| mark(step, gives(step))));
    marks
}

/// `math commits`, `pack releases`.
fn says(step: Step) -> String {
    let Words { name, gives, .. } = words(step.processor);
    format!("{name} {gives}")
}
