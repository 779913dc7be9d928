//! What unpackers and matrix unit do to sources and Dst; the vector unit is `vector`, packing is
//! `packer`.
//!
//! An operation does what is configured, as the hardware does, not what the call was named.

use tilewright_tile::fpu::{self, Elementwise, ElementwiseOp, Pool, ReduceDim};
use tilewright_tile::{
    Broadcast, DataFormat, DstWidth, FACE_SIDE, FACE_VALUES, Lanes, Magnitudes, SourceFormats,
    TILE_SIDE, TILE_VALUES, Transpose, transpose_as, unpack, unpack_row_major,
};

use crate::config::{MathOperation, UnpackFormats, UnpackOperation};
use crate::core::Core;
use crate::dst::DstTile;
use crate::event::{EventKind, Operand, Zeros};
use crate::processor::{Changes, Processor, SourceId};
use crate::refusals::check_whole_numbers;
use crate::stop::{Called, StopReason, Unset};
use crate::units::{CbId, L1Address};
use crate::vector::VectorOperation;

/// A tile of a circular buffer, counted from its read or write pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CbTile {
    /// The buffer.
    pub cb: CbId,
    /// Which tile.
    pub index: u32,
}

/// Bytes of L1 that unpack has read.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    at: L1Address,
    bytes: u32,
}

impl Core {
    /// What unpack calls do, once something has said so.
    pub(crate) fn unpack_operation(
        &self,
        called: UnpackOperation,
        tiles: [Option<CbTile>; 2],
    ) -> Result<UnpackOperation, StopReason> {
        self.check_started(Processor::Unpack, Unset::UnpackFormats)?;
        self.configuration.unpack.get(|| {
            let buffers = tiles.map(|tile| tile.map(|tile| tile.cb));
            StopReason::Uninitialised(Called::Unpack(called, buffers))
        })
    }

    /// What math calls do, once something has said so.
    pub(crate) fn math_operation(
        &self,
        called: MathOperation,
    ) -> Result<MathOperation, StopReason> {
        self.check_started(Processor::Math, Unset::AluFormats)?;
        let unset = || StopReason::Uninitialised(Called::Math(called));
        self.configuration.math.get(unset)
    }

    /// Whether the vector unit was started and initialised for anything.
    pub(crate) fn check_vector(&self, called: VectorOperation) -> Result<(), StopReason> {
        self.check_started(Processor::Math, Unset::AluFormats)?;
        let unset = || StopReason::Uninitialised(Called::Vector(called));
        self.configuration.vector.map(|_| ()).ok_or_else(unset)
    }

    pub(crate) fn check_started(
        &self,
        processor: Processor,
        unset: Unset,
    ) -> Result<(), StopReason> {
        let is_started = self.configuration.is_started[processor.index()];
        if is_started { Ok(()) } else { Err(StopReason::Unconfigured(unset)) }
    }

    /// Where unpack finds a tile. Indices beyond the ring run over its end, as on silicon.
    fn operand_address(&self, tile: CbTile) -> Result<L1Address, StopReason> {
        let buffer = self.buffer(tile.cb)?;
        let offset = tile.index.wrapping_mul(buffer.config().page_bytes);
        Ok(buffer.read_pointer(Processor::Unpack) + offset)
    }

    /// Bytes of L1 that one unpacker reads for a tile.
    pub(crate) fn unpack_bytes(&self, source: SourceId) -> Result<u32, StopReason> {
        Ok(self.unpack_formats(source)?.l1.tile_bytes() as u32)
    }

    /// Bytes of L1 for the next tiles of these banks, if all are free and configured.
    pub(crate) fn free_bytes(&self, banks: &[SourceId]) -> Option<u32> {
        banks.iter().try_fold(0, |bytes, source| {
            let is_free = self.sources[*source as usize].can_fill();
            is_free.then(|| self.unpack_bytes(*source).ok()).flatten().map(|more| bytes + more)
        })
    }

    /// Whether the banks that an operation drains are full.
    pub(crate) fn has_full_banks(&self, op: MathOperation) -> bool {
        sources_of(op).iter().all(|source| self.sources[*source as usize].can_drain())
    }

    /// Fills the banks that an operation fills, from the tiles for SrcA and SrcB. Says what it has
    /// read.
    pub(crate) fn fill_banks(
        &mut self,
        operation: UnpackOperation,
        [a, b]: [Option<CbTile>; 2],
    ) -> Result<[Option<Span>; 2], StopReason> {
        let how = match operation {
            UnpackOperation::One { transpose, .. } => transpose,
            UnpackOperation::Both => Transpose::None,
            UnpackOperation::Tilize { row_tiles } => {
                let tile = a.expect("tilize has an operand");
                return Ok([Some(self.fill_tilized(tile, row_tiles)?), None]);
            }
        };
        let a = a.map(|tile| self.fill(SourceId::A, tile, how)).transpose()?;
        let b = b.map(|tile| self.fill(SourceId::B, tile, how)).transpose()?;
        Ok([a, b])
    }

    /// Records which tiles unpack has taken, and from where.
    pub(crate) fn unpacked(
        &mut self,
        configured: UnpackOperation,
        called: UnpackOperation,
        tiles: [Option<CbTile>; 2],
        spans: [Option<Span>; 2],
    ) {
        let [a, b] = spans.map(|span| span.map(|span| span.at));
        let bytes = spans.map(|span| span.map_or(0, |span| span.bytes));
        let kind = EventKind::Unpacked { a, b, bytes, tiles, configured, called };
        self.emit(Processor::Unpack, kind);
    }

    fn unpack_formats(&self, source: SourceId) -> Result<UnpackFormats, StopReason> {
        let formats = self.configuration.unpack_formats[source as usize];
        let Some(formats) = formats else {
            return Err(StopReason::Unconfigured(Unset::UnpackFormats));
        };
        Ok(formats)
    }

    /// Fills a bank from a tile in L1 and hands it to math. Says what it has read.
    pub(crate) fn fill(
        &mut self,
        source: SourceId,
        tile: CbTile,
        how: Transpose,
    ) -> Result<Span, StopReason> {
        let at = self.operand_address(tile)?;
        let formats = self.unpack_formats(source)?;
        let transposed = how != Transpose::None;
        let bytes = formats.l1.tile_bytes() as u32;
        self.check_l1(at, bytes)?;
        let tile = self.l1.get(at, bytes as usize).expect("checked");
        let banks = &mut self.sources[source as usize];
        if let (true, Some(tile)) = (formats.is_bfloat16() && !transposed, tile.first_chunk()) {
            let zeros = self.run.is_observed.then(|| Zeros::of_bfloat16(tile));
            banks.fill_bfloat16(at);
            self.tell_zeros(Processor::Unpack, Operand::Source(source), zeros.unwrap_or_default());
            self.stir(Changes::filled(source));
            return Ok(Span { at, bytes });
        }
        if transposed {
            unpack(tile, formats.l1, formats.register, &mut self.scratch)?;
            transpose_as(how, &self.scratch, banks.filling());
        } else {
            unpack(tile, formats.l1, formats.register, banks.filling())?;
        }
        let zeros = self.run.is_observed.then(|| Zeros::of(banks.filling()));
        banks.filled(formats.register.is_unpacked_to_dst());
        self.tell_zeros(Processor::Unpack, Operand::Source(source), zeros.unwrap_or_default());
        self.stir(Changes::filled(source));
        Ok(Span { at, bytes })
    }

    /// Fills SrcA with one tile of a row-major block, which begins at the read pointer. Says what
    /// it has read.
    pub(crate) fn fill_tilized(
        &mut self,
        tile: CbTile,
        row_tiles: u32,
    ) -> Result<Span, StopReason> {
        let base = self.buffer(tile.cb)?.read_pointer(Processor::Unpack);
        let formats = self.unpack_formats(SourceId::A)?;
        let (at, stride, bytes) = self.tilized_rows(base, tile.index, row_tiles)?;
        let rows = self.l1.get(at, bytes as usize).expect("checked");
        let banks = &mut self.sources[SourceId::A as usize];
        let stride = stride as usize;
        unpack_row_major(rows, stride, formats.l1, formats.register, banks.filling())?;
        banks.filled(formats.register.is_unpacked_to_dst());
        self.stir(Changes::filled(SourceId::A));
        Ok(Span { at, bytes })
    }

    /// Where a tile of a row-major block begins, bytes from row to row, and to its last byte.
    fn tilized_rows(
        &self,
        base: L1Address,
        tile_index: u32,
        row_tiles: u32,
    ) -> Result<(L1Address, u32, u32), StopReason> {
        let format = self.unpack_formats(SourceId::A)?.l1;
        let Some(value_bytes) = format.value_bytes() else {
            return Err(StopReason::NotModelled(format!("tilize of {}", format.name())));
        };
        let tile_row = (TILE_SIDE * value_bytes) as u32;
        let start = base + tile_row.wrapping_mul(tile_index);
        let (stride, span) = self.check_rows(start, tile_row, row_tiles)?;
        Ok((start, stride, span))
    }

    /// Bytes from row to row of a tile in a row-major block, and from its first to its last byte,
    /// if they lie in L1.
    pub(crate) fn check_rows(
        &self,
        at: L1Address,
        tile_row: u32,
        row_tiles: u32,
    ) -> Result<(u32, u32), StopReason> {
        let stride = tile_row.saturating_mul(row_tiles);
        let span = stride.saturating_mul(TILE_SIDE as u32 - 1).saturating_add(tile_row);
        self.check_l1(at, span)?;
        Ok((stride, span))
    }

    fn alu_formats(&self) -> Result<SourceFormats, StopReason> {
        match self.configuration.alu_formats {
            [Some(a), Some(b)] => Ok(SourceFormats { a, b }),
            [None, _] | [_, None] => Err(StopReason::Unconfigured(Unset::AluFormats)),
        }
    }

    /// Combines full banks into a tile of Dst and gives the banks back.
    pub(crate) fn compute(&mut self, op: MathOperation, index: u32) -> Result<DstTile, StopReason> {
        let formats = self.alu_formats()?;
        let tile = self.dst.math_tile(index);
        let (chip, width) = (self.arch.chip, self.settings.width);
        check_whole_numbers(op, formats)?;
        self.check_raw(op)?;
        self.check_wide(op, formats, index)?;
        if fpu::has_half(formats) {
            self.check_half(op, formats, tile)?;
        }
        if !may_read_bytes(op, formats) {
            let sources = &mut self.sources;
            sources_of(op).iter().for_each(|source| sources[*source as usize].widen(&self.l1));
        }
        match op {
            MathOperation::Copy => self.copy(width, formats, tile),
            MathOperation::Move => {
                let source = self.sources[SourceId::A as usize].draining();
                fpu::move_source_to_dst(width, formats.a, source, self.dst.replace(tile));
            }
            MathOperation::Broadcast { broadcast, from } => {
                self.broadcast(formats, broadcast, from, tile, index);
            }
            MathOperation::Elementwise { op, broadcast, accumulate, reuse } => {
                let fidelity = self.settings.fidelity;
                let op =
                    ElementwiseOp { op, broadcast, accumulate, fidelity, width, formats, chip };
                self.elementwise(&op, reuse, tile);
            }
            MathOperation::Matmul { transpose, fidelity } => {
                let [a, b] = &self.sources;
                let (in0, in1) = (b.draining(), a.draining());
                let dst = self.dst.overwrite(tile, 0);
                let fidelity = fidelity.unwrap_or(self.settings.fidelity);
                fpu::matmul(chip, width, fidelity, formats, in0, in1, transpose, dst);
            }
            MathOperation::Reduce { pool, dim } => self.reduce(pool, dim, formats, tile),
        }
        for source in sources_of(op) {
            self.sources[*source as usize].drained();
            self.stir(Changes::drained(*source));
        }
        Ok(tile)
    }

    fn copy(&mut self, width: DstWidth, formats: SourceFormats, tile: DstTile) {
        let source = &self.sources[SourceId::A as usize];
        if let Some(bytes) = source.draining_bfloat16(&self.l1) {
            let known = fpu::copy_bfloat16(width, bytes, self.dst.replace(tile));
            self.dst.know(tile, known);
        } else if source.is_raw() {
            self.dst.replace(tile).copy_from_slice(source.draining());
            if width == DstWidth::Bits16 && formats.a.is_integer32() {
                self.dst.mark_wide(tile);
            }
        } else {
            fpu::copy(width, formats, source.draining(), self.dst.replace(tile));
        }
    }

    fn broadcast(
        &mut self,
        formats: SourceFormats,
        broadcast: Broadcast,
        from: SourceId,
        tile: DstTile,
        index: u32,
    ) {
        let width = self.settings.width;
        let source = &self.sources[from as usize];
        let narrow = formats.b != DataFormat::Tf32 && from == SourceId::B;
        if broadcast == Broadcast::Row && width == DstWidth::Bits32 && narrow {
            return broadcast_narrow_row(&mut self.dst, source.draining(), index);
        }
        let formats = if source.is_raw() {
            SourceFormats { a: DataFormat::Float32, b: DataFormat::Float32 }
        } else {
            formats
        };
        let (from, to) = (source.draining(), self.dst.replace(tile));
        let known = fpu::unary_broadcast(width, formats, broadcast, from, to);
        self.dst.know(tile, known);
    }

    fn elementwise(&mut self, op: &ElementwiseOp, reuse: Option<SourceId>, tile: DstTile) {
        let is_zero = self.dst.is_clear(tile) || self.dst.known(tile) == Some(Magnitudes::ZERO);
        if reuse.is_none() && (self.spread_row(op, tile) || self.combine_bytes(op, tile, is_zero)) {
            return;
        }
        for (source, reused) in self.sources.iter_mut().zip([SourceId::A, SourceId::B]) {
            if reuse != Some(reused) {
                source.widen(&self.l1);
            }
        }
        let [a, b] = &self.sources;
        if let Some(reused) = reuse {
            return self.elementwise_of_dst(op, reused, tile);
        }
        let dst = if is_zero { self.dst.replace(tile) } else { self.dst.overwrite(tile, 0) };
        fpu::elementwise(op, a.draining(), b.draining(), dst, is_zero);
    }

    /// An operation with a tile of Dst in place of a source. Apart, for its copy of the tile.
    #[inline(never)]
    fn elementwise_of_dst(&mut self, op: &ElementwiseOp, reused: SourceId, tile: DstTile) {
        let [a, b] = &self.sources;
        let mut moved = [0; TILE_VALUES];
        self.dst.read(tile, &mut self.scratch);
        fpu::move_dst_to_source(op.width, op.formats.a, &self.scratch, &mut moved);
        let dst = self.dst.replace(tile);
        match reused {
            SourceId::A => fpu::elementwise(op, &moved, b.draining(), dst, true),
            SourceId::B => fpu::elementwise(op, a.draining(), &moved, dst, true),
        }
    }

    /// Adds, subtracts or multiplies bf16 tiles by their bytes, if that is what is asked for and
    /// their values allow it. The tile of Dst is lost if not: the caller writes all of it.
    fn combine_bytes(&mut self, op: &ElementwiseOp, tile: DstTile, is_zero: bool) -> bool {
        let [a, b] = &self.sources;
        let [a, b] = [a, b].map(|banks| banks.draining_bfloat16(&self.l1));
        let (Some(a), Some(b)) = (a, b) else { return false };
        if op.is_plain_sum() {
            return fpu::elementwise_bfloat16(op, a, b, self.dst.replace(tile));
        }
        if !is_zero || op.op != Elementwise::Mul {
            return false;
        }
        let known = fpu::multiply_bfloat16(op, a, b, self.dst.replace(tile));
        self.dst.know(tile, known);
        known.is_some()
    }

    /// Spreads row 0 of SrcB by adding zeros to it, if that is what is asked for: how kernels
    /// broadcast a row into a 32-bit Dst.
    fn spread_row(&mut self, op: &ElementwiseOp, tile: DstTile) -> bool {
        let spreads = matches!(
            (op.op, op.broadcast, op.width),
            (Elementwise::Add | Elementwise::Sub, Broadcast::Row, DstWidth::Bits32)
        );
        let [a, b] = &self.sources;
        let [a, b] = [a, b].map(|banks| banks.draining_bfloat16(&self.l1));
        let (Some(a), Some(b)) = (a, b) else { return false };
        if !spreads || op.accumulate || !op.is_of_bfloat16() || !fpu::is_zero_bfloat16(a) {
            return false;
        }
        let known = fpu::row_of_bfloat16(op.op, b, self.dst.replace(tile));
        self.dst.know(tile, known);
        true
    }

    fn reduce(&mut self, pool: Pool, dim: ReduceDim, formats: SourceFormats, tile: DstTile) {
        let [a, b] = &self.sources;
        let (data, scaler) = match reduce_data_source(pool, dim) {
            SourceId::A => (a.draining(), b.draining()),
            SourceId::B => (b.draining(), a.draining()),
        };
        let (width, fidelity) = (self.settings.width, self.settings.fidelity);
        let was_clear = self.dst.is_clear(tile);
        let dst = self.dst.overwrite(tile, 0);
        if matches!(pool, Pool::Max | Pool::BlockMax) && was_clear {
            // The maximum reads an undefined row as all ones, the lowest value of its order. Faces
            // that it does not keep maxima in stay undefined, which is zero for who packs them.
            for face in faces_with_maxima(dim) {
                dst[face * FACE_VALUES..][..FACE_SIDE].fill(u32::MAX);
            }
        }
        fpu::reduce(self.arch.chip, pool, dim, width, fidelity, formats, data, scaler, dst);
    }
}

/// The register files that an operation drains.
pub fn sources_of(op: MathOperation) -> &'static [SourceId] {
    match op {
        MathOperation::Copy
        | MathOperation::Move
        | MathOperation::Broadcast { from: SourceId::A, .. } => &[SourceId::A],
        MathOperation::Broadcast { from: SourceId::B, .. } => &[SourceId::B],
        MathOperation::Elementwise { reuse: Some(SourceId::A), .. } => &[SourceId::B],
        MathOperation::Elementwise { reuse: Some(SourceId::B), .. } => &[SourceId::A],
        MathOperation::Elementwise { reuse: None, .. }
        | MathOperation::Matmul { .. }
        | MathOperation::Reduce { .. } => &[SourceId::A, SourceId::B],
    }
}

/// Whether an operation looks itself at whether a source holds a tile's bytes.
fn may_read_bytes(op: MathOperation, formats: SourceFormats) -> bool {
    match op {
        MathOperation::Copy => formats.a == DataFormat::Bfloat16,
        MathOperation::Elementwise { .. } => true,
        MathOperation::Move
        | MathOperation::Broadcast { .. }
        | MathOperation::Matmul { .. }
        | MathOperation::Reduce { .. } => false,
    }
}

/// A row sum is a product with the scaler tile, which puts the data in SrcB; every other
/// reduction has it in SrcA (numerics specification, section 5.2), and so did row sums before
/// tt-metal v0.74.
pub fn reduce_data_source(pool: Pool, dim: ReduceDim) -> SourceId {
    match (pool, dim) {
        (Pool::Sum, ReduceDim::Row) => SourceId::B,
        (Pool::Sum, ReduceDim::Column | ReduceDim::Scalar)
        | (Pool::PooledSum | Pool::Max | Pool::BlockMax, _) => SourceId::A,
    }
}

/// The faces whose first rows hold maxima while they are made (numerics specification, section
/// 5.2).
fn faces_with_maxima(dim: ReduceDim) -> &'static [usize] {
    match dim {
        ReduceDim::Row => &[0, 2],
        ReduceDim::Column => &[0, 1],
        ReduceDim::Scalar => &[0],
    }
}

/// MOVB2D of a 16-bit source writes 16-bit rows, which in a 32-bit Dst are halves of others, and
/// makes +0 of denormals.
fn broadcast_narrow_row(dst: &mut crate::dst::Dst, source: &Lanes, index: u32) {
    let first = dst.math_row16(index);
    for face in 0..4 {
        let row = face % 2 * FACE_SIDE * FACE_SIDE;
        let values: [u32; FACE_SIDE] = std::array::from_fn(|column| {
            let value = source[row + column];
            if value & 0x7f80_0000 == 0 { 0 } else { value }
        });
        for place in 0..FACE_SIDE {
            dst.write_row16(first + face * FACE_SIDE + place, &values);
        }
    }
}
