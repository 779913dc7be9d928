//! Sums onto a tile whose value another operation has already used.

use tilewright_machine::{
    CoreCoord, DstSync, DstUse, Event, EventKind, MathOperation, Processor, Site, VectorOperation,
};
use tilewright_metal::Program;
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::sfpu::Unary;

use super::Settings;
use crate::FindingId;
use crate::class::Class;
use crate::declaration::declare;
use crate::finding::{Finding, Mark};
use crate::of_class;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A product, matmul, reduction or accumulating add onto a Dst tile whose value another
    /// operation has read since it was written.
    /// # Why it matters
    /// These operations add to what the tile holds. A value that was used is a temporary that
    /// nobody wants in the sum; sums that run on, are reloaded or start from a filled tile are not
    /// read in between, and stay silent.
    /// # Instead
    /// Fill the tile with zero before the operation, or use one that has not been written.
    pub struct StaleAccumulation {
        settings: Settings,
        cores: PerCore<DstTiles>,
    }
    Declaration { name: "stale-accumulation", tool: Some(Tool::Dst) }
}

/// What a tile holds.
#[derive(Clone, Copy, Default)]
enum Tile {
    /// Zero: released, or filled with +0.
    #[default]
    Clear,
    /// Written here, overwritten or summed, and not read since.
    Written { write: Site, index: u32 },
    /// Written, and then read by an operation with another output.
    Read { write: Site, index: u32, read: Site },
}

#[derive(Default)]
struct DstTiles {
    tiles: [Tile; 16],
    pack_half: usize,
}

impl StaleAccumulation {
    pub(crate) fn new(program: &Program) -> StaleAccumulation {
        StaleAccumulation { settings: Settings::of(program), ..StaleAccumulation::default() }
    }

    fn release(&mut self, core: CoreCoord) {
        let settings = self.settings.get(core);
        let section = settings.section_tiles() as usize;
        let core = self.cores.at(core);
        let first = core.pack_half * section;
        core.tiles[first..first + section].fill(Tile::Clear);
        if settings.sync == DstSync::Half {
            core.pack_half ^= 1;
        }
    }
}

impl Checker for StaleAccumulation {
    fn classes(&self) -> &'static [Class] {
        &[Class::Section, Class::Matrix, Class::Vector]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let at = event.processor.core;
        match event.kind {
            EventKind::DstReleased => self.release(at),
            EventKind::StartedUp if event.processor.processor == Processor::Pack => {
                self.cores.at(at).pack_half = 0;
            }
            EventKind::Computed { dst, configured, .. } => {
                let core = self.cores.at(at);
                if configured.accumulates() {
                    core.accumulate(event, dst, configured, found);
                }
                core.write(event, dst);
            }
            EventKind::Vectored { operation, reads, writes } => {
                let core = self.cores.at(at);
                let own = writes.map(|writes| writes.tile);
                for read in reads.into_iter().flatten().filter(|read| Some(read.tile) != own) {
                    core.read(event, read);
                }
                let Some(writes) = writes else { return };
                core.write(event, writes);
                if is_zero_fill(operation) {
                    core.tiles[usize::from(writes.tile.0)] = Tile::Clear;
                }
            }
            EventKind::StartedUp
            | EventKind::StartupRepeated
            | EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | of_class!(Ring, Wait, UnpackFormat, AluFormat, Operation, PackSetting, Unpack)
            | of_class!(Pack, Network, Word, Kernel) => {}
        }
    }
}

impl DstTiles {
    fn write(&mut self, event: &Event, dst: DstUse) {
        let written = Tile::Written { write: event.site, index: dst.index };
        self.tiles[usize::from(dst.tile.0)] = written;
    }

    fn read(&mut self, event: &Event, dst: DstUse) {
        let tile = &mut self.tiles[usize::from(dst.tile.0)];
        if let Tile::Written { write, index } = *tile {
            *tile = Tile::Read { write, index, read: event.site };
        }
    }

    fn accumulate(&self, event: &Event, dst: DstUse, operation: MathOperation, found: &mut Found) {
        let Tile::Read { write, index, read } = self.tiles[usize::from(dst.tile.0)] else {
            return;
        };
        let (id, math) = (FindingId::StaleAccumulation, event.processor);
        found.add(id, event.site, (event.cycle, math.core), || {
            let mark = |site, role: String| Mark { role, site, processor: Some(math) };
            let (what, core) = (word(operation), math.core);
            Finding {
                title: format!("{what} adds to Dst tile {index}, a value used before, core {core}"),
                marks: vec![
                    mark(write, format!("Dst tile {index} is written")),
                    mark(read, "the value is used for another tile".to_owned()),
                    mark(event.site, format!("{what} adds to it: the old value is in the result")),
                ],
                facts: vec![
                    "proof: nothing has overwritten or cleared the tile between (1) and (3)"
                        .to_owned(),
                    format!("{what} adds to what Dst holds; acquire clears nothing"),
                ],
                help: Some("fill the tile with zero between (2) and (3)".to_owned()),
                ..Finding::of(id)
            }
            .at(event.cycle)
        });
    }
}

fn word(operation: MathOperation) -> &'static str {
    match operation {
        MathOperation::Copy | MathOperation::Move | MathOperation::Broadcast { .. } => "a copy",
        MathOperation::Elementwise { op, .. } => match op {
            Elementwise::Add => "an accumulating sum",
            Elementwise::Sub => "an accumulating difference",
            Elementwise::Mul => "a product",
        },
        MathOperation::Matmul { .. } => "a matrix product",
        MathOperation::Reduce { .. } => "a reduction",
    }
}

fn is_zero_fill(operation: VectorOperation) -> bool {
    operation == VectorOperation::Unary(Unary::Fill(0))
}
