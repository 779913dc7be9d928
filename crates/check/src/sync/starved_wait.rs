//! Waits that nothing can end.

use tilewright_machine::{Activity, Processor, ProcessorId, SemaphoreTest, Waiting};
use tilewright_metal::Program;

use super::circular_wait::{declarations, ledgers, mark};
use super::wait_graph::{Knot, Node, WaitGraph, gone_past, need, too_many, victims};
use crate::FindingId;
use crate::declaration::declare;
use crate::ending::{RingWait, count_of, ledger_of, name, ring_wait};
use crate::finding::{Finding, Remedy, line_of};
use crate::tool::Tool;

declare! {
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
    Declaration { name: "starved-wait", tool: Some(Tool::Sync), loses_values: true }
}

pub(super) fn finding(program: &Program, graph: &WaitGraph<'_>, knot: &Knot) -> Finding {
    let node = &graph.nodes[knot.causes[0]];
    let mut marks = vec![mark(program, node)];
    marks.extend(declarations(program, &[node]));
    let (proof, help, remedy) = reason(program, graph, node);
    let mut facts = vec![format!("proof: {proof}")];
    facts.extend(ledgers(program, &[node]));
    facts.extend(victims(program, graph, knot).map(|who| format!("waiting behind it: {who}")));
    let id = FindingId::StarvedWait;
    let (who, need) = (node.state.id, need(program, node));
    let title = format!("{} on core {} waits for {need} for ever", who.processor, who.core);
    Finding { title, marks, facts, help: Some(help), remedy, ..Finding::of(id) }
        .at(node.state.cycle)
}

/// Why the wait cannot end, what would help, and what may help.
fn reason(
    program: &Program,
    graph: &WaitGraph<'_>,
    node: &Node<'_>,
) -> (String, String, Option<Remedy>) {
    let (proof, help) = match (too_many(node), gone_past(node)) {
        (Some((asked, ledger)), _) => {
            let id = ledger.config.id;
            let (name, pages) = (name(program, node.core.core, id), ledger.config.pages);
            let proof = format!(
                "it asks for {asked} pages of a {pages}-page buffer, so no schedule can satisfy it"
            );
            let help = format!("ask for {pages} or fewer pages of `{name}` at a time");
            let remedy = Remedy { rings: vec![id.0], least: Some(asked) };
            return (proof, help, Some(remedy));
        }
        (None, Some((wanted, word))) => (
            format!("the word must equal {wanted}; it has gone past that, to {word}"),
            format!("wait for at least {wanted}, or reset the word before others count it up"),
        ),
        (None, None) => fed(program, graph, node),
    };
    let remedy = match ring_wait(node.waiting) {
        Some((cb, RingWait::Space)) => Some(Remedy { rings: vec![cb.0], least: None }),
        Some((_, RingWait::Pages)) | None => None,
    };
    (proof, help, remedy)
}

/// Who has fed the wait so far.
fn fed(program: &Program, graph: &WaitGraph<'_>, node: &Node<'_>) -> (String, String) {
    match node.waiting {
        Waiting::ForPages { cb, asked } => {
            let ledger = ledger_of(node.core, cb);
            let (there, by) =
                ledger.map_or((0, [0; 5]), |ledger| (ledger.visible, ledger.pushed_by));
            let missing = asked.saturating_sub(there);
            let who = fed_by(graph, node, &by, "pushed");
            let name = name(program, node.core.core, cb);
            let proof = format!("{asked} asked, {there} there, {missing} missing; {who}");
            let line = line_of(node.state.site);
            let help = match there {
                0 => format!("push {missing} more to `{name}`, or wait once less at {line}"),
                _ => {
                    let there = count_of(there.into(), "page");
                    format!("wait for {there} at {line}, or push {missing} more to `{name}`")
                }
            };
            (proof, help)
        }
        Waiting::ForSpace { cb, asked } => {
            let ledger = ledger_of(node.core, cb);
            let (free, by) = ledger.map_or((0, [0; 5]), |ledger| (ledger.free, ledger.popped_by));
            let who = fed_by(graph, node, &by, "popped");
            let name = name(program, node.core.core, cb);
            let proof = format!("{asked} asked, {free} free; {who}");
            (proof, format!("wait for and pop what is pushed to `{name}`, or push less"))
        }
        Waiting::ForSemaphore { until, .. } => {
            let who = fed_by(graph, node, &[0; 5], "signalled");
            let (word, wanted) = (node.state.word.unwrap_or(0), value(until));
            let missing = wanted.saturating_sub(word);
            let line = line_of(node.state.site);
            let help = match missing {
                0 => format!("let another processor set the word to what {line} waits for"),
                _ => format!("signal {missing} more, or wait for {word} at {line}"),
            };
            (format!("it is {word} and must be {wanted}; {who}"), help)
        }
        Waiting::ForTransfers { .. }
        | Waiting::ForDstSection
        | Waiting::ForDstCommit
        | Waiting::ForDstDrained
        | Waiting::ForFreeBank(_)
        | Waiting::ForFullBank(_) => {
            let who = states(graph, &node.wakers, |_| String::new());
            (who, counterpart(node))
        }
    }
}

fn value(until: SemaphoreTest) -> u32 {
    match until {
        SemaphoreTest::Equal(value) | SemaphoreTest::AtLeast(value) => value,
    }
}

/// The call that would end a wait between the compute processors.
fn counterpart(node: &Node<'_>) -> String {
    let line = line_of(node.state.site);
    match node.waiting {
        Waiting::ForDstSection | Waiting::ForDstDrained => format!(
            "call `tile_regs_release()` for every section that math commits, or acquire fewer at \
             {line}"
        ),
        Waiting::ForDstCommit => format!(
            "call `tile_regs_commit()` for every section that pack waits for, or wait for fewer at \
             {line}"
        ),
        Waiting::ForFreeBank(_) => {
            format!("let math run the operations whose operands unpack brings at {line}")
        }
        Waiting::ForFullBank(_) => {
            format!("let unpack bring the operands of the operation at {line}")
        }
        Waiting::ForPages { .. }
        | Waiting::ForSpace { .. }
        | Waiting::ForSemaphore { .. }
        | Waiting::ForTransfers { .. } => "wait for no more than is on its way".to_owned(),
    }
}

/// Who has fed the wait so far, how much, and whether it still could.
fn fed_by(graph: &WaitGraph<'_>, node: &Node<'_>, counts: &[u64; 5], done: &str) -> String {
    if node.wakers.is_empty() {
        let else_ = if done == "signalled" { " else" } else { "" };
        return format!("nobody{else_} has {done} so far");
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
