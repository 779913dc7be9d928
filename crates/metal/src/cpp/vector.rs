//! Vector code of a C++ kernel: recorded call by call, executed when it calls anything else.
//!
//! The names are those of `tw_lane` and `tw_vector_control` in `shim/tilewright/abi.h`.

mod paths;
mod recording;

use std::cell::{Cell, RefCell};

use tilewright_machine::Processor;
use tilewright_tile::sfpu::program::Instruction;
use tilewright_tile::sfpu::program::unit::Test;

use self::paths::Call;
use self::recording::Recording;
use super::codes::named_codes;
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

/// `tw_lane`, as far as it is more than one instruction on each lane.
mod lane {
    super::named_codes! {
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
    super::named_codes! {
        BASE = 0,
        UPPER_MODES = 1,
        ADDRESS_MODE = 2,
    }
}

/// `tw_lane`, as far as it is one instruction on each lane.
const INSTRUCTIONS: [Instruction; 37] = {
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
        I::EstimateReciprocal,
        I::MultiplyLow,
        I::MultiplyHigh,
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

/// Kinds of calls beside `tw_lane`.
mod kind {
    pub(super) const INSTRUCTION: u32 = 1 << 16;
    pub(super) const CONTROL: u32 = 1 << 17;
}

/// `vector_lanes`.
pub(super) fn lanes(at: RawSite, op: u32, words: [u32; 4]) -> u32 {
    // Higher bits are none of the interface's.
    record(at, op == lane::STORE, Call { kind: op & 0xffff, words })
}

/// `vector_instruction`.
pub(super) fn instruction(at: RawSite, word: u32) {
    // Kernels may set the lanes' configuration back on every processor, as math does.
    let is_elsewhere = |frame: &Frame<'_>| frame.context.processor() != Processor::Math;
    if word == PLAIN_LANES && frame::inside(is_elsewhere) {
        return;
    }
    let call = Call { kind: kind::INSTRUCTION, words: [word, 0, 0, 0] };
    record(at, word >> 24 == SFPSTORE, call);
}

/// `vector_control`.
pub(super) fn control(at: RawSite, which: u32, a: u32, b: u32) {
    if which == control::BASE {
        frame::inside(|frame| frame.vector.finish_long(frame));
    }
    record(at, false, Call { kind: kind::CONTROL, words: [which, a, b, 0] });
}

fn record(at: RawSite, is_store: bool, call: Call) -> u32 {
    frame::inside(|frame| {
        let mut recording = frame.vector.inner.borrow_mut();
        if recording.site.is_none() || (is_store && !recording.has_store) {
            recording.site = Some(*frame.site_of(at));
            recording.has_store = is_store;
        }
        if !recording.is_begun() {
            let site = *frame.site_of(at);
            if frame.context.processor() != Processor::Math {
                drop(recording);
                frame.refuse(site, "vector instructions on another processor than math");
            }
            let chip = frame.context.architecture(|arch| arch.chip);
            recording.begin(frame.context.dst_width(site), chip);
        }
        match paths::with(|paths| recording.call(call, paths)) {
            Ok((result, is_pending)) => {
                frame.vector.is_pending.set(is_pending);
                result
            }
            Err(what) => {
                drop(recording);
                frame.refuse(*frame.site_of(at), &what)
            }
        }
    })
}

impl Recorder {
    /// Executes what was recorded if it is so much that memory would run out in the end. Between
    /// tiles no function keeps a vector.
    fn finish_long(&self, frame: &Frame<'_>) {
        let is_long = {
            let (length, is_within_condition) =
                paths::with(|paths| self.inner.borrow().length(paths));
            length > LONG && !is_within_condition
        };
        if is_long {
            self.finish(frame);
        }
    }

    /// Whether something is recorded that is not executed yet.
    #[inline]
    pub(super) fn is_pending(&self) -> bool {
        self.is_pending.get()
    }

    /// Executes what was recorded.
    pub(super) fn finish(&self, frame: &Frame<'_>) {
        if !self.is_pending.replace(false) {
            return;
        }
        let (ended, site) = {
            let mut recording = self.inner.borrow_mut();
            recording.has_store = false;
            let site = recording.site.take();
            (paths::with(|paths| recording.end(paths)), site)
        };
        if let Some(site) = site {
            frame.context.vector_code(site, &ended.code);
        }
        self.inner.borrow_mut().forget(ended);
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
