//! Which lanes of the matrix unit's result depend on lanes of its operands. What the vector unit
//! does is lane by lane.

use tilewright_machine::{MathOperation, SourceId, Zeros};
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::sfpu::program::Registers;
use tilewright_tile::{FACE_SIDE, LaneSet, TILE_SIDE};

use super::facts::TileFacts;
use super::sources::SourceSets;

/// The places of a result that depend on uninitialised data.
pub(super) fn reached(operation: MathOperation, a: &TileFacts, b: &TileFacts) -> LaneSet {
    match operation {
        MathOperation::Copy | MathOperation::Move => a.lanes,
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
                let Zeros { rows, columns, .. } = second.zeros;
                second.zeros = Zeros { rows: columns, columns: rows, ..Zeros::NONE };
            }
            product(b, &second)
        }
        // Every reduction fills at least the first column, row or place. The rest of its tile is
        // not meant to be read: it is taken to depend on the same, and on what was there.
        MathOperation::Reduce { pool, dim } => {
            let (data, scaler) = match tilewright_machine::reduce_data_source(pool, dim) {
                SourceId::A => (a, b),
                SourceId::B => (b, a),
            };
            if has_unknown_scaler(pool, dim, scaler) {
                return LaneSet::ALL;
            }
            let lanes = data.lanes.minus(&left_out(pool, dim, scaler.zeros.scalers));
            match dim {
                ReduceDim::Row => LaneSet::rows_and_columns(lanes.any_rows(), 0),
                ReduceDim::Column => LaneSet::rows_and_columns(0, lanes.any_columns()),
                ReduceDim::Scalar if lanes.is_empty() => LaneSet::EMPTY,
                ReduceDim::Scalar => LaneSet::ALL,
            }
        }
    }
}

/// Whether a reduction scales by something uninitialised: its scalers are in the first row of each
/// face, of which a sum of rows uses the upper two and the maximum of a row of tiles the first
/// (numerics, section 5.2).
fn has_unknown_scaler(pool: Pool, dim: ReduceDim, scaler: &TileFacts) -> bool {
    let (upper, lower) = (scaler.lanes.row(0), scaler.lanes.row(FACE_SIDE));
    match (pool, dim) {
        (Pool::BlockMax, _) => upper & LEFT != 0,
        (Pool::Sum, ReduceDim::Row) => upper != 0,
        (Pool::Sum, ReduceDim::Column | ReduceDim::Scalar) | (Pool::PooledSum | Pool::Max, _) => {
            upper | lower != 0
        }
    }
}

/// The columns of the left faces.
const LEFT: u32 = 0xffff;

/// What a reduction scales by zero, given the zeros in rows 0 and 16 of its scaler: nothing of it
/// comes through a sum, and it takes no part in a maximum. A face of the data has its scalers in
/// the first row of the same face (numerics, section 5.2), sums of rows in the upper faces alone,
/// and the maximum of a row of tiles in the first one.
fn left_out(pool: Pool, dim: ReduceDim, zeros: [u32; 2]) -> LaneSet {
    let twice = |bits: u32| bits & LEFT | bits << FACE_SIDE;
    let mut lanes = LaneSet::EMPTY;
    for row in 0..TILE_SIDE {
        let of_face = zeros[row / FACE_SIDE];
        let columns = match (pool, dim) {
            (Pool::BlockMax, _) => twice(zeros[0]),
            (Pool::Sum, ReduceDim::Row) => zeros[0],
            (Pool::PooledSum | Pool::Max, ReduceDim::Row) => of_face,
            (Pool::Sum | Pool::PooledSum | Pool::Max, ReduceDim::Column | ReduceDim::Scalar) => {
                // The scaler of a row: one for each face.
                let place = row % FACE_SIDE;
                let is_zero = |side: usize| of_face >> (place + side * FACE_SIDE) & 1 == 1;
                let left = if is_zero(0) { LEFT } else { 0 };
                left | if is_zero(1) { !LEFT } else { 0 }
            }
        };
        lanes.add_to_row(row, columns);
    }
    // The row of results is reduced again, with the last face's scalers.
    match dim {
        ReduceDim::Scalar => {
            lanes.union(&LaneSet::rows_and_columns(0, twice(zeros[1] >> FACE_SIDE)))
        }
        ReduceDim::Row | ReduceDim::Column => lanes,
    }
}

/// A row of the first factor reaches a row of the product, a column of the second a column, unless
/// the other factor has nothing but zeros there.
fn product(first: &TileFacts, second: &TileFacts) -> LaneSet {
    let through_first = first.lanes.minus(&LaneSet::rows_and_columns(0, second.zeros.rows));
    let through_second = second.lanes.minus(&LaneSet::rows_and_columns(first.zeros.columns, 0));
    let rows = LaneSet::rows_and_columns(through_first.any_rows(), 0)
        .minus(&LaneSet::rows_and_columns(0, second.zeros.columns));
    let columns = LaneSet::rows_and_columns(0, through_second.any_columns())
        .minus(&LaneSet::rows_and_columns(first.zeros.rows, 0));
    rows.union(&columns)
}

/// What a vector function makes of its operands and of what registers hold from earlier calls.
pub(super) fn through_registers(
    registers: Registers,
    operands: TileFacts,
    held: &mut TileFacts,
    sets: &mut SourceSets,
) -> TileFacts {
    let mut result = operands;
    match registers {
        Registers::Overwrites | Registers::Keeps => return result,
        Registers::Sets => {}
        Registers::Continues | Registers::Ends => result.join(held, sets),
    }
    *held = result;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const POOLS: [Pool; 4] = [Pool::Sum, Pool::PooledSum, Pool::Max, Pool::BlockMax];

    fn reduce(pool: Pool, dim: ReduceDim, data: &TileFacts, scaler: &TileFacts) -> LaneSet {
        let operation = MathOperation::Reduce { pool, dim };
        match tilewright_machine::reduce_data_source(pool, dim) {
            SourceId::A => reached(operation, data, scaler),
            SourceId::B => reached(operation, scaler, data),
        }
    }

    #[test]
    fn a_reduction_depends_on_the_scalers_that_it_uses() {
        for (row, of_rows, of_columns) in [(0, true, true), (16, false, true), (1, false, false)] {
            let mut scaler = TileFacts::CLEAN;
            scaler.lanes.add_to_row(row, 1 << 3);
            let is_all = |pool, dim| {
                let lanes = reduce(pool, dim, &TileFacts::CLEAN, &scaler);
                assert!(lanes.is_empty() || lanes == LaneSet::ALL);
                !lanes.is_empty()
            };
            assert_eq!(is_all(Pool::Sum, ReduceDim::Row), of_rows);
            assert_eq!(is_all(Pool::BlockMax, ReduceDim::Row), of_rows);
            assert_eq!(is_all(Pool::Max, ReduceDim::Row), of_columns);
            for pool in [Pool::Sum, Pool::Max] {
                assert_eq!(is_all(pool, ReduceDim::Column), of_columns);
            }
        }
    }

    #[test]
    fn a_reduction_of_rows_does_not_take_what_it_scales_by_zero() {
        let mut data = TileFacts::CLEAN;
        data.lanes = LaneSet::outside(32, 12);
        let mut scaler = TileFacts::CLEAN;
        for pool in POOLS {
            scaler.zeros = Zeros::NONE;
            assert_eq!(reduce(pool, ReduceDim::Row, &data, &scaler), LaneSet::ALL);
            scaler.zeros.scalers = [!0xfff; 2];
            let is_left_out = reduce(pool, ReduceDim::Row, &data, &scaler).is_empty();
            // Of the maximum of a row of tiles, the right faces have the left one's scalers.
            assert_eq!(is_left_out, pool != Pool::BlockMax);
            scaler.zeros.scalers = [!0x1fff; 2];
            assert_eq!(reduce(pool, ReduceDim::Row, &data, &scaler), LaneSet::ALL);
        }
    }

    #[test]
    fn a_reduction_of_columns_has_the_scalers_of_each_face() {
        let mut data = TileFacts::CLEAN;
        let mut scaler = TileFacts::CLEAN;
        // Twenty rows count: all of the upper faces, four of the lower ones.
        scaler.zeros.scalers = [0, 0xfff0_fff0];
        for pool in [Pool::Sum, Pool::PooledSum, Pool::Max] {
            for dim in [ReduceDim::Column, ReduceDim::Scalar] {
                data.lanes = LaneSet::outside(20, 32);
                assert!(reduce(pool, dim, &data, &scaler).is_empty());
                data.lanes = LaneSet::outside(19, 32);
                assert_eq!(reduce(pool, dim, &data, &scaler), LaneSet::ALL);
            }
        }
    }
}
