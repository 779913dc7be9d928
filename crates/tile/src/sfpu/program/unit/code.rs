//! Instructions of the vector unit in the order in which they take effect.

use std::cell::OnceCell;

use super::super::instruction::Instruction;
use super::super::run::Mode;
use super::lookup::Table;
use super::touched::Touched;
use super::turns::Turns;

/// Registers that instructions name; the last eight are constants.
pub(super) const REGISTERS: u32 = 16;
const FIRST_CONSTANT: u32 = 8;
/// Conditions within conditions that the unit can keep.
const DEPTH_MAX: usize = 8;

/// An operand or a result: one of the unit's registers, or a value of the sfpi compiler, for which
/// that finds a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub u32);

impl Place {
    /// A value that was never assigned.
    pub const NONE: Place = Place(u32::MAX);
    /// The register of zero.
    pub const ZERO: Place = Place(9);
    /// The register of 1.0.
    pub const ONE: Place = Place(10);
    /// The register of -1.0, unless a kernel has changed it.
    pub const MINUS_ONE: Place = Place(11);

    /// Whether it is a register that only SFPCONFIG changes, if anything does.
    pub(super) fn is_constant(self) -> bool {
        (FIRST_CONSTANT..REGISTERS).contains(&self.0)
    }

    /// Whether it is a register that an instruction has named.
    pub(super) fn is_register(self) -> bool {
        self.0 < REGISTERS
    }
}

/// Which lanes a condition selects, from a lane as a signed integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Below zero.
    Less,
    /// Zero or above.
    GreaterOrEqual,
    /// Zero.
    Equal,
    /// Not zero.
    NotEqual,
    /// Above zero.
    Greater,
    /// Zero or below.
    LessOrEqual,
}

/// Which of two registers gets the smaller values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap {
    /// Neither: they exchange their values.
    Always,
    /// The first in rows whose bit is set, the second in the others; four rows of eight lanes.
    Minimum(u8),
}

/// What a kernel has set of every lane's configuration (ISA documentation, SFPCONFIG).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneMode {
    /// Exchanges compare the other way round.
    pub is_reversed: bool,
    /// Exchanges of the first four registers move the last four along.
    pub takes_along: bool,
}

impl LaneMode {
    /// From the instruction's bits, if it has no others than those that are known. The bit that
    /// keeps instructions from becoming templates of macros changes nothing else.
    pub(super) fn from_word(word: u32) -> Option<LaneMode> {
        const NO_TEMPLATES: u32 = 1 << 1;
        const TAKES_ALONG: u32 = 1 << 2;
        const REVERSED: u32 = 1 << 8;
        let is_known = word & !(NO_TEMPLATES | TAKES_ALONG | REVERSED) == 0;
        is_known.then_some(LaneMode {
            is_reversed: word & REVERSED != 0,
            takes_along: word & TAKES_ALONG != 0,
        })
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// A word in every lane, beside the bits that are kept.
    Word { out: Place, word: u32, keep: u32 },
    /// Each lane by itself.
    Lanes { instruction: Instruction, operands: [Place; 3], out: Place },
    /// The new value in enabled lanes, the old one in the others.
    Merge { old: Place, new: Place, out: Place },
    /// From Dst.
    Load { mode: Mode, row: u32, out: Place },
    /// To Dst.
    Store { mode: Mode, row: u32, value: Place },
    /// The next number of each lane's generator.
    Random { out: Place },
    /// Two registers against each other.
    Swap { swap: Swap, operands: [Place; 2], out: [Place; 2] },
    /// Rows of four registers against each other.
    Transpose { registers: [Place; 4], out: [Place; 4] },
    /// Each row's lanes by one to the right.
    Rotate { from: Place, out: Place },
    /// A function of a few straight lines.
    Lookup { table: Table, coefficients: [Place; 6], of: Place, out: Place },
    /// A constant register, from the first row of a register.
    Configure { register: Place, value: Place },
    /// How later instructions of all lanes behave ([`LaneMode`]).
    Lanewise(LaneMode),
    /// Keeps the flags.
    Push,
    /// Takes the flags that were kept last.
    Pop,
    /// The lanes that were enabled before and are not now.
    Complement,
    /// Enables every lane.
    EnableAll,
    /// Disables lanes in which a mask is zero.
    Require(Place),
}

/// What a kernel has its vector unit do.
#[derive(Debug, Default)]
pub struct Code {
    pub(super) steps: Vec<Step>,
    /// Words that the compiler knows, by value.
    pub(super) literals: Vec<Option<u32>>,
    /// Products that no sum takes over.
    pub(super) apart: Vec<Place>,
    /// In which region of conditions each value was made.
    regions: Vec<u32>,
    /// The region that surrounds each.
    parents: Vec<u32>,
    region: u32,
    stack: Vec<u32>,
    /// Instructions that were issued, once those without effect have been left out.
    pub(super) issued: usize,
    /// Places in use, once values share them.
    pub(super) shared: Option<usize>,
    /// Steps that are repeated and can be executed together, in order.
    pub(super) turns: Vec<Turns>,
    /// What it uses, once somebody has asked.
    touched: OnceCell<Touched>,
}

impl Code {
    /// The first place that is a value; those before are registers.
    pub const FIRST_VALUE: u32 = REGISTERS;

    /// The number of values that were made.
    pub fn values(&self) -> u32 {
        self.regions.len() as u32
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The number of instructions that the unit issues.
    pub fn len(&self) -> usize {
        self.steps.len().max(self.issued)
    }

    /// Whether a condition has begun and not ended.
    pub fn is_within_condition(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Forgets everything. Values of before are no longer known.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.literals.clear();
        self.apart.clear();
        self.regions.clear();
        self.parents.clear();
        self.region = 0;
        self.stack.clear();
        self.issued = 0;
        self.shared = None;
        self.turns.clear();
        self.touched.take();
    }

    /// Whether a value was made since the code was last cleared.
    pub fn knows(&self, place: Place) -> bool {
        place.is_register() || place.0 - REGISTERS < self.regions.len() as u32
    }

    /// A new value, not yet assigned.
    pub fn value(&mut self) -> Place {
        self.regions.push(self.region);
        self.literals.push(None);
        Place(REGISTERS + self.regions.len() as u32 - 1)
    }

    /// A word in every lane. A literal is one that the compiler knows.
    pub fn word(&mut self, word: u32, is_literal: bool) -> Place {
        let out = self.value();
        if is_literal {
            self.literals[(out.0 - REGISTERS) as usize] = Some(word);
        }
        self.push(Step::Word { out, word, keep: 0 });
        out
    }

    /// The result of an instruction.
    pub fn lanes(&mut self, instruction: Instruction, operands: [Place; 3]) -> Place {
        let out = self.value();
        self.push(Step::Lanes { instruction, operands, out });
        out
    }

    /// All ones in lanes of which a test is true.
    pub fn test(&mut self, test: Test, of: Place) -> Place {
        let (instruction, is_negated) = match test {
            Test::Less => (Instruction::IsNegative, false),
            Test::GreaterOrEqual => (Instruction::IsNegative, true),
            Test::Equal => (Instruction::IsZero, false),
            Test::NotEqual => (Instruction::IsZero, true),
            Test::Greater => (Instruction::IsPositive, false),
            Test::LessOrEqual => (Instruction::IsPositive, true),
        };
        let mask = self.lanes(instruction, [of; 3]);
        if is_negated { self.lanes(Instruction::Not, [mask; 3]) } else { mask }
    }

    /// What a variable holds after an assignment.
    pub fn assign(&mut self, old: Place, new: Place) -> Place {
        if old == Place::NONE || self.covers(old) {
            return new;
        }
        let out = self.value();
        self.regions[(out.0 - REGISTERS) as usize] = self.regions[(old.0 - REGISTERS) as usize];
        self.push(Step::Merge { old, new, out });
        out
    }

    /// Leaves a product as it is: sums of it are in other basic blocks.
    pub fn keep_apart(&mut self, product: Place) {
        self.apart.push(product);
    }

    /// Whether no lane is disabled in which a value has a meaning: it was made under the same
    /// conditions, or under further ones.
    fn covers(&self, value: Place) -> bool {
        if value.is_register() {
            return self.region == 0;
        }
        let mut region = self.regions[(value.0 - REGISTERS) as usize];
        while region > self.region {
            region = self.parents[region as usize - 1];
        }
        region == self.region
    }

    /// A value of Dst.
    pub fn load(&mut self, mode: Mode, row: u32) -> Place {
        let out = self.value();
        self.push(Step::Load { mode, row, out });
        out
    }

    /// A value to Dst.
    pub fn store(&mut self, mode: Mode, row: u32, value: Place) {
        self.push(Step::Store { mode, row, value });
    }

    /// Two values against each other; the first result is returned, the second is the next value.
    pub fn swap(&mut self, swap: Swap, operands: [Place; 2]) -> Place {
        let out = [self.value(), self.value()];
        self.push(Step::Swap { swap, operands, out });
        out[0]
    }

    /// Four values transposed; the first result is returned, the others are the next values.
    pub fn transpose(&mut self, registers: [Place; 4]) -> Place {
        let out = std::array::from_fn(|_| self.value());
        self.push(Step::Transpose { registers, out });
        out[0]
    }

    /// A value with each row's lanes moved by one.
    pub fn rotate(&mut self, from: Place) -> Place {
        let out = self.value();
        self.push(Step::Rotate { from, out });
        out
    }

    /// A value through a table of straight lines.
    pub fn lookup(&mut self, table: Table, coefficients: [Place; 6], of: Place) -> Place {
        let out = self.value();
        self.push(Step::Lookup { table, coefficients, of, out });
        out
    }

    /// Reads a register.
    pub fn read(&mut self, register: Place) -> Place {
        self.lanes(Instruction::Move, [register; 3])
    }

    /// Writes a register in enabled lanes.
    pub fn write(&mut self, register: Place, value: Place) {
        let (instruction, operands) = (Instruction::Move, [value; 3]);
        self.push(Step::Lanes { instruction, operands, out: register });
    }

    /// Sets a constant register.
    pub fn configure(&mut self, register: Place, value: Place) {
        self.push(Step::Configure { register, value });
    }

    /// Begins a condition.
    ///
    /// # Errors
    ///
    /// If there are more within each other than the unit can keep.
    pub fn begin(&mut self) -> Result<(), String> {
        if self.stack.len() == DEPTH_MAX {
            return Err(format!("more than {DEPTH_MAX} conditions within each other"));
        }
        self.stack.push(self.region);
        self.push(Step::Push);
        Ok(())
    }

    /// Ends the condition that began last.
    ///
    /// # Errors
    ///
    /// If none has begun.
    pub fn end(&mut self) -> Result<(), String> {
        self.region = self.stack.pop().ok_or("the end of a condition that has not begun")?;
        self.push(Step::Pop);
        Ok(())
    }

    /// Disables lanes in which a mask is zero.
    pub fn require(&mut self, mask: Place) {
        self.enter(self.region);
        self.push(Step::Require(mask));
    }

    /// Enables the lanes that the condition has disabled, and the other way round.
    pub fn complement(&mut self) {
        self.enter(self.stack.last().copied().unwrap_or(0));
        self.push(Step::Complement);
    }

    /// Enables all lanes.
    pub fn enable_all(&mut self) {
        self.region = 0;
        self.push(Step::EnableAll);
    }

    fn enter(&mut self, parent: u32) {
        self.parents.push(parent);
        self.region = self.parents.len() as u32;
    }

    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Places that a step may name.
    pub(super) fn places(&self) -> usize {
        self.shared.unwrap_or(REGISTERS as usize + self.regions.len())
    }

    /// The word that a value is in every lane, if the compiler knows it.
    pub(super) fn literal(&self, place: Place) -> Option<u32> {
        let at = place.0.checked_sub(REGISTERS)?;
        self.literals.get(at as usize).copied().flatten()
    }

    /// The word that a register has in every lane, as far as the code itself has loaded it.
    pub(super) fn loaded_word(&self, register: Place) -> Option<u32> {
        let (mut word, mut missing) = (0, !0);
        for step in self.steps.iter().rev() {
            let Step::Word { out, word: loaded, keep } = *step else {
                let mut is_written = false;
                step.results(|place| is_written |= place == register);
                if is_written {
                    return None;
                }
                continue;
            };
            if out == register {
                word |= loaded & missing;
                missing &= keep;
            }
            if missing == 0 {
                return Some(word);
            }
        }
        None
    }

    /// What it uses besides registers; for code that is complete.
    pub fn touched(&self) -> &Touched {
        self.touched.get_or_init(|| Touched::of(&self.steps))
    }
}
