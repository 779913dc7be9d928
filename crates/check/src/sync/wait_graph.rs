//! Who waits for whom at the end of a stuck run.
//!
//! Each blocked processor points at one that could end its wait, a blocked one if there is any.
//! Following the pointers ends in a cycle, or at a wait that nothing can end.

use std::collections::BTreeMap;

use tilewright_machine::{
    Activity, CbLedger, CoreState, Outcome, Processor, ProcessorId, ProcessorState, SourceId,
    Waiting,
};
use tilewright_metal::Program;

use super::users::Users;
use crate::ending::{ledger_of, name};

/// A blocked processor.
pub(super) struct Node<'a> {
    pub(super) core: &'a CoreState,
    pub(super) state: &'a ProcessorState,
    pub(super) waiting: Waiting,
    /// Those who could end the wait, as far as is known.
    pub(super) wakers: Vec<ProcessorId>,
    /// The blocked one among them that the graph follows.
    pub(super) next: Option<usize>,
    /// Whether nothing has fed the ring yet, so that its producer is a guess.
    pub(super) is_guess: bool,
}

/// A cycle or a starved wait, and those who wait behind it.
pub(super) struct Knot {
    pub(super) is_cycle: bool,
    pub(super) causes: Vec<usize>,
    pub(super) victims: Vec<usize>,
}

/// All blocked processors.
pub(super) struct WaitGraph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) outcome: &'a Outcome,
}

impl<'a> WaitGraph<'a> {
    pub(super) fn new(outcome: &'a Outcome, users: &Users) -> WaitGraph<'a> {
        let mut nodes: Vec<Node<'a>> = Vec::new();
        for core in &outcome.cores {
            for state in &core.processors {
                if let Activity::Blocked(waiting) = state.activity {
                    let wakers = wakers(state.id, waiting, users);
                    let (next, is_guess) = (None, false);
                    nodes.push(Node { core, state, waiting, wakers, next, is_guess });
                }
            }
        }
        let places: BTreeMap<ProcessorId, usize> =
            nodes.iter().enumerate().map(|(place, node)| (node.state.id, place)).collect();
        for node in &mut nodes {
            node.next = match is_beyond_help(node) {
                true => None,
                false => node.wakers.iter().find_map(|waker| places.get(waker).copied()),
            };
        }
        let mut graph = WaitGraph { nodes, outcome };
        graph.close_impossible_cycles(&places);
        graph.close_unknown_cycles();
        graph
    }

    /// A ring that nobody has fed or drained yet is fed or drained by somebody who waits, if that
    /// one waits for who waits for the ring: of those on the core, the nearest.
    fn close_unknown_cycles(&mut self) {
        for place in 0..self.nodes.len() {
            let node = &self.nodes[place];
            let is_ring =
                matches!(node.waiting, Waiting::ForSpace { .. } | Waiting::ForPages { .. });
            if node.next.is_some() || !node.wakers.is_empty() || !is_ring || is_beyond_help(node) {
                continue;
            }
            let core = node.core.core;
            let others = (0..self.nodes.len()).filter(|other| self.nodes[*other].core.core == core);
            let near = |other: usize| Some((self.steps(other, place)?, other));
            let Some((_, other)) = others.filter(|it| *it != place).filter_map(near).min() else {
                continue;
            };
            (self.nodes[place].next, self.nodes[place].is_guess) = (Some(other), true);
        }
    }

    /// How many pointers lead from one node to another.
    fn steps(&self, from: usize, to: usize) -> Option<usize> {
        let (mut at, mut steps) = (from, 0);
        while at != to {
            at = self.nodes[at].next?;
            steps += 1;
            if steps > self.nodes.len() {
                return None;
            }
        }
        Some(steps)
    }

    /// A wait for more pages than there are still is part of a cycle if those who wait for it are
    /// the ones it waits for: the cycle is the better explanation. Of two such waits on each other,
    /// the first is the cause. A value that was skipped over is a cause of its own.
    fn close_impossible_cycles(&mut self, places: &BTreeMap<ProcessorId, usize>) {
        for place in 0..self.nodes.len() {
            if self.nodes[place].next.is_some() || gone_past(&self.nodes[place]).is_some() {
                continue;
            }
            let back = self.nodes[place].wakers.iter().find_map(|waker| {
                let other = *places.get(waker)?;
                let is_behind = self.nodes[other].next.is_none() && other < place;
                let is_mutual = other != place && self.nodes[other].next == Some(place);
                (is_mutual || is_behind).then_some(other)
            });
            self.nodes[place].next = back;
        }
    }

    /// Every cycle and every starved wait, in the order of cores and processors.
    pub(super) fn knots(&self) -> Vec<Knot> {
        let ends: Vec<Vec<usize>> = (0..self.nodes.len()).map(|place| self.end(place)).collect();
        let mut knots: Vec<Knot> = Vec::new();
        for end in &ends {
            if !knots.iter().any(|knot| knot.causes == *end) {
                let is_cycle = self.nodes[end[0]].next.is_some();
                knots.push(Knot { is_cycle, causes: end.clone(), victims: Vec::new() });
            }
        }
        for knot in &mut knots {
            let is_victim =
                |place: &usize| ends[*place] == knot.causes && !knot.causes.contains(place);
            knot.victims = (0..self.nodes.len()).filter(is_victim).collect();
        }
        self.attach_unknown(knots)
    }

    /// A wait that nobody has fed so far most likely is behind another one: whoever would feed it
    /// has not come to that yet. It is a cause only if nothing else is stuck.
    fn attach_unknown(&self, mut knots: Vec<Knot>) -> Vec<Knot> {
        let is_unknown = |knot: &Knot| {
            let node = &self.nodes[knot.causes[0]];
            !knot.is_cycle && node.wakers.is_empty() && !is_beyond_help(node)
        };
        let is_pages =
            |knot: &Knot| matches!(self.nodes[knot.causes[0]].waiting, Waiting::ForPages { .. });
        let core = |knot: &Knot| self.nodes[knot.causes[0]].core.core;
        knots.sort_by_key(|knot| (is_unknown(knot), is_pages(knot), knot.causes[0]));
        let known = knots.iter().filter(|knot| !is_unknown(knot)).count();
        let mut kept: Vec<Knot> = Vec::new();
        for knot in knots {
            let near = kept.iter().position(|other| core(other) == core(&knot));
            let host = near.or((known > 0).then_some(0)).filter(|_| is_unknown(&knot));
            match host.and_then(|host| kept.get_mut(host)) {
                Some(host) => host.victims.extend(knot.causes.into_iter().chain(knot.victims)),
                None => kept.push(knot),
            }
        }
        kept.sort_by_key(|knot| knot.causes[0]);
        kept
    }

    /// The cycle that following the pointers leads to, from its first member on; or the last wait.
    fn end(&self, start: usize) -> Vec<usize> {
        let mut seen = vec![start];
        while let Some(next) = self.nodes[seen[seen.len() - 1]].next {
            if let Some(first) = seen.iter().position(|place| *place == next) {
                let mut cycle = seen[first..].to_vec();
                let least = (0..cycle.len()).min_by_key(|at| cycle[*at]).unwrap_or(0);
                cycle.rotate_left(least);
                return cycle;
            }
            seen.push(next);
        }
        vec![seen[seen.len() - 1]]
    }

    /// What a processor was doing at the end.
    pub(super) fn activity(&self, id: ProcessorId) -> Activity {
        let core = self.outcome.cores.iter().find(|core| core.core == id.core);
        let state = core.and_then(|core| core.processors.iter().find(|state| state.id == id));
        state.map_or(Activity::Idle, |state| state.activity)
    }
}

fn wakers(id: ProcessorId, waiting: Waiting, users: &Users) -> Vec<ProcessorId> {
    let here = |processor| vec![ProcessorId { core: id.core, processor }];
    match waiting {
        Waiting::ForSpace { cb, .. } => users.consumers(id.core, cb),
        Waiting::ForPages { cb, .. } => users.producers(id.core, cb),
        // Who waits cannot end the wait itself.
        Waiting::ForSemaphore { address, .. } => {
            let mut all = users.signallers(id.core, address);
            all.retain(|other| *other != id);
            all
        }
        Waiting::ForTransfers { .. } => Vec::new(),
        Waiting::ForDstSection | Waiting::ForDstDrained => here(Processor::Pack),
        Waiting::ForDstCommit => here(Processor::Math),
        Waiting::ForFreeBank(SourceId::A | SourceId::B) => here(Processor::Math),
        Waiting::ForFullBank(SourceId::A | SourceId::B) => here(Processor::Unpack),
    }
}

/// Whether no schedule can end the wait: it asks for more pages than there are, or for a value
/// that a word has gone past.
fn is_beyond_help(node: &Node<'_>) -> bool {
    too_many(node).is_some() || gone_past(node).is_some()
}

/// The pages asked for and the ledger of a buffer that has fewer.
pub(super) fn too_many<'a>(node: &Node<'a>) -> Option<(u32, &'a CbLedger)> {
    let (Waiting::ForSpace { cb, asked } | Waiting::ForPages { cb, asked }) = node.waiting else {
        return None;
    };
    let ledger = ledger_of(node.core, cb)?;
    (asked > ledger.config.pages).then_some((asked, ledger))
}

/// The value that an equality wait asks for and the larger one that the word has.
pub(super) fn gone_past(node: &Node<'_>) -> Option<(u32, u32)> {
    use tilewright_machine::SemaphoreTest::Equal;
    match (node.waiting, node.state.word) {
        (Waiting::ForSemaphore { until: Equal(wanted), .. }, Some(word)) if word > wanted => {
            Some((wanted, word))
        }
        _ => None,
    }
}

/// What a processor needs, in a few words.
pub(super) fn need(program: &Program, node: &Node<'_>) -> String {
    let buffer = |cb| name(program, node.core.core, cb);
    match node.waiting {
        Waiting::ForSpace { cb, .. } if node.is_guess => {
            format!("space in `{}`, which nobody has popped yet", buffer(cb))
        }
        Waiting::ForPages { cb, .. } if node.is_guess => {
            format!("pages in `{}`, which nobody has pushed yet", buffer(cb))
        }
        Waiting::ForSpace { cb, .. } => format!("space in `{}`", buffer(cb)),
        Waiting::ForPages { cb, .. } => format!("pages in `{}`", buffer(cb)),
        Waiting::ForSemaphore { address, .. } => format!("the word at {:#x}", address.0),
        Waiting::ForTransfers { .. } => "its transfers".to_owned(),
        Waiting::ForDstSection | Waiting::ForDstDrained => "Dst from pack".to_owned(),
        Waiting::ForDstCommit => "Dst from math".to_owned(),
        Waiting::ForFreeBank(_) => "a free source from math".to_owned(),
        Waiting::ForFullBank(_) => "operands from unpack".to_owned(),
    }
}

/// Who waits behind a knot: those on its first core by name, the others by number.
pub(super) fn victims(program: &Program, graph: &WaitGraph<'_>, knot: &Knot) -> Option<String> {
    let first = graph.nodes[knot.causes[0]].core.core;
    let nodes: Vec<&Node<'_>> = knot.victims.iter().map(|place| &graph.nodes[*place]).collect();
    let (near, far): (Vec<_>, Vec<_>) = nodes.into_iter().partition(|node| node.core.core == first);
    let mut words: Vec<String> = near
        .iter()
        .map(|node| format!("{} ({})", node.state.id.processor, need(program, node)))
        .collect();
    if !far.is_empty() {
        words.push(format!("{} on other cores", far.len()));
    }
    (!words.is_empty()).then(|| words.join(", "))
}
