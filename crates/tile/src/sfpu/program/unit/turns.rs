//! Steps that code repeats on other rows of Dst: the turns of a kernel's loop over a tile.
//!
//! Turns that have nothing to do with each other are executed together, so that a step is looked at
//! once for many rows.

use std::ops::Range;

use super::LANES;
use super::code::{Code, Place, Step};
use super::settle::share_places;

/// Turns that are executed together: as many as keep their places in the nearest cache.
pub(super) const TOGETHER: usize = 16;
/// Their lanes.
pub(super) const CHUNK: usize = TOGETHER * LANES;
pub(super) type Chunk = [u32; CHUNK];
/// Turns that are worth it.
const COUNT_MIN: usize = 4;
/// Steps of a turn that are looked for.
const LENGTH_MAX: usize = 512;
/// Lengths that are tried from a step, and steps from which none is found before the search ends.
const LENGTHS_MAX: usize = 8;
const MISSES_MAX: usize = 64;
/// Accesses that rows of Dst have: bit 0 of a row is not looked at.
const ACCESSES: usize = 512;

/// Turns of the same steps, one after another.
#[derive(Debug)]
pub(super) struct Turns {
    /// The first step of the first turn.
    pub(super) first: usize,
    /// Steps of a turn.
    pub(super) length: usize,
    pub(super) count: usize,
    /// The steps of a turn, with places of their own.
    pub(super) body: Vec<Step>,
    /// The rows of each of these steps, turn by turn.
    pub(super) rows: Vec<u32>,
    /// What the first places hold in every turn.
    pub(super) given: Vec<Given>,
    /// Places in use.
    pub(super) places: usize,
}

/// A value from before the turns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    Register(Place),
    Word(u32),
}

impl Turns {
    /// The step after the last turn.
    pub(super) fn end(&self) -> usize {
        self.first + self.length * self.count
    }
}

impl Code {
    /// Finds turns that can be executed together, before values share their places. Worth its time
    /// for code that is executed often.
    pub(super) fn find_turns(&mut self) {
        let (mut at, mut misses) = (0, 0);
        while let Some(first) = (at..self.steps.len()).find(|at| is_load(&self.steps[*at])) {
            match self.turns_from(first) {
                Some(turns) => {
                    at = turns.end();
                    self.turns.push(turns);
                }
                None if misses == MISSES_MAX => return,
                None => (at, misses) = (first + 1, misses + 1),
            }
        }
    }

    /// The turns that begin with a step, the shortest ones.
    fn turns_from(&self, first: usize) -> Option<Turns> {
        let steps = &self.steps[first..];
        let longest = LENGTH_MAX.min(steps.len() / COUNT_MIN);
        let lengths = (1..=longest).filter(|length| is_load(&steps[*length]));
        lengths.take(LENGTHS_MAX).find_map(|length| {
            let own = Own::of(steps, length)?;
            let mut apart = Apart::default();
            let turns = steps.chunks_exact(length).enumerate();
            let is_one = |(turn, steps): &(usize, &[Step])| {
                own.is_turn(*turn, steps) && apart.takes(*turn, steps)
            };
            let count = turns.take_while(is_one).count();
            let is_worth_it = count >= COUNT_MIN;
            is_worth_it.then(|| self.arranged(&own, (first, length, count))).flatten()
        })
    }

    /// The turns, unless they need a value that only the steps before have, or give one.
    fn arranged(
        &self,
        own: &Own<'_>,
        (first, length, count): (usize, usize, usize),
    ) -> Option<Turns> {
        let made = own.base..own.base + own.stride * count as u32;
        let mut is_used_later = false;
        for step in &self.steps[first + length * count..] {
            step.operands(|place| is_used_later |= made.contains(&place.0));
        }
        let mut outer: Vec<(Place, Given)> = Vec::new();
        for step in own.body {
            let mut needed = Vec::new();
            step.operands(|place| needed.push(place));
            for place in needed {
                if !made.contains(&place.0) && outer.iter().all(|(known, _)| *known != place) {
                    outer.push((place, self.given(place, first)?));
                }
            }
        }
        let outside = outer.len() as u32;
        let place_of = |place: Place| match outer.iter().position(|(known, _)| *known == place) {
            Some(at) => Place(at as u32),
            // The third operand of an instruction of two may be anything.
            None if !made.contains(&place.0) => Place(0),
            None => Place(outside + place.0 - own.base),
        };
        let mut body = own.body.to_vec();
        for step in &mut body {
            step.rename_operands(place_of);
            step.rename_results(place_of);
        }
        let places = share_places(&mut body, outside, (outside + own.stride) as usize).max(1);
        let given = outer.into_iter().map(|(_, value)| value).collect();
        let row = |place: usize| self.steps[first + place % count * length + place / count].row();
        let rows = (0..length * count).map(row).collect();
        (!is_used_later).then_some(Turns { first, length, count, body, rows, given, places })
    }

    /// What a place holds in all lanes before a step, if that is known.
    fn given(&self, place: Place, first: usize) -> Option<Given> {
        if place.is_register() {
            return Some(Given::Register(place));
        }
        self.steps[..first].iter().rev().find_map(|step| match *step {
            Step::Word { out, word, keep: 0 } if out == place => Some(Given::Word(word)),
            _ => None,
        })
    }
}

/// What the first turn has of its own.
struct Own<'a> {
    body: &'a [Step],
    /// Its first value, and how many the next one's is after that.
    base: u32,
    stride: u32,
}

impl Own<'_> {
    /// Of turns of a length, if such turns can be executed together.
    fn of(steps: &[Step], length: usize) -> Option<Own<'_>> {
        let (body, next) = (&steps[..length], steps.get(length)?);
        let base = value_of(body.first()?)?;
        let stride = value_of(next)?.checked_sub(base)?;
        let mut depth = 0_usize;
        for step in body {
            match step {
                Step::Push => depth += 1,
                Step::Pop => depth = depth.checked_sub(1)?,
                Step::Complement | Step::Require(_) if depth == 0 => return None,
                // The two widths count other rows, so that turns are not known to be apart.
                Step::Load { mode, .. } | Step::Store { mode, .. } if mode.is_narrow() => {
                    return None;
                }
                Step::Word { keep: 0, .. }
                | Step::Lanes { .. }
                | Step::Merge { .. }
                | Step::Load { .. }
                | Step::Store { .. }
                | Step::Complement
                | Step::Require(_) => {}
                Step::Word { .. }
                | Step::Random { .. }
                | Step::Swap { .. }
                | Step::Transpose { .. }
                | Step::Rotate { .. }
                | Step::Lookup { .. }
                | Step::Configure { .. }
                | Step::Lanewise(_)
                | Step::EnableAll => return None,
            }
            let mut is_own = true;
            step.results(|place| is_own &= (base..base + stride).contains(&place.0));
            if !is_own {
                return None;
            }
        }
        (depth == 0).then_some(Own { body, base, stride })
    }

    /// Whether steps are those of a later turn: the same but for rows and their own values.
    fn is_turn(&self, turn: usize, steps: &[Step]) -> bool {
        let offset = self.stride * turn as u32;
        let own: Range<u32> = self.base + offset..self.base + offset + self.stride;
        let back = |place: Place| match own.contains(&place.0) {
            true => Place(place.0 - offset),
            false => place,
        };
        let mut pairs = self.body.iter().zip(steps);
        pairs.all(|(first, step)| {
            let mut step = *step;
            step.rename_operands(back);
            step.rename_results(back);
            match (*first, step) {
                (Step::Load { mode, out, .. }, Step::Load { mode: its, out: other, .. }) => {
                    mode == its && out == other
                }
                (Step::Store { mode, value, .. }, Step::Store { mode: its, value: other, .. }) => {
                    mode == its && value == other
                }
                (first, step) => first == step,
            }
        })
    }
}

fn is_load(step: &Step) -> bool {
    matches!(step, Step::Load { .. })
}

/// The value that a step makes first.
fn value_of(step: &Step) -> Option<u32> {
    let mut made = None;
    step.results(|place| made = made.or(Some(place)));
    made.filter(|place| !place.is_register()).map(|place| place.0)
}

/// Who uses an access of Dst.
#[derive(Clone, Copy, PartialEq)]
enum User {
    Nobody,
    Turn(usize),
    Several,
}

/// Turns of which none touches what another one stores.
struct Apart {
    stored: Vec<User>,
    loaded: Vec<User>,
}

impl Default for Apart {
    fn default() -> Apart {
        let nobody = vec![User::Nobody; ACCESSES];
        Apart { stored: nobody.clone(), loaded: nobody }
    }
}

impl Apart {
    /// Adds a turn; false if it is not apart from those before.
    fn takes(&mut self, turn: usize, steps: &[Step]) -> bool {
        let is_free = |user: User| user == User::Nobody || user == User::Turn(turn);
        steps.iter().all(|step| {
            let at = step.row() as usize / 2 % ACCESSES;
            match step {
                Step::Load { .. } => {
                    let is_first = is_free(self.loaded[at]);
                    self.loaded[at] = if is_first { User::Turn(turn) } else { User::Several };
                    is_free(self.stored[at])
                }
                Step::Store { .. } => {
                    let is_alone = is_free(self.stored[at]) && is_free(self.loaded[at]);
                    self.stored[at] = User::Turn(turn);
                    is_alone
                }
                _ => true,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::instruction::Instruction;
    use super::super::super::run::Mode;
    use super::super::super::state::VectorState;
    use super::super::code::Test;
    use super::super::{Register, Rows, Unit};
    use super::*;
    use crate::{Chip, DstWidth};

    /// Dst by accesses: a register for every two rows.
    #[derive(Clone, PartialEq, Debug)]
    struct Memory(Vec<Register>);

    impl Rows for Memory {
        fn width(&self) -> DstWidth {
            DstWidth::Bits32
        }
        fn read_narrow(&self, _: u32) -> Register {
            unreachable!("no access of another width")
        }
        fn write_narrow(&mut self, _: u32, _: &Register, _: &Register) {
            unreachable!("no access of another width")
        }
        fn read(&self, row: u32) -> Register {
            self.0[row as usize / 2]
        }
        fn write(&mut self, row: u32, values: &Register, mask: &Register) {
            let place = &mut self.0[row as usize / 2];
            *place =
                std::array::from_fn(|lane| values[lane] & mask[lane] | place[lane] & !mask[lane]);
        }
    }

    /// Numbers of all signs around one.
    fn memory() -> Memory {
        let number = |at: usize| {
            let mixed = (at as u32).wrapping_mul(2_654_435_761);
            mixed & 0x807f_ffff | (120 + mixed % 12) << 23
        };
        let register = |row: usize| std::array::from_fn(|lane| number(LANES * row + lane));
        Memory((0..512).map(register).collect())
    }

    /// A polynomial with two branches on each of some rows, `apart` rows from each other.
    fn loops(rows: u32, apart: u32) -> Code {
        let mut code = Code::default();
        let scale = code.word(0.333_f32.to_bits(), false);
        for row in (0..rows).map(|row| row * apart) {
            let x = code.load(Mode::Float, row);
            let y = code.lanes(Instruction::Multiply, [x, scale, x]);
            let mut sum = code.lanes(Instruction::Add, [y, Place::ONE, x]);
            code.begin().expect("one");
            let mask = code.test(Test::Less, x);
            code.require(mask);
            let negated = code.lanes(Instruction::Negate, [sum; 3]);
            sum = code.assign(sum, negated);
            code.complement();
            let product = code.lanes(Instruction::Multiply, [sum, x, x]);
            sum = code.assign(sum, product);
            code.end().expect("begun");
            code.store(Mode::Float, row, sum);
        }
        code
    }

    /// Executes code with and without its turns, and demands equal bits.
    #[track_caller]
    fn check(make: impl Fn() -> Code, turns: &[usize]) {
        check_on(&memory(), make, turns);
    }

    #[track_caller]
    fn check_on(before: &Memory, make: impl Fn() -> Code, turns: &[usize]) {
        let run = |mut code: Code, settle: fn(&mut Code)| {
            code.fuse(Chip::Wormhole);
            settle(&mut code);
            let mut memory = before.clone();
            let mut random = VectorState::default();
            Unit::default().run(Chip::Wormhole, &code, &mut memory, &mut random);
            (memory, code.turns.iter().map(|it| it.count).collect::<Vec<_>>(), code.len())
        };
        let (one_by_one, none, issued) = run(make(), Code::settle);
        let (together, found, still) = run(make(), Code::settle_to_repeat);
        assert_eq!((none.len(), found.as_slice(), still), (0, turns, issued));
        assert_ne!(one_by_one, *before);
        assert_eq!(one_by_one, together);
    }

    #[test]
    fn turns_are_executed_together_with_equal_bits() {
        for rows in [4, 8, 11, 32] {
            check(|| loops(rows, 2), &[rows as usize]);
        }
    }

    /// Denormals count as zero. The host's product with a large number would not be, and nothing
    /// that the first turns say of a place is true of the next ones.
    #[test]
    fn denormals_are_seen_in_every_turn() {
        let mut memory = memory();
        for register in &mut memory.0[TOGETHER..] {
            *register = register.map(|value| value & 0x807f_ffff);
        }
        let products = || {
            let mut code = Code::default();
            let large = code.word(0x7180_0000, false);
            for row in 0..2 * TOGETHER as u32 {
                let x = code.load(Mode::Float, 2 * row);
                let product = code.lanes(Instruction::Multiply, [x, large, x]);
                let other = code.lanes(Instruction::Multiply, [Place::ONE, product, x]);
                code.store(Mode::Float, 2 * row, other);
            }
            code
        };
        check_on(&memory, products, &[2 * TOGETHER]);
    }

    #[test]
    fn loops_that_follow_each_other_are_told_apart() {
        let twice = || {
            let mut code = loops(8, 2);
            let scale = code.word(0.75_f32.to_bits(), false);
            for row in 20..26 {
                let x = code.load(Mode::Float, 2 * row);
                let y = code.lanes(Instruction::Multiply, [x, scale, x]);
                code.store(Mode::Float, 2 * row, y);
            }
            code
        };
        check(twice, &[8, 6]);
    }

    #[test]
    fn turns_that_use_each_others_rows_or_values_stay_apart() {
        check(|| loops(8, 0), &[]);
        let running = || {
            let mut code = Code::default();
            let mut sum = code.load(Mode::Float, 0);
            for row in 1..16 {
                let x = code.load(Mode::Float, 2 * row);
                sum = code.lanes(Instruction::Add, [sum, x, x]);
                code.store(Mode::Float, 2 * row, sum);
            }
            code
        };
        check(running, &[]);
    }

    /// Over the same tile again: each time over it is a loop of its own.
    #[test]
    fn a_tile_that_is_gone_over_twice_is_two_loops() {
        let again = || {
            let mut code = Code::default();
            for row in (0..2).flat_map(|_| 0..32) {
                let x = code.load(Mode::Float, 2 * row);
                let y = code.lanes(Instruction::Multiply, [x, x, x]);
                code.store(Mode::Float, 2 * row, y);
            }
            code
        };
        check(again, &[32, 32]);
    }

    #[test]
    fn a_value_of_the_last_turn_may_be_used_later() {
        let later = || {
            let mut code = Code::default();
            let mut last = Place::ONE;
            for row in 0..8 {
                last = code.load(Mode::Float, 2 * row);
                let y = code.lanes(Instruction::Multiply, [last, Place::MINUS_ONE, last]);
                code.store(Mode::Float, 2 * row, y);
            }
            code.store(Mode::Float, 100, last);
            code
        };
        check(later, &[]);
    }
}
