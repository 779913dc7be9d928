//! Dst of one core: what the matrix and vector units make of what is in it.

use tilewright_machine::{
    DstSync, DstUse, Event, MathOperation, VectorOperation, Zeros, sources_of,
};
use tilewright_tile::fpu::{Pool, ReduceDim};
use tilewright_tile::sfpu::Unary;
use tilewright_tile::{FACE_SIDE, LaneSet, PackMask};

use super::core::CoreFlow;
use super::facts::{Birth, Births, Place, TileFacts};
use super::reach::{reached, through_registers};

impl CoreFlow {
    /// A tile of Dst as an operation reads it.
    pub(super) fn dst_tile(&self, dst: DstUse, births: &mut Births, place: Place) -> TileFacts {
        let unwritten = || {
            let birth = Birth::Dst { index: dst.index };
            TileFacts::unwritten(births.id(birth, Some(place)))
        };
        self.dst[usize::from(dst.tile.0)].unwrap_or_else(unwritten)
    }

    /// The matrix unit combined sources.
    pub(crate) fn computed(
        &mut self,
        event: &Event,
        dst: DstUse,
        operation: MathOperation,
        births: &mut Births,
    ) {
        let place = (event.site, event.processor);
        let mut operands = [TileFacts::CLEAN; 2];
        for source in sources_of(operation) {
            operands[*source as usize] = *self.banks[*source as usize].drain();
        }
        if let MathOperation::Elementwise { reuse: Some(reused), .. } = operation {
            operands[reused as usize] = self.dst_tile(dst, births, place);
        }
        let [a, b] = &operands;
        let mut result = *a;
        result.join(b);
        let mut lanes = if result.is_clean() { LaneSet::EMPTY } else { reached(operation, a, b) };
        if !lanes.minus(&result.lanes).is_empty() {
            result.born = births.mixed(result.born, place);
        }
        if let (MathOperation::Reduce { dim, .. }, None) =
            (operation, &self.dst[usize::from(dst.tile.0)])
        {
            // A reduction writes what it keeps. The rest stays uninitialised.
            lanes = lanes.union(&LaneSet::ALL.minus(&kept_by(dim)));
            let left = births.id(Birth::Leftover { index: dst.index }, Some(place));
            result.born = if result.is_clean() { left } else { result.born };
        }
        result = result.with_lanes(lanes);
        let tile = &mut self.dst[usize::from(dst.tile.0)];
        let old = (*tile).filter(|_| operation.accumulates());
        if let Some(old) = old {
            result.join(&old);
        }
        if let MathOperation::Reduce { dim: ReduceDim::Row, pool } = operation
            && keeps_running_row(pool)
            && !result.lanes.is_empty()
        {
            let before = old.map_or(0, |old| running(&old.lanes));
            let rows = in_first_column(&lanes) | before;
            result = result.with_lanes(with_running(&result.lanes, rows));
        }
        result.sources.traces.join(self.touch.now);
        *tile = Some(result);
    }

    /// The vector unit worked on Dst.
    pub(crate) fn vectored(
        &mut self,
        event: &Event,
        operation: VectorOperation,
        reads: [Option<DstUse>; 2],
        writes: Option<DstUse>,
        births: &mut Births,
    ) {
        let place = (event.site, event.processor);
        let mut read = |at: usize| match reads[at] {
            Some(dst) => self.dst_tile(dst, births, place),
            None => TileFacts::CLEAN,
        };
        let mut result = match operation {
            VectorOperation::Unary(Unary::Fill(_)) => TileFacts::CLEAN,
            VectorOperation::Unary(_) | VectorOperation::CopyValues => read(0),
            VectorOperation::Transpose => {
                let tile = read(0);
                if tile.is_clean() { tile } else { tile.with_lanes(tile.lanes.transposed()) }
            }
            VectorOperation::Sum(sum) => {
                let tile = read(0);
                if tile.is_clean() { tile } else { tile.with_lanes(tile.lanes.summed(sum)) }
            }
            VectorOperation::Binary(_) | VectorOperation::Code => {
                let mut result = read(0);
                result.join(&read(1));
                result
            }
            VectorOperation::Function(id) => {
                let mut result = read(0);
                result.join(&read(1));
                through_registers(id.function().registers(), result, &mut self.registers)
            }
            VectorOperation::Masked(_) => {
                let (mut result, mask) = (read(0), read(1));
                result.join(&mask);
                let Zeros { rows, columns, .. } = std::mem::take(&mut self.mask_zeros);
                let masked = LaneSet::rows_and_columns(rows, columns);
                result.with_lanes(result.lanes.minus(&masked))
            }
        };
        result.sources.traces.join(self.touch.now);
        if let Some(writes) = writes {
            self.dst[usize::from(writes.tile.0)] = Some(result);
        }
    }

    pub(crate) fn started_pack(&mut self) {
        self.pack_half = 0;
    }

    /// Pack gave a section back, which clears it.
    pub(crate) fn released(&mut self) {
        let section = self.settings.section_tiles() as usize;
        let first = self.pack_half * section;
        self.dst[first..first + section].fill(None);
        if self.settings.sync == DstSync::Half {
            self.pack_half ^= 1;
        }
    }
}

/// Whether a reduction of rows keeps its running values, one of each row, in the first row of each
/// left face, and moves them into the first column from there (numerics, section 5.2). A tile that
/// was put into Dst for it to go on from has them there. A sum by the matrix unit's products is
/// made in the first column itself.
fn keeps_running_row(pool: Pool) -> bool {
    match pool {
        Pool::Sum => false,
        Pool::PooledSum | Pool::Max | Pool::BlockMax => true,
    }
}

/// The columns of the left faces.
const LEFT: u32 = 0xffff;

/// The rows, a bit each, whose place in the first column is among the places.
fn in_first_column(lanes: &LaneSet) -> u32 {
    lanes.minus(&LaneSet::rows_and_columns(0, !1)).any_rows()
}

/// The rows, a bit each, whose running values are among the places.
fn running(lanes: &LaneSet) -> u32 {
    lanes.row(0) & LEFT | (lanes.row(FACE_SIDE) & LEFT) << FACE_SIDE
}

/// The same places with other running values, which the first column has, too.
fn with_running(lanes: &LaneSet, rows: u32) -> LaneSet {
    let first_rows = LaneSet::rows_and_columns(1 | 1 << FACE_SIDE, 0);
    let others = first_rows.minus(&LaneSet::rows_and_columns(0, !LEFT));
    let column = LaneSet::rows_and_columns(0, 1);
    let of_rows = LaneSet::rows_and_columns(!rows, 0);
    let mut lanes = lanes.minus(&others).minus(&column).union(&column.minus(&of_rows));
    lanes.add_to_row(0, rows & LEFT);
    lanes.add_to_row(FACE_SIDE, rows >> FACE_SIDE);
    lanes
}

/// The places of a tile that a reduction fills.
fn kept_by(dim: ReduceDim) -> LaneSet {
    let (row, column) = (LaneSet::rows_and_columns(1, 0), LaneSet::rows_and_columns(0, 1));
    match dim {
        ReduceDim::Row => column,
        ReduceDim::Column => row,
        ReduceDim::Scalar => row.minus(&LaneSet::rows_and_columns(0, !1)),
    }
}

/// The places of a tile that the packers keep; none if they keep all.
pub(super) fn kept_by_mask(mask: PackMask) -> Option<LaneSet> {
    match mask {
        PackMask::None => None,
        PackMask::Row => Some(kept_by(ReduceDim::Row)),
        PackMask::Column => Some(kept_by(ReduceDim::Column)),
        PackMask::Scalar => Some(kept_by(ReduceDim::Scalar)),
    }
}
