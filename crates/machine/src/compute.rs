//! The compute side of a kernel's context: Dst sections, unpack, math, vector and pack.

use tilewright_tile::DstWidth;
use tilewright_tile::fpu::{self, Elementwise};
use tilewright_tile::sfpu::program::FunctionId;
use tilewright_tile::sfpu::{self, Binary, Mask, Sum, Unary};

use crate::config::{MathOperation, PackMode, UnpackOperation};
use crate::context::Context;
use crate::dst::{DstTile, DstUse};
use crate::edit::Edit;
use crate::event::{EventKind, Operand, Zeros};
use crate::processor::{Changes, SourceId, Waiting};
use crate::stop::{StopReason, Unset};
use crate::tensix::{CbTile, sources_of};
use crate::timing::Timing;
use crate::units::CbId;
use crate::vector::{self, VectorOperation};
use crate::{Processor, Site};

impl Context<'_> {
    /// Start-up of the Dst protocol on math: waits until pack has drained, then begins anew.
    pub fn start_math(&self, site: Site) {
        if self.skips(site) {
            return;
        }
        self.advance(site, |timing| timing.call);
        self.wait(Waiting::ForDstDrained);
        self.at_once(site, |core| {
            core.dst.start_math();
            core.stir(Changes::RELEASED);
            Ok(())
        });
    }

    /// Start-up of the Dst protocol on pack.
    pub fn start_pack(&self, site: Site) {
        if self.skips(site) {
            return;
        }
        self.step(
            site,
            |timing| timing.call,
            |core| {
                core.dst.start_pack();
                Ok(())
            },
        );
    }

    /// Math takes a section of Dst. Clears nothing.
    pub fn acquire(&self, site: Site) {
        if self.skips(site) {
            return;
        }
        let (waiting, kind) = (Waiting::ForDstSection, EventKind::DstAcquired);
        self.call_and_wait(site, |_| Ok(()), waiting, kind);
    }

    /// Math gives its section to pack.
    pub fn commit(&self, site: Site) {
        if self.skips(site) {
            return;
        }
        self.step(
            site,
            |timing| timing.call,
            |core| {
                core.dst.commit();
                core.emit(Processor::Math, EventKind::DstCommitted);
                core.stir(Changes::COMMITTED);
                Ok(())
            },
        );
    }

    /// Pack takes a committed section.
    pub fn wait_commit(&self, site: Site) {
        if self.skips(site) {
            return;
        }
        let (waiting, kind) = (Waiting::ForDstCommit, EventKind::DstWaited);
        self.call_and_wait(site, |_| Ok(()), waiting, kind);
    }

    /// Pack clears the section it has drained and gives it back.
    pub fn release(&self, site: Site) {
        if self.skips(site) {
            return;
        }
        let is_kept = Edit::keeps(self.edit.as_ref(), site);
        self.step(
            site,
            |timing| timing.call,
            |core| {
                core.dst.release(is_kept);
                core.emit(Processor::Pack, EventKind::DstReleased);
                core.stir(Changes::RELEASED);
                Ok(())
            },
        );
    }

    /// Unpack does what is configured with the operands of a call.
    pub fn unpack(
        &self,
        site: Site,
        called: UnpackOperation,
        a: Option<CbTile>,
        b: Option<CbTile>,
    ) {
        let (a, b) = Edit::tiles(self.edit.as_ref(), site, (a, b));
        for _ in 0..self.times(site) {
            self.unpack_once(site, called, a, b);
        }
    }

    fn unpack_once(
        &self,
        site: Site,
        called: UnpackOperation,
        a: Option<CbTile>,
        b: Option<CbTile>,
    ) {
        let (mut core, (configured, tiles, mut bytes)) = self.taken(site, |core| {
            let configured = core.unpack_operation(called, [a, b])?;
            let tiles = operands(configured, called, [a, b])?;
            Ok((configured, tiles, core.free_bytes(configured.fills())))
        });
        if bytes.is_none() {
            drop(core);
            bytes = Some(self.free_banks(site, configured.fills()));
            core = self.shared_core().borrow_mut();
        }
        let bytes = u64::from(bytes.unwrap_or_default());
        self.step_with(
            core,
            site,
            |timing| timing.operation + bytes / timing.unpack_bytes_per_cycle,
            |core| {
                let spans = core.fill_banks(configured, tiles)?;
                core.unpacked(configured, called, tiles, spans);
                Ok(())
            },
        );
    }

    /// Waits until banks are free, and says how many bytes of L1 their next tiles take.
    #[inline(always)]
    fn free_banks(&self, site: Site, banks: &[SourceId]) -> u32 {
        let mut bytes = 0;
        for to in banks {
            self.wait(Waiting::ForFreeBank(*to));
            bytes += self.at_once(site, |core| core.unpack_bytes(*to));
        }
        bytes
    }

    /// Math does what is configured, onto a tile of Dst.
    pub fn compute(&self, site: Site, called: MathOperation, index: u32) {
        let index = Edit::dst(self.edit.as_ref(), site, index);
        for _ in 0..self.times(site) {
            self.compute_once(site, called, index);
        }
    }

    fn compute_once(&self, site: Site, called: MathOperation, index: u32) {
        let (mut core, (mut configured, is_ready)) = self.taken(site, |core| {
            let configured = core.math_operation(called)?;
            Ok((configured, core.has_full_banks(configured)))
        });
        let mut called = called;
        if !is_ready || self.edit.is_some() {
            drop(core);
            configured = Edit::spread(self.edit.as_ref(), site, configured);
            called = Edit::spread(self.edit.as_ref(), site, called);
            self.await_banks(sources_of(configured));
            core = self.shared_core().borrow_mut();
        }
        let own =
            if let MathOperation::Matmul { fidelity, .. } = configured { fidelity } else { None };
        let phases = u64::from(own.unwrap_or(self.settings().fidelity).phases());
        self.step_with(
            core,
            site,
            |timing| timing.operation + math_cycles(timing, configured, phases),
            |core| {
                let dst = DstUse { index, tile: core.compute(configured, index)? };
                core.emit(Processor::Math, EventKind::Computed { dst, configured, called });
                Ok(())
            },
        );
    }

    /// Waits until banks are full.
    #[inline(always)]
    fn await_banks(&self, banks: &[SourceId]) {
        banks.iter().for_each(|source| self.wait(Waiting::ForFullBank(*source)));
    }

    /// The vector unit changes a tile in place.
    pub fn unary(&self, site: Site, op: Unary, index: u32) {
        let index = Edit::dst(self.edit.as_ref(), site, index);
        let operation = VectorOperation::Unary(op);
        self.vector(site, operation, [Some(index), None], index, |core, reads, _| {
            vector::unary(core.arch.chip, &mut core.dst, op, reads[0]);
        });
    }

    /// The vector unit combines two tiles.
    pub fn binary(&self, site: Site, op: Binary, x: u32, y: u32, out: u32) {
        let out = Edit::dst(self.edit.as_ref(), site, out);
        let (x, y) = Edit::pair(self.edit.as_ref(), site, (x, y));
        let operation = VectorOperation::Binary(op);
        self.vector(site, operation, [Some(x), Some(y)], out, |core, reads, out| {
            vector::binary(core.arch.chip, &mut core.dst, op, reads[0], reads[1], out);
        });
    }

    /// The vector unit replaces values where the mask, the next tile, is zero.
    pub fn mask(&self, site: Site, kind: Mask, data: u32, mask: u32) {
        let data = Edit::dst(self.edit.as_ref(), site, data);
        let operation = VectorOperation::Masked(kind);
        self.vector(site, operation, [Some(data), Some(mask)], data, |core, reads, _| {
            if core.run.is_observed {
                core.dst.read(reads[1], &mut core.scratch);
                let zeros = Zeros::of(&core.scratch);
                core.tell_zeros(Processor::Math, Operand::Dst(reads[1]), zeros);
            }
            vector::masked(&mut core.dst, kind, reads[0], reads[1]);
        });
    }

    /// The vector unit runs a function that has a name, on up to four tiles.
    pub fn function(&self, site: Site, id: FunctionId, reads: &[u32], out: u32, scalars: &[u32]) {
        let out = Edit::dst(self.edit.as_ref(), site, out);
        for _ in 0..self.times(site) {
            self.function_once(site, id, reads, out, scalars);
        }
    }

    fn function_once(&self, site: Site, id: FunctionId, reads: &[u32], out: u32, scalars: &[u32]) {
        let operation = VectorOperation::Function(id);
        let instructions = operation.instructions(self.chip());
        self.step(
            site,
            |timing| timing.operation + timing.sfpu_instruction * instructions,
            |core| {
                let function = id.function();
                // What sets registers alone is as good as an init call, and needs none.
                if function.tiles() == 0 {
                    core.check_started(Processor::Math, Unset::AluFormats)?;
                } else {
                    core.check_vector(operation)?;
                }
                if let Some(refused) = function.refusal(core.arch.chip, &core.vector) {
                    return Err(StopReason::NotModelled(refused));
                }
                let left = core.vector.init_scalars();
                let scalars = match function.scalars.len() {
                    wanted @ 1..=3 if scalars.is_empty() => &left[..wanted],
                    _ => scalars,
                };
                let used = |index: u32| DstUse { index, tile: core.dst.math_tile(index) };
                let (reads, out): (Vec<DstUse>, DstUse) =
                    (reads.iter().map(|index| used(*index)).collect(), used(out));
                let call = vector::Call {
                    chip: core.arch.chip,
                    function,
                    constants: core.configuration.vector_constants,
                    scalars,
                    reads: reads.iter().map(|read| read.tile).collect(),
                    out: out.tile,
                    rows16: reads.iter().map(|read| core.dst.math_row16(read.index)).collect(),
                    out_row16: core.dst.math_row16(out.index),
                };
                let run = vector::function(&mut core.dst, &mut core.vector, call);
                run.map_err(StopReason::NotModelled)?;
                for (reads, writes) in vector::event_uses(function, &reads, out) {
                    core.emit(Processor::Math, EventKind::Vectored { operation, reads, writes });
                }
                Ok(())
            },
        );
    }

    /// The vector unit copies a tile.
    pub fn copy_values(&self, site: Site, from: u32, to: u32) {
        let to = Edit::dst(self.edit.as_ref(), site, to);
        self.vector(
            site,
            VectorOperation::CopyValues,
            [Some(from), None],
            to,
            |core, reads, to| {
                let (from, to) = (reads[0], to);
                let known = core.dst.known(from);
                core.dst.read(from, &mut core.scratch);
                core.dst.replace(to).copy_from_slice(&core.scratch[..]);
                core.dst.know(to, known);
            },
        );
    }

    /// The vector unit adds up a tile's columns or rows. Its program is for a Dst of 32 bits.
    pub fn sum(&self, site: Site, sum: Sum, index: u32) {
        let index = Edit::dst(self.edit.as_ref(), site, index);
        let operation = VectorOperation::Sum(sum);
        self.vector(site, operation, [Some(index), None], index, |core, reads, _| {
            sfpu::sum(core.arch.chip, sum, core.dst.sfpu_tile(reads[0]));
        });
    }

    /// A tile of Dst is transposed in place.
    pub fn transpose_dst(&self, site: Site, index: u32) {
        let index = Edit::dst(self.edit.as_ref(), site, index);
        let operation = VectorOperation::Transpose;
        self.vector(site, operation, [Some(index), None], index, |core, reads, _| {
            let width = core.settings.width;
            fpu::transpose_dst(width, core.dst.overwrite(reads[0], 0));
        });
    }

    fn vector(
        &self,
        site: Site,
        operation: VectorOperation,
        reads: [Option<u32>; 2],
        writes: u32,
        act: impl Fn(&mut crate::core::Core, [DstTile; 2], DstTile),
    ) {
        for _ in 0..self.times(site) {
            self.vector_once(site, operation, (reads, writes), &act);
        }
    }

    fn vector_once(
        &self,
        site: Site,
        operation: VectorOperation,
        (reads, writes): ([Option<u32>; 2], u32),
        act: impl FnOnce(&mut crate::core::Core, [DstTile; 2], DstTile),
    ) {
        let instructions = operation.instructions(self.chip());
        self.step(
            site,
            |timing| timing.operation + timing.sfpu_instruction * instructions,
            |core| {
                core.check_vector(operation)?;
                if operation.uses_registers() {
                    core.vector.forget_registers();
                }
                if let (VectorOperation::Sum(_), DstWidth::Bits16) = (operation, core.dst.width()) {
                    let what = "sums by the vector unit in a Dst of 16 bits";
                    return Err(StopReason::NotModelled(what.to_owned()));
                }
                let used = |index| DstUse { index, tile: core.dst.math_tile(index) };
                let (reads, writes) = (reads.map(|index| index.map(used)), used(writes));
                let places = reads.map(|read| read.unwrap_or(writes).tile);
                act(core, places, writes.tile);
                let kind = EventKind::Vectored { operation, reads, writes: Some(writes) };
                core.emit(Processor::Math, kind);
                Ok(())
            },
        );
    }

    /// Pack writes a tile: to the page at `page` after the write pointer, or after what has been
    /// packed since the last push.
    pub fn pack_tile(&self, site: Site, index: u32, cb: CbId, page: Option<u32>) {
        if self.skips(site) {
            return;
        }
        let index = Edit::dst(self.edit.as_ref(), site, index);
        let (core, bytes) = self.taken(site, |core| {
            let bytes = core.pack_bytes()?;
            match core.pack_mode()? {
                PackMode::Tile => Ok(bytes),
                configured @ PackMode::Untilize { .. } => Err(StopReason::OtherPack { configured }),
            }
        });
        self.step_with(
            core,
            site,
            |timing| timing.operation + u64::from(bytes) / timing.pack_bytes_per_cycle,
            |core| {
                let page = match page {
                    Some(page) => page,
                    None => core.buffer_mut(cb)?.next_packed_page(),
                };
                let tile = CbTile { cb, index: page };
                let (place, to, bytes) = core.pack_tile(index, tile)?;
                let dst = DstUse { index, tile: place };
                core.emit(Processor::Pack, EventKind::Packed { dst, tile, to, bytes });
                Ok(())
            },
        );
    }

    /// Pack writes a block of tiles as rows; `block` counts blocks along the row.
    pub fn pack_untilize(&self, site: Site, cb: CbId, block: u32, first: u32) {
        if self.skips(site) {
            return;
        }
        let first = Edit::dst(self.edit.as_ref(), site, first);
        let mode = self.at_once(site, |core| core.pack_mode());
        let PackMode::Untilize { block_tiles, row_tiles } = mode else {
            self.stop(site, StopReason::OtherPack { configured: mode })
        };
        let bytes = self.at_once(site, |core| core.pack_bytes());
        for tile in 0..block_tiles {
            self.step(
                site,
                |timing| timing.operation + u64::from(bytes) / timing.pack_bytes_per_cycle,
                |core| {
                    let column = block.wrapping_mul(block_tiles).wrapping_add(tile);
                    let index = first.wrapping_add(tile);
                    let (place, to, bytes) = core.pack_rows(index, cb, column, row_tiles)?;
                    let dst = DstUse { index, tile: place };
                    let tile = CbTile { cb, index: column };
                    core.emit(Processor::Pack, EventKind::Packed { dst, tile, to, bytes });
                    Ok(())
                },
            );
        }
    }
}

/// The tiles that go to SrcA and SrcB. What silicon does without an operand is not known.
#[inline]
fn operands(
    configured: UnpackOperation,
    called: UnpackOperation,
    [a, b]: [Option<CbTile>; 2],
) -> Result<[Option<CbTile>; 2], StopReason> {
    let (tiles, is_complete) = match configured {
        UnpackOperation::One { to: SourceId::A, .. } => ([a.or(b), None], a.or(b).is_some()),
        UnpackOperation::One { to: SourceId::B, .. } => ([None, a.or(b)], a.or(b).is_some()),
        UnpackOperation::Both => ([a, b], a.is_some() && b.is_some()),
        UnpackOperation::Tilize { .. } => ([a, None], a.is_some()),
    };
    if is_complete { Ok(tiles) } else { Err(StopReason::OtherUnpack { configured, called }) }
}

/// Cycles of the matrix unit for an operation on one tile.
fn math_cycles(timing: &Timing, operation: MathOperation, phases: u64) -> u64 {
    match operation {
        MathOperation::Copy | MathOperation::Move | MathOperation::Broadcast { .. } => {
            timing.elementwise_pass
        }
        MathOperation::Elementwise { op: Elementwise::Mul, .. } => timing.elementwise_pass * phases,
        MathOperation::Elementwise { op: Elementwise::Add | Elementwise::Sub, .. } => {
            timing.elementwise_pass
        }
        MathOperation::Matmul { .. } => timing.matmul_phase * phases,
        MathOperation::Reduce { .. } => timing.elementwise_pass * phases,
    }
}
