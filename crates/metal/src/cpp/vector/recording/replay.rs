//! The replay buffer: instructions by their words, and sfpi code by its calls.
//!
//! What the sfpi compiler makes of code is executed wherever the buffer is replayed, with the
//! counters of then. Code of a length that the compiler could not have made is refused.

use tilewright_tile::sfpu::program::unit::{Code, Place};

use super::super::paths::Call;
use super::super::{REPLAY, REPLAY_LENGTH};
use super::{Recorded, Recording, names};

/// What a slot holds that is a part of sfpi code, with the first slot of it below: no instruction
/// has this opcode.
const BLOCK: u32 = 0xff00_0000;

/// Sfpi code in the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Block {
    slots: u32,
    /// Values are named from the first one of the block on.
    calls: Vec<Call>,
}

/// Instructions on their way to the buffer.
pub(super) struct Loading {
    at: u32,
    left: u32,
    executes: bool,
    has_instructions: bool,
    begun: Option<Begun>,
}

/// Sfpi code on its way there.
struct Begun {
    code: Code,
    /// Its first value; those before are not its own.
    first: u32,
    calls: Vec<Call>,
}

impl Begun {
    /// Names that the code so far has given are left out.
    fn after(code: &Code) -> Begun {
        let mut own = Code::default();
        for _ in 0..code.values() {
            own.value();
        }
        Begun { code: own, first: next_place(code), calls: Vec::new() }
    }
}

fn next_place(code: &Code) -> u32 {
    Code::FIRST_VALUE + code.values()
}

/// The words of a call with each name changed.
fn renamed(kind: u32, words: [u32; 4], change: impl Fn(u32) -> u32) -> [u32; 4] {
    let names = names(kind);
    std::array::from_fn(|at| match words[at] {
        word if names >> at & 1 == 1 && word != u32::MAX => change(word),
        word => word,
    })
}

impl Recording {
    /// An instruction that a kernel issues.
    pub(super) fn instruction(&mut self, word: u32) -> Recorded<()> {
        if word >> 24 == REPLAY {
            self.close_block()?;
        }
        let Some(loading) = &mut self.loading else {
            return if word >> 24 == REPLAY { self.replay(word) } else { self.issue(word) };
        };
        if loading.begun.is_some() {
            return Err("instructions after sfpi code for the replay buffer".to_owned());
        }
        self.state.replay[loading.at as usize % REPLAY_LENGTH] = word;
        (loading.at, loading.left) = (loading.at + 1, loading.left - 1);
        loading.has_instructions = true;
        let executes = loading.executes;
        if loading.left == 0 {
            self.loading = None;
        }
        if executes { self.issue(word) } else { Ok(()) }
    }

    fn replay(&mut self, word: u32) -> Recorded<()> {
        let (at, left) = (word >> 14 & 0x3ff, word >> 4 & 0x3ff);
        if word & 1 == 1 {
            let executes = word & 2 != 0;
            let loading = Loading { at, left, executes, has_instructions: false, begun: None };
            self.loading = (left > 0).then_some(loading);
            return Ok(());
        }
        let mut slot = at;
        while slot < at + left {
            let word = self.state.replay[slot as usize % REPLAY_LENGTH];
            if word & BLOCK == BLOCK {
                slot += self.replay_block(word & !BLOCK, (slot, at + left - slot))?;
            } else {
                self.issue(word)?;
                slot += 1;
            }
        }
        Ok(())
    }

    /// Repeats sfpi code; the slots that it fills.
    fn replay_block(&mut self, first: u32, (slot, left): (u32, u32)) -> Recorded<u32> {
        let block = self.state.blocks.get(&first).filter(|it| first == slot && it.slots <= left);
        let block = block.cloned().ok_or("a part of sfpi code in the replay buffer")?;
        let first = next_place(&self.code);
        for Call { kind, words } in block.calls {
            self.lanes_now(kind, renamed(kind, words, |name| name.wrapping_add(first)))?;
        }
        Ok(block.slots)
    }

    /// Sfpi code for the replay buffer: nothing is executed, and no counter moves.
    pub(super) fn load_lanes(&mut self, kind: u32, words: [u32; 4]) -> Recorded<Option<Place>> {
        let Some(loading) = &mut self.loading else { return self.lanes_now(kind, words) };
        if loading.executes || loading.has_instructions {
            return Err("sfpi code among instructions for the replay buffer".to_owned());
        }
        let mut begun = loading.begun.take().unwrap_or_else(|| Begun::after(&self.code));
        let named = names(kind);
        let is_outside = |at: usize| named >> at & 1 == 1 && words[at] < begun.first;
        if (0..words.len()).any(is_outside) {
            return Err("a vector from outside of sfpi code for the replay buffer".to_owned());
        }
        let counters = self.state.counters.clone();
        std::mem::swap(&mut self.code, &mut begun.code);
        let made = self.lanes_now(kind, words);
        std::mem::swap(&mut self.code, &mut begun.code);
        self.state.counters = counters;
        let words = renamed(kind, words, |name| name - begun.first);
        begun.calls.push(Call { kind, words });
        if let Some(loading) = &mut self.loading {
            loading.begun = Some(begun);
        }
        made
    }

    /// Ends sfpi code for the replay buffer: something else follows.
    pub(super) fn close_block(&mut self) -> Recorded<()> {
        let Some(loading) = self.loading.take_if(|loading| loading.begun.is_some()) else {
            return Ok(());
        };
        let Loading { at, left, begun: Some(begun), .. } = loading else { return Ok(()) };
        let Begun { mut code, first, calls } = begun;
        for _ in first..next_place(&code) {
            self.code.value();
        }
        for slot in at..at + left {
            self.state.replay[slot as usize % REPLAY_LENGTH] = BLOCK | at;
        }
        code.fuse(self.state.chip);
        code.settle();
        // An instruction may need one after it to wait for, or another for half of its constant.
        let length = code.len() as u32;
        if (length..=2 * length).contains(&left) {
            self.state.blocks.insert(at, Block { slots: left, calls });
            return Ok(());
        }
        self.state.blocks.remove(&at);
        Err(format!("sfpi code of {length} instructions for {left} of the replay buffer"))
    }
}
