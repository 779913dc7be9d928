//! Dst taken again inside a section, and both sections given away later.

use super::{Words, mark, words};
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::finding::Finding;
use crate::flow::Step;
use crate::session::{Found, Token};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// Math acquires Dst while it holds a section that it commits later: a section inside another.
    /// # Why it matters
    /// The inner commit gives the whole section to pack and moves math on to the next one; pack
    /// clears what it releases. Whatever the outer code kept in Dst is lost, silently.
    /// # Instead
    /// Commit before calling code that acquires, and carry values over in a circular buffer; or
    /// let the inner code use the section that is already held. A section that is never committed
    /// is `unreleased-section`.
    pub struct NestedAcquire {}
    Declaration {
        name: "nested-acquire",
        tool: Some(Tool::Dst),
        loses_values: true,
        is_of_sections: true,
        follows: &[Cause::OfSections],
        stuck_waits: StuckWaits::OfCompute,
    }
}

/// Tells of a section inside another; `given` is where the inner one was given away.
pub(super) fn report(
    outer: Step,
    inner: Step,
    (given, token): (Option<Step>, Token),
    found: &mut Found,
) {
    let (id, who) = (FindingId::NestedAcquire, outer.processor);
    found.add_token(token, id, inner.site, (inner.cycle, who.core), || {
        let Words { name, take, give, .. } = words(who);
        let mut marks = vec![
            mark(outer, format!("{name} takes a section")),
            mark(inner, format!("{name} takes another, with the section of (1) still held")),
        ];
        let role = "gives the section away, and it is cleared";
        marks.extend(given.map(|step| mark(step, role.to_owned())));
        Finding {
            title: format!("{name} on core {} acquires Dst inside an acquired section", who.core),
            marks,
            facts: vec![
                format!("proof: no `{give}` between (1) and (2)"),
                "what was written since (1) is given away with (2)'s section".to_owned(),
            ],
            help: Some(format!(
                "leave `{take}` at (2) and its `{give}` out, or commit and pack (1)'s tiles before"
            )),
            ..Finding::of(id)
        }
        .at(inner.cycle)
    });
}
