//! What is left to execute of recorded code: without results that nobody uses, and with as few
//! places as are in use together, so that they stay in the host's nearest cache.

use super::code::{Code, Place, REGISTERS, Step};

/// Where a value is, for one that is nowhere.
const NOWHERE: u32 = u32::MAX;

impl Code {
    /// Leaves out what has no effect, and gives values that are not in use together one place. What
    /// the unit would have issued still counts.
    pub fn settle(&mut self) {
        self.issued = self.steps.len();
        self.leave_out_unused();
        self.share_places();
    }

    /// The same for code that is executed often: its loops are found, too.
    pub fn settle_to_repeat(&mut self) {
        self.issued = self.steps.len();
        self.leave_out_unused();
        self.find_turns();
        self.share_places();
    }

    fn leave_out_unused(&mut self) {
        let mut is_used = vec![false; self.places()];
        let mut is_left = vec![true; self.steps.len()];
        for (at, step) in self.steps.iter().enumerate().rev() {
            let mut has_effect = step.has_effect();
            step.results(|place| has_effect |= place.is_register() || is_used[place.0 as usize]);
            is_left[at] = has_effect;
            if has_effect {
                step.operands(|place| {
                    if let Some(used) = is_used.get_mut(place.0 as usize) {
                        *used = true;
                    }
                });
            }
        }
        let mut left = is_left.iter();
        self.steps.retain(|_| left.next().copied().unwrap_or(true));
    }

    fn share_places(&mut self) {
        let places = self.places();
        self.shared = Some(share_places(&mut self.steps, REGISTERS, places));
    }
}

/// Gives values that are not in use together one place, after those below `first`, which stay. What
/// is left are so many places of the `places` before.
pub(super) fn share_places(steps: &mut [Step], first: u32, places: usize) -> usize {
    let is_value = |place: Place| place.0 >= first && (place.0 as usize) < places;
    let mut last_use = vec![0; places];
    for (at, step) in steps.iter().enumerate() {
        let mut touch = |place: Place| {
            if let Some(last) = last_use.get_mut(place.0 as usize) {
                *last = at;
            }
        };
        step.results(&mut touch);
        step.operands(&mut touch);
    }
    let mut shared = Shared { first, places: vec![NOWHERE; places], free: Vec::new(), most: first };
    for (at, step) in steps.iter_mut().enumerate() {
        let before = *step;
        let is_last = |place: Place| is_value(place) && last_use[place.0 as usize] == at;
        step.rename_operands(|place| shared.moved(place));
        // An operand's place may be the result's: every step reads before it writes.
        before.operands(|place| {
            if is_last(place) {
                shared.release(place);
            }
        });
        before.results(|place| {
            if is_value(place) {
                shared.take(place);
            }
        });
        step.rename_results(|place| shared.moved(place));
        before.results(|place| {
            if is_last(place) {
                shared.release(place);
            }
        });
    }
    shared.most as usize
}

/// Where values are while steps are gone through.
struct Shared {
    first: u32,
    /// By value; `NOWHERE` for one that is not in use.
    places: Vec<u32>,
    free: Vec<u32>,
    most: u32,
}

impl Shared {
    fn take(&mut self, value: Place) {
        self.places[value.0 as usize] = self.free.pop().unwrap_or_else(|| {
            self.most += 1;
            self.most - 1
        });
    }

    fn release(&mut self, value: Place) {
        let place = std::mem::replace(&mut self.places[value.0 as usize], NOWHERE);
        if place != NOWHERE {
            self.free.push(place);
        }
    }

    fn moved(&self, place: Place) -> Place {
        match self.places.get(place.0 as usize) {
            Some(_) if place.0 < self.first => place,
            Some(&at) if at != NOWHERE => Place(at),
            // The third operand of an instruction of two: any place will do.
            Some(_) => Place(0),
            None => place,
        }
    }
}

impl Step {
    /// Whether it does more than give its results.
    fn has_effect(&self) -> bool {
        match self {
            Step::Store { .. }
            | Step::Random { .. }
            | Step::Configure { .. }
            | Step::Lanewise(_)
            | Step::Push
            | Step::Pop
            | Step::Complement
            | Step::EnableAll
            | Step::Require(_) => true,
            Step::Word { .. }
            | Step::Lanes { .. }
            | Step::Merge { .. }
            | Step::Load { .. }
            | Step::Swap { .. }
            | Step::Transpose { .. }
            | Step::Rotate { .. }
            | Step::Lookup { .. } => false,
        }
    }

    pub(super) fn rename_operands(&mut self, name: impl Fn(Place) -> Place) {
        match self {
            Step::Lanes { operands, .. } => *operands = operands.map(name),
            Step::Merge { old, new, .. } => (*old, *new) = (name(*old), name(*new)),
            Step::Store { value, .. } | Step::Configure { value, .. } => *value = name(*value),
            Step::Swap { operands, .. } => *operands = operands.map(name),
            Step::Transpose { registers, .. } => *registers = registers.map(name),
            Step::Rotate { from, .. } => *from = name(*from),
            Step::Lookup { coefficients, of, .. } => {
                *coefficients = coefficients.map(&name);
                *of = name(*of);
            }
            Step::Require(mask) => *mask = name(*mask),
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

    pub(super) fn rename_results(&mut self, name: impl Fn(Place) -> Place) {
        match self {
            Step::Word { out, .. }
            | Step::Lanes { out, .. }
            | Step::Merge { out, .. }
            | Step::Load { out, .. }
            | Step::Random { out }
            | Step::Rotate { out, .. }
            | Step::Lookup { out, .. } => *out = name(*out),
            Step::Swap { out, .. } => *out = out.map(name),
            Step::Transpose { out, .. } => *out = out.map(name),
            Step::Store { .. }
            | Step::Configure { .. }
            | Step::Lanewise(_)
            | Step::Push
            | Step::Pop
            | Step::Complement
            | Step::EnableAll
            | Step::Require(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::instruction::Instruction;
    use super::super::super::run::Mode;
    use super::*;
    use crate::Chip;

    /// A sum of products of what is loaded from two rows, eight times.
    fn repeated() -> Code {
        let mut code = Code::default();
        for row in (0..16).step_by(2) {
            let value = code.load(Mode::Float, row);
            let product = code.lanes(Instruction::Multiply, [value, value, value]);
            let sum = code.lanes(Instruction::Add, [product, value, value]);
            code.store(Mode::Float, row, sum);
        }
        code.fuse(Chip::Wormhole);
        code
    }

    #[test]
    fn values_that_follow_each_other_share_their_places() {
        let mut code = repeated();
        let issued = code.len();
        code.settle();
        assert_eq!(code.steps.len(), 3 * 8, "the products have gone into the sums");
        assert_eq!(code.len(), issued);
        assert_eq!(code.places(), REGISTERS as usize + 1);
    }

    #[test]
    fn values_that_are_used_later_keep_their_places() {
        let mut code = Code::default();
        let values = [0, 2, 4].map(|row| code.load(Mode::Float, row));
        let sum = code.lanes(Instruction::Add, [values[0], values[1], values[0]]);
        let sum = code.lanes(Instruction::Add, [sum, values[2], sum]);
        let sum = code.lanes(Instruction::Add, [sum, values[0], sum]);
        code.store(Mode::Float, 0, sum);
        code.settle();
        assert_eq!(code.places(), REGISTERS as usize + 3);
        assert_eq!(code.steps.len(), 7);
    }
}
