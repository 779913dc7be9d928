//! Pages that a consumer has used and does not pop.

use tilewright_machine::{CbId, CoreCoord, ProcessorId};
use tilewright_metal::Program;

use super::omission::{Omission, Words, report};
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::session::Found;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A ring whose producer waits for space for ever, or whose last pages nobody has looked at,
    /// and whose consumer waits for the same pages again and again without popping them, or pops
    /// fewer than it has waited for.
    /// # Why it matters
    /// The consumer works on the same pages each time, and the producer runs out of space: it
    /// waits for ever, and so does everybody behind it. Pages that are waited for once and kept,
    /// such as constants, are no finding.
    /// # Instead
    /// Pop what was waited for after its last use: after the last operation that reads it, or after
    /// the barrier that waits for its writes.
    pub struct MissingPop {}
    Declaration {
        name: "missing-pop",
        tool: Some(Tool::Sync),
        loses_values: true,
        miscounts: true,
        follows: &[Cause::OfItsRing],
        stuck_waits: StuckWaits::OfAnyProcessor,
    }
}

const WORDS: Words = Words {
    id: FindingId::MissingPop,
    asks: "waits for",
    asked: "waited for",
    ask: "cb_wait_front",
    give: "cb_pop_front",
    verb: "pop",
    gives: "pops",
    given: "popped",
    fills: "uses",
};

pub(super) fn finding(
    program: &Program,
    (core, cb): (CoreCoord, CbId),
    who: ProcessorId,
    omission: &Omission,
    found: &mut Found,
) {
    report(program, &WORDS, (core, cb), who, omission, found);
}
