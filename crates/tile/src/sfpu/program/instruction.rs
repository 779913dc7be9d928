//! The instructions of the vector unit that act on each lane by itself: one definition of each.
//!
//! Names follow the unit's own (SFPMAD, SFPEXEXP, ...) where a program's reader would look them
//! up, and say what they do where the unit has one instruction with several modes.

use crate::bits::{HIDDEN, INFINITY, MANTISSA, ONE, SIGN, exponent, flush_signed, order_key};
use crate::chip::Arithmetic;
use crate::sfpu::MINUS_ONE;
use crate::sfpu::direct;
use crate::sfpu::fused;
use crate::sfpu::lane::{
    Rounding, absolute, cast_sign_magnitude, copy_sign, maximum, minimum, multiply_add,
    set_exponent, sign_magnitude, stochastic_round, twos_complement,
};

/// Declares the instructions: name in programs, operands, and value of one lane.
macro_rules! instructions {
    ($($(#[$doc:meta])* $variant:ident $name:literal ($($operand:ident),+) => $value:expr;)+) => {
        /// An instruction of up to three operands and one result.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Instruction {
            $($(#[$doc])* $variant,)+
        }

        impl Instruction {
            /// The instruction of a name in programs, with its number of operands.
            pub(super) fn from_name(name: &str) -> Option<(Instruction, usize)> {
                match name {
                    $($name => Some((Instruction::$variant, [$(stringify!($operand)),+].len())),)+
                    _ => None,
                }
            }

            /// The number of its operands.
            pub fn operands(self) -> usize {
                match self {
                    $(Instruction::$variant => [$(stringify!($operand)),+].len(),)+
                }
            }

            /// Computes all lanes.
            #[inline(always)]
            pub(super) fn run<A: Arithmetic, const N: usize>(
                self,
                [x, y, z]: [&[u32; N]; 3],
                out: &mut [u32; N],
            ) {
                match self {
                    $(Instruction::$variant => for i in 0..N {
                        instructions!(@bind i, x, y, z, $($operand),+);
                        out[i] = $value;
                    },)+
                }
            }
        }
    };
    (@bind $i:ident, $x:ident, $y:ident, $z:ident, $a:ident) => { let $a = $x[$i]; };
    (@bind $i:ident, $x:ident, $y:ident, $z:ident, $a:ident, $b:ident) => {
        let ($a, $b) = ($x[$i], $y[$i]);
    };
    (@bind $i:ident, $x:ident, $y:ident, $z:ident, $a:ident, $b:ident, $c:ident) => {
        let ($a, $b, $c) = ($x[$i], $y[$i], $z[$i]);
    };
}

instructions! {
    /// SFPMAD: a * b + c, partly fused.
    Mad "fma"(a, b, c) => multiply_add::<A>(a, b, c);
    /// SFPMUL: the product.
    Multiply "mul"(a, b) => multiply_add::<A>(a, b, 0);
    /// SFPADD: the sum.
    Add "add"(a, b) => multiply_add::<A>(ONE, a, b);
    /// SFPMAD: the difference.
    Subtract "sub"(a, b) => multiply_add::<A>(b, MINUS_ONE, a);
    /// SFPMOV.
    Move "move"(a) => a;
    /// SFPAND.
    And "and"(a, b) => a & b;
    /// SFPOR.
    Or "or"(a, b) => a | b;
    /// SFPXOR.
    Xor "xor"(a, b) => a ^ b;
    /// SFPNOT.
    Not "not"(a) => !a;
    /// SFPMOV with negation.
    Negate "neg"(a) => a ^ SIGN;
    /// SFPIADD.
    AddInteger "iadd"(a, b) => a.wrapping_add(b);
    /// SFPIADD with the second operand negated.
    SubInteger "isub"(a, b) => a.wrapping_sub(b);
    /// SFPSHFT: to the left, or to the right by a negative amount; 5 bits of it count.
    Shift "shift"(a, n) => shift(a, n);
    /// SFPSHFT by an amount known to be to the right.
    ShiftRight "shr"(a, n) => a >> (n & 31);
    /// SFPSHFT to the right, arithmetic; Blackhole's alone.
    ShiftArithmetic "sar"(a, n) => ((a as i32) >> (n & 31)) as u32;
    /// SFPLZ.
    LeadingZeros "lz"(a) => a.leading_zeros();
    /// SFPLZ of the magnitude.
    LeadingZerosMagnitude "lz_magnitude"(a) => (a & !SIGN).leading_zeros();
    /// SFPABS of a float.
    AbsoluteFloat "fabs"(a) => absolute(a);
    /// SFPABS of a two's complement integer; -2^31 stays.
    AbsoluteInteger "iabs"(a) => (a as i32).wrapping_abs() as u32;
    /// SFPEXEXP: the exponent without its bias.
    ExponentUnbiased "exexp"(a) => exponent(a).wrapping_sub(127);
    /// SFPEXEXP: the exponent field.
    Exponent "exponent"(a) => exponent(a);
    /// SFPEXMAN: the mantissa with its hidden bit, also for zeros and denormals.
    Significand "significand"(a) => a & MANTISSA | HIDDEN;
    /// SFPEXMAN: the mantissa field.
    Mantissa "mantissa"(a) => a & MANTISSA;
    /// SFPSETEXP: the low 8 bits of `e` as exponent field.
    SetExponent "setexp"(a, e) => set_exponent(a, e);
    /// SFPSETEXP: the exponent field of `b`.
    CopyExponent "copyexp"(a, b) => a & !INFINITY | b & INFINITY;
    /// SFPSETMAN: the mantissa field of `b`.
    SetMantissa "setman"(a, b) => a & !MANTISSA | b & MANTISSA;
    /// SFPSETSGN: the sign bit of `b`.
    CopySign "copysign"(a, b) => copy_sign(a, b);
    /// SFPDIVP2: `n` added to the exponent field modulo 256, unless that is 255.
    AddExponent "addexp"(a, n) => add_exponent(a, n);
    /// SFPCAST: sign-magnitude integer to fp32, nearest even.
    Cast "cast"(a) => cast_sign_magnitude(a);
    /// SFPLOAD of a sign-magnitude integer: to two's complement.
    TwosComplement "twos_complement"(a) => twos_complement(a);
    /// SFPCAST: two's complement to sign-magnitude.
    CastSignMagnitude "sign_magnitude"(a) => sign_magnitude(a);
    /// SFP_STOCH_RND to bf16, ties away from zero.
    RoundBfloat16 "round_bf16"(a) => stochastic_round(Rounding::Bfloat16, a);
    /// SFP_STOCH_RND to an unsigned 8-bit integer.
    RoundUnsigned8 "round_u8"(a) => stochastic_round(Rounding::Unsigned8, a);
    /// SFP_STOCH_RND to a sign and 7 bits.
    RoundSigned8 "round_s8"(a) => stochastic_round(Rounding::SignMagnitude8, a);
    /// SFP_STOCH_RND to an unsigned 16-bit integer.
    RoundUnsigned16 "round_u16"(a) => stochastic_round(Rounding::Unsigned16, a);
    /// SFP_STOCH_RND to a sign and 15 bits.
    RoundSigned16 "round_s16"(a) => stochastic_round(Rounding::SignMagnitude16, a);
    /// SFP_STOCH_RND of a sign-magnitude integer shifted right by `n`: to unsigned 8 bits.
    NarrowUnsigned8 "narrow_u8"(a, n) => narrow(a, n, 255);
    /// SFP_STOCH_RND of a sign-magnitude integer shifted right by `n`: to a sign and 7 bits.
    NarrowSigned8 "narrow_s8"(a, n) => narrow_signed(a, n, 127);
    /// SFPSWAP: the smaller in the total order of bit patterns.
    Minimum "min"(a, b) => minimum(a, b);
    /// SFPSWAP: the larger in the total order of bit patterns.
    Maximum "max"(a, b) => maximum(a, b);
    /// SFPARECIP: the reciprocal to seven bits; Blackhole's alone.
    EstimateReciprocal "arecip"(a) => estimate_reciprocal(a);
    /// SFPMUL24: the lower 23 bits of the product of two integers; Blackhole's alone.
    MultiplyLow "mul24_low"(a, b) => multiply_low(a, b);
    /// SFPMUL24: the bits above those, of integers of 23 bits; Blackhole's alone.
    MultiplyHigh "mul24_high"(a, b) => multiply_high(a, b);
    /// SFPGT: all ones if larger in the total order of bit patterns; Blackhole's alone.
    IsGreater "is_greater"(a, b) => if order_key(a) > order_key(b) { !0 } else { 0 };
    /// A lane as it comes back from a 16-bit Dst.
    Truncate "truncate"(a) => flush_signed(a) & 0xffff_0000;
    /// A lane as it comes back from a 32-bit Dst.
    Flush "flush"(a) => flush_signed(a);
    /// `b` where the mask is set, else `c`: how a disabled lane keeps its value.
    Select "select"(mask, b, c) => b & mask | c & !mask;
    /// Lanes that are enabled by both masks.
    AndNot "andnot"(a, b) => a & !b;
    /// SFPSETCC: all ones if negative.
    IsNegative "is_negative"(a) => ((a as i32) >> 31) as u32;
    /// SFPSETCC: all ones if zero.
    IsZero "is_zero"(a) => if a == 0 { !0 } else { 0 };
    /// SFPSETCC twice: all ones if positive.
    IsPositive "is_positive"(a) => if a as i32 > 0 { !0 } else { 0 };
    /// The order of bit patterns as an integer.
    OrderKey "order_key"(a) => order_key(a) as u32;
}

/// Of lanes, one in so many may be computed one by one, where the host's arithmetic is in doubt.
/// All together are faster if there are more.
const FEW: usize = 16;

impl Instruction {
    /// Computes all lanes, by the host's arithmetic where that is right. Of operands that are plain
    /// ([`direct::is_plain`]) less must be looked at; returns whether the results are known to be.
    #[inline(always)]
    pub(super) fn compute<A: Arithmetic, const FUSED: bool, const N: usize>(
        self,
        operands: [&[u32; N]; 3],
        is_plain: [bool; 2],
        out: &mut [u32; N],
    ) -> bool {
        let [x, y, _] = operands;
        let doubts = match (self, is_plain) {
            (Instruction::Multiply, [true, true]) => {
                by_host::<A, _, N>(direct::PlainMul, [x, y], out)
            }
            (Instruction::Multiply, [true, false]) => {
                by_host::<A, _, N>(direct::MulByPlain, [y, x], out)
            }
            (Instruction::Multiply, [false, true]) => {
                by_host::<A, _, N>(direct::MulByPlain, [x, y], out)
            }
            (Instruction::Multiply, [false, false]) => by_host::<A, _, N>(direct::Mul, [x, y], out),
            (Instruction::Add, _) => by_host::<A, _, N>(direct::Add, [x, y], out),
            (Instruction::Subtract, _) => by_host::<A, _, N>(direct::Sub, [x, y], out),
            (Instruction::Mad, _) if FUSED => fused::multiply_add::<A, N>(operands, is_plain, out),
            _ => {
                self.run::<A, _>(operands, out);
                return false;
            }
        };
        if let Some(is_doubtful) = &doubts {
            self.mend::<A, N>(operands, is_doubtful, out);
        }
        doubts.is_none()
    }

    /// Computes the lanes again for which the host's arithmetic is in doubt.
    #[inline(always)]
    fn mend<A: Arithmetic, const N: usize>(
        self,
        operands: [&[u32; N]; 3],
        is_doubtful: &[bool; N],
        out: &mut [u32; N],
    ) {
        if is_doubtful.iter().map(|is| usize::from(*is)).sum::<usize>() > N / FEW {
            return self.run::<A, _>(operands, out);
        }
        let [x, y, z] = operands;
        for (group, is_doubtful) in is_doubtful.as_chunks::<8>().0.iter().enumerate() {
            if *is_doubtful == [false; 8] {
                continue;
            }
            for i in (0..8).filter(|i| is_doubtful[*i]).map(|i| 8 * group + i) {
                out[i] = self.lane::<A>([x[i], y[i], z[i]]);
            }
        }
    }

    /// One lane, bit by bit.
    #[inline(never)]
    fn lane<A: Arithmetic>(self, [x, y, z]: [u32; 3]) -> u32 {
        let mut out = [0];
        self.run::<A, 1>([&[x], &[y], &[z]], &mut out);
        out[0]
    }
}

/// Computes lanes by the host's arithmetic, and says which are in doubt, if any is.
#[inline(always)]
fn by_host<A: Arithmetic, F: direct::Function, const N: usize>(
    f: F,
    [x, y]: [&[u32; N]; 2],
    out: &mut [u32; N],
) -> Option<[bool; N]> {
    if direct::trusted::<A, F, N>(f, x, y, out) {
        return None;
    }
    let (mut is_right, mut is_doubtful) = (true, [false; N]);
    for i in 0..N {
        (out[i], is_doubtful[i]) = f.any::<A>(x[i], y[i]);
        is_right &= !is_doubtful[i];
    }
    (!is_right).then_some(is_doubtful)
}

/// Mantissas of reciprocals, by the upper seven bits of the operand's (numerics specification 2,
/// section 3).
const RECIPROCALS: [u8; 128] = [
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96, 94,
    93, 91, 90, 88, 87, 85, 84, 83, 81, 80, 79, 77, 76, 75, 74, 72, 71, 70, 69, 68, 66, 65, 64, 63,
    62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 40,
    39, 38, 37, 36, 35, 35, 34, 33, 32, 31, 31, 30, 29, 28, 28, 27, 26, 25, 25, 24, 23, 23, 22, 21,
    21, 20, 19, 19, 18, 17, 17, 16, 15, 15, 14, 14, 13, 12, 12, 11, 11, 10, 9, 9, 8, 8, 7, 7, 6, 5,
    5, 4, 4, 3, 3, 2, 2, 1, 1, 0,
];

/// Inf below the normal range, zero from 2^126 on.
#[inline(always)]
pub(super) fn estimate_reciprocal(a: u32) -> u32 {
    let e = exponent(a);
    let mantissa = u32::from(RECIPROCALS[(a >> 16 & 127) as usize]) << 16;
    let estimate = 253_u32.wrapping_sub(e) << 23 | mantissa;
    let bounded = if e >= 253 { 0 } else { estimate };
    a & SIGN | if e == 0 { INFINITY } else { bounded }
}

#[inline(always)]
pub(super) fn multiply_low(a: u32, b: u32) -> u32 {
    a.wrapping_mul(b) & MANTISSA
}

/// From halves, because a lane has no product of 46 bits.
#[inline(always)]
pub(super) fn multiply_high(a: u32, b: u32) -> u32 {
    let (ah, al, bh, bl) = (a >> 12 & 0x7ff, a & 0xfff, b >> 12 & 0x7ff, b & 0xfff);
    let middle = ah * bl + al * bh + ((al * bl) >> 12);
    ((ah * bh) << 1) + (middle >> 11)
}

#[inline(always)]
pub(super) fn shift(a: u32, n: u32) -> u32 {
    let right = a >> (n.wrapping_neg() & 31);
    if (n as i32) < 0 { right } else { a << (n & 31) }
}

#[inline(always)]
fn add_exponent(a: u32, n: u32) -> u32 {
    let moved = set_exponent(a, exponent(a).wrapping_add(n));
    if a & INFINITY == INFINITY { a } else { moved }
}

/// A magnitude shifted right by `n` with rounding half up, at most `max`.
#[inline(always)]
fn narrow(a: u32, n: u32, max: u32) -> u32 {
    let n = n & 31;
    let half = (1_u32 << n) >> 1;
    (((a & !SIGN) + half) >> n).min(max)
}

#[inline(always)]
fn narrow_signed(a: u32, n: u32, max: u32) -> u32 {
    let magnitude = narrow(a, n, max);
    if magnitude == 0 { 0 } else { magnitude | a & SIGN }
}
