//! A wait for a word that still had the awaited value, so that it waited for nothing.

use tilewright_machine::{CoreCoord, L1Address, ProcessorId, Site};

use super::ledger::{Case, Kept, Ledger};
use super::order::CoreOrder;
use super::words;
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::finding::Mark;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A processor waits for a word twice, nobody has changed the word in between, and the change
    /// that the second wait was meant for comes later. It is reported where two accesses, or two
    /// changes of a word, of the two cores are in no order for lack of that wait.
    /// # Why it matters
    /// The second wait is over at once, because the word still has the value of the first round.
    /// The receiver then uses data that has not arrived, or tells the sender that there is room
    /// where there is none.
    /// # Instead
    /// Set the word back with `noc_semaphore_set` after each wait, before the other core is told
    /// that it may signal again; or wait for a value that grows with each round.
    pub struct RepeatedWait {}
    Declaration {
        name: "repeated-wait",
        tool: Some(Tool::Race),
        loses_values: true,
        follows: &[Cause::OfPages],
        stuck_waits: StuckWaits::ForAnyWord,
    }
}

/// Replaces what is in no order between two cores by the wait that should have given it one.
pub(super) fn blame(ledger: &mut Ledger, cores: &[CoreOrder]) {
    ledger.say_better(|ledger, kept| {
        let (one, other) = kept.between?;
        let [here, there] = [(one, other), (other, one)].map(|(core, from)| {
            let (at, wait) = cores[core].repeated_wait(from)?;
            Some(case(ledger, kept, (ledger.coord(core), at), wait))
        });
        here.or(there)
    });
}

fn case(
    ledger: &Ledger,
    kept: &Kept,
    (core, at): (CoreCoord, L1Address),
    wait: words::RepeatedWait,
) -> Case {
    let who = ProcessorId { core, processor: wait.processor };
    let mark = |role: &str, site: Site| Mark {
        role: format!("{} {role}", wait.processor),
        site,
        processor: Some(who),
    };
    let mut marks = vec![];
    if wait.before != wait.again {
        marks.push(mark("waits for it", wait.before));
    }
    marks.push(mark("waits again, for a value that it still has", wait.again));
    let again = marks.len();
    let first = if again == 2 { "(1)" } else { "the wait of the round before" };
    let word = ledger.word(at);
    Case {
        id: FindingId::RepeatedWait,
        site: wait.again,
        cycle: wait.cycle,
        core,
        title: format!(
            "{} on core {core} waits for {word}, which nobody has changed since its last wait",
            wait.processor
        ),
        marks,
        facts: vec![
            format!("proof: no change of {word} arrived between {first} and ({again})"),
            format!("as a result, {}", kept.case.title),
        ],
        help: format!(
            "set {word} back with `noc_semaphore_set` after {first}, before the other core is told \
             that it may signal again; or let ({again}) wait for a higher value"
        ),
        wants_use: false,
        word: Some(at),
    }
}
