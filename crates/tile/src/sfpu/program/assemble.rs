//! From the notation to steps on registers: names resolved, calls expanded, predication as data.
//!
//! A lane that is disabled keeps its value, so an assignment under a condition is a selection by
//! the lanes that are enabled. No condition is left when a program runs.

use std::collections::BTreeMap;

use super::instruction::Instruction;
use super::parse::{Condition, Definition, Expression, Relation, Statement, Subroutine};
use super::run::{Mode, Program, Register, Source, Step};
use crate::{Chip, DstWidth};

/// The operand tiles, in order.
const OPERANDS: [&str; 3] = ["x", "y", "z"];
/// Calls within calls; a subroutine that calls itself would never end.
const MOST_CALLS: usize = 16;

/// The program of a definition for a chip and a width of Dst.
pub(super) fn assemble(
    definition: &Definition,
    subroutines: &[Subroutine],
    (chip, width): (Chip, DstWidth),
) -> Result<Program, String> {
    let mut assembler = Assembler {
        subroutines,
        chip,
        width,
        mode: Mode::from_name(&definition.mode, chip)?,
        program: Program::default(),
        constants: BTreeMap::new(),
        free: Vec::new(),
        calls: 0,
    };
    let mut names = BTreeMap::new();
    for (place, scalar) in definition.scalars.iter().enumerate() {
        names.insert(scalar.clone(), assembler.constant(Source::Scalar(place)));
    }
    assembler.statements(&definition.body, &mut names, None)?;
    Ok(assembler.program)
}

type Names = BTreeMap<String, Register>;

struct Assembler<'a> {
    subroutines: &'a [Subroutine],
    chip: Chip,
    width: DstWidth,
    mode: Mode,
    program: Program,
    constants: BTreeMap<Source, Register>,
    /// Registers of values that nothing needs any more.
    free: Vec<Register>,
    calls: usize,
}

/// A value, and whether it is a temporary that its one reader may give back.
#[derive(Clone, Copy)]
struct Value {
    register: Register,
    is_temporary: bool,
}

impl Assembler<'_> {
    fn statements(
        &mut self,
        body: &[Statement],
        names: &mut Names,
        enabled: Option<Register>,
    ) -> Result<(), String> {
        for statement in body {
            match statement {
                Statement::Assign(name, value) => self.assign(name, value, names, enabled)?,
                Statement::Store(mode, value) => {
                    let mode = self.mode_or_own(mode.as_deref())?;
                    let value = self.expression(value, names)?;
                    let mask = enabled.unwrap_or(value.register);
                    let step = Step::Store { mode, value: value.register, mask };
                    self.program.steps.push(match enabled {
                        Some(_) => step,
                        None => Step::Store { mode, value: value.register, mask: Register::ALL },
                    });
                    self.give_back(value);
                }
                Statement::If(condition, then, otherwise) => {
                    self.branch(condition, (then, otherwise), names, enabled)?;
                }
                Statement::Narrow(body) => {
                    if self.width == DstWidth::Bits16 {
                        self.statements(body, names, enabled)?;
                    }
                }
                Statement::Wide(body) => {
                    if self.width == DstWidth::Bits32 {
                        self.statements(body, names, enabled)?;
                    }
                }
                Statement::On(chip, body) => {
                    if self.chip == *chip {
                        self.statements(body, names, enabled)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn assign(
        &mut self,
        name: &str,
        value: &Expression,
        names: &mut Names,
        enabled: Option<Register>,
    ) -> Result<(), String> {
        let value = self.expression(value, names)?;
        if enabled.is_some() && OPERANDS.contains(&name) {
            self.name(name, names)?;
        }
        match (names.get(name).copied(), enabled) {
            (Some(old), Some(mask)) => {
                // The name may be bound to a constant, which must stay as it is.
                let out = if self.is_constant(old) { self.fresh() } else { old };
                self.push(Instruction::Select, out, [mask, value.register, old]);
                names.insert(name.to_owned(), out);
                self.give_back(value);
            }
            // A value first made under a condition is only read where that holds.
            (None, _) if value.is_temporary => {
                names.insert(name.to_owned(), value.register);
            }
            (Some(old), None) if value.is_temporary => {
                if !self.is_constant(old) && !names.iter().any(|(n, r)| n != name && *r == old) {
                    self.free.push(old);
                }
                names.insert(name.to_owned(), value.register);
            }
            (None | Some(_), _) => {
                let out = self.fresh();
                self.push(Instruction::Move, out, [value.register; 3]);
                names.insert(name.to_owned(), out);
            }
        }
        Ok(())
    }

    fn branch(
        &mut self,
        condition: &Condition,
        (then, otherwise): (&[Statement], &[Statement]),
        names: &mut Names,
        enabled: Option<Register>,
    ) -> Result<(), String> {
        let holds = self.condition(condition, names)?;
        let mask = match enabled {
            Some(outer) => self.instruction(Instruction::And, &[holds, keep(outer)]),
            None => holds,
        };
        self.statements(then, names, Some(mask.register))?;
        if !otherwise.is_empty() {
            let not = match enabled {
                Some(outer) => {
                    self.instruction(Instruction::AndNot, &[keep(outer), keep(mask.register)])
                }
                None => self.instruction(Instruction::Not, &[keep(mask.register)]),
            };
            self.statements(otherwise, names, Some(not.register))?;
            self.give_back(not);
        }
        self.give_back(mask);
        Ok(())
    }

    fn condition(&mut self, condition: &Condition, names: &mut Names) -> Result<Value, String> {
        match condition {
            Condition::And(a, b) => {
                let (a, b) = (self.condition(a, names)?, self.condition(b, names)?);
                Ok(self.instruction(Instruction::And, &[a, b]))
            }
            Condition::Or(a, b) => {
                let (a, b) = (self.condition(a, names)?, self.condition(b, names)?);
                Ok(self.instruction(Instruction::Or, &[a, b]))
            }
            Condition::Test(value, relation) => {
                let value = self.expression(value, names)?;
                let (test, is_negated) = match relation {
                    Relation::Less => (Instruction::IsNegative, false),
                    Relation::GreaterOrEqual => (Instruction::IsNegative, true),
                    Relation::Equal => (Instruction::IsZero, false),
                    Relation::NotEqual => (Instruction::IsZero, true),
                    Relation::Greater => (Instruction::IsPositive, false),
                    Relation::LessOrEqual => (Instruction::IsPositive, true),
                };
                let mask = self.instruction(test, &[value]);
                Ok(if is_negated { self.instruction(Instruction::Not, &[mask]) } else { mask })
            }
        }
    }

    fn expression(&mut self, value: &Expression, names: &mut Names) -> Result<Value, String> {
        match value {
            Expression::Word(word) => Ok(keep(self.constant(Source::Word(*word)))),
            Expression::Name(name) => self.name(name, names),
            Expression::Load(tile, mode) => {
                let mode = self.mode_or_own(mode.as_deref())?;
                Ok(self.load(*tile, mode))
            }
            Expression::Call(name, arguments) => self.call(name, arguments, names),
        }
    }

    fn name(&mut self, name: &str, names: &mut Names) -> Result<Value, String> {
        if let Some(register) = names.get(name) {
            return Ok(keep(*register));
        }
        if let Some(tile) = OPERANDS.iter().position(|operand| *operand == name) {
            // Loaded first of all: a store may come before the first use.
            let out = self.program.new_register();
            self.program.tiles = self.program.tiles.max(tile + 1);
            self.program.steps.insert(0, Step::Load { mode: self.mode, tile, out });
            names.insert(name.to_owned(), out);
            return Ok(keep(out));
        }
        match ["k12", "k13", "k14"].iter().position(|constant| *constant == name) {
            Some(place) => Ok(keep(self.constant(Source::Programmable(place)))),
            None => Err(format!("`{name}` has no value here")),
        }
    }

    fn call(
        &mut self,
        name: &str,
        arguments: &[Expression],
        names: &mut Names,
    ) -> Result<Value, String> {
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.expression(argument, names)?);
        }
        match (name, values.as_slice()) {
            ("poly", &[x, first, ref rest @ ..]) if !rest.is_empty() => {
                let mut sum = first;
                for coefficient in rest {
                    sum =
                        self.instruction(Instruction::Mad, &[sum, keep(x.register), *coefficient]);
                }
                self.give_back(x);
                Ok(sum)
            }
            ("power_of_ten", &[exponent]) => match self.source(exponent.register) {
                Some(Source::Scalar(at)) => Ok(keep(self.constant(Source::PowerOfTen(at, 1)))),
                Some(_) | None => Err(format!("`{name}` takes a scalar")),
            },
            ("power_of_tenth", &[exponent]) => match self.source(exponent.register) {
                Some(Source::Scalar(at)) => Ok(keep(self.constant(Source::PowerOfTen(at, -1)))),
                Some(_) | None => Err(format!("`{name}` takes a scalar")),
            },
            ("round_dst", &[value]) => match self.width {
                DstWidth::Bits16 => Ok(self.instruction(Instruction::RoundBfloat16, &[value])),
                DstWidth::Bits32 => Ok(value),
            },
            ("through_dst", &[value]) => Ok(match self.width {
                DstWidth::Bits16 => self.instruction(Instruction::Truncate, &[value]),
                DstWidth::Bits32 => self.instruction(Instruction::Flush, &[value]),
            }),
            _ => match Instruction::from_name(name) {
                Some((instruction, operands)) if operands == values.len() => {
                    Ok(self.instruction(instruction, &values))
                }
                Some((_, operands)) => {
                    Err(format!("`{name}` takes {operands} operands, not {}", values.len()))
                }
                None => self.expand(name, &values),
            },
        }
    }

    fn expand(&mut self, name: &str, values: &[Value]) -> Result<Value, String> {
        let subroutine = self.subroutines.iter().find(|subroutine| subroutine.name == name);
        let subroutine = subroutine.ok_or_else(|| format!("unknown instruction `{name}`"))?;
        if subroutine.parameters.len() != values.len() {
            let wanted = subroutine.parameters.len();
            return Err(format!("`{name}` takes {wanted} operands, not {}", values.len()));
        }
        if self.calls == MOST_CALLS {
            return Err(format!("`{name}` is called too deep inside of itself"));
        }
        self.calls += 1;
        let parameters = subroutine.parameters.iter().cloned();
        let mut names: Names = parameters.zip(values.iter().map(|value| value.register)).collect();
        // Its registers are kept: they are few, and the caller may still read its arguments.
        let free = std::mem::take(&mut self.free);
        self.statements(&subroutine.body, &mut names, None)?;
        let result = self.expression(&subroutine.result, &mut names)?;
        self.free = free;
        self.calls -= 1;
        Ok(Value { register: result.register, is_temporary: false })
    }

    fn instruction(&mut self, instruction: Instruction, operands: &[Value]) -> Value {
        let mut registers = [operands[0].register; 3];
        for (register, operand) in registers.iter_mut().zip(operands) {
            *register = operand.register;
        }
        operands.iter().for_each(|operand| self.give_back(*operand));
        let out = self.fresh();
        self.push(instruction, out, registers);
        Value { register: out, is_temporary: true }
    }

    fn load(&mut self, tile: usize, mode: Mode) -> Value {
        let out = self.fresh();
        self.program.tiles = self.program.tiles.max(tile + 1);
        self.program.steps.push(Step::Load { mode, tile, out });
        Value { register: out, is_temporary: true }
    }

    fn push(&mut self, instruction: Instruction, out: Register, operands: [Register; 3]) {
        self.program.steps.push(Step::Lanes { instruction, out, operands });
    }

    fn mode_or_own(&self, mode: Option<&str>) -> Result<Mode, String> {
        mode.map_or(Ok(self.mode), |mode| Mode::from_name(mode, self.chip))
    }

    fn constant(&mut self, source: Source) -> Register {
        if let Some(register) = self.constants.get(&source) {
            return *register;
        }
        let register = self.program.new_register();
        self.program.constants.push((register, source));
        self.constants.insert(source, register);
        register
    }

    fn is_constant(&self, register: Register) -> bool {
        self.constants.values().any(|constant| *constant == register)
    }

    fn source(&self, register: Register) -> Option<Source> {
        let mut all = self.constants.iter();
        all.find(|(_, constant)| **constant == register).map(|(source, _)| *source)
    }

    fn fresh(&mut self) -> Register {
        self.free.pop().unwrap_or_else(|| self.program.new_register())
    }

    fn give_back(&mut self, value: Value) {
        if value.is_temporary {
            self.free.push(value.register);
        }
    }
}

/// A value that stays after it was read.
fn keep(register: Register) -> Value {
    Value { register, is_temporary: false }
}
