//! A wait for an exact value that an increment may carry the word past.

use tilewright_machine::L1Address;

use super::ledger::{Case, Ledger};
use super::words::{Change, ExactWait};
use crate::FindingId;
use crate::declaration::{StuckWaits, declare};
use crate::finding::Mark;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A `noc_semaphore_wait` for exactly a value, and an increment of the word that comes after it
    /// in this run and that nothing makes come after it in every run.
    /// # Why it matters
    /// If the increment is early, the word goes past the value before the waiting processor looks,
    /// and the wait never ends. That it went well is luck.
    /// # Instead
    /// Wait with `noc_semaphore_wait_min`, or make the incrementing processor wait for a credit
    /// that is sent after the wait.
    pub struct SkippableWait {}
    Declaration {
        name: "skippable-wait",
        tool: Some(Tool::Race),
        loses_values: true,
        stuck_waits: StuckWaits::ForItsWord,
    }
}

pub(super) fn case(
    ledger: &Ledger,
    (core, at): (usize, L1Address),
    wait: &ExactWait,
    next: &Change,
) -> Case {
    let (who, by) = (ledger.who(wait.slot), ledger.who(next.slot));
    let (word, value) = (ledger.word(at), wait.value);
    let seen = format!("{} waits until it equals {value}, and has seen that here", who.processor);
    let added =
        format!("{} on core {} adds to it, which may as well be earlier", by.processor, by.core);
    Case {
        id: FindingId::SkippableWait,
        site: wait.site,
        cycle: next.cycle,
        core: ledger.coord(core),
        title: format!(
            "{} on core {} waits until {word} equals {value}, which it may be carried past",
            who.processor, who.core
        ),
        marks: vec![
            Mark { role: seen, site: wait.site, processor: Some(who) },
            Mark { role: added, site: next.site, processor: Some(by) },
        ],
        facts: vec![format!(
            "proof: nothing that {} of core {} has awaited before (2) says that (1) is over",
            by.processor, by.core
        )],
        help: format!(
            "wait for at least {value} with `noc_semaphore_wait_min`, or let (2) await a credit \
             sent after (1)"
        ),
        wants_use: false,
        word: Some(at),
    }
}
