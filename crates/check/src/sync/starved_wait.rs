//! Waits that nobody is left to end.

use tilewright_machine::{Activity, Processor, ProcessorId, Waiting};
use tilewright_metal::Program;

use super::circular_wait::{declarations, ledgers, mark};
use super::wait_graph::{Knot, Node, WaitGraph, gone_past, need, too_many, victims};
use crate::ending::{ledger_of, name};
use crate::finding::{Finding, FindingId};
use crate::manual::manual;

manual! {
    /// # What it finds
    /// A wait that nobody is left to end: whoever fed it has returned or never did, or no schedule
    /// can satisfy it, because it asks for more pages than its buffer has or for a value that a
    /// semaphore has gone past.
    /// # Why it matters
    /// The processor never moves again, nor do those who wait for it. On a card the program hangs.
    /// # Instead
    /// Push as many pages as are waited for, ask for no more than the buffer has, and wait for a
    /// semaphore that others count up with `at least`.
    pub struct StarvedWait {}
}

pub(super) fn finding(program: &Program, graph: &WaitGraph<'_>, knot: &Knot) -> Finding {
    let node = &graph.nodes[knot.causes[0]];
    let mut marks = vec![mark(program, node)];
    marks.extend(declarations(program, &[node]));
    let (proof, help) = reason(program, graph, node);
    let mut facts = vec![format!("proof: {proof}")];
    facts.extend(ledgers(program, &[node]));
    facts.extend(victims(program, graph, knot).map(|who| format!("waiting behind it: {who}")));
    facts.push(format!("cycle {}", node.state.cycle));
    let id = FindingId::StarvedWait;
    let (who, need) = (node.state.id, need(program, node));
    let title = format!("{} on core {} waits for {need} for ever", who.processor, who.core);
    Finding { title, marks, facts, help: Some(help), ..Finding::of(id) }
}

/// Why the wait cannot end, and what would help.
fn reason(program: &Program, graph: &WaitGraph<'_>, node: &Node<'_>) -> (String, String) {
    if let Some((asked, ledger)) = too_many(node) {
        let (name, pages) = (name(program, node.core.core, ledger.config.id), ledger.config.pages);
        return (
            format!(
                "it asks for {asked} pages of a {pages}-page buffer, so no schedule can satisfy it"
            ),
            format!("give `{name}` at least {asked} pages, or ask for {pages} or fewer at a time"),
        );
    }
    if let Some((wanted, word)) = gone_past(node) {
        return (
            format!("the word must equal {wanted}; it has gone past that, to {word}"),
            "wait for at least the value, or reset the word before others count it up".to_owned(),
        );
    }
    match node.waiting {
        Waiting::ForPages { cb, asked } => {
            let ledger = ledger_of(node.core, cb);
            let (there, by) =
                ledger.map_or((0, [0; 5]), |ledger| (ledger.visible, ledger.pushed_by));
            let missing = asked.saturating_sub(there);
            let who = fed_by(graph, node, &by, "pushed");
            let name = name(program, node.core.core, cb);
            let proof = format!("{asked} asked, {there} there, {missing} missing; {who}");
            let help = match there {
                0 => format!("push {missing} more to `{name}`, or do not wait for them"),
                _ => format!("push {missing} more to `{name}`, or wait for {there}"),
            };
            (proof, help)
        }
        Waiting::ForSpace { cb, asked } => {
            let ledger = ledger_of(node.core, cb);
            let (free, by) = ledger.map_or((0, [0; 5]), |ledger| (ledger.free, ledger.popped_by));
            let who = fed_by(graph, node, &by, "popped");
            let name = name(program, node.core.core, cb);
            let proof = format!("{asked} asked, {free} free; {who}");
            (proof, format!("pop what is used of `{name}`, or give it more pages"))
        }
        Waiting::ForSemaphore { .. } => {
            let who = fed_by(graph, node, &[0; 5], "signalled");
            (who, "let another processor change the word".to_owned())
        }
        Waiting::ForTransfers { .. }
        | Waiting::ForDstSection
        | Waiting::ForDstCommit
        | Waiting::ForDstDrained
        | Waiting::ForFreeBank(_)
        | Waiting::ForFullBank(_) => {
            let who = states(graph, &node.wakers, |_| String::new());
            (who, "let both sides take the same number of steps".to_owned())
        }
    }
}

/// Who has fed the wait so far, how much, and whether it still could.
fn fed_by(graph: &WaitGraph<'_>, node: &Node<'_>, counts: &[u64; 5], done: &str) -> String {
    if node.wakers.is_empty() {
        return format!("nobody has {done} so far");
    }
    states(graph, &node.wakers, |id| {
        let place = Processor::ALL.iter().position(|processor| *processor == id.processor);
        let count = place.map_or(0, |place| counts[place]);
        if done == "signalled" { String::new() } else { format!(", which {done} {count},") }
    })
}

fn states(
    graph: &WaitGraph<'_>,
    wakers: &[ProcessorId],
    done: impl Fn(ProcessorId) -> String,
) -> String {
    let state = |id: &ProcessorId| {
        let doing = match graph.activity(*id) {
            Activity::Idle => "has no kernel",
            Activity::Ready => "could still run",
            Activity::Blocked(_) => "is itself blocked",
            Activity::Finished => "has finished",
        };
        format!("{}{} {doing}", id.processor, done(*id))
    };
    wakers.iter().map(state).collect::<Vec<_>>().join("; ")
}
