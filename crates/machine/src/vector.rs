//! The vector unit (SFPU): functions of Dst tiles.

use tilewright_tile::sfpu::program::{
    Function, FunctionId, MOST_TILES, Operands, Rows, VectorState, Writes,
};
use tilewright_tile::sfpu::{self, Binary, Declared, Mask, Sum, Tiles, Unary};
use tilewright_tile::{Chip, DstWidth, FACE_SIDE, Lanes, TILE_VALUES};

use crate::dst::{Dst, DstTile, DstUse, TILE_ROWS};

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
    /// A function that has a name, of up to four tiles.
    Function(FunctionId),
    /// A kernel's own instructions.
    Code,
}

impl VectorOperation {
    /// What its init call leaves in the programmable registers; none for one it leaves alone, and
    /// nothing at all if it leaves all alone.
    pub(crate) fn constants(self, chip: Chip, width: DstWidth) -> Option<[Option<u32>; 3]> {
        match self {
            VectorOperation::Function(id) => Some(id.function().constants(chip, width)),
            // These take theirs with them: their fast paths know no other. A kernel's own vector
            // code may read them.
            VectorOperation::Unary(op) => sfpu::unary_constants(chip, op, width),
            VectorOperation::Binary(op) => sfpu::binary_constants(chip, op, width),
            VectorOperation::Masked(_)
            | VectorOperation::CopyValues
            | VectorOperation::Sum(_)
            | VectorOperation::Transpose
            | VectorOperation::Code => None,
        }
    }

    /// Whether it overwrites registers that functions keep values in between calls. A copy takes
    /// the first register alone, and the matrix unit transposes.
    pub(crate) fn uses_registers(self) -> bool {
        match self {
            VectorOperation::CopyValues | VectorOperation::Transpose => false,
            VectorOperation::Unary(_)
            | VectorOperation::Binary(_)
            | VectorOperation::Masked(_)
            | VectorOperation::Sum(_)
            | VectorOperation::Function(_)
            | VectorOperation::Code => true,
        }
    }

    /// Instructions of one pass, about: loads, arithmetic, stores. An estimate for timing only.
    pub fn instructions(self, chip: Chip) -> u64 {
        match self {
            VectorOperation::Function(id) => {
                id.function().instructions(chip, DstWidth::Bits32) as u64
            }
            VectorOperation::Unary(op) => op.declared().instructions,
            VectorOperation::Binary(op) => op.declared().instructions,
            VectorOperation::Masked(_)
            | VectorOperation::CopyValues
            | VectorOperation::Sum(_)
            | VectorOperation::Transpose
            | VectorOperation::Code => self.declared().instructions,
        }
    }

    /// What is declared of it; of a function, instructions are on the first chip.
    pub fn declared(self) -> Declared {
        let declared = |name, init_call, needs_init, instructions| Declared {
            name,
            init_call,
            needs_init,
            instructions,
        };
        match self {
            VectorOperation::Unary(op) => *op.declared(),
            VectorOperation::Binary(op) => *op.declared(),
            VectorOperation::Masked(Mask::Zero) => {
                declared("mask_tile", "mask_tile_init()", false, 4)
            }
            VectorOperation::Masked(Mask::PositiveInfinity) => {
                declared("mask_posinf_tile", "mask_tile_init()", false, 4)
            }
            VectorOperation::CopyValues => {
                declared("copy_dest_values", "copy_dest_values_init()", false, 2)
            }
            // The init records the additions that the call replays. About 100 and 170 instructions
            // in all, and a pass is a 32nd of a tile.
            VectorOperation::Sum(Sum::Columns) => {
                declared("sfpu_reduce", "sfpu_reduce_init()", true, 3)
            }
            VectorOperation::Sum(Sum::Rows) => {
                declared("sfpu_reduce", "sfpu_reduce_init()", true, 5)
            }
            VectorOperation::Transpose => {
                declared("transpose_wh_dest", "transpose_dest_init()", false, 4)
            }
            VectorOperation::Function(id) => id.function().declared(),
            // What a kernel's own instructions need is its own business, and they are counted.
            VectorOperation::Code => declared("vector code", "init_sfpu()", false, 0),
        }
    }

    /// Whether the init of another operation leaves what this one needs.
    pub fn has_init_of(self, other: VectorOperation) -> bool {
        match (self, other) {
            (VectorOperation::Function(called), VectorOperation::Function(held)) => {
                called.function().has_init_of(held.function())
            }
            (VectorOperation::Unary(called), VectorOperation::Unary(held)) => {
                held.of_init() == called.of_init()
            }
            // A variant with a scalar may share the init of its function.
            (VectorOperation::Function(called), VectorOperation::Unary(held)) => {
                sfpu::unary_leaves_constants_of(held, called.function())
            }
            // One init serves sums of columns and of rows.
            (VectorOperation::Sum(_), VectorOperation::Sum(_)) => true,
            _ => self == other,
        }
    }
}

/// Applies a two-operand function; any of the three tiles may be the same.
pub(crate) fn binary(chip: Chip, dst: &mut Dst, op: Binary, x: DstTile, y: DstTile, out: DstTile) {
    let (width, known) = (dst.width(), [dst.known(x), dst.known(y)]);
    let known = if out == x && x != y && dst.is_defined(y) {
        dst.sfpu_tile(x);
        let (x, y) = dst.pair(x, y);
        sfpu::binary_of_known(chip, op, width, Tiles::First { x, y }, known)
    } else if out == y && x != y && dst.is_defined(x) {
        dst.sfpu_tile(y);
        let (y, x) = dst.pair(y, x);
        sfpu::binary_of_known(chip, op, width, Tiles::Second { x, y }, known)
    } else {
        binary_of_copies(chip, dst, op, x, y, out);
        None
    };
    dst.know(out, known);
}

/// The same where the operands overlap the result or have undefined rows. Apart, because its
/// copies would be cleared on every call.
fn binary_of_copies(chip: Chip, dst: &mut Dst, op: Binary, x: DstTile, y: DstTile, out: DstTile) {
    let (mut xs, mut ys) = ([0; TILE_VALUES], [0; TILE_VALUES]);
    for (tile, values) in [(x, &mut xs), (y, &mut ys)] {
        if tile == out {
            *values = *dst.sfpu_tile(tile);
        } else {
            dst.read(tile, values);
        }
    }
    sfpu::binary(chip, op, dst.width(), &xs, &ys, dst.replace(out));
}

/// A call of a function that has a name.
pub(crate) struct Call<'a> {
    pub(crate) chip: Chip,
    pub(crate) function: &'static Function,
    pub(crate) constants: [u32; 3],
    pub(crate) scalars: &'a [u32],
    pub(crate) reads: Vec<DstTile>,
    pub(crate) out: DstTile,
    /// The first rows of the same tiles, as loads and stores count them.
    pub(crate) rows16: Vec<usize>,
    pub(crate) out_row16: usize,
}

/// Runs a function on tiles; its result may replace some of them. An error says what is not
/// modelled.
pub(crate) fn function(
    dst: &mut Dst,
    state: &mut VectorState,
    call: Call<'_>,
) -> Result<(), String> {
    let wanted = call.function.tiles();
    if call.reads.len() != wanted {
        let (name, given) = (&call.function.name, call.reads.len());
        return Err(format!("{name} of {given} tiles; it takes {wanted}"));
    }
    let rows = call.function.rows(dst.width());
    match (call.function.is_program(), rows) {
        (false, Rows::Wide) => return wide_sequence(dst, state, &call),
        (false, Rows::Own | Rows::Narrow) => return sequence(dst, state, &call),
        (true, _) => {}
    }
    match rows {
        Rows::Own => {}
        Rows::Narrow => return narrow_rows(dst, state, &call),
        Rows::Wide => return wide_rows(dst, state, &call),
    }
    if call.reads != [call.out] {
        return program_of_copies(dst, state, &call);
    }
    let width = dst.width();
    let tiles = std::slice::from_mut(dst.sfpu_tile(call.out));
    call.function.run(&mut call.operands(width, tiles, 0, state))
}

impl<'a> Call<'a> {
    fn operands(
        &self,
        width: DstWidth,
        tiles: &'a mut [Lanes],
        out: usize,
        state: &'a mut VectorState,
    ) -> Operands<'a> {
        let unit = (self.chip, width);
        Operands { out, ..Operands::new(unit, self.constants, self.scalars, tiles, state) }
    }
}

/// A program of several tiles, or to another tile.
fn program_of_copies(
    dst: &mut Dst,
    state: &mut VectorState,
    call: &Call<'_>,
) -> Result<(), String> {
    let place = call.reads.len();
    let mut tiles = vec![[0; TILE_VALUES]; place + 1];
    for (tile, values) in call.reads.iter().zip(&mut tiles) {
        if *tile == call.out {
            *values = *dst.sfpu_tile(*tile);
        } else {
            dst.read(*tile, values);
        }
    }
    // Lanes that are not stored to keep what they hold.
    tiles[place] = *dst.sfpu_tile(call.out);
    call.function.run(&mut call.operands(dst.width(), &mut tiles, place, state))?;
    *dst.replace(call.out) = tiles[place];
    Ok(())
}

/// A program that loads and stores 16 bits in a 32-bit Dst.
fn narrow_rows(dst: &mut Dst, state: &mut VectorState, call: &Call<'_>) -> Result<(), String> {
    let place = call.reads.len();
    let mut tiles = vec![[0; TILE_VALUES]; place + 1];
    for (row, values) in call.rows16.iter().zip(&mut tiles) {
        dst.read_rows16(*row, values);
    }
    call.function.run(&mut call.operands(DstWidth::Bits16, &mut tiles, place, state))?;
    dst.write_rows16(call.out_row16, &tiles[place]);
    Ok(())
}

/// A program that stores 32 bits to a 16-bit Dst. Eight rows at a time, because stores reach rows
/// that are loaded later.
fn wide_rows(dst: &mut Dst, state: &mut VectorState, call: &Call<'_>) -> Result<(), String> {
    for first in (0..TILE_ROWS).step_by(8) {
        let mut tiles = [*dst.sfpu_tile(call.out)];
        call.function.run(&mut call.operands(DstWidth::Bits32, &mut tiles, 0, state))?;
        for row in first..first + 8 {
            let values = &tiles[0].as_chunks::<FACE_SIDE>().0[row];
            dst.write_row32(call.out_row16 + row, values);
        }
    }
    Ok(())
}

/// A sequence that loads nothing, and stores 32 bits to every row in a 16-bit Dst.
fn wide_sequence(dst: &mut Dst, state: &mut VectorState, call: &Call<'_>) -> Result<(), String> {
    let mut tiles = [[0; TILE_VALUES]];
    call.function.run(&mut call.operands(DstWidth::Bits32, &mut tiles, 0, state))?;
    for (row, values) in tiles[0].as_chunks::<FACE_SIDE>().0.iter().enumerate() {
        dst.write_row32(call.out_row16 + row, values);
    }
    Ok(())
}

/// A sequence: only the lanes that it stores to change.
fn sequence(dst: &mut Dst, state: &mut VectorState, call: &Call<'_>) -> Result<(), String> {
    let mut places: Vec<DstTile> = Vec::new();
    let mut slot = |tile: DstTile| {
        places.iter().position(|place| *place == tile).unwrap_or_else(|| {
            places.push(tile);
            places.len() - 1
        })
    };
    let mut slots = [usize::MAX; MOST_TILES];
    for (at, tile) in slots.iter_mut().zip(&call.reads) {
        *at = slot(*tile);
    }
    let out = slot(call.out);
    let mut tiles = vec![[0; TILE_VALUES]; places.len()];
    for (tile, values) in places.iter().zip(&mut tiles) {
        dst.read(*tile, values);
    }
    let operands = call.operands(dst.width(), &mut tiles, out, state);
    let mut operands = Operands { slots, ..operands };
    call.function.run(&mut operands)?;
    let stored = operands.stored;
    for ((tile, values), stored) in places.iter().zip(&tiles).zip(stored) {
        dst.store(*tile, values, stored);
    }
    Ok(())
}

/// Applies a mask. Rows without a masked lane are not stored to, so they stay as they were.
pub(crate) fn masked(dst: &mut Dst, kind: Mask, data: DstTile, mask: DstTile) {
    let width = dst.width();
    let mut masks = [0; TILE_VALUES];
    dst.read(mask, &mut masks);
    sfpu::mask(kind, width, dst.overwrite(data, 0), &masks);
}

pub(crate) fn unary(chip: Chip, dst: &mut Dst, op: Unary, tile: DstTile) {
    let (width, known) = (dst.width(), dst.known(tile));
    let left = if let Unary::Fill(_) = op {
        sfpu::unary_of_known(chip, op, width, dst.replace(tile), None)
    } else {
        sfpu::unary_of_known(chip, op, width, dst.sfpu_tile(tile), known)
    };
    dst.know(tile, left);
}

/// What one event says: the tiles that are read, and the one that is written.
pub(crate) type Uses = ([Option<DstUse>; 2], Option<DstUse>);

/// A function's tiles as events of two operands and one result: every tile that is written depends
/// on all operands.
pub(crate) fn event_uses(function: &Function, operands: &[DstUse], out: DstUse) -> Vec<Uses> {
    let written = match function.writes() {
        Writes::Result => vec![out],
        Writes::Operands(places) => {
            places.iter().filter_map(|place| operands.get(*place).copied()).collect()
        }
    };
    let reads = &operands[..function.tiles_read()];
    // What sets registers alone is as good as an init call: Dst need not be acquired.
    if operands.is_empty() {
        return Vec::new();
    }
    if written.is_empty() {
        return vec![([reads.first().copied(), reads.get(1).copied()], None)];
    }
    let uses =
        |out: DstUse| event_reads(reads, out).into_iter().map(move |reads| (reads, Some(out)));
    written.into_iter().flat_map(uses).collect()
}

/// Operands as events that take two: more are joined to the result. The first event takes the
/// operand that the result replaces, while its old value is there.
fn event_reads(reads: &[DstUse], writes: DstUse) -> Vec<[Option<DstUse>; 2]> {
    let mut reads = reads.to_vec();
    if let Some(own) = reads.iter().position(|read| read.tile == writes.tile) {
        reads.swap(0, own);
    }
    let mut events = vec![[reads.first().copied(), reads.get(1).copied()]];
    events.extend(reads.iter().skip(2).map(|read| [Some(*read), Some(writes)]));
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_init_serves_the_variants_that_share_it() {
        let rsqrt =
            |legacy, fast| VectorOperation::Unary(Unary::Rsqrt { approx: false, legacy, fast });
        assert!(rsqrt(false, true).has_init_of(rsqrt(false, false)));
        assert!(!rsqrt(false, false).has_init_of(rsqrt(true, false)));
        assert_eq!(rsqrt(false, true).declared().init_call, "rsqrt_tile_init()");
    }
}
