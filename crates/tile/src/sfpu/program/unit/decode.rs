//! Instruction words, as kernels issue them (ISA documentation, TensixCoprocessor).

use super::super::instruction::Instruction;
use super::super::run::Mode;
use super::code::{Code, LaneMode, Place, Step, Swap, Test};
use super::counters::Counters;
use super::lookup::Table;
use super::words::{LoadMode, half_word};
use crate::{Chip, DstWidth};

/// SFPMOV's mode that names something else than a register, and what is the generator then.
const FROM_SPECIAL: u32 = 8;
const GENERATOR: Place = Place(9);

/// The opcode of SFPSTORE, and its mode of 32-bit floats.
const STORE: u32 = 0x72;
const FLOAT32: u32 = 3;

/// What an instruction needs besides the code that it adds to.
pub struct Effect<'a> {
    /// What it adds to.
    pub code: &'a mut Code,
    /// Where accesses fall.
    pub counters: &'a mut Counters,
    /// The chip.
    pub chip: Chip,
    /// The width of Dst.
    pub width: DstWidth,
}

/// An instruction that is not modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

type Done = Result<(), Refusal>;

/// Fields of an instruction word.
#[derive(Clone, Copy)]
struct Word(u32);

impl Word {
    fn bits(self, shift: u32, count: u32) -> u32 {
        self.0 >> shift & ((1 << count) - 1)
    }
    /// VD, VC, VB and VA.
    fn register(self, at: u32) -> Place {
        Place(self.bits(4 + 4 * at, 4))
    }
    fn mode(self) -> u32 {
        self.bits(0, 4)
    }
    /// The immediate of 12 bits, with its sign.
    fn immediate12(self) -> u32 {
        ((self.bits(12, 12) << 20) as i32 >> 20) as u32
    }
}

/// Adds an instruction to the code.
///
/// # Errors
///
/// If it is not modelled, or a mode of it is not.
pub fn issue(word: u32, effect: &mut Effect<'_>) -> Done {
    let (opcode, word) = (word >> 24, Word(word));
    if effect.chip == Chip::Blackhole && blackhole(opcode, word, effect.code)? {
        return Ok(());
    }
    match opcode {
        0x02 | 0x8f | 0xa2 => Ok(()),
        0x37 if word.bits(22, 2) != 0 => {
            Err(Refusal("the instruction SETRWC that gives a source register back".to_owned()))
        }
        0x37 | 0x38 => {
            count(opcode, word, effect.counters);
            Ok(())
        }
        0x70 | 0x72 => access(opcode, word, effect),
        0x71 => load_immediate(word, effect.code),
        0x73 | 0x95 => lookup(opcode, word, effect.code),
        0x74 | 0x75 => arithmetic_immediate(opcode, word, effect.code),
        0x84..=0x86 => {
            let operands = [word.register(3), word.register(2), word.register(1)];
            refuse_mode("SFPMAD", word.mode(), word.mode() == 0)?;
            lanes(effect.code, Instruction::Mad, operands, word.register(0));
            Ok(())
        }
        0x79 => add_integer(word, effect.code),
        0x7b => set_flags(word, effect.code),
        0x87 | 0x88 | 0x8a | 0x8b => flags(opcode, word, effect.code),
        0x8c => {
            for first in [0, 4] {
                let registers = std::array::from_fn(|at| Place(first + at as u32));
                effect.code.push(Step::Transpose { registers, out: registers });
            }
            Ok(())
        }
        0x8e => round(word, effect.code),
        0x91 => configure(word, effect.code),
        0x92 => swap(word, effect.code),
        0x94 => shift_lanes(word, effect.code),
        _ => unary(opcode, word, effect.code),
    }
}

/// What Blackhole alone has; whether it is that (tt-metal's functions for it tell the modes).
fn blackhole(opcode: u32, word: Word, code: &mut Code) -> Result<bool, Refusal> {
    use Instruction as I;
    let (from, out) = (word.register(1), word.register(0));
    let is_greater = |code: &mut Code| code.lanes(I::IsGreater, [out, from, from]);
    let (instruction, operands) = match (opcode, word.mode()) {
        (0x96 | 0x97, 1) => {
            let mask = is_greater(code);
            let mask = if opcode == 0x97 { mask } else { code.lanes(I::Not, [mask; 3]) };
            code.require(mask);
            return Ok(true);
        }
        (0x96, 8) => (I::Not, [is_greater(code); 3]),
        (0x97, 8) => (I::IsGreater, [out, from, from]),
        // With a second operand that need not be the result.
        (0x7e, 1) => (I::And, [from, word.register(2), out]),
        (0x7f, 1) => (I::Or, [from, word.register(2), out]),
        // Either way: both representations of a number are turned alike.
        (0x90, 2 | 3) => (I::CastSignMagnitude, [from; 3]),
        (0x98, 0) => (I::MultiplyLow, [word.register(3), word.register(2), out]),
        (0x98, 1) => (I::MultiplyHigh, [word.register(3), word.register(2), out]),
        (0x99, 0) => (I::EstimateReciprocal, [from; 3]),
        _ => return Ok(false),
    };
    lanes(code, instruction, operands, out);
    Ok(true)
}

fn refuse_mode(name: &str, mode: u32, is_known: bool) -> Done {
    if is_known { Ok(()) } else { Err(Refusal(format!("mode {mode} of the instruction {name}"))) }
}

fn lanes(code: &mut Code, instruction: Instruction, operands: [Place; 3], out: Place) {
    code.push(Step::Lanes { instruction, operands, out });
}

/// SETRWC and INCRWC: of their counters that of Dst alone matters here.
fn count(opcode: u32, word: Word, counters: &mut Counters) {
    let (copy, rows) = (word.bits(18, 4), word.bits(14, 4));
    if opcode == 0x38 {
        counters.increase(rows, copy & 4 != 0);
    } else if word.bits(0, 4) & 4 != 0 {
        counters.set(rows, copy & 4 != 0, copy & 8 != 0);
    }
}

fn access(opcode: u32, word: Word, effect: &mut Effect<'_>) -> Done {
    if (opcode, word.bits(16, 4), effect.width) == (STORE, FLOAT32, DstWidth::Bits16) {
        return store_wide(word, effect);
    }
    let mode = LoadMode(word.bits(16, 4)).mode(effect.chip, effect.width).map_err(Refusal)?;
    let row = row(word, effect);
    let register = Place(word.bits(20, 4));
    effect.code.push(match opcode {
        0x70 => Step::Load { mode, row, out: register },
        _ => Step::Store { mode, row, value: register },
    });
    Ok(())
}

/// The row of an access, which moves the counter. Blackhole's address has a bit less, for more
/// address modes (tt-llk's `ckernel_ops.h` of either chip).
fn row(word: Word, effect: &mut Effect<'_>) -> u32 {
    let (address_bits, mode_bits) = match effect.chip {
        Chip::Wormhole => (14, 2),
        Chip::Blackhole => (13, 3),
    };
    let mode = effect.counters.mode(effect.chip, word.bits(address_bits, mode_bits));
    effect.counters.access(word.bits(0, address_bits), mode)
}

/// SFPSTORE of 32 bits in a 16-bit Dst: the halves go to rows of their own, eight apart (Dst.md).
/// The lower one holds its bits in the order of storage.
fn store_wide(word: Word, effect: &mut Effect<'_>) -> Done {
    use Instruction as I;
    /// Rows whose halves lie within a section of Dst.
    const ROWS: u32 = 256;
    let row = row(word, effect);
    if row >= ROWS {
        return Err(Refusal("32 bits to the upper half of a 16-bit Dst".to_owned()));
    }
    let (code, value) = (&mut *effect.code, Place(word.bits(20, 4)));
    let exponent = code.lanes(I::Exponent, [value; 3]);
    let is_denormal = code.lanes(I::IsZero, [exponent; 3]);
    let is_kept = code.lanes(I::Not, [is_denormal; 3]);
    let half = code.word(0xffff, false);
    let lower = code.lanes(I::And, [value, half, half]);
    let lower = code.lanes(I::And, [lower, is_kept, is_kept]);
    let row = (row & 0x1f8) << 1 | row & 7;
    code.push(Step::Store { mode: Mode::Float, row, value });
    code.push(Step::Store { mode: Mode::Exchanged, row: row + 8, value: lower });
    Ok(())
}

fn load_immediate(word: Word, code: &mut Code) -> Done {
    let (out, mode, bits) = (Place(word.bits(20, 4)), word.bits(16, 4), word.bits(0, 16));
    let (word, keep) = match mode {
        0 => (bits << 16, 0),
        1 => (half_word(bits), 0),
        2 => (bits, 0),
        4 => (((bits << 16) as i32 >> 16) as u32, 0),
        8 => (bits << 16, 0xffff),
        10 => (bits, 0xffff_0000),
        _ => return refuse_mode("SFPLOADI", mode, false),
    };
    code.push(Step::Word { out, word, keep });
    Ok(())
}

fn lookup(opcode: u32, word: Word, code: &mut Code) -> Done {
    let (out, mode) = match opcode {
        0x73 => (Place(word.bits(20, 4)), word.bits(16, 4)),
        _ => (word.register(0), word.mode()),
    };
    let Some(table) = Table::from_mode(mode, opcode == 0x95) else {
        return refuse_mode("SFPLUT", mode, false);
    };
    let coefficients = [0, 1, 2, 4, 5, 6].map(Place);
    code.push(Step::Lookup { table, coefficients, of: Place(3), out });
    Ok(())
}

/// SFPMULI and SFPADDI: the immediate comes first.
fn arithmetic_immediate(opcode: u32, word: Word, code: &mut Code) -> Done {
    let (immediate, out) = (code.word(word.bits(8, 16) << 16, false), word.register(0));
    refuse_mode("SFPMULI", word.mode(), word.mode() == 0)?;
    let operands = match opcode {
        0x74 => [immediate, out, Place::ZERO],
        _ => [immediate, Place::ONE, out],
    };
    lanes(code, Instruction::Mad, operands, out);
    Ok(())
}

fn add_integer(word: Word, code: &mut Code) -> Done {
    let (from, out, mode) = (word.register(1), word.register(0), word.mode());
    match mode & 3 {
        0 => lanes(code, Instruction::AddInteger, [from, out, out], out),
        1 => {
            let immediate = code.word(word.immediate12(), false);
            lanes(code, Instruction::AddInteger, [from, immediate, immediate], out);
        }
        2 => lanes(code, Instruction::SubInteger, [from, out, out], out),
        _ => return refuse_mode("SFPIADD", mode, false),
    }
    match mode & 12 {
        0 => require(code, Test::Less, out),
        4 => {}
        8 => require(code, Test::GreaterOrEqual, out),
        _ => return refuse_mode("SFPIADD", mode, false),
    }
    Ok(())
}

fn require(code: &mut Code, test: Test, of: Place) {
    let mask = code.test(test, of);
    code.require(mask);
}

fn set_flags(word: Word, code: &mut Code) -> Done {
    let test = match word.mode() {
        0 => Test::Less,
        1 => {
            let mask = code.word(if word.bits(12, 1) == 1 { !0 } else { 0 }, false);
            code.require(mask);
            return Ok(());
        }
        2 => Test::NotEqual,
        4 => Test::GreaterOrEqual,
        6 => Test::Equal,
        8 => {
            code.require(Place::ZERO);
            return Ok(());
        }
        mode => return refuse_mode("SFPSETCC", mode, false),
    };
    require(code, test, word.register(1));
    Ok(())
}

fn flags(opcode: u32, word: Word, code: &mut Code) -> Done {
    let (mode, immediate) = (word.mode(), word.bits(12, 12));
    match (opcode, mode) {
        (0x87, 0) => code.begin().map_err(Refusal),
        (0x88, 0) => code.end().map_err(Refusal),
        (0x8b, _) => {
            code.complement();
            Ok(())
        }
        (0x8a, 0) => {
            code.enable_all();
            Ok(())
        }
        (0x8a, 2 | 10) if immediate == 3 || immediate == 0 => {
            code.enable_all();
            Ok(())
        }
        (0x87, _) => refuse_mode("SFPPUSHC", mode, false),
        (0x88, _) => refuse_mode("SFPPOPC", mode, false),
        _ => refuse_mode("SFPENCC", mode, false),
    }
}

/// SFP_STOCH_RND: only its rounding to the nearest is known.
fn round(word: Word, code: &mut Code) -> Done {
    use Instruction as I;
    let (from, out) = (word.register(1), word.register(0));
    if word.bits(21, 3) != 0 {
        return Err(Refusal("stochastic rounding by the instruction SFP_STOCH_RND".to_owned()));
    }
    let mode = word.mode();
    let instruction = match mode & 7 {
        1 => I::RoundBfloat16,
        2 => I::RoundUnsigned8,
        3 => I::RoundSigned8,
        4 => I::NarrowUnsigned8,
        5 => I::NarrowSigned8,
        6 => I::RoundUnsigned16,
        7 => I::RoundSigned16,
        _ => return refuse_mode("SFP_STOCH_RND", mode, false),
    };
    let by = match mode & 8 {
        0 => word.register(2),
        _ => code.word(word.bits(16, 5), false),
    };
    lanes(code, instruction, [from, by, by], out);
    Ok(())
}

/// SFPCONFIG: constants. What macros would do is kept by nobody, as SFPLOADMACRO is refused.
fn configure(word: Word, code: &mut Code) -> Done {
    let (immediate, register, mode) = (word.bits(8, 16), word.bits(4, 4), word.mode());
    match (register, mode) {
        (0..=8, _) => Ok(()),
        (11..=14, 0) => {
            code.configure(Place(register), Place(0));
            Ok(())
        }
        (15, 0 | 1) => {
            let word = if mode == 1 { Some(immediate) } else { code.loaded_word(Place(0)) };
            let known = word.and_then(LaneMode::from_word);
            let mode = known.ok_or("lane configuration by the instruction SFPCONFIG");
            code.push(Step::Lanewise(mode.map_err(|what| Refusal(what.to_owned()))?));
            Ok(())
        }
        _ => refuse_mode("SFPCONFIG", mode, false),
    }
}

/// SFPSWAP: VD is first.
fn swap(word: Word, code: &mut Code) -> Done {
    let operands = [word.register(0), word.register(1)];
    let rows = match word.mode() {
        0 => {
            code.push(Step::Swap { swap: Swap::Always, operands, out: operands });
            return Ok(());
        }
        1 => 0b1111,
        2 => 0b0011,
        3 => 0b0101,
        4 => 0b1001,
        5 => 0b0001,
        6 => 0b0010,
        7 => 0b0100,
        8 => 0b1000,
        9 => 0b0000,
        mode => return refuse_mode("SFPSWAP", mode, false),
    };
    code.push(Step::Swap { swap: Swap::Minimum(rows), operands, out: operands });
    Ok(())
}

fn shift_lanes(word: Word, code: &mut Code) -> Done {
    let (from, out, mode) = (word.register(1), word.register(0), word.mode());
    match mode {
        3 => code.push(Step::Rotate { from, out }),
        5 => lanes(code, Instruction::Shift, [Place(word.bits(12, 4)), from, from], out),
        _ => return refuse_mode("SFPSHFT2", mode, false),
    }
    Ok(())
}

/// Instructions of VC and VD, or of VC and an immediate.
fn unary(opcode: u32, word: Word, code: &mut Code) -> Done {
    use Instruction as I;
    let (from, out, mode) = (word.register(1), word.register(0), word.mode());
    let immediate = word.immediate12();
    let (instruction, operands) = match (opcode, mode) {
        (0x76, 1) => (I::AddExponent, [from, code.word(immediate, false), from]),
        (0x76, 0) => (I::SetExponent, [from, code.word(immediate, false), from]),
        (0x77, 0) => (I::ExponentUnbiased, [from; 3]),
        (0x77, 1) => (I::Exponent, [from; 3]),
        (0x77, 2) => {
            lanes(code, I::ExponentUnbiased, [from; 3], out);
            require(code, Test::Less, out);
            return Ok(());
        }
        (0x77, 10) => {
            lanes(code, I::ExponentUnbiased, [from; 3], out);
            require(code, Test::GreaterOrEqual, out);
            return Ok(());
        }
        (0x78, 0) => (I::Significand, [from; 3]),
        (0x78, 1) => (I::Mantissa, [from; 3]),
        (0x7a, 0) => (I::Shift, [out, from, from]),
        (0x7a, 1) => (I::Shift, [out, code.word(immediate, false), out]),
        (0x7c, 0) => (I::Move, [from; 3]),
        (0x7c, 1) => (I::Negate, [from; 3]),
        (0x7c, FROM_SPECIAL) if from == GENERATOR => {
            code.push(Step::Random { out });
            return Ok(());
        }
        (0x7d, 0) => (I::AbsoluteInteger, [from; 3]),
        (0x7d, 1) => (I::AbsoluteFloat, [from; 3]),
        (0x7e, _) => (I::And, [from, out, out]),
        (0x7f, _) => (I::Or, [from, out, out]),
        (0x80, _) => (I::Not, [from; 3]),
        (0x81, 0) => (I::LeadingZeros, [from; 3]),
        (0x81, 4) => (I::LeadingZerosMagnitude, [from; 3]),
        (0x81, 2) => {
            // The flags say whether the operand is zero, which the result may replace.
            let mask = code.test(Test::NotEqual, from);
            lanes(code, I::LeadingZeros, [from; 3], out);
            code.require(mask);
            return Ok(());
        }
        (0x82, 0) => (I::SetExponent, [from, out, out]),
        (0x82, 1) => (I::SetExponent, [from, code.word(immediate, false), from]),
        (0x82, 2) => (I::CopyExponent, [from, out, out]),
        (0x83, 0) => (I::SetMantissa, [from, out, out]),
        (0x83, 1) => (I::SetMantissa, [from, code.word(immediate << 11, false), from]),
        (0x89, 0) => (I::CopySign, [from, out, out]),
        (0x89, 1) => (I::CopySign, [from, code.word(immediate << 31, false), from]),
        (0x8d, _) => (I::Xor, [from, out, out]),
        (0x90, 0) => (I::Cast, [from; 3]),
        (0x90, 1) => return Err(Refusal("stochastic rounding by SFPCAST".to_owned())),
        _ => return Err(Refusal(format!("the instruction {} in mode {mode}", name(opcode)))),
    };
    lanes(code, instruction, operands, out);
    Ok(())
}

/// An instruction's name, for people.
fn name(opcode: u32) -> String {
    const NAMES: &[(u32, &str)] = &[
        (0x76, "SFPDIVP2"),
        (0x77, "SFPEXEXP"),
        (0x78, "SFPEXMAN"),
        (0x7a, "SFPSHFT"),
        (0x7c, "SFPMOV"),
        (0x7d, "SFPABS"),
        (0x81, "SFPLZ"),
        (0x82, "SFPSETEXP"),
        (0x83, "SFPSETMAN"),
        (0x89, "SFPSETSGN"),
        (0x90, "SFPCAST"),
        (0x93, "SFPLOADMACRO"),
        (0x96, "SFPLE"),
        (0x97, "SFPGT"),
        (0x98, "SFPMUL24"),
        (0x99, "SFPARECIP"),
    ];
    let known = NAMES.iter().find(|(of, _)| *of == opcode);
    known.map_or_else(|| format!("{opcode:#04x}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::super::state::VectorState;
    use super::super::{LANES, Register, Rows, Unit};
    use super::*;

    /// A 16-bit Dst by accesses: a register for every two rows.
    struct Memory([Register; 16]);

    impl Rows for Memory {
        fn width(&self) -> DstWidth {
            DstWidth::Bits16
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
            assert_eq!(*mask, [!0; LANES], "every lane is enabled");
            self.0[row as usize / 2] = *values;
        }
    }

    /// What is in rows of Dst after a word has been stored to row 10 as 32 bits.
    fn stored(word: u32) -> Vec<(usize, u32)> {
        let (mut code, mut counters) = (Code::default(), Counters::default());
        let (chip, width) = (Chip::Wormhole, DstWidth::Bits16);
        let instructions = [0x710a_0000 | word & 0xffff, 0x7108_0000 | word >> 16, 0x7203_c00a];
        for instruction in instructions {
            let (code, counters) = (&mut code, &mut counters);
            issue(instruction, &mut Effect { code, counters, chip, width }).expect("it is known");
        }
        let mut memory = Memory([[1; LANES]; 16]);
        code.settle();
        Unit::default().run(chip, &code, &mut memory, &mut VectorState::default());
        let changed = memory.0.iter().enumerate().filter(|(_, values)| values[0] != 1);
        changed.map(|(access, values)| (2 * access, values[0])).collect()
    }

    #[test]
    fn halves_of_32_bits_have_rows_of_their_own() {
        assert_eq!(stored(0x3f80_1234), [(18, 0x3f80_0000), (26, 0x1a12_0000)]);
        assert_eq!(stored(0x8000_1234), [(18, 0x8000_0000), (26, 0)], "a denormal is flushed");
    }

    #[test]
    fn rows_beyond_a_section_are_refused() {
        let (mut code, mut counters) = (Code::default(), Counters::default());
        let (chip, width) = (Chip::Wormhole, DstWidth::Bits16);
        counters.base = 256;
        let (code, counters) = (&mut code, &mut counters);
        let refusal = issue(0x7203_c000, &mut Effect { code, counters, chip, width });
        let refusal = refusal.expect_err("it has no row");
        assert_eq!(refusal.0, "32 bits to the upper half of a 16-bit Dst");
    }
}
