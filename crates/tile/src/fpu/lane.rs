//! Single FPU instructions on one value, for checking against single-instruction vectors.
//!
//! Whole-tile functions do not come through here; they share the same lane arithmetic.

use super::accumulate::{Term, accumulate};
use super::dot::{Dot, Place, Register, Source};
use super::elementwise::{partial_product, sum};
use crate::{Chip, DstWidth, FACE_SIDE, TILE_SIDE};

/// Whose matrix unit it is, and how wide its Dst.
pub type Unit = (Chip, DstWidth);

/// ELWADD of two source values, added to `dst`. A `dst` of zero is an instruction that overwrites.
pub fn add(unit: Unit, a: u32, b: u32, dst: u32) -> u32 {
    let (m, e) = sum(a, b);
    accumulate_in(unit, Term { m: m << 13, e }, dst)
}

/// One fidelity phase (0 to 3) of ELWMUL.
pub fn multiply_phase(unit: Unit, phase: u32, a: u32, b: u32, dst: u32) -> u32 {
    accumulate_in(unit, partial_product(a, b, phase), dst)
}

/// One fidelity phase (0 to 3) of the sum of 16 products that MVMUL and GAPOOL add to `dst`.
///
/// `a` is a column of SrcA, `b` a row of SrcB.
pub fn dot16_phase(
    (chip, width): Unit,
    phase: u32,
    a: &[u32; FACE_SIDE],
    b: &[u32; FACE_SIDE],
    dst: u32,
) -> u32 {
    let mut column = [[0; TILE_SIDE]; TILE_SIDE];
    let mut row = [[0; TILE_SIDE]; TILE_SIDE];
    for k in 0..FACE_SIDE {
        column[k][0] = a[k];
        row[0][k] = b[k];
    }
    let source = |register, rows| Source { register, mask: u32::MAX, rows, used: FACE_SIDE };
    let place = Place { lane_row: 0, first_lane: 0, scalar_row: 0, scalar_column: 0 };
    Dot::lend(chip, |dot| {
        dot.fill::<false>(source(Register::SrcA, &column), source(Register::SrcB, &row));
        let (tops, mut out) = (dot.tops(place), [dst]);
        match width {
            DstWidth::Bits16 => dot.add::<false, 1>(place, &tops, phase, &mut out),
            DstWidth::Bits32 => dot.add::<true, 1>(place, &tops, phase, &mut out),
        }
        out[0]
    })
}

fn accumulate_in((chip, width): Unit, term: Term, dst: u32) -> u32 {
    match width {
        DstWidth::Bits16 => accumulate::<false>(term, dst, chip.faulty_sum()),
        DstWidth::Bits32 => accumulate::<true>(term, dst, chip.faulty_sum()),
    }
}
