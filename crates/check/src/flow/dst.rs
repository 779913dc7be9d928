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
use super::sources::SourceSets;

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
        let mut drained = [None; 2];
        for source in sources_of(operation) {
            drained[*source as usize] = Some(self.banks[*source as usize].drain());
        }
        if self.computed_clean(drained, dst, operation, &mut births.sets) {
            return;
        }
        let mut operands = [TileFacts::CLEAN; 2];
        for ((operand, place), banks) in operands.iter_mut().zip(drained).zip(&self.banks) {
            *operand = place.map_or(TileFacts::CLEAN, |place| *banks.tile(place));
        }
        if let MathOperation::Elementwise { reuse: Some(reused), .. } = operation {
            operands[reused as usize] = self.dst_tile(dst, births, place);
        }
        let [a, b] = &operands;
        let mut result = *a;
        result.join(b, &mut births.sets);
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
            result.join(&old, &mut births.sets);
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

    /// The same where both operands are initialised and no reduction looks at what Dst held, as
    /// mostly: what is known is changed where it is. Says whether that is the case.
    fn computed_clean(
        &mut self,
        drained: [Option<usize>; 2],
        dst: DstUse,
        operation: MathOperation,
        sets: &mut SourceSets,
    ) -> bool {
        let tile = &mut self.dst[usize::from(dst.tile.0)];
        let is_left_to_see = match operation {
            MathOperation::Elementwise { reuse, .. } => reuse.is_some(),
            MathOperation::Reduce { .. } => tile.as_ref().is_none_or(|tile| !tile.is_clean()),
            MathOperation::Copy
            | MathOperation::Move
            | MathOperation::Broadcast { .. }
            | MathOperation::Matmul { .. } => false,
        };
        let operand = |source: usize| match drained[source] {
            Some(place) => self.banks[source].tile(place),
            None => &TileFacts::CLEAN,
        };
        let (a, b) = (operand(0), operand(1));
        if is_left_to_see || !a.is_clean() || !b.is_clean() {
            return false;
        }
        let mut sources = a.sources;
        sets.join(&mut sources, &b.sources);
        match tile {
            Some(old) if operation.accumulates() => {
                sets.join(&mut sources, &old.sources);
                (old.sources, old.zeros) = (sources, Zeros::NONE);
            }
            Some(old) => old.replace(sources, Zeros::NONE),
            None => *tile = Some(TileFacts { sources, ..TileFacts::CLEAN }),
        }
        if let Some(tile) = tile {
            tile.sources.traces.join(self.touch.now);
        }
        true
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
        if let Some(writes) = writes
            && self.vectored_clean(operation, reads, writes, &mut births.sets)
        {
            return;
        }
        let place = (event.site, event.processor);
        let read = |at: usize, births: &mut Births| match reads[at] {
            Some(dst) => self.dst_tile(dst, births, place),
            None => TileFacts::CLEAN,
        };
        let read_both = |births: &mut Births| {
            let mut result = read(0, births);
            result.join(&read(1, births), &mut births.sets);
            result
        };
        let mut result = match operation {
            VectorOperation::Unary(Unary::Fill(_)) => TileFacts::CLEAN,
            VectorOperation::Unary(_) | VectorOperation::CopyValues => read(0, births),
            VectorOperation::Transpose => {
                let tile = read(0, births);
                if tile.is_clean() { tile } else { tile.with_lanes(tile.lanes.transposed()) }
            }
            VectorOperation::Sum(sum) => {
                let tile = read(0, births);
                if tile.is_clean() { tile } else { tile.with_lanes(tile.lanes.summed(sum)) }
            }
            VectorOperation::Binary(_) | VectorOperation::Code => read_both(births),
            VectorOperation::Function(id) => {
                let result = read_both(births);
                let registers = id.function().registers();
                through_registers(registers, result, &mut self.registers, &mut births.sets)
            }
            VectorOperation::Masked(_) => {
                let result = read_both(births);
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

    /// The same for what changes a tile where it is, or combines two of initialised data. Says
    /// whether that is the case.
    fn vectored_clean(
        &mut self,
        operation: VectorOperation,
        reads: [Option<DstUse>; 2],
        writes: DstUse,
        sets: &mut SourceSets,
    ) -> bool {
        let tile = |at: usize| {
            let read = reads[at]?;
            self.dst[usize::from(read.tile.0)].as_ref()
        };
        let sources = match operation {
            VectorOperation::Unary(Unary::Fill(_)) => return false,
            VectorOperation::Unary(_) | VectorOperation::CopyValues => {
                let is_same = reads[0].is_some_and(|read| read.tile == writes.tile);
                let Some(tile) = &mut self.dst[usize::from(writes.tile.0)] else { return false };
                if is_same {
                    tile.sources.traces.join(self.touch.now);
                }
                return is_same;
            }
            VectorOperation::Binary(_) | VectorOperation::Code => {
                let (Some(first), Some(second)) = (tile(0), tile(1)) else { return false };
                if !first.is_clean() || !second.is_clean() {
                    return false;
                }
                let mut sources = first.sources;
                sets.join(&mut sources, &second.sources);
                sources
            }
            VectorOperation::Transpose
            | VectorOperation::Sum(_)
            | VectorOperation::Function(_)
            | VectorOperation::Masked(_) => return false,
        };
        let tile = &mut self.dst[usize::from(writes.tile.0)];
        let tile = tile.get_or_insert_with(|| TileFacts::CLEAN);
        tile.replace(sources, Zeros::NONE);
        tile.sources.traces.join(self.touch.now);
        true
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
