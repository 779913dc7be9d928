//! The vector engine: functions of one or two Dst tiles, lane by lane.
//!
//! Every function is what the compute API's call leaves in Dst, rounding by program and by store
//! included. Undefined rows of Dst are the caller's knowledge.

use crate::chip::with_arithmetic;
use crate::dispatch::{self, SimdLoop};
use crate::{Chip, DstWidth, Lanes, Magnitudes};
use program::named;

mod direct;
mod fused;
mod host;
pub mod lane;
mod operation;
mod places;
pub mod program;
mod reduce;

pub use direct::Tiles;
pub use lane::{Rounding, fma, stochastic_round};
pub use operation::{Binary, Declared, Options, Unary};
pub use reduce::{Sum, sum};

const MINUS_ONE: u32 = 0xbf80_0000;

/// What a mask writes where the mask tile is +0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mask {
    /// +0 (`mask_tile`).
    Zero,
    /// +Inf (`mask_posinf_tile`).
    PositiveInfinity,
}

/// Replaces every value of a Dst tile by its function.
pub fn unary(chip: Chip, op: Unary, width: DstWidth, tile: &mut Lanes) {
    unary_of_known(chip, op, width, tile, None);
}

/// The same of a tile whose values are known in part; says what is known of the result.
pub fn unary_of_known(
    chip: Chip,
    op: Unary,
    width: DstWidth,
    tile: &mut Lanes,
    known: Option<Magnitudes>,
) -> Option<Magnitudes> {
    if let Unary::Fill(value) = op {
        let value = lane::store(value, width.mask());
        tile.fill(value);
        return Magnitudes::of([value]);
    }
    let left = with_arithmetic!(chip, A => direct::unary(A::default(), op, width, tile, known));
    left.unwrap_or_else(|| {
        named::unary(chip, op, width, tile);
        None
    })
}

/// Reads the programs of all functions now instead of at their first use.
pub fn read_programs() {
    program::FunctionId::from_hash(0);
    named::read();
}

/// What the init call of a function leaves in the programmable registers, which a kernel's own
/// vector code may read; none for one it leaves alone, and nothing at all if it leaves all alone.
pub fn unary_constants(chip: Chip, op: Unary, width: DstWidth) -> Option<[Option<u32>; 3]> {
    constants(op.declared(), || named::of_unary(op), chip, width)
}

/// Whether the init call of a function of one tile leaves what a function by name needs.
pub fn unary_leaves_constants_of(op: Unary, called: &program::Function) -> bool {
    named::of_unary(op).is_some_and(|held| called.has_init_of(held))
}

/// What the init call of a function of two tiles leaves.
pub fn binary_constants(chip: Chip, op: Binary, width: DstWidth) -> Option<[Option<u32>; 3]> {
    constants(op.declared(), || named::of_binary(op), chip, width)
}

/// Kernels call inits all the time, and most load nothing: a program is looked up for the others.
fn constants(
    declared: &Declared,
    program: impl FnOnce() -> Option<&'static program::Function>,
    chip: Chip,
    width: DstWidth,
) -> Option<[Option<u32>; 3]> {
    let program = if declared.needs_init { program() } else { None };
    program.map(|program| program.constants(chip, width))
}

/// Writes `op(x, y)` to `out`.
pub fn binary(chip: Chip, op: Binary, width: DstWidth, x: &Lanes, y: &Lanes, out: &mut Lanes) {
    binary_of_known(chip, op, width, Tiles::Apart { x, y, out }, [None; 2]);
}

/// Replaces `x` by `op(x, y)`.
pub fn binary_into_first(chip: Chip, op: Binary, width: DstWidth, x: &mut Lanes, y: &Lanes) {
    binary_of_known(chip, op, width, Tiles::First { x, y }, [None; 2]);
}

/// Replaces `y` by `op(x, y)`.
pub fn binary_into_second(chip: Chip, op: Binary, width: DstWidth, x: &Lanes, y: &mut Lanes) {
    binary_of_known(chip, op, width, Tiles::Second { x, y }, [None; 2]);
}

/// Computes `op(x, y)` of tiles whose values are known in part; says what is known of the result.
pub fn binary_of_known(
    chip: Chip,
    op: Binary,
    width: DstWidth,
    tiles: Tiles<'_>,
    known: [Option<Magnitudes>; 2],
) -> Option<Magnitudes> {
    let done = with_arithmetic!(chip, A => direct::binary(A::default(), op, width, tiles, known));
    let by_program = |x: &Lanes, y: &Lanes| {
        let mut tiles = [*x, *y];
        named::binary(chip, op, width, &mut tiles);
        tiles[0]
    };
    match done {
        Ok(left) => return left,
        Err(Tiles::Apart { x, y, out }) => *out = by_program(x, y),
        Err(Tiles::First { x, y }) => *x = by_program(x, y),
        Err(Tiles::Second { x, y }) => *y = by_program(x, y),
    }
    None
}

/// Overwrites `data` where the mask tile is exactly +0.
pub fn mask(kind: Mask, width: DstWidth, data: &mut Lanes, mask: &Lanes) {
    let value = match kind {
        Mask::Zero => 0,
        Mask::PositiveInfinity => crate::bits::INFINITY,
    };
    dispatch::run(Masking { value: lane::store(value, width.mask()), data, mask });
}

struct Masking<'a> {
    value: u32,
    data: &'a mut Lanes,
    mask: &'a Lanes,
}

impl SimdLoop for Masking<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (data, &mask) in self.data.iter_mut().zip(self.mask) {
            *data = if mask == 0 { self.value } else { *data };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_init_has_no_constants() {
        let programs = Unary::all(0).into_iter().map(|op| (op.declared(), named::of_unary(op)));
        let binary = Binary::ALL.iter().map(|op| (op.declared(), named::of_binary(*op)));
        for (declared, program) in programs.chain(binary).filter(|(it, _)| !it.needs_init) {
            for (chip, width) in Chip::ALL
                .into_iter()
                .flat_map(|chip| [DstWidth::Bits16, DstWidth::Bits32].map(|width| (chip, width)))
            {
                let left = program.map_or([None; 3], |program| program.constants(chip, width));
                assert_eq!(left, [None; 3], "{}", declared.name);
            }
        }
    }
}
