//! Matrix products of whole tiles.

use super::blocks::Blocks;
use super::dot::{Dot, Place, Register, Source, Table};
use super::{SourceFormats, half, half16};
use crate::dispatch::{self, SimdLoop};
use crate::tilize::{transpose, untilize};
use crate::vector16;
use crate::{Chip, DstWidth, FACE_SIDE, Fidelity, Lanes, TILE_SIDE, TILE_VALUES, index};

/// One K tile of a matrix product: `dst += in0 * in1`, with in0 in SrcB and in1 in SrcA.
#[allow(clippy::too_many_arguments)] // The instruction has that many.
pub fn matmul(
    chip: Chip,
    width: DstWidth,
    fidelity: Fidelity,
    formats: SourceFormats,
    in0: &Lanes,
    in1: &Lanes,
    transpose_in1: bool,
    dst: &mut Lanes,
) {
    if half::has_half(formats) && width == DstWidth::Bits16 {
        return half16::matmul(fidelity.phases(), in0, in1, transpose_in1, dst);
    }
    if half::has_half(formats) {
        let (in0, in1) = (&half::enlarged(in0), &half::enlarged(in1));
        return matmul(chip, width, fidelity, half::ENLARGED, in0, in1, transpose_in1, dst);
    }
    let phases = fidelity.phases();
    Dot::lend(chip, |dot| match width {
        DstWidth::Bits16 => product::<false>(phases, formats, (in0, in1), transpose_in1, dot, dst),
        DstWidth::Bits32 => product::<true>(phases, formats, (in0, in1), transpose_in1, dot, dst),
    });
}

fn product<const WIDE: bool>(
    phases: u32,
    formats: SourceFormats,
    (in0, in1): (&Lanes, &Lanes),
    transpose_in1: bool,
    dot: &mut Dot,
    dst: &mut Lanes,
) {
    if transpose_in1 {
        let mut transposed = [0; TILE_VALUES];
        transpose(in1, &mut transposed);
        return product::<WIDE>(phases, formats, (in0, &transposed), false, dot, dst);
    }
    let blocks = Blocks::<WIDE> { phases, formats, in0, in1, dot, dst };
    if vector16::run(dispatch::level(), blocks) != Some(true) {
        dispatch::run(Product::<WIDE> { phases, formats, in0, in1, dot, dst });
    }
}

/// The product of any values.
struct Product<'a, const WIDE: bool> {
    phases: u32,
    formats: SourceFormats,
    in0: &'a Lanes,
    in1: &'a Lanes,
    dot: &'a mut Dot,
    dst: &'a mut Lanes,
}

impl<const WIDE: bool> SimdLoop for Product<'_, WIDE> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let rows = row_major(self.in0, false);
        let columns = row_major(self.in1, false);
        let dot = self.dot;
        dot.fill::<FUSED>(
            Source {
                register: Register::SrcA,
                mask: self.formats.a.source_mask(),
                rows: &columns,
                used: TILE_SIDE,
            },
            Source {
                register: Register::SrcB,
                mask: self.formats.b.source_mask(),
                rows: &rows,
                used: TILE_SIDE,
            },
        );
        for first in (0..TILE_SIDE).step_by(ROWS) {
            let mut tops = [[[[0; TILE_SIDE]; 2]; ROWS]; 2];
            let mut sums = [[0; TILE_SIDE]; ROWS];
            for row in 0..ROWS {
                tops[0][row] = dot.tops::<TILE_SIDE>(place(first + row, 0));
                tops[1][row] = dot.tops::<TILE_SIDE>(place(first + row, FACE_SIDE));
                sums[row] = read_row(self.dst, first + row);
            }
            for phase in 0..self.phases {
                for (half, tops) in tops.iter().enumerate() {
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let place = place(first + row, half * FACE_SIDE);
                        dot.add::<WIDE, TILE_SIDE>(place, &tops[row], phase, sums);
                    }
                }
            }
            for (row, sums) in sums.iter().enumerate() {
                write_row(self.dst, first + row, sums);
            }
        }
    }
}

/// Rows that take turns: each addition to a row waits for the one before.
const ROWS: usize = 4;

/// Where a row finds half of its products.
#[inline(always)]
fn place(row: usize, half: usize) -> Place {
    Place { lane_row: half, first_lane: 0, scalar_row: row, scalar_column: half }
}

/// The tile as 32 rows, or as 32 columns if transposed.
#[inline(always)]
pub(super) fn row_major(tile: &Lanes, is_transposed: bool) -> Table<u32> {
    let mut rows = [[0; TILE_SIDE]; TILE_SIDE];
    if is_transposed {
        let mut transposed = [0; TILE_VALUES];
        transpose(tile, &mut transposed);
        untilize(&transposed, rows.as_flattened_mut(), TILE_SIDE);
    } else {
        untilize(tile, rows.as_flattened_mut(), TILE_SIDE);
    }
    rows
}

#[inline(always)]
fn read_row(tile: &Lanes, row: usize) -> [u32; TILE_SIDE] {
    let mut values = [0; TILE_SIDE];
    values[..FACE_SIDE].copy_from_slice(&tile[index(row, 0)..][..FACE_SIDE]);
    values[FACE_SIDE..].copy_from_slice(&tile[index(row, FACE_SIDE)..][..FACE_SIDE]);
    values
}

#[inline(always)]
fn write_row(tile: &mut Lanes, row: usize, values: &[u32; TILE_SIDE]) {
    tile[index(row, 0)..][..FACE_SIDE].copy_from_slice(&values[..FACE_SIDE]);
    tile[index(row, FACE_SIDE)..][..FACE_SIDE].copy_from_slice(&values[FACE_SIDE..]);
}
