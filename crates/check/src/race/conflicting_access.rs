//! Two accesses to the same bytes that nothing puts in order.

use super::ledger::{Case, Clash, Ledger, Place};
use super::shadow::How;
use crate::FindingId;
use crate::declaration::{Cause, declare};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// Two accesses to the same bytes of L1 or DRAM, at least one of them a write, that nothing
    /// puts in order. What puts things in order: a page pushed and waited for, or popped and
    /// reserved; a semaphore that was awaited; a barrier, for its processor's own transfers; Dst
    /// committed and waited for, or released and acquired; operands handed from unpack to math.
    /// # Why it matters
    /// The order in which they happened is luck. Another seed, or a card, has another one.
    /// # Instead
    /// Let the second wait for the first, with one of these.
    pub struct ConflictingAccess {}
    Declaration {
        name: "conflicting-access",
        tool: Some(Tool::Race),
        loses_values: true,
        // A processor that leaves its window meets others there.
        follows: &[Cause::OfTool(Tool::Memory)],
    }
}

pub(super) fn case(ledger: &Ledger, clash: &Clash, is_under_way: bool) -> Case {
    let (old, next, bytes) = (&clash.old, &clash.next, ledger.bytes(clash));
    let (first, second) = (ledger.who(old.slot), ledger.who(next.slot));
    let title = match clash.place {
        _ if is_under_way && are_both_reads(clash) => {
            format!("{} reads twice into {bytes}, and either may land last", second.processor)
        }
        _ if is_under_way && old.how == How::ReadInto => {
            format!("{} writes {bytes} while a NoC read into it is in flight", second.processor)
        }
        Place::L1(core) if first.core == second.core && first.core == ledger.coord(core) => {
            let who = if first == second {
                format!("{first}'s transfers", first = first.processor)
            } else {
                format!("{} and {}", first.processor, second.processor)
            };
            format!("{who} on core {} use {bytes} in no order", first.core)
        }
        Place::L1(core) => {
            let core = ledger.coord(core);
            format!(
                "cores {} and {} use {bytes} of core {core} in no order",
                first.core, second.core
            )
        }
        Place::Dram(_) if first.core == second.core => {
            format!("core {} uses {bytes} twice, in no order", first.core)
        }
        Place::Dram(_) => {
            format!("cores {} and {} use {bytes} in no order", first.core, second.core)
        }
    };
    Case {
        id: FindingId::ConflictingAccess,
        // The same two lines in the other order are the same conflict.
        site: ledger.site_of(next).max(ledger.site_of(old)),
        cycle: next.cycle,
        core: second.core,
        title,
        marks: vec![
            ledger.mark(old, format!("on core {}, {}", first.core, ledger.deed(old))),
            ledger.mark(next, format!("on core {}, {}", second.core, ledger.deed(next))),
        ],
        facts: vec![
            "proof: no buffer, semaphore, barrier or Dst section puts (1) before (2)".to_owned(),
        ],
        help: help(clash, is_under_way).to_owned(),
        wants_use: false,
        word: None,
    }
}

/// Whether two NoC reads write the same bytes.
fn are_both_reads(clash: &Clash) -> bool {
    [clash.old.how, clash.next.how] == [How::ReadInto; 2]
}

fn help(clash: &Clash, is_under_way: bool) -> &'static str {
    let old = clash.old.how;
    if is_under_way && are_both_reads(clash) {
        "read to another address in (2), or, if (1) has been used by then, call \
         `noc_async_read_barrier()` before (2)"
    } else if is_under_way && matches!(old, How::ReadInto | How::ReadFrom) {
        "call `noc_async_read_barrier()` before (2)"
    } else if matches!(clash.place, Place::Dram(_)) && old == How::WriteInto {
        "call `noc_async_write_barrier()` after (1), then signal who does (2), who waits for it"
    } else {
        "let (2) wait for (1): for a page, a semaphore or a barrier"
    }
}
