//! The vector unit (SFPU): functions of Dst tiles.

use tilewright_tile::sfpu::program::{FunctionId, Operands};
use tilewright_tile::sfpu::{self, Binary, Mask, Sum, Unary};
use tilewright_tile::{DstWidth, TILE_VALUES};

use crate::dst::{Dst, DstTile};

/// A function of the vector unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorOperation {
    /// One tile in place.
    Unary(Unary),
    /// Two tiles to a third.
    Binary(Binary),
    /// Values replaced where the mask tile is zero.
    Masked(Mask),
    /// A tile copied.
    CopyValues,
    /// A tile's columns or rows added up; Dst has 32 bits.
    Sum(Sum),
    /// A tile transposed in place; the matrix unit does it, on the same terms.
    Transpose,
    /// A function of up to three tiles that is a program.
    Function(FunctionId),
}

impl VectorOperation {
    /// What its init call leaves in the programmable registers; none for one it leaves alone.
    pub(crate) fn constants(self, width: DstWidth) -> [Option<u32>; 3] {
        match self {
            VectorOperation::Function(id) => id.function().constants(width),
            // These take theirs with them: their fast paths know no other.
            VectorOperation::Unary(_)
            | VectorOperation::Binary(_)
            | VectorOperation::Masked(_)
            | VectorOperation::CopyValues
            | VectorOperation::Sum(_)
            | VectorOperation::Transpose => [None; 3],
        }
    }

    /// Instructions of one pass, about: loads, arithmetic, stores. An estimate for timing only.
    pub fn instructions(self) -> u64 {
        match self {
            VectorOperation::Unary(op) => match op {
                Unary::Fill(_) => 1,
                Unary::Abs | Unary::Negative | Unary::Square => 3,
                Unary::AddScalar(_)
                | Unary::SubScalar(_)
                | Unary::MulScalar(_)
                | Unary::DivScalar(_) => 3,
                Unary::RsubScalar(_) => 4,
                Unary::Rsqrt { .. } | Unary::Sqrt { .. } | Unary::Recip { .. } => 20,
                Unary::Exp { .. } | Unary::Log | Unary::Tanh => 30,
                Unary::Gelu { .. } | Unary::Sigmoid | Unary::Silu => 50,
            },
            VectorOperation::Binary(Binary::Div) => 24,
            VectorOperation::Binary(
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Rsub | Binary::Max | Binary::Min,
            ) => 4,
            VectorOperation::Masked(_) => 4,
            VectorOperation::CopyValues => 2,
            // About 100 and 170 instructions in all, and a pass is a 32nd of a tile.
            VectorOperation::Sum(Sum::Columns) => 3,
            VectorOperation::Sum(Sum::Rows) => 5,
            VectorOperation::Transpose => 4,
            VectorOperation::Function(id) => id.function().instructions(DstWidth::Bits32) as u64,
        }
    }
}

/// Applies a two-operand function; any of the three tiles may be the same.
pub(crate) fn binary(dst: &mut Dst, op: Binary, x: DstTile, y: DstTile, out: DstTile) {
    let width = dst.width();
    if out == x && x != y && dst.is_defined(y) {
        dst.sfpu_tile(x);
        let (xs, ys) = dst.pair(x, y);
        sfpu::binary_into_first(op, width, xs, ys);
    } else if out == y && x != y && dst.is_defined(x) {
        dst.sfpu_tile(y);
        let (ys, xs) = dst.pair(y, x);
        sfpu::binary_into_second(op, width, xs, ys);
    } else {
        binary_of_copies(dst, op, x, y, out);
    }
}

/// The same where the operands overlap the result or have undefined rows. Apart, because its
/// copies would be cleared on every call.
fn binary_of_copies(dst: &mut Dst, op: Binary, x: DstTile, y: DstTile, out: DstTile) {
    let (mut xs, mut ys) = ([0; TILE_VALUES], [0; TILE_VALUES]);
    for (tile, values) in [(x, &mut xs), (y, &mut ys)] {
        if tile == out {
            *values = *dst.sfpu_tile(tile);
        } else {
            dst.read(tile, values);
        }
    }
    sfpu::binary(op, dst.width(), &xs, &ys, dst.replace(out));
}

/// Runs a program on tiles; the result may replace one of them.
pub(crate) fn function(
    dst: &mut Dst,
    id: FunctionId,
    constants: [u32; 3],
    scalars: &[u32],
    reads: &[DstTile],
    out: DstTile,
) {
    let (function, width) = (id.function(), dst.width());
    if reads == [out] {
        let tiles = std::slice::from_mut(dst.sfpu_tile(out));
        return function.run(Operands { width, constants, scalars, tiles, out: 0 });
    }
    let mut tiles = vec![[0; TILE_VALUES]; reads.len() + 1];
    for (tile, values) in reads.iter().zip(&mut tiles) {
        if *tile == out {
            *values = *dst.sfpu_tile(*tile);
        } else {
            dst.read(*tile, values);
        }
    }
    // Lanes that are not stored to keep what they hold.
    tiles[reads.len()] = *dst.sfpu_tile(out);
    let place = reads.len();
    function.run(Operands { width, constants, scalars, tiles: &mut tiles, out: place });
    *dst.replace(out) = tiles[place];
}

/// Applies a mask. Rows without a masked lane are not stored to, so they stay as they were.
pub(crate) fn masked(dst: &mut Dst, kind: Mask, data: DstTile, mask: DstTile) {
    let width = dst.width();
    let mut masks = [0; TILE_VALUES];
    dst.read(mask, &mut masks);
    sfpu::mask(kind, width, dst.overwrite(data, 0), &masks);
}

pub(crate) fn unary(dst: &mut Dst, op: Unary, tile: DstTile) {
    let width: DstWidth = dst.width();
    match op {
        Unary::Fill(_) => sfpu::unary(op, width, dst.replace(tile)),
        Unary::Rsqrt { .. }
        | Unary::Sqrt { .. }
        | Unary::Recip { .. }
        | Unary::Exp { .. }
        | Unary::Square
        | Unary::Gelu { .. }
        | Unary::Sigmoid
        | Unary::Silu
        | Unary::Tanh
        | Unary::Log
        | Unary::Abs
        | Unary::Negative
        | Unary::AddScalar(_)
        | Unary::SubScalar(_)
        | Unary::MulScalar(_)
        | Unary::DivScalar(_)
        | Unary::RsubScalar(_) => sfpu::unary(op, width, dst.sfpu_tile(tile)),
    }
}
