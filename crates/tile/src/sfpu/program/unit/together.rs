//! Turns executed together: the lanes of many rows as one chunk.

use std::cell::RefCell;

use super::super::run::{CHUNK, Chunk, load, stored};
use super::code::{Place, Step};
use super::turns::{Given, TOGETHER, Turns};
use super::{LANES, Register, Rows};
use crate::chip::Arithmetic;

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
    for (place, given) in &turns.given {
        let chunk = &mut places[place.0 as usize];
        match given {
            Given::Word(word) => chunk.fill(*word),
            Given::Register(register) => {
                repeated(&registers[register.0 as usize], chunk);
            }
        }
    }
    let mut all_flags = [0; CHUNK];
    repeated(flags, &mut all_flags);
    let mut machine = Machine { places, spare: turns.places, flags: all_flags, stack: Vec::new() };
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
            Step::Word { out, word, .. } => self.places[out.0 as usize].fill(word),
            Step::Lanes { instruction, operands, out } => {
                let (known, spare) = self.places.split_at_mut(self.spare);
                let operands = operands.map(|place| &*known[place.0 as usize]);
                instruction.compute::<A, FUSED, CHUNK>(operands, &mut spare[0]);
                std::mem::swap(&mut known[out.0 as usize], &mut spare[0]);
            }
            Step::Merge { old, new, out } => {
                let [old, new] = [old, new].map(|place| *self.places[place.0 as usize]);
                let out = &mut self.places[out.0 as usize];
                for lane in 0..CHUNK {
                    out[lane] = new[lane] & self.flags[lane] | old[lane] & !self.flags[lane];
                }
            }
            Step::Load { mode, out, .. } => {
                let groups = self.places[out.0 as usize].as_chunks_mut::<LANES>().0;
                for (row, lanes) in its_rows.iter().zip(groups) {
                    load(mode, &rows.read(*row), lanes);
                }
            }
            Step::Store { mode, value, .. } => {
                let width = rows.width();
                let groups = self.places[value.0 as usize].as_chunks::<LANES>().0.iter();
                let flags = self.flags.as_chunks::<LANES>().0;
                for (row, (lanes, flags)) in its_rows.iter().zip(groups.zip(flags)) {
                    rows.write(*row, &stored(mode, width, lanes), flags);
                }
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
