//! The unit's registers and flags, and how code changes them and Dst.

use super::super::instruction::Instruction;
use super::super::run::{load, stored};
use super::super::state::VectorState;
use super::code::{Code, LaneMode, Place, REGISTERS, Step, Swap};
use super::together;
use super::{COLUMNS, LANES, Register};
use crate::bits::{ONE, order_key};
use crate::chip::{Arithmetic, with_arithmetic};
use crate::dispatch::{self, SimdLoop};
use crate::sfpu::MINUS_ONE;
use crate::{Chip, DstWidth};

/// 0.8373, as the unit holds it.
const CONSTANT_8: u32 = 0x3f56_594b;

/// The first of the registers that exchanges may take along.
const FIRST_ALONG: u32 = 4;

/// Dst as the unit sees it. A row is that of the first lane; an access covers four rows, and of
/// those the even or the odd columns.
pub trait Rows {
    /// The width of its values.
    fn width(&self) -> DstWidth;
    /// Values as Dst holds them.
    fn read(&self, row: u32) -> Register;
    /// Replaces values where the mask is set.
    fn write(&mut self, row: u32, values: &Register, mask: &Register);
    /// The same of a 32-bit Dst by rows of 16 bits: patterns of bf16.
    fn read_narrow(&self, row: u32) -> Register;
    /// Replaces halves of values where the mask is set.
    fn write_narrow(&mut self, row: u32, values: &Register, mask: &Register);

    /// Values of some rows.
    fn read_each(&self, rows: &[u32], values: &mut [Register]) {
        for (row, values) in rows.iter().zip(values) {
            *values = self.read(*row);
        }
    }

    /// Replaces values of some rows.
    fn write_each(&mut self, rows: &[u32], values: &[Register], masks: &[Register]) {
        for (row, (values, mask)) in rows.iter().zip(values.iter().zip(masks)) {
            self.write(*row, values, mask);
        }
    }
}

/// The state of the unit between instructions.
#[derive(Clone, Debug)]
pub struct Unit {
    registers: [Register; REGISTERS as usize],
    /// All ones in lanes that are enabled.
    flags: Register,
    stack: Vec<Register>,
    mode: LaneMode,
}

impl Default for Unit {
    fn default() -> Unit {
        let mut registers = [[0; LANES]; REGISTERS as usize];
        registers[8] = [CONSTANT_8; LANES];
        registers[10] = [ONE; LANES];
        registers[11] = [MINUS_ONE; LANES];
        // Two columns lie between neighbouring lanes.
        registers[15] = std::array::from_fn(|lane| 2 * lane as u32);
        let mode = LaneMode::default();
        Unit { registers, flags: [!0; LANES], stack: Vec::new(), mode }
    }
}

impl Unit {
    /// The constants that init calls program.
    pub fn constants(&self) -> [u32; 3] {
        [12, 13, 14].map(|register| self.registers[register][0])
    }

    /// Takes the constants that an init call has left. One that it has not changed stays.
    pub fn set_constants(&mut self, constants: [u32; 3]) {
        for (register, word) in self.registers[12..15].iter_mut().zip(constants) {
            if register[0] != word {
                *register = [word; LANES];
            }
        }
    }

    /// Sets the lanes' configuration back, as every init call of a function does.
    pub fn reset_lanes(&mut self) {
        self.mode = LaneMode::default();
    }

    /// Executes code, with the generators of named functions.
    pub fn run(&mut self, chip: Chip, code: &Code, rows: &mut dyn Rows, random: &mut VectorState) {
        with_arithmetic!(chip, A => {
            dispatch::run(Run { unit: self, code, rows, random, _arithmetic: A::default() });
        });
    }
}

struct Run<'a, A> {
    unit: &'a mut Unit,
    code: &'a Code,
    rows: &'a mut dyn Rows,
    random: &'a mut VectorState,
    _arithmetic: A,
}

impl<A: Arithmetic> SimdLoop for Run<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let mut values = vec![[0; LANES]; self.code.places()];
        values[..REGISTERS as usize].copy_from_slice(&self.unit.registers);
        let mut machine = Machine { values, unit: self.unit, rows: self.rows, random: self.random };
        let mut at = 0;
        for turns in &self.code.turns {
            for step in &self.code.steps[at..turns.first] {
                machine.step::<A, FUSED>(*step);
            }
            let state = (&machine.values[..REGISTERS as usize], &machine.unit.flags);
            together::run::<A, FUSED>(turns, state, machine.rows);
            at = turns.end();
        }
        for step in &self.code.steps[at..] {
            machine.step::<A, FUSED>(*step);
        }
        let Machine { values, unit, .. } = machine;
        unit.registers.copy_from_slice(&values[..REGISTERS as usize]);
    }
}

/// The unit while it executes.
struct Machine<'a> {
    values: Vec<Register>,
    unit: &'a mut Unit,
    rows: &'a mut dyn Rows,
    random: &'a mut VectorState,
}

impl Machine<'_> {
    #[inline(always)]
    fn step<A: Arithmetic, const FUSED: bool>(&mut self, step: Step) {
        match step {
            Step::Word { out, word, keep } => {
                let values = self.get(out).map(|value| value & keep | word);
                self.set(out, values);
            }
            Step::Lanes { instruction, operands, out } => {
                let result = self.lanes::<A, FUSED>(instruction, operands);
                self.set(out, result);
            }
            Step::Merge { old, new, out } => {
                let (old, new) = (self.get(old), self.get(new));
                self.values[out.0 as usize] = selected(&self.unit.flags, &new, &old);
            }
            Step::Load { mode, row, out } => {
                let mut values = match mode.is_narrow() {
                    true => self.rows.read_narrow(row),
                    false => self.rows.read(row),
                };
                load(mode, &mut values);
                self.set(out, values);
            }
            Step::Store { mode, row, value } => {
                let mut values = [0; LANES];
                stored(mode, self.rows.width(), &self.get(value), &mut values);
                match mode.is_narrow() {
                    true => self.rows.write_narrow(row, &values, &self.unit.flags),
                    false => self.rows.write(row, &values, &self.unit.flags),
                }
            }
            Step::Random { out } => {
                let numbers = self.random.next_random();
                self.set(out, numbers);
            }
            Step::Swap { swap, operands, out } => self.swap(swap, operands, out),
            Step::Transpose { registers, out } => self.transpose(registers, out),
            Step::Rotate { from, out } => {
                let from = self.get(from);
                let left = |lane: usize| lane - lane % COLUMNS + (lane + COLUMNS - 1) % COLUMNS;
                self.set(out, std::array::from_fn(|lane| from[left(lane)]));
            }
            Step::Lookup { table, coefficients, of, out } => {
                let (coefficients, of) = (coefficients.map(|place| self.get(place)), self.get(of));
                let mut result = [0; LANES];
                table.run::<A>(coefficients.each_ref(), &of, &mut result);
                self.set(out, result);
            }
            Step::Configure { register, value } => {
                // The first row goes to all four.
                let value = self.get(value);
                self.values[register.0 as usize] =
                    std::array::from_fn(|lane| value[lane % COLUMNS]);
            }
            Step::Lanewise(mode) => self.unit.mode = mode,
            Step::Push | Step::Pop | Step::Complement | Step::EnableAll | Step::Require(_) => {
                self.change_flags(step);
            }
        }
    }

    #[inline(always)]
    fn lanes<A: Arithmetic, const FUSED: bool>(
        &self,
        instruction: Instruction,
        operands: [Place; 3],
    ) -> Register {
        let places = operands.map(|place| &self.values[place.0 as usize]);
        let mut result = [0; LANES];
        instruction.compute::<A, FUSED, LANES>(places, [false; 2], &mut result);
        result
    }

    fn change_flags(&mut self, step: Step) {
        let Unit { flags, stack, .. } = self.unit;
        match step {
            Step::Push => stack.push(*flags),
            Step::Pop => *flags = stack.pop().unwrap_or([!0; LANES]),
            Step::Complement => {
                let before = stack.last().copied().unwrap_or([!0; LANES]);
                *flags = std::array::from_fn(|lane| before[lane] & !flags[lane]);
            }
            Step::EnableAll => *flags = [!0; LANES],
            Step::Require(mask) => {
                let mask = &self.values[mask.0 as usize];
                (0..LANES).for_each(|lane| flags[lane] &= mask[lane]);
            }
            Step::Word { .. }
            | Step::Lanes { .. }
            | Step::Merge { .. }
            | Step::Load { .. }
            | Step::Store { .. }
            | Step::Random { .. }
            | Step::Swap { .. }
            | Step::Transpose { .. }
            | Step::Rotate { .. }
            | Step::Lookup { .. }
            | Step::Configure { .. }
            | Step::Lanewise(_) => {}
        }
    }

    fn swap(&mut self, swap: Swap, operands: [Place; 2], out: [Place; 2]) {
        let [first, second] = operands.map(|place| self.get(place));
        let LaneMode { is_reversed, takes_along } = self.unit.mode;
        let exchanges: [bool; LANES] = std::array::from_fn(|lane| match swap {
            Swap::Always => true,
            Swap::Minimum(rows) => {
                let is_less = order_key(second[lane]) < order_key(first[lane]);
                (is_less == (rows >> (lane / COLUMNS) & 1 == 1)) != is_reversed
            }
        });
        let pick = |yes: &Register, no: &Register| {
            std::array::from_fn(|lane| if exchanges[lane] { yes[lane] } else { no[lane] })
        };
        let exchanged = [pick(&second, &first), pick(&first, &second)];
        for (place, value) in out.into_iter().zip(exchanged) {
            // Of registers that are taken along, only the others decide.
            if !takes_along || place.0 < FIRST_ALONG {
                self.set(place, value);
            }
        }
        if takes_along {
            let along = operands.map(|place| Place(FIRST_ALONG + place.0 % FIRST_ALONG));
            let [first, second] = along.map(|place| self.get(place));
            self.set(along[0], pick(&second, &first));
            self.set(along[1], pick(&first, &second));
        }
    }

    fn transpose(&mut self, registers: [Place; 4], out: [Place; 4]) {
        let before = registers.map(|place| self.get(place));
        for (row, place) in out.into_iter().enumerate() {
            let at = |lane: usize| before[lane / COLUMNS][row * COLUMNS + lane % COLUMNS];
            self.values[place.0 as usize] = std::array::from_fn(at);
        }
    }

    fn get(&self, place: Place) -> Register {
        self.values.get(place.0 as usize).copied().unwrap_or([0; LANES])
    }

    /// Registers change in enabled lanes, constants never; of the compiler's values the lanes that
    /// are not enabled are never looked at.
    #[inline(always)]
    fn set(&mut self, place: Place, result: Register) {
        if place.is_constant() {
            return;
        }
        let value = &mut self.values[place.0 as usize];
        *value =
            if place.is_register() { selected(&self.unit.flags, &result, value) } else { result };
    }
}

#[inline(always)]
fn selected(mask: &Register, yes: &Register, no: &Register) -> Register {
    std::array::from_fn(|lane| yes[lane] & mask[lane] | no[lane] & !mask[lane])
}

#[cfg(test)]
mod tests {
    use super::super::super::run::Mode;
    use super::super::code::Test;
    use super::*;

    /// Eight rows, even and odd columns apart.
    struct Memory([Register; 4]);

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
            *place = selected(mask, values, place);
        }
    }

    fn memory() -> Memory {
        Memory(std::array::from_fn(|row| std::array::from_fn(|lane| (32 * row + lane) as u32)))
    }

    #[test]
    fn the_lanes_of_each_branch_are_its_own() {
        let (mut code, mut memory) = (Code::default(), memory());
        let value = code.load(Mode::Int32, 0);
        let limit = code.word(8, true);
        let minus_limit = code.lanes(Instruction::SubInteger, [value, limit, limit]);
        code.begin().expect("one");
        let mask = code.test(Test::Less, minus_limit);
        code.require(mask);
        let first = code.word(1, true);
        code.store(Mode::Int32, 0, first);
        code.complement();
        let second = code.word(2, true);
        code.store(Mode::Int32, 0, second);
        code.end().expect("begun");
        code.fuse(Chip::Wormhole);
        Unit::default().run(Chip::Wormhole, &code, &mut memory, &mut VectorState::default());
        assert_eq!(memory.0[0], std::array::from_fn(|lane| if lane < 8 { 1 } else { 2 }));
    }

    #[test]
    fn rows_choose_who_gets_the_minimum() {
        let (mut code, mut memory) = (Code::default(), memory());
        let (low, high) = (code.load(Mode::Int32, 0), code.load(Mode::Int32, 2));
        let first = code.swap(Swap::Minimum(0b0101), [high, low]);
        code.store(Mode::Int32, 4, first);
        Unit::default().run(Chip::Wormhole, &code, &mut memory, &mut VectorState::default());
        let wanted =
            |lane: usize| (if (lane / 8).is_multiple_of(2) { lane } else { 32 + lane }) as u32;
        assert_eq!(memory.0[2], std::array::from_fn(wanted));
    }

    #[test]
    fn four_registers_are_transposed() {
        let (mut code, mut memory) = (Code::default(), memory());
        let values = [0, 2, 4, 6].map(|row| code.load(Mode::Int32, row));
        let first = code.transpose(values);
        code.store(Mode::Int32, 0, first);
        Unit::default().run(Chip::Wormhole, &code, &mut memory, &mut VectorState::default());
        assert_eq!(memory.0[0], std::array::from_fn(|lane| (32 * (lane / 8) + lane % 8) as u32));
    }

    #[test]
    fn constants_come_from_the_first_row_of_a_register() {
        let (mut code, mut memory) = (Code::default(), memory());
        let value = code.load(Mode::Int32, 2);
        code.configure(Place(12), value);
        let mut unit = Unit::default();
        unit.run(Chip::Wormhole, &code, &mut memory, &mut VectorState::default());
        assert_eq!(unit.constants(), [32, 0, 0]);
        assert_eq!(unit.registers[12][9], 33);
    }
}
