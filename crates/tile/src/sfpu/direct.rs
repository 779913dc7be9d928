//! Functions of one instruction: whole tiles without the registers of a program in between.
//!
//! Sums and products are the host's where those are exact (see `host`), decided per chunk.

use super::{Binary, MINUS_ONE, host, lane};
use crate::bits::ONE;
use crate::dispatch::{self, Kernel};
use crate::{DstWidth, Lanes};

/// Lanes for which it is decided together whether the host may compute.
const CHUNK: usize = 64;

/// A function of two values that is one instruction and a store.
pub(super) trait Function: Copy {
    /// The result, and a word that is non-zero if it may be wrong.
    fn fast(self, x: u32, y: u32) -> (u32, u32);
    /// The result, always right.
    fn exact(self, x: u32, y: u32) -> u32;
}

/// x + y.
#[derive(Clone, Copy)]
pub(super) struct Add;
/// x - y.
#[derive(Clone, Copy)]
pub(super) struct Sub;
/// y - x.
#[derive(Clone, Copy)]
pub(super) struct Rsub;
/// x * y.
#[derive(Clone, Copy)]
pub(super) struct Mul;
/// x * y, rounded to nearest even for a 16-bit Dst.
#[derive(Clone, Copy)]
pub(super) struct MulNarrow;
/// The larger.
#[derive(Clone, Copy)]
pub(super) struct Max;
/// The smaller.
#[derive(Clone, Copy)]
pub(super) struct Min;

impl Function for Add {
    #[inline(always)]
    fn fast(self, x: u32, y: u32) -> (u32, u32) {
        host::add(x, y)
    }
    #[inline(always)]
    fn exact(self, x: u32, y: u32) -> u32 {
        lane::fma(ONE, x, y)
    }
}

impl Function for Sub {
    #[inline(always)]
    fn fast(self, x: u32, y: u32) -> (u32, u32) {
        host::sub(x, y)
    }
    #[inline(always)]
    fn exact(self, x: u32, y: u32) -> u32 {
        lane::fma(y, MINUS_ONE, x)
    }
}

impl Function for Rsub {
    #[inline(always)]
    fn fast(self, x: u32, y: u32) -> (u32, u32) {
        Sub.fast(y, x)
    }
    #[inline(always)]
    fn exact(self, x: u32, y: u32) -> u32 {
        Sub.exact(y, x)
    }
}

impl Function for Mul {
    #[inline(always)]
    fn fast(self, x: u32, y: u32) -> (u32, u32) {
        host::mul(x, y)
    }
    #[inline(always)]
    fn exact(self, x: u32, y: u32) -> u32 {
        lane::fma(x, y, 0)
    }
}

impl Function for MulNarrow {
    #[inline(always)]
    fn fast(self, x: u32, y: u32) -> (u32, u32) {
        let (product, doubt) = Mul.fast(x, y);
        (round_product(product, x, y), doubt)
    }
    #[inline(always)]
    fn exact(self, x: u32, y: u32) -> u32 {
        round_product(Mul.exact(x, y), x, y)
    }
}

/// What `mul_binary_tile` does to a product for a 16-bit Dst: +0 if an operand is +0.
#[inline(always)]
fn round_product(product: u32, x: u32, y: u32) -> u32 {
    if (x == 0) | (y == 0) { 0 } else { lane::nearest_even_bfloat16(product) }
}

impl Function for Max {
    #[inline(always)]
    fn fast(self, x: u32, y: u32) -> (u32, u32) {
        (self.exact(x, y), 0)
    }
    #[inline(always)]
    fn exact(self, x: u32, y: u32) -> u32 {
        lane::maximum(x, y)
    }
}

impl Function for Min {
    #[inline(always)]
    fn fast(self, x: u32, y: u32) -> (u32, u32) {
        (self.exact(x, y), 0)
    }
    #[inline(always)]
    fn exact(self, x: u32, y: u32) -> u32 {
        lane::minimum(x, y)
    }
}

/// Where the operands are; the result may replace one of them.
pub(super) enum Tiles<'a> {
    Apart { x: &'a Lanes, y: &'a Lanes, out: &'a mut Lanes },
    First { x: &'a mut Lanes, y: &'a Lanes },
    Second { x: &'a Lanes, y: &'a mut Lanes },
}

/// Computes `op` if it is one instruction; gives the tiles back if it is a program.
pub(super) fn binary<'a>(op: Binary, width: DstWidth, tiles: Tiles<'a>) -> Option<Tiles<'a>> {
    let mask = width.mask();
    match (op, width) {
        (Binary::Add, _) => dispatch::run(Apply { f: Add, mask, tiles }),
        (Binary::Sub, _) => dispatch::run(Apply { f: Sub, mask, tiles }),
        (Binary::Rsub, _) => dispatch::run(Apply { f: Rsub, mask, tiles }),
        (Binary::Mul, DstWidth::Bits16) => dispatch::run(Apply { f: MulNarrow, mask, tiles }),
        (Binary::Mul, DstWidth::Bits32) => dispatch::run(Apply { f: Mul, mask, tiles }),
        (Binary::Max, _) => dispatch::run(Apply { f: Max, mask, tiles }),
        (Binary::Min, _) => dispatch::run(Apply { f: Min, mask, tiles }),
        (Binary::Div, _) => return Some(tiles),
    }
    None
}

struct Apply<'a, F> {
    f: F,
    mask: u32,
    tiles: Tiles<'a>,
}

impl<F: Function> Kernel for Apply<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Apply { f, mask, tiles } = self;
        match tiles {
            Tiles::Apart { x, y, out } => {
                let operands = x.as_chunks().0.iter().zip(y.as_chunks().0);
                for ((x, y), out) in operands.zip(out.as_chunks_mut().0) {
                    apply_chunk(f, mask, x, y, out);
                }
            }
            Tiles::First { x, y } => {
                for (x, y) in x.as_chunks_mut().0.iter_mut().zip(y.as_chunks().0) {
                    let copy = *x;
                    apply_chunk(f, mask, &copy, y, x);
                }
            }
            Tiles::Second { x, y } => {
                for (x, y) in x.as_chunks().0.iter().zip(y.as_chunks_mut().0) {
                    let copy = *y;
                    apply_chunk(f, mask, x, &copy, y);
                }
            }
        }
    }
}

#[inline(always)]
fn apply_chunk<F: Function>(
    f: F,
    mask: u32,
    x: &[u32; CHUNK],
    y: &[u32; CHUNK],
    out: &mut [u32; CHUNK],
) {
    let mut doubt = 0;
    for i in 0..CHUNK {
        let (value, lane_doubt) = f.fast(x[i], y[i]);
        out[i] = lane::store(value, mask);
        doubt |= lane_doubt;
    }
    if doubt != 0 {
        for i in 0..CHUNK {
            out[i] = lane::store(f.exact(x[i], y[i]), mask);
        }
    }
}
