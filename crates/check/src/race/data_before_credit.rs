//! Data sent to another core that no credit puts in order with its use there.

use tilewright_machine::Site;

use super::ledger::{Case, Clash, Ledger, Place};
use super::shadow::How;
use crate::FindingId;
use crate::declaration::{Cause, declare};
use crate::finding::Mark;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A NoC write into a core's L1, and a use of the same bytes there, without a credit that puts
    /// one before the other. Either the bytes are used though nothing that was awaited says that
    /// they have arrived, or they are sent though nothing that was awaited says that the last use
    /// is over. A credit is a word that somebody waits for: a semaphore that was incremented or
    /// written, or any write of at most 16 bytes.
    ///
    /// A credit stands for the data sent before it if it goes the same way: from the same
    /// processor, on the same NoC, and both to one core or both to a rectangle of cores. tt-metal
    /// gives each of the two a static virtual channel, on which requests stay in order. A credit
    /// that goes another way may overtake the data, and stands only for what a write barrier has
    /// covered before it.
    /// # Why it matters
    /// The receiver works on a tile that is half there, or a tile is replaced under its hands.
    /// # Instead
    /// Send the credit the way the data went, or call `noc_async_write_barrier()` before it; and
    /// wait for the receiver's credit before sending into the same bytes again.
    pub struct DataBeforeCredit {}
    Declaration {
        name: "data-before-credit",
        tool: Some(Tool::Race),
        loses_values: true,
        follows: &[Cause::OfPages],
    }
}

/// A use that may come too early, or a write that may; distinguished by the line that sends.
pub(super) fn case(ledger: &Ledger, clash: &Clash, credit: Option<Site>) -> Case {
    if clash.next.how == How::WriteInto { sent(ledger, clash) } else { used(ledger, clash, credit) }
}

fn used(ledger: &Ledger, clash: &Clash, credit: Option<Site>) -> Case {
    let (old, next, page) = (&clash.old, &clash.next, ledger.bytes(clash));
    let (sender, user) = (ledger.who(old.slot), ledger.who(next.slot));
    let mut marks = vec![
        ledger.mark(old, format!("{} on core {} sends the bytes", sender.processor, sender.core)),
    ];
    let (proof, help) = if let Some(site) = credit {
        let role = "the credit goes another way and may overtake (1)".to_owned();
        marks.push(Mark { role, site, processor: Some(sender) });
        (
            format!(
                "proof: {} called no `noc_async_write_barrier` that covers (1) before (2)",
                sender.processor
            ),
            "call `noc_async_write_barrier()` before (2), or send (2) the way (1) goes",
        )
    } else {
        (
            "proof: no semaphore that was awaited before (2) was signalled after (1)".to_owned(),
            "let the sender signal a semaphore after (1), and wait for it before (2)",
        )
    };
    marks.push(ledger.mark(next, ledger.deed(next)));
    Case {
        id: FindingId::DataBeforeCredit,
        site: ledger.site_of(old),
        cycle: next.cycle,
        core: user.core,
        title: format!(
            "{} on core {} uses {page} before it is sure to have arrived",
            user.processor, user.core
        ),
        marks,
        facts: vec![proof],
        help: help.to_owned(),
        wants_use: false,
        word: None,
    }
}

fn sent(ledger: &Ledger, clash: &Clash) -> Case {
    let (old, next, page) = (&clash.old, &clash.next, ledger.bytes(clash));
    let (sender, user) = (ledger.who(next.slot), ledger.who(old.slot));
    let target = match clash.place {
        Place::L1(core) => ledger.coord(core),
        Place::Dram(_) => user.core,
    };
    let name = sender.processor;
    Case {
        id: FindingId::DataBeforeCredit,
        site: ledger.site_of(next),
        cycle: next.cycle,
        core: target,
        title: format!(
            "{name} on core {} sends into {page} of core {target}, used in no order",
            sender.core
        ),
        marks: vec![
            ledger.mark(old, format!("on core {}, {}", user.core, ledger.deed(old))),
            ledger.mark(next, format!("{name} sends {} bytes into it", next.end - next.start)),
        ],
        facts: vec![format!("proof: nothing that {name} has awaited says that (1) is over")],
        help:
            "let (2) await a credit sent after (1), or, if (1) wants these bytes, (1) one after (2)"
                .to_owned(),
        wants_use: false,
        word: None,
    }
}
