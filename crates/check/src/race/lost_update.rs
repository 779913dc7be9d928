//! A word that is set while another processor may change it.

use tilewright_machine::{L1Address, ProcessorId};

use super::ledger::{Case, Ledger};
use super::words::{Change, How};
use crate::FindingId;
use crate::declaration::{StuckWaits, declare};
use crate::finding::Mark;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A semaphore or another word in L1 that a processor sets, by `noc_semaphore_set` or through a
    /// pointer, while nothing puts the set in order with a change by somebody else: an increment,
    /// a word from another core, or a set by another processor. To read the word first and to set
    /// it to what came of that is no better: the two are two accesses.
    ///
    /// The set is ordered if it follows a wait that saw the change, or if the processor that
    /// changes the word has awaited something that came after the set. So
    /// `noc_semaphore_wait(s, n)` and then `noc_semaphore_set(s, 0)` is right where n changes are
    /// all there are until the others hear of the set. Increments need no order among each other.
    /// # Why it matters
    /// A change that comes just before the set is lost: somebody waits for ever, or too little.
    /// # Instead
    /// Let all sides use `noc_semaphore_inc` and wait for growing values, or make the processor
    /// that changes the word wait for a credit that is sent after the set.
    pub struct LostUpdate {}
    Declaration {
        name: "lost-update",
        tool: Some(Tool::Race),
        loses_values: true,
        stuck_waits: StuckWaits::ForItsWord,
    }
}

pub(super) fn case(
    ledger: &Ledger,
    (core, at): (usize, L1Address),
    old: &Change,
    next: &Change,
) -> Case {
    let (set, other) = if next.how == How::Set { (next, old) } else { (old, next) };
    let (who, by) = (ledger.who(set.slot), ledger.who(other.slot));
    let title = title(&ledger.word(at), who, by, other.how);
    let mut marks: Vec<Mark> = Vec::new();
    let read = set.read.map(|site| {
        let role = format!("{} reads it", who.processor);
        Mark { role, site, processor: Some(who) }
    });
    marks.extend(read);
    let first = marks.len() + 1;
    marks.push(mark(ledger, old));
    marks.push(mark(ledger, next));
    let mut facts = vec![format!(
        "proof: nothing that was awaited puts ({first}) before ({second}) in every schedule",
        second = first + 1
    )];
    if set.read.is_some() {
        facts.push("what changes between (1) and the set that follows it is lost".to_owned());
    }
    let help = match other.how {
        How::Set => "let both use `noc_semaphore_inc`, or one wait for the other".to_owned(),
        How::Add if by == who => "call `noc_async_atomic_barrier()` before the set".to_owned(),
        How::Add => {
            "change the word by `noc_semaphore_inc` alone, or make the incrementing processor wait \
             for a credit that is sent after the set"
                .to_owned()
        }
        How::Write => format!(
            "set the word before telling core {} that it may write, and await what it writes",
            by.core
        ),
    };
    Case {
        id: FindingId::LostUpdate,
        site: set.site,
        cycle: next.cycle,
        core: ledger.coord(core),
        title,
        marks,
        facts,
        help,
        wants_use: false,
        word: Some(at),
    }
}

fn title(word: &str, who: ProcessorId, by: ProcessorId, how: How) -> String {
    match how {
        How::Set => format!(
            "{} and {} on core {} set {word} in no order",
            by.processor, who.processor, who.core
        ),
        How::Add if by.core == who.core => {
            format!(
                "{} on core {} sets {word}, to which {} adds in no order",
                who.processor, who.core, by.processor
            )
        }
        How::Add => {
            format!(
                "{} on core {} sets {word}, to which core {} adds in no order",
                who.processor, who.core, by.core
            )
        }
        How::Write => {
            format!(
                "{} on core {} sets {word}, which core {} writes in no order",
                who.processor, who.core, by.core
            )
        }
    }
}

fn mark(ledger: &Ledger, change: &Change) -> Mark {
    let who = ledger.who(change.slot);
    let role = match change.how {
        How::Set => format!("{} on core {} sets it", who.processor, who.core),
        How::Add => format!("{} on core {} adds to it", who.processor, who.core),
        How::Write => format!("{} on core {} writes it", who.processor, who.core),
    };
    Mark { role, site: change.site, processor: Some(who) }
}
