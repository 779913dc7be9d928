//! Pages that a producer has filled and does not push.

use tilewright_machine::{CbId, CoreCoord, ProcessorId};
use tilewright_metal::Program;

use super::omission::{Omission, Words, report};
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::session::Found;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A ring whose consumer waits for pages for ever, and whose producer reserves pages and does
    /// not push them, or pushes fewer than it has reserved.
    /// # Why it matters
    /// The consumer never sees the pages: it waits for ever, and so does everybody behind it.
    /// # Instead
    /// Push what was reserved once it is filled: after the barrier that waits for its reads, or
    /// after the last tile is packed.
    pub struct MissingPush {}
    Declaration {
        name: "missing-push",
        tool: Some(Tool::Sync),
        loses_values: true,
        miscounts: true,
        follows: &[Cause::OfItsRing],
        stuck_waits: StuckWaits::OfAnyProcessor,
    }
}

const WORDS: Words = Words {
    id: FindingId::MissingPush,
    asks: "reserves",
    asked: "reserved",
    ask: "cb_reserve_back",
    give: "cb_push_back",
    verb: "push",
    gives: "pushes",
    given: "pushed",
    fills: "fills",
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
