//! SFPLUT and SFPLUTFP32: a function of a few straight lines.

use super::super::instruction::Instruction;
use super::words::half_word;
use super::{LANES, Register};
use crate::bits::{ONE, SIGN};
use crate::chip::Arithmetic;
use crate::sfpu::lane::copy_sign;

const HALF: u32 = 0x3f00_0000;
const ONE_AND_HALF: u32 = 0x3fc0_0000;
const TWO: u32 = 0x4000_0000;
const THREE: u32 = 0x4040_0000;
const FOUR: u32 = 0x4080_0000;

/// How the lines are given, and where each begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The form of the coefficients.
    pub form: Form,
    /// Whether the result takes the sign of its argument.
    pub keeps_sign: bool,
}

/// The form of the coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Three registers of two 8-bit numbers: SFPLUT.
    Bytes,
    /// Three slopes and three offsets of 32 bits.
    Words,
    /// Three registers of a slope and an offset of 16 bits.
    ThreeHalves,
    /// Six slopes in three registers, six offsets in three; the last line begins at 3.
    SixHalves,
    /// The same; the last line begins at 4.
    SixHalvesWide,
}

impl Table {
    /// The table of SFPLUTFP32's modes, or of SFPLUT's.
    pub fn from_mode(mode: u32, is_fp32: bool) -> Option<Table> {
        let keeps_sign = mode & 4 != 0;
        let form = match (is_fp32, mode & 11) {
            (false, 0) => Form::Bytes,
            (true, 0) => Form::Words,
            (true, 2) => Form::SixHalves,
            (true, 3) => Form::SixHalvesWide,
            (true, 10) => Form::ThreeHalves,
            _ => return None,
        };
        Some(Table { form, keeps_sign })
    }

    /// The line for each lane, taken.
    pub(super) fn run<A: Arithmetic>(
        self,
        coefficients: [&Register; 6],
        of: &Register,
        out: &mut Register,
    ) {
        let magnitude = of.map(|value| value & !SIGN);
        let (mut slopes, mut offsets) = ([0; LANES], [0; LANES]);
        for lane in 0..LANES {
            let words = coefficients.map(|register| register[lane]);
            (slopes[lane], offsets[lane]) = self.line(words, magnitude[lane]);
        }
        Instruction::Mad.run::<A, _>([&slopes, &magnitude, &offsets], out);
        if self.keeps_sign {
            (0..LANES).for_each(|lane| out[lane] = copy_sign(out[lane], of[lane]));
        }
    }

    fn line(self, words: [u32; 6], magnitude: u32) -> (u32, u32) {
        match self.form {
            Form::Bytes => {
                let word = words[place(&[ONE, TWO], magnitude)];
                (byte(word >> 8 & 255), byte(word & 255))
            }
            Form::Words => {
                let place = place(&[ONE, TWO], magnitude);
                (words[place], words[3 + place])
            }
            Form::ThreeHalves => {
                let word = words[place(&[ONE, TWO], magnitude)];
                (half(word >> 16), half(word & 0xffff))
            }
            Form::SixHalves => six(words, place(&[HALF, ONE, ONE_AND_HALF, TWO, THREE], magnitude)),
            Form::SixHalvesWide => {
                six(words, place(&[HALF, ONE, ONE_AND_HALF, TWO, FOUR], magnitude))
            }
        }
    }
}

fn place(bounds: &[u32], magnitude: u32) -> usize {
    bounds.iter().filter(|bound| magnitude >= **bound).count()
}

fn six(words: [u32; 6], place: usize) -> (u32, u32) {
    let shift = 16 * (place as u32 % 2);
    (half(words[place / 2] >> shift & 0xffff), half(words[3 + place / 2] >> shift & 0xffff))
}

/// A 16-bit coefficient; its largest exponent means zero.
fn half(bits: u32) -> u32 {
    if bits >> 10 & 31 == 31 { 0 } else { half_word(bits) }
}

/// An 8-bit coefficient: sign, a negative exponent of 3 bits, a mantissa of 4.
fn byte(bits: u32) -> u32 {
    if bits == 255 {
        return 0;
    }
    (bits << 24 & SIGN) | (127 - (bits >> 4 & 7)) << 23 | (bits & 15) << 19
}
