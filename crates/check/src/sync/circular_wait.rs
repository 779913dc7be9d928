//! Processors that wait for each other.

use std::collections::BTreeSet;

use tilewright_metal::Program;

use super::wait_graph::{Knot, Node, WaitGraph, need, too_many, victims};
use crate::FindingId;
use crate::declaration::declare;
use crate::ending::{
    RingWait, buffer_of, count_of, joined, ledger_fact, ledger_of, name, ring_wait, waits,
};
use crate::finding::{Finding, Mark, Remedy};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// Processors that wait for each other in a circle: each holds back what the next one needs.
    /// # Why it matters
    /// None of them can ever move, nor can those who wait behind them. On a card the program hangs.
    /// # Instead
    /// Let one of them ask for less at a time, or in another order. More pages of a buffer are
    /// advised only if the program then completes, which `run` and `check` try; it is the host
    /// program's fault then, and the kernels' otherwise.
    pub struct CircularWait {}
    Declaration { name: "circular-wait", tool: Some(Tool::Sync), loses_values: true }
}

pub(super) fn finding(program: &Program, graph: &WaitGraph<'_>, knot: &Knot) -> Finding {
    let nodes: Vec<&Node<'_>> = knot.causes.iter().map(|place| &graph.nodes[*place]).collect();
    let core = nodes[0].core.core;
    let mut marks: Vec<Mark> = nodes.iter().map(|node| mark(program, node)).collect();
    marks.extend(declarations(program, &nodes));
    let mut facts = vec![format!("cycle: {}", circle(program, &nodes))];
    let impossible = nodes.iter().enumerate().find_map(|(at, node)| {
        let (asked, ledger) = too_many(node)?;
        Some((at + 1, asked, ledger))
    });
    if let Some((step, asked, ledger)) = impossible {
        let pages = ledger.config.pages;
        facts.insert(0, format!(
            "proof: ({step}) asks for {asked} pages of a {pages}-page buffer, so no schedule can \
             satisfy it"
        ));
    } else {
        facts.insert(0, "proof: each of them waits for what only the next can do".to_owned());
    }
    facts.extend(ledgers(program, &nodes));
    facts.extend(
        victims(program, graph, knot).map(|who| format!("waiting behind the cycle: {who}")),
    );
    let last = nodes.iter().map(|node| node.state.cycle).max().unwrap_or_default();
    let id = FindingId::CircularWait;
    let help = match impossible {
        Some((step, _, ledger)) => {
            let (name, pages) = (name(program, core, ledger.config.id), ledger.config.pages);
            format!("ask for {pages} or fewer pages of `{name}` at a time at ({step})")
        }
        None => order(&nodes),
    };
    let least = impossible.map(|(_, asked, _)| asked);
    let remedy = remedy(&nodes, least);
    Finding { title: title(&nodes), marks, facts, help: Some(help), remedy, ..Finding::of(id) }
        .at(last)
}

/// What can be done in the kernels alone.
fn order(nodes: &[&Node<'_>]) -> String {
    let numbers: Vec<String> = (1..=nodes.len()).map(|number| format!("({number})")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    match nodes {
        [_] => "let another processor do what (1) waits for".to_owned(),
        _ => format!(
            "let one of {} go on first: do there what the others wait for before waiting",
            joined(&numbers)
        ),
    }
}

/// The rings of which more pages might help: those in which a processor waits for space, or asks
/// for more than there are.
fn remedy(nodes: &[&Node<'_>], least: Option<u32>) -> Option<Remedy> {
    let ring = |node: &&Node<'_>| match ring_wait(node.waiting)? {
        (cb, RingWait::Space) => Some(cb.0),
        (cb, RingWait::Pages) => too_many(node).map(|_| cb.0),
    };
    let rings: Vec<u8> = nodes.iter().filter_map(ring).collect();
    (!rings.is_empty()).then_some(Remedy { rings, least })
}

fn title(nodes: &[&Node<'_>]) -> String {
    let core = nodes[0].core.core;
    let names: Vec<&str> = nodes.iter().map(|node| node.state.id.processor.name()).collect();
    match nodes {
        [_] => format!("{} on core {core} waits for itself", names[0]),
        _ if nodes.iter().all(|node| node.core.core == core) => {
            format!("{} on core {core} wait for each other", joined(&names))
        }
        _ => {
            let count = count_of(nodes.len() as u64, "processor");
            format!("{count} on several cores wait for each other, {} on {core} first", names[0])
        }
    }
}

/// `reader -(space in `cb`)-> unpack -(pages in `cb`)-> reader`
fn circle(program: &Program, nodes: &[&Node<'_>]) -> String {
    let core = nodes[0].core.core;
    let who = |node: &Node<'_>| {
        let id = node.state.id;
        if id.core == core {
            id.processor.to_string()
        } else {
            format!("{} {}", id.processor, id.core)
        }
    };
    let mut text = String::new();
    for node in nodes {
        text += &format!("{} -({})-> ", who(node), need(program, node));
    }
    text + &who(nodes[0])
}

/// A wait with its line.
pub(super) fn mark(program: &Program, node: &Node<'_>) -> Mark {
    let (id, site) = (node.state.id, node.state.site);
    let mut role = format!("{} {}", id.processor, waits(program, node.core, node.waiting));
    role += &node.state.word.map_or_else(String::new, |word| format!("; it is {word}"));
    Mark { role, site, processor: Some(id) }
}

/// The lines where the buffers that are waited for were declared.
pub(super) fn declarations(program: &Program, nodes: &[&Node<'_>]) -> Vec<Mark> {
    let mut seen = BTreeSet::new();
    let declared = |node: &&Node<'_>| {
        let cb = buffer_of(node.waiting).filter(|cb| seen.insert((node.core.core, *cb)))?;
        let (spec, site) = program.buffer(node.core.core, cb)?;
        let pages = count_of(spec.pages.into(), "page");
        let role = format!("`{}` was given {pages} here", spec.name);
        Some(Mark { role, site, processor: None })
    };
    nodes.iter().filter_map(declared).collect()
}

/// What the buffers that are waited for hold.
pub(super) fn ledgers(program: &Program, nodes: &[&Node<'_>]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let fact = |node: &&Node<'_>| {
        let cb = buffer_of(node.waiting).filter(|cb| seen.insert((node.core.core, *cb)))?;
        Some(ledger_fact(program, node.core.core, ledger_of(node.core, cb)?))
    };
    nodes.iter().filter_map(fact).collect()
}
