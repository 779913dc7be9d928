//! Turns executed together: the lanes of many rows as one chunk.

use std::cell::RefCell;

use super::super::run::{load, stored};
use super::code::{Place, Step};
use super::turns::{CHUNK, Chunk, Given, TOGETHER, Turns};
use super::{LANES, Register, Rows};
use crate::chip::Arithmetic;
use crate::sfpu::direct;

thread_local! {
    /// What places hold is never looked at before it is written, so that those of the last turns
    /// serve the next ones.
    #[expect(clippy::vec_box, reason = "a result is exchanged for the spare place, not copied")]
    static PLACES: RefCell<Vec<Box<Chunk>>> = const { RefCell::new(Vec::new()) };
}

/// Executes turns with the registers and the flags that they begin with; neither changes.
#[inline(always)]
pub(super) fn run<A: Arithmetic, const FUSED: bool>(
    turns: &Turns,
    (registers, flags): (&[Register], &Register),
    rows: &mut dyn Rows,
) {
    let mut places = PLACES.take();
    // One more, for results.
    places.resize_with(places.len().max(turns.places + 1), || Box::new([0; CHUNK]));
    let mut is_plain = vec![false; turns.places];
    for ((chunk, is_plain), given) in places.iter_mut().zip(&mut is_plain).zip(&turns.given) {
        match given {
            Given::Word(word) => chunk.fill(*word),
            Given::Register(register) => {
                repeated(&registers[register.0 as usize], chunk);
            }
        }
        *is_plain = direct::is_plain(&chunk[..]);
    }
    let mut all_flags = [0; CHUNK];
    repeated(flags, &mut all_flags);
    let (spare, stack) = (turns.places, Vec::new());
    let mut machine = Machine { places, is_plain, spare, flags: all_flags, stack };
    for first in (0..turns.count).step_by(TOGETHER) {
        let count = TOGETHER.min(turns.count - first);
        for (at, step) in turns.body.iter().enumerate() {
            // The same step of each turn: only its row is another.
            let its_rows = &turns.rows[at * turns.count + first..][..count];
            machine.step::<A, FUSED>(*step, its_rows, rows);
        }
    }
    PLACES.set(machine.places);
}

fn repeated(register: &Register, chunk: &mut Chunk) {
    chunk.as_chunks_mut::<LANES>().0.fill(*register);
}

struct Machine {
    #[expect(clippy::vec_box, reason = "a result is exchanged for the spare place, not copied")]
    places: Vec<Box<Chunk>>,
    /// Places of which it is known that products can be trusted with them ([`direct::is_plain`]).
    is_plain: Vec<bool>,
    spare: usize,
    flags: Chunk,
    stack: Vec<Chunk>,
}

impl Machine {
    #[inline(always)]
    fn step<A: Arithmetic, const FUSED: bool>(
        &mut self,
        step: Step,
        its_rows: &[u32],
        rows: &mut dyn Rows,
    ) {
        match step {
            Step::Word { out, word, .. } => {
                self.places[out.0 as usize].fill(word);
                self.is_plain[out.0 as usize] = direct::is_plain(&[word]);
            }
            Step::Lanes { instruction, operands, out } => {
                let (known, spare) = self.places.split_at_mut(self.spare);
                let is_plain = [0, 1].map(|at: usize| self.is_plain[operands[at].0 as usize]);
                let operands = operands.map(|place| &*known[place.0 as usize]);
                self.is_plain[out.0 as usize] =
                    instruction.compute::<A, FUSED, CHUNK>(operands, is_plain, &mut spare[0]);
                std::mem::swap(&mut known[out.0 as usize], &mut spare[0]);
            }
            Step::Merge { old, new, out } => {
                let is_plain = [old, new].iter().all(|place| self.is_plain[place.0 as usize]);
                let [old, new] = [old, new].map(|place| *self.places[place.0 as usize]);
                let out_lanes = &mut self.places[out.0 as usize];
                for lane in 0..CHUNK {
                    out_lanes[lane] = new[lane] & self.flags[lane] | old[lane] & !self.flags[lane];
                }
                self.is_plain[out.0 as usize] = is_plain;
            }
            Step::Load { mode, out, .. } => {
                let lanes = &mut self.places[out.0 as usize];
                rows.read_each(its_rows, lanes.as_chunks_mut::<LANES>().0);
                load(mode, lanes);
                self.is_plain[out.0 as usize] = false;
            }
            Step::Store { mode, value, .. } => {
                let (known, spare) = self.places.split_at_mut(self.spare);
                stored(mode, rows.width(), &known[value.0 as usize], &mut spare[0]);
                let flags = self.flags.as_chunks::<LANES>().0;
                rows.write_each(its_rows, spare[0].as_chunks::<LANES>().0, flags);
            }
            step => self.change_flags(step),
        }
    }

    fn change_flags(&mut self, step: Step) {
        match step {
            Step::Push => self.stack.push(self.flags),
            Step::Pop => self.flags = self.stack.pop().expect("a condition has begun"),
            Step::Complement => {
                let before = self.stack.last().expect("a condition has begun");
                for (flag, before) in self.flags.iter_mut().zip(before) {
                    *flag = before & !*flag;
                }
            }
            Step::Require(Place(mask)) => {
                let mask = &self.places[mask as usize];
                self.flags.iter_mut().zip(mask.iter()).for_each(|(flag, mask)| *flag &= mask);
            }
            other => unreachable!("{other:?} is no step of turns"),
        }
    }
}
