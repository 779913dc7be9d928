//! Vector code that was recorded before: calls as a tree, and what came of each way through it.
//!
//! A function of a kernel makes the same calls for every tile, so that most of them are only
//! compared. Knows calls by their words; what they mean is `recording`'s business.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tilewright_tile::sfpu::program::unit::{Code, Counters};
use tilewright_tile::{Chip, DstWidth};

use super::REPLAY_LENGTH;
use super::recording::Block;

/// Calls that are kept on a thread: some 12 MB.
const CALLS_MAX: usize = 1 << 18;
/// Calls that may follow the same one, and beginnings that are told apart. A number that is never
/// the same twice would make every search longer.
const CHOICES_MAX: usize = 32;
/// No call.
const NONE: u32 = u32::MAX;

thread_local! {
    static PATHS: RefCell<Paths> = RefCell::new(Paths::default());
}

/// Looks at the paths of this thread.
pub(super) fn with<R>(act: impl FnOnce(&mut Paths) -> R) -> R {
    PATHS.with(|paths| act(&mut paths.borrow_mut()))
}

/// A call, with values named from the first one of its code on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) kind: u32,
    pub(super) words: [u32; 4],
}

/// What calls depend on besides each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) counters: Counters,
    pub(super) replay: [u32; REPLAY_LENGTH],
    /// Sfpi code in the replay buffer, by its first slot.
    pub(super) blocks: BTreeMap<u32, Block>,
    pub(super) width: Option<DstWidth>,
    pub(super) chip: Chip,
}

/// What a call has brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    /// The call's result, if it has one.
    pub(super) result: Option<u32>,
    /// How long the code is, and whether it is within a condition.
    pub(super) length: u32,
    pub(super) is_within_condition: bool,
}

/// What calls have come to.
#[derive(Clone)]
pub(super) struct Ended {
    /// Ready to be executed.
    pub(super) code: Rc<Code>,
    /// Values that were made.
    pub(super) made: u32,
    /// What the next code begins with.
    pub(super) state: Rc<State>,
}

struct Node {
    call: Call,
    reached: Reached,
    before: u32,
    first_after: u32,
    next_choice: u32,
    ended: Option<Ended>,
}

/// The tree.
#[derive(Default)]
pub(super) struct Paths {
    roots: Vec<(State, u32)>,
    nodes: Vec<Node>,
}

impl Paths {
    /// Where paths begin from a state, if there is room for it.
    pub(super) fn from(&mut self, state: &State) -> Option<u32> {
        if let Some((_, root)) = self.roots.iter().find(|(known, _)| known == state) {
            return Some(*root);
        }
        if self.roots.len() == CHOICES_MAX {
            return None;
        }
        let reached = Reached { result: None, length: 0, is_within_condition: false };
        let root = self.push(Call { kind: NONE, words: [0; 4] }, reached, NONE)?;
        self.roots.push((state.clone(), root));
        Some(root)
    }

    /// The call after a node, if it was made there before.
    pub(super) fn after(&self, node: u32, call: &Call) -> Option<u32> {
        let mut next = self.nodes[node as usize].first_after;
        while next != NONE {
            let there = &self.nodes[next as usize];
            if there.call == *call {
                return Some(next);
            }
            next = there.next_choice;
        }
        None
    }

    /// What a node's call has brought.
    pub(super) fn reached(&self, node: u32) -> Reached {
        self.nodes[node as usize].reached
    }

    /// Keeps a call that was made after a node, if there is room for it.
    pub(super) fn keep(&mut self, node: u32, call: Call, reached: Reached) -> Option<u32> {
        let (mut last, mut choices) = (NONE, 0);
        let mut next = self.nodes[node as usize].first_after;
        while next != NONE {
            (last, choices) = (next, choices + 1);
            next = self.nodes[next as usize].next_choice;
        }
        if choices >= CHOICES_MAX {
            return None;
        }
        let made = self.push(call, reached, node)?;
        match last {
            NONE => self.nodes[node as usize].first_after = made,
            last => self.nodes[last as usize].next_choice = made,
        }
        Some(made)
    }

    fn push(&mut self, call: Call, reached: Reached, before: u32) -> Option<u32> {
        if self.nodes.len() == CALLS_MAX {
            return None;
        }
        let (first_after, next_choice, ended) = (NONE, NONE, None);
        self.nodes.push(Node { call, reached, before, first_after, next_choice, ended });
        Some(self.nodes.len() as u32 - 1)
    }

    /// The calls that lead to a node, in order.
    pub(super) fn calls_to(&self, node: u32) -> Vec<Call> {
        let mut calls = Vec::new();
        let mut at = node;
        while self.nodes[at as usize].before != NONE {
            calls.push(self.nodes[at as usize].call);
            at = self.nodes[at as usize].before;
        }
        calls.reverse();
        calls
    }

    /// What the code that ends with a node's call has come to.
    pub(super) fn ended(&self, node: u32) -> Option<Ended> {
        self.nodes[node as usize].ended.clone()
    }

    /// Keeps what the code that ends with a node's call has come to.
    pub(super) fn keep_ended(&mut self, node: u32, ended: Ended) {
        self.nodes[node as usize].ended = Some(ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(base: u32) -> State {
        let mut counters = Counters::default();
        counters.base = base;
        let (replay, width) = ([0; REPLAY_LENGTH], Some(DstWidth::Bits16));
        State { counters, replay, width, ..State::default() }
    }

    fn call(word: u32) -> Call {
        Call { kind: 0, words: [word, 0, 0, 0] }
    }

    fn reached(length: u32) -> Reached {
        Reached { result: Some(length), length, is_within_condition: false }
    }

    #[test]
    fn paths_part_where_calls_differ() {
        let mut paths = Paths::default();
        let root = paths.from(&state(0)).expect("room");
        let first = paths.keep(root, call(1), reached(1)).expect("room");
        let second = paths.keep(first, call(2), reached(2)).expect("room");
        let other = paths.keep(first, call(3), reached(2)).expect("room");
        assert_eq!(paths.from(&state(0)), Some(root));
        assert_ne!(paths.from(&state(64)), Some(root), "rows come from the state");
        assert_eq!(paths.after(root, &call(1)), Some(first));
        assert_eq!(paths.after(first, &call(2)), Some(second));
        assert_eq!(paths.after(first, &call(3)), Some(other));
        assert_eq!(paths.after(root, &call(2)), None);
        assert_eq!(paths.calls_to(other), [call(1), call(3)]);
    }

    #[test]
    fn numbers_that_never_repeat_are_not_kept_for_ever() {
        let mut paths = Paths::default();
        let root = paths.from(&state(0)).expect("room");
        let kept = (0..100).filter(|word| paths.keep(root, call(*word), reached(1)).is_some());
        assert_eq!(kept.count(), CHOICES_MAX);
    }
}
