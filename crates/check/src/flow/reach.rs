//! Which lanes of the matrix unit's result depend on lanes of its operands. What the vector unit
//! does is lane by lane, and needs no telling.

use tilewright_machine::{MathOperation, SourceId};
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::sfpu::program::Registers;
use tilewright_tile::{FACE_SIDE, LaneSet};

use super::facts::TileFacts;

/// The places of a result that depend on what nobody has written.
pub(super) fn reached(operation: MathOperation, a: &TileFacts, b: &TileFacts) -> LaneSet {
    match operation {
        MathOperation::Copy => a.lanes,
        MathOperation::Broadcast { broadcast, from } => match from {
            SourceId::A => a.lanes.broadcast(broadcast),
            SourceId::B => b.lanes.broadcast(broadcast),
        },
        MathOperation::Elementwise { op, broadcast, .. } => {
            let b = b.broadcast(broadcast);
            match op {
                Elementwise::Add | Elementwise::Sub => a.lanes.union(&b.lanes),
                // Nothing comes through a product with zero.
                Elementwise::Mul => {
                    let (a_zeros, b_zeros) = (a.zero_lanes(), b.zero_lanes());
                    a.lanes.minus(&b_zeros).union(&b.lanes.minus(&a_zeros))
                }
            }
        }
        MathOperation::Matmul { transpose, .. } => {
            let mut second = *a;
            if transpose {
                second.lanes = second.lanes.transposed();
                second.zeros = (second.zeros.1, second.zeros.0);
            }
            product(b, &second)
        }
        // Every reduction fills at least the first column, row or place. The rest of its tile is
        // for nobody: it is taken to depend on the same, and on what was there.
        MathOperation::Reduce { pool, dim } => {
            let (data, scaler) = match tilewright_machine::reduce_data_source(pool, dim) {
                SourceId::A => (a, b),
                SourceId::B => (b, a),
            };
            let lanes = match pool {
                Pool::Sum | Pool::PooledSum if has_unknown_scaler(dim, scaler) => {
                    return LaneSet::ALL;
                }
                Pool::Sum => data.lanes.minus(&unscaled(dim, scaler.zeros.1)),
                Pool::PooledSum => data.lanes,
                // The matrix unit takes maxima without the scaler.
                Pool::Max | Pool::BlockMax => data.lanes,
            };
            match dim {
                ReduceDim::Row => LaneSet::rows_and_columns(lanes.any_rows(), 0),
                ReduceDim::Column => LaneSet::rows_and_columns(0, lanes.any_columns()),
                ReduceDim::Scalar if lanes.is_empty() => LaneSet::EMPTY,
                ReduceDim::Scalar => LaneSet::ALL,
            }
        }
    }
}

/// Whether a sum multiplies by a scaler without a meaning: those of the first row of each face, of
/// which a sum of rows uses the upper two (numerics, section 5.2).
fn has_unknown_scaler(dim: ReduceDim, scaler: &TileFacts) -> bool {
    let (upper, lower) = (scaler.lanes.row(0), scaler.lanes.row(FACE_SIDE));
    match dim {
        ReduceDim::Row => upper != 0,
        ReduceDim::Column | ReduceDim::Scalar => upper | lower != 0,
    }
}

/// What a sum multiplies by zero, given the scaler's columns of zeros. The scaler of a column of
/// data is in the same column of it; that of a row in both columns whose number within a face is
/// the row's (numerics, section 5.2).
fn unscaled(dim: ReduceDim, columns: u32) -> LaneSet {
    match dim {
        ReduceDim::Row => LaneSet::rows_and_columns(0, columns),
        ReduceDim::Column => {
            let both = columns & (columns >> FACE_SIDE) & 0xffff;
            LaneSet::rows_and_columns(both | both << FACE_SIDE, 0)
        }
        ReduceDim::Scalar => LaneSet::EMPTY,
    }
}

/// A row of the first factor reaches a row of the product, a column of the second a column, unless
/// the other factor has nothing but zeros there.
fn product(first: &TileFacts, second: &TileFacts) -> LaneSet {
    let through_first = first.lanes.minus(&LaneSet::rows_and_columns(0, second.zeros.0));
    let through_second = second.lanes.minus(&LaneSet::rows_and_columns(first.zeros.1, 0));
    let rows = LaneSet::rows_and_columns(through_first.any_rows(), 0)
        .minus(&LaneSet::rows_and_columns(0, second.zeros.1));
    let columns = LaneSet::rows_and_columns(0, through_second.any_columns())
        .minus(&LaneSet::rows_and_columns(first.zeros.0, 0));
    rows.union(&columns)
}

/// What a vector function makes of its operands and of what registers hold from earlier calls.
pub(super) fn through_registers(
    registers: Registers,
    operands: TileFacts,
    held: &mut TileFacts,
) -> TileFacts {
    let mut result = operands;
    match registers {
        Registers::Overwrites | Registers::Keeps => return result,
        Registers::Sets => {}
        Registers::Continues | Registers::Ends => result.join(held),
    }
    *held = result;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_depends_on_the_scalers_that_it_multiplies_by() {
        let reduce = |pool, dim, scaler: &TileFacts| {
            let (operation, data) = (MathOperation::Reduce { pool, dim }, &TileFacts::CLEAN);
            match tilewright_machine::reduce_data_source(pool, dim) {
                SourceId::A => reached(operation, data, scaler),
                SourceId::B => reached(operation, scaler, data),
            }
        };
        for (row, of_rows, of_columns) in [(0, true, true), (16, false, true), (1, false, false)] {
            let mut scaler = TileFacts::CLEAN;
            scaler.lanes.add_to_row(row, 1 << 3);
            let is_all = |dim| reduce(Pool::Sum, dim, &scaler) == LaneSet::ALL;
            assert_eq!((is_all(ReduceDim::Row), is_all(ReduceDim::Column)), (of_rows, of_columns));
            assert!(reduce(Pool::Max, ReduceDim::Row, &scaler).is_empty());
        }
    }

    #[test]
    fn a_sum_does_not_take_what_it_multiplies_by_zero() {
        let mut data = TileFacts::CLEAN;
        data.lanes = LaneSet::outside(32, 12);
        let mut scaler = TileFacts::CLEAN;
        let reduce = |dim, data: &TileFacts, scaler: &TileFacts| {
            let operation = MathOperation::Reduce { pool: Pool::Sum, dim };
            match tilewright_machine::reduce_data_source(Pool::Sum, dim) {
                SourceId::A => reached(operation, data, scaler),
                SourceId::B => reached(operation, scaler, data),
            }
        };
        assert_eq!(reduce(ReduceDim::Row, &data, &scaler), LaneSet::ALL);
        scaler.zeros.1 = !0xfff;
        assert!(reduce(ReduceDim::Row, &data, &scaler).is_empty());
        scaler.zeros.1 = !0x1fff;
        assert_eq!(reduce(ReduceDim::Row, &data, &scaler), LaneSet::ALL);
        // Rows 12 to 15 and 28 to 31 of the data are scaled by zero; rows 16 to 27 are not.
        scaler.zeros.1 = 0xf000_f000;
        data.lanes = LaneSet::outside(28, 32);
        assert!(reduce(ReduceDim::Column, &data, &scaler).is_empty());
        data.lanes = LaneSet::outside(27, 32);
        assert_eq!(reduce(ReduceDim::Column, &data, &scaler), LaneSet::ALL);
    }
}
