//! What the sfpi compiler makes of sums and products (flags `-fsigned-zeros`
//! `-fno-finite-math-only`): how many instructions, and so how many roundings.
//!
//! - A product with the literal 1 or -1 is the value or its negation.
//! - A product or sum with another literal that bf16 can hold, but for 0, takes the literal along,
//!   and is no longer joined with anything.
//! - A sum of a product is one instruction, if nobody else uses the product, no condition
//!   begins, turns or ends between the two, and both are in one basic block: a product that comes
//!   out of a loop of unknown length stays apart.
//! - A sum with a negated value is a difference in one instruction.
//! - Blackhole's instructions negate operands by themselves: there a sum of a product that was
//!   negated is one instruction, too.

use super::super::instruction::Instruction;
use super::code::{Code, Place, Step};
use crate::Chip;
use crate::bits::{ONE, SIGN};
use crate::sfpu::MINUS_ONE;

/// What is known of values while steps are looked at in order.
struct Facts {
    /// The step that makes each value.
    made_by: Vec<Option<usize>>,
    uses: Vec<u32>,
    /// Conditions that began, turned or ended before each step.
    changes: Vec<u32>,
}

impl Code {
    /// Joins products and sums as a chip's compiler does.
    pub fn fuse(&mut self, chip: Chip) {
        let facts = Facts::of(self);
        for at in 0..self.steps.len() {
            let Step::Lanes { instruction, operands, out } = self.steps[at] else { continue };
            if out.is_register() {
                continue;
            }
            let joined = if instruction == Instruction::Multiply {
                self.product(operands)
            } else if instruction == Instruction::Add {
                self.sum(at, operands, chip, &facts)
            } else {
                None
            };
            if let Some((instruction, operands)) = joined {
                self.steps[at] = Step::Lanes { instruction, operands, out };
            }
        }
    }

    fn product(&self, [x, y, _]: [Place; 3]) -> Option<(Instruction, [Place; 3])> {
        for (literal, other) in [(y, x), (x, y)] {
            match self.literal(literal) {
                Some(ONE) => return Some((Instruction::Move, [other; 3])),
                Some(MINUS_ONE) => return Some((Instruction::Negate, [other; 3])),
                _ => {}
            }
        }
        None
    }

    fn sum(
        &mut self,
        at: usize,
        [x, y, _]: [Place; 3],
        chip: Chip,
        facts: &Facts,
    ) -> Option<(Instruction, [Place; 3])> {
        for (literal, other) in [(y, x), (x, y)] {
            if self.is_immediate(literal) {
                return Some((Instruction::Mad, [literal, Place::ONE, other]));
            }
        }
        for (product, other) in [(x, y), (y, x)] {
            if let Some([a, b]) = self.joinable(at, product, facts) {
                return Some((Instruction::Mad, [a, b, other]));
            }
        }
        let negations = [(y, x), (x, y)].map(|(negated, other)| {
            self.negation(negated, facts).map(|(from, operand)| (from, operand, negated, other))
        });
        for (from, product, negated, other) in negations.into_iter().flatten() {
            let is_alone = facts.uses[negated.0 as usize] == 1 && !self.apart.contains(&negated);
            let factors = self.joinable(at, product, facts);
            if let Some([a, b]) = factors.filter(|_| is_alone && chip == Chip::Blackhole) {
                // The negation becomes that of a factor, which changes no rounding.
                let instruction = Instruction::Negate;
                self.steps[from] = Step::Lanes { instruction, operands: [a; 3], out: negated };
                return Some((Instruction::Mad, [negated, b, other]));
            }
        }
        let (_, operand, _, other) = negations.into_iter().flatten().next()?;
        Some((Instruction::Mad, [operand, Place::MINUS_ONE, other]))
    }

    /// The step that negates a value, and what it negates.
    fn negation(&self, negated: Place, facts: &Facts) -> Option<(usize, Place)> {
        let from = facts.made_by(negated)?;
        match self.steps[from] {
            Step::Lanes { instruction: Instruction::Negate, operands: [operand, ..], .. } => {
                Some((from, operand))
            }
            _ => None,
        }
    }

    /// The factors of a product that a sum at a step may take over.
    fn joinable(&self, at: usize, product: Place, facts: &Facts) -> Option<[Place; 2]> {
        let made_by = facts.made_by(product)?;
        let Step::Lanes { instruction: Instruction::Multiply, operands: [a, b, _], .. } =
            self.steps[made_by]
        else {
            return None;
        };
        let is_alone = facts.uses[product.0 as usize] == 1;
        let is_near = facts.changes[made_by] == facts.changes[at];
        let is_immediate = self.is_immediate(a) || self.is_immediate(b);
        let is_apart = self.apart.contains(&product);
        (is_alone && is_near && !is_immediate && !is_apart).then_some([a, b])
    }

    /// Whether an instruction can carry a value: a literal that bf16 holds and no register does.
    fn is_immediate(&self, place: Place) -> bool {
        let holds = |word: u32| word & 0xffff == 0 && word & !SIGN != ONE && word != 0;
        self.literal(place).is_some_and(holds)
    }
}

impl Facts {
    fn of(code: &Code) -> Facts {
        let places = code.places();
        let mut facts = Facts {
            made_by: vec![None; places],
            uses: vec![0; places],
            changes: Vec::with_capacity(code.steps.len()),
        };
        let mut changes = 0;
        for (at, step) in code.steps.iter().enumerate() {
            changes += u32::from(step.changes_flags());
            facts.changes.push(changes);
            step.operands(|place| {
                if place != Place::NONE {
                    facts.uses[place.0 as usize] += 1;
                }
            });
            if let Step::Lanes { out, .. } = step {
                facts.made_by[out.0 as usize] = (!out.is_register()).then_some(at);
            }
        }
        facts
    }

    fn made_by(&self, place: Place) -> Option<usize> {
        self.made_by.get(place.0 as usize).copied().flatten()
    }
}

impl Step {
    fn changes_flags(&self) -> bool {
        matches!(
            self,
            Step::Push | Step::Pop | Step::Complement | Step::EnableAll | Step::Require(_)
        )
    }

    /// Names each place that it writes.
    pub(super) fn results(&self, mut each: impl FnMut(Place)) {
        match *self {
            Step::Word { out, .. }
            | Step::Lanes { out, .. }
            | Step::Merge { out, .. }
            | Step::Load { out, .. }
            | Step::Random { out }
            | Step::Rotate { out, .. }
            | Step::Lookup { out, .. } => each(out),
            Step::Swap { out, .. } => out.into_iter().for_each(each),
            Step::Transpose { out, .. } => out.into_iter().for_each(each),
            Step::Configure { register, .. } => each(register),
            Step::Store { .. }
            | Step::Lanewise(_)
            | Step::Push
            | Step::Pop
            | Step::Complement
            | Step::EnableAll
            | Step::Require(_) => {}
        }
    }

    /// Names each operand once for each use.
    pub(super) fn operands(&self, mut each: impl FnMut(Place)) {
        match *self {
            Step::Lanes { instruction, operands, .. } => {
                operands[..instruction.operands()].iter().for_each(|place| each(*place));
            }
            Step::Merge { old, new, .. } => [old, new].into_iter().for_each(each),
            Step::Store { value, .. } | Step::Configure { value, .. } => each(value),
            Step::Swap { operands, .. } => operands.into_iter().for_each(each),
            Step::Transpose { registers, .. } => registers.into_iter().for_each(each),
            Step::Rotate { from, .. } => each(from),
            Step::Lookup { coefficients, of, .. } => {
                coefficients.into_iter().chain([of]).for_each(each);
            }
            Step::Require(mask) => each(mask),
            Step::Word { .. }
            | Step::Load { .. }
            | Step::Random { .. }
            | Step::Lanewise(_)
            | Step::Push
            | Step::Pop
            | Step::Complement
            | Step::EnableAll => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::run::Mode;
    use super::*;

    /// The instructions that are left of products and sums, in order.
    fn fused(record: impl FnOnce(&mut Code, [Place; 3])) -> Vec<Instruction> {
        fused_on(Chip::Wormhole, record)
    }

    fn fused_on(chip: Chip, record: impl FnOnce(&mut Code, [Place; 3])) -> Vec<Instruction> {
        let mut code = Code::default();
        let values = [0, 2, 4].map(|row| code.load(Mode::Float, row));
        record(&mut code, values);
        code.fuse(chip);
        let lanes = code.steps.iter().filter_map(|step| {
            let Step::Lanes { instruction, .. } = step else { return None };
            Some(*instruction)
        });
        lanes.collect()
    }

    const MUL: Instruction = Instruction::Multiply;
    const ADD: Instruction = Instruction::Add;
    const MAD: Instruction = Instruction::Mad;

    #[test]
    fn a_sum_takes_over_a_product_that_nobody_else_uses() {
        let steps = fused(|code, [x, y, z]| {
            let product = code.lanes(MUL, [x, y, x]);
            code.lanes(ADD, [z, product, z]);
        });
        assert_eq!(steps, [MUL, MAD]);
        let steps = fused(|code, [x, y, z]| {
            let product = code.lanes(MUL, [x, y, x]);
            code.lanes(ADD, [product, z, x]);
            code.lanes(ADD, [product, y, x]);
        });
        assert_eq!(steps, [MUL, ADD, ADD]);
    }

    /// Of Wormhole the negation stands between the two.
    #[test]
    fn a_difference_takes_over_a_product_on_blackhole() {
        let difference = |code: &mut Code, [x, y, z]: [Place; 3]| {
            let product = code.lanes(MUL, [x, y, x]);
            let negated = code.lanes(Instruction::Negate, [product; 3]);
            code.lanes(ADD, [z, negated, z]);
        };
        let [wormhole, blackhole] = Chip::ALL.map(|chip| {
            let mut code = Code::default();
            let values = [0, 2, 4].map(|row| code.load(Mode::Float, row));
            difference(&mut code, values);
            code.fuse(chip);
            let sum = code.steps.iter().rev().find_map(|step| match step {
                Step::Lanes { instruction: MAD, operands, .. } => Some(*operands),
                _ => None,
            });
            (sum.expect("a sum is one instruction"), values)
        });
        assert_eq!(wormhole.0[1..], [Place::MINUS_ONE, wormhole.1[2]]);
        assert_eq!(blackhole.0[1..], blackhole.1[1..], "a factor and what is added");
        let twice = fused_on(Chip::Blackhole, |code, [x, y, z]| {
            let product = code.lanes(MUL, [x, y, x]);
            let negated = code.lanes(Instruction::Negate, [product; 3]);
            code.lanes(ADD, [z, negated, z]);
            code.lanes(ADD, [product, product, z]);
        });
        assert_eq!(twice, [MUL, Instruction::Negate, MAD, ADD]);
    }

    #[test]
    fn a_literal_of_bf16_is_taken_along_and_joined_with_nothing() {
        for (literal, expected) in [(2.0, [MUL, ADD]), (1.2345, [MUL, MAD])] {
            let steps = fused(|code, [x, _, z]| {
                let literal = code.word(f32::to_bits(literal), true);
                let product = code.lanes(MUL, [x, literal, x]);
                code.lanes(ADD, [product, z, x]);
            });
            assert_eq!(steps, expected, "{literal}");
        }
        let steps = fused(|code, [x, _, z]| {
            let scalar = code.word(2.0_f32.to_bits(), false);
            let product = code.lanes(MUL, [x, scalar, x]);
            code.lanes(ADD, [product, z, x]);
        });
        assert_eq!(steps, [MUL, MAD], "a number that only the running kernel knows");
    }

    #[test]
    fn a_condition_keeps_a_product_apart() {
        let steps = fused(|code, [x, y, z]| {
            let product = code.lanes(MUL, [x, y, x]);
            code.begin().expect("one condition");
            code.lanes(ADD, [product, z, x]);
            code.end().expect("it has begun");
        });
        assert_eq!(steps, [MUL, ADD]);
    }

    #[test]
    fn a_product_out_of_a_loop_stays_apart() {
        let steps = fused(|code, [x, y, z]| {
            let product = code.lanes(MUL, [x, y, x]);
            code.keep_apart(product);
            code.lanes(ADD, [z, product, z]);
        });
        assert_eq!(steps, [MUL, ADD]);
    }

    #[test]
    fn one_and_minus_one_are_no_factors() {
        let steps = fused(|code, [x, ..]| {
            let one = code.word(ONE, true);
            let minus_one = code.word(MINUS_ONE, true);
            code.lanes(MUL, [x, one, x]);
            code.lanes(MUL, [minus_one, x, x]);
        });
        assert_eq!(steps, [Instruction::Move, Instruction::Negate]);
    }
}
