//! Vector code of a C++ kernel: recorded call by call, executed when it calls anything else.
//!
//! The names are those of `tw_lane` and `tw_vector_control` in `shim/tilewright/abi.h`.

use std::cell::{Cell, RefCell};

use tilewright_machine::{Processor, Site};
use tilewright_tile::sfpu::program::Instruction;
use tilewright_tile::sfpu::program::unit::{
    AddressMode, Code, Counters, Effect, LoadMode, Place, Swap, Table, Test, issue,
};
use tilewright_tile::{Chip, DstWidth};

use super::frame::{self, Frame};
use super::stack::RawSite;

/// Instructions that the replay buffer holds.
const REPLAY_LENGTH: usize = 32;
/// Instructions that are executed before the next tile begins.
const LONG: usize = 1 << 14;
/// SFPCONFIG of the lanes to what they are at first.
const PLAIN_LANES: u32 = 0x9100_00f1;
/// Opcodes.
const REPLAY: u32 = 0x04;
const SFPSTORE: u32 = 0x72;

/// Codes of `abi.h`, with their names there.
macro_rules! codes {
    ($($name:ident = $value:literal,)*) => {
        $(pub(super) const $name: u32 = $value;)*
        #[cfg(test)]
        pub(super) const ALL: &[(&str, u32)] = &[$((stringify!($name), $value)),*];
    };
}

/// `tw_lane`, as far as it is more than one instruction on each lane.
mod lane {
    codes! {
        OF_WORD = 64,
        ASSIGN = 65,
        LOAD = 66,
        STORE = 67,
        TEST = 68,
        SWAP = 69,
        TRANSPOSE = 70,
        ROTATE = 71,
        OPERAND = 72,
        LOOKUP = 73,
        READ = 74,
        WRITE = 75,
        CONFIGURE = 76,
        BEGIN = 77,
        END = 78,
        COMPLEMENT = 79,
        REQUIRE = 80,
        COUNT = 81,
        // The second operand is a word.
        WORD = 0x100,
        // A word that the compiler knows.
        LITERAL = 0x200,
    }
}

/// `tw_vector_control`.
mod control {
    codes! {
        BASE = 0,
        UPPER_MODES = 1,
        ADDRESS_MODE = 2,
    }
}

/// `tw_lane`, as far as it is one instruction on each lane.
const INSTRUCTIONS: [Instruction; 34] = {
    use Instruction as I;
    [
        I::Mad,
        I::Multiply,
        I::Add,
        I::Negate,
        I::And,
        I::Or,
        I::Xor,
        I::Not,
        I::AddInteger,
        I::SubInteger,
        I::Shift,
        I::LeadingZeros,
        I::LeadingZerosMagnitude,
        I::AbsoluteFloat,
        I::AbsoluteInteger,
        I::ExponentUnbiased,
        I::Exponent,
        I::Significand,
        I::Mantissa,
        I::SetExponent,
        I::CopyExponent,
        I::SetMantissa,
        I::CopySign,
        I::AddExponent,
        I::Cast,
        I::RoundBfloat16,
        I::RoundUnsigned8,
        I::RoundSigned8,
        I::RoundUnsigned16,
        I::RoundSigned16,
        I::NarrowUnsigned8,
        I::NarrowSigned8,
        I::Subtract,
        I::Move,
    ]
};

/// `tw_lane_test`.
const TESTS: [Test; 6] = [
    Test::Less,
    Test::GreaterOrEqual,
    Test::Equal,
    Test::NotEqual,
    Test::Greater,
    Test::LessOrEqual,
];

/// What a kernel has recorded and not yet executed.
#[derive(Default)]
pub(super) struct Recorder {
    is_pending: Cell<bool>,
    inner: RefCell<Recording>,
}

#[derive(Default)]
struct Recording {
    code: Code,
    counters: Counters,
    /// The name of the first value: those before belong to code that was executed.
    first: u32,
    /// Operands of an operation that takes many.
    operands: Vec<Place>,
    replay: [u32; REPLAY_LENGTH],
    loading: Option<Loading>,
    width: Option<DstWidth>,
    chip: Chip,
    site: Option<Site>,
    has_store: bool,
}

/// Instructions on their way to the replay buffer.
struct Loading {
    at: u32,
    left: u32,
    executes: bool,
}

type Recorded<T> = Result<T, String>;

/// `vector_lanes`.
pub(super) fn lanes(at: RawSite, op: u32, words: [u32; 4]) -> u32 {
    record(at, op == lane::STORE, |it| it.lanes(op, words))
}

/// `vector_instruction`.
pub(super) fn instruction(at: RawSite, word: u32) {
    // Kernels may set the lanes' configuration back on every processor, as math does.
    let is_elsewhere = |frame: &Frame<'_>| frame.context.processor() != Processor::Math;
    if word == PLAIN_LANES && frame::inside(is_elsewhere) {
        return;
    }
    record(at, word >> 24 == SFPSTORE, |it| it.instruction(word));
}

/// `vector_control`.
pub(super) fn control(at: RawSite, kind: u32, a: u32, b: u32) {
    if kind == control::BASE {
        frame::inside(|frame| frame.vector.finish_long(frame));
    }
    record(at, false, |it| it.control(kind, a, b));
}

fn record<R>(at: RawSite, is_store: bool, act: impl FnOnce(&mut Recording) -> Recorded<R>) -> R {
    frame::inside(|frame| {
        let mut recording = frame.vector.inner.borrow_mut();
        if recording.site.is_none() || (is_store && !recording.has_store) {
            recording.site = Some(frame.site_of(at));
            recording.has_store = is_store;
        }
        if recording.width.is_none() {
            let site = frame.site_of(at);
            if frame.context.processor() != Processor::Math {
                drop(recording);
                frame.refuse(site, "vector instructions on another processor than math");
            }
            recording.width = Some(frame.context.dst_width(site));
            recording.chip = frame.context.architecture(|arch| arch.chip);
        }
        match act(&mut recording) {
            Ok(result) => {
                frame.vector.is_pending.set(!recording.code.is_empty());
                result
            }
            Err(what) => {
                drop(recording);
                frame.refuse(frame.site_of(at), &what)
            }
        }
    })
}

impl Recorder {
    /// Executes what was recorded if it is so much that memory would run out in the end. Between
    /// tiles no function keeps a vector.
    fn finish_long(&self, frame: &Frame<'_>) {
        let is_long = {
            let code = &self.inner.borrow().code;
            code.len() > LONG && !code.is_within_condition()
        };
        if is_long {
            self.finish(frame);
        }
    }

    /// Executes what was recorded.
    pub(super) fn finish(&self, frame: &Frame<'_>) {
        if !self.is_pending.replace(false) {
            return;
        }
        let (mut code, site) = {
            let mut recording = self.inner.borrow_mut();
            recording.has_store = false;
            let site = recording.site.take();
            (std::mem::take(&mut recording.code), site)
        };
        let made = code.values();
        code.fuse();
        code.settle();
        if let Some(site) = site {
            frame.context.vector_code(site, &code);
        }
        code.clear();
        let mut recording = self.inner.borrow_mut();
        recording.first = recording.first.wrapping_add(made);
        recording.code = code;
    }
}

impl Recording {
    fn place(&self, name: u32) -> Recorded<Place> {
        let place = Place(name.wrapping_sub(self.first));
        if name == u32::MAX {
            return Err("a vector that was never assigned".to_owned());
        }
        match self.code.knows(place) && place.0 >= Code::FIRST_VALUE {
            true => Ok(place),
            false => Err("a vector that is kept across a call of another unit".to_owned()),
        }
    }

    fn name(&self, place: Place) -> u32 {
        place.0.wrapping_add(self.first)
    }

    fn lanes(&mut self, op: u32, [a, b, c, d]: [u32; 4]) -> Recorded<u32> {
        if self.loading.is_some() {
            return Err("sfpi code among instructions for the replay buffer".to_owned());
        }
        if let Some(instruction) = INSTRUCTIONS.get((op & 0xff) as usize) {
            let x = self.place(a)?;
            let operands = match (instruction.operands(), op & lane::WORD) {
                (1, _) => [x; 3],
                (_, lane::WORD) => [x, self.code.word(b, op & lane::LITERAL != 0), x],
                (2, _) => [x, self.place(b)?, x],
                _ => [x, self.place(b)?, self.place(c)?],
            };
            let made = self.code.lanes(*instruction, operands);
            return Ok(self.name(made));
        }
        let made = self.special(op, [a, b, c, d])?;
        Ok(made.map_or(0, |made| self.name(made)))
    }

    /// What is more than an instruction on each lane.
    fn special(&mut self, op: u32, [a, b, c, d]: [u32; 4]) -> Recorded<Option<Place>> {
        let made = match op {
            lane::OF_WORD => self.code.word(a, b != 0),
            lane::ASSIGN => {
                let old = if a == u32::MAX { Place::NONE } else { self.place(a)? };
                let new = self.place(b)?;
                self.code.assign(old, new)
            }
            lane::LOAD => self.code.load(self.mode(a)?, self.counters.row(b)),
            lane::STORE => {
                let value = self.place(c)?;
                self.code.store(self.mode(a)?, self.counters.row(b), value);
                return Ok(None);
            }
            lane::TEST => {
                let test = *TESTS.get(a as usize).ok_or("an unknown test")?;
                let of = self.place(b)?;
                self.code.test(test, of)
            }
            lane::SWAP => {
                let swap = if a == 0 { Swap::Always } else { Swap::Minimum(d as u8) };
                let operands = [self.place(b)?, self.place(c)?];
                self.code.swap(swap, operands)
            }
            lane::TRANSPOSE => {
                let registers = [self.place(a)?, self.place(b)?, self.place(c)?, self.place(d)?];
                self.code.transpose(registers)
            }
            lane::ROTATE => {
                let from = self.place(a)?;
                self.code.rotate(from)
            }
            lane::OPERAND => {
                let operand = self.place(a)?;
                self.operands.push(operand);
                return Ok(None);
            }
            lane::LOOKUP => self.lookup(a, b)?,
            lane::READ => self.code.read(Place(a)),
            _ => return self.effect(op, [a, b]).map(|()| None),
        };
        Ok(Some(made))
    }

    /// What has no result.
    fn effect(&mut self, op: u32, [a, b]: [u32; 2]) -> Recorded<()> {
        match op {
            lane::WRITE => {
                let value = self.place(b)?;
                self.code.write(Place(a), value);
            }
            lane::CONFIGURE => {
                let value = self.place(b)?;
                self.code.configure(Place(a), value);
            }
            lane::BEGIN => self.code.begin()?,
            lane::END => self.code.end()?,
            lane::COMPLEMENT => self.code.complement(),
            lane::REQUIRE => {
                let mask = self.place(a)?;
                self.code.require(mask);
            }
            lane::COUNT => self.counters.increase(a, false),
            _ => return Err("a code that the interface does not have".to_owned()),
        }
        Ok(())
    }

    fn lookup(&mut self, mode: u32, is_fp32: u32) -> Recorded<Place> {
        let table = Table::from_mode(mode, is_fp32 != 0).ok_or("an unknown table of lines")?;
        let operands = std::mem::take(&mut self.operands);
        let (of, given) = operands.split_last().ok_or("a table without an argument")?;
        let mut coefficients = [*of; 6];
        coefficients.iter_mut().zip(given).for_each(|(place, given)| *place = *given);
        Ok(self.code.lookup(table, coefficients, *of))
    }

    fn mode(&self, mode: u32) -> Recorded<tilewright_tile::sfpu::program::Mode> {
        LoadMode(mode).mode(self.chip, self.width.unwrap_or(DstWidth::Bits16))
    }

    fn instruction(&mut self, word: u32) -> Recorded<()> {
        if let Some(loading) = &mut self.loading {
            self.replay[loading.at as usize % REPLAY_LENGTH] = word;
            (loading.at, loading.left) = (loading.at + 1, loading.left - 1);
            let executes = loading.executes;
            if loading.left == 0 {
                self.loading = None;
            }
            return if executes { self.issue(word) } else { Ok(()) };
        }
        if word >> 24 == REPLAY {
            return self.replay(word);
        }
        self.issue(word)
    }

    fn replay(&mut self, word: u32) -> Recorded<()> {
        let (at, left) = (word >> 14 & 0x3ff, word >> 4 & 0x3ff);
        if word & 1 == 1 {
            self.loading = (left > 0).then_some(Loading { at, left, executes: word & 2 != 0 });
            return Ok(());
        }
        for slot in at..at + left {
            self.issue(self.replay[slot as usize % REPLAY_LENGTH])?;
        }
        Ok(())
    }

    fn issue(&mut self, word: u32) -> Recorded<()> {
        let width = self.width.unwrap_or(DstWidth::Bits16);
        let (code, counters, chip) = (&mut self.code, &mut self.counters, self.chip);
        issue(word, &mut Effect { code, counters, chip, width }).map_err(|refusal| refusal.0)
    }

    fn control(&mut self, kind: u32, a: u32, b: u32) -> Recorded<()> {
        match kind {
            control::BASE => self.counters.base = a,
            control::UPPER_MODES => self.counters.uses_upper_modes = a != 0,
            control::ADDRESS_MODE => {
                let mode =
                    self.counters.modes.get_mut(a as usize).ok_or("an unknown address mode")?;
                *mode = AddressMode {
                    increment: i32::from(b as u16 as i16),
                    clears: b >> 16 & 1 == 1,
                    moves_copy: b >> 17 & 1 == 1,
                    sets_copy: b >> 18 & 1 == 1,
                };
            }
            _ => return Err("a code that the interface does not have".to_owned()),
        }
        Ok(())
    }
}

/// What the codes of `abi.h` stand for here, for comparison with it.
#[cfg(test)]
pub(super) mod known {
    use super::*;

    pub(in super::super) fn instruction(code: u32) -> Option<Instruction> {
        INSTRUCTIONS.get(code as usize).copied()
    }

    pub(in super::super) fn test(code: u32) -> Option<Test> {
        TESTS.get(code as usize).copied()
    }

    pub(in super::super) const LANES: &[(&str, u32)] = lane::ALL;
    pub(in super::super) const CONTROLS: &[(&str, u32)] = control::ALL;
}
