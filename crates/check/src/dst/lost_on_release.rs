//! Values of Dst that are cleared by a release before anybody has used them.

use tilewright_machine::{
    CoreCoord, DstSync, DstUse, Event, EventKind, Processor, ProcessorId, Site, VectorOperation,
};
use tilewright_metal::Program;
use tilewright_tile::sfpu::Unary;
use tilewright_tile::sfpu::program::Writes;

use super::Settings;
use crate::FindingId;
use crate::class::Class;
use crate::declaration::{Cause, declare};
use crate::finding::{Finding, Mark};
use crate::of_class;
use crate::per_core::PerCore;
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A Dst tile that math has written, that nobody has packed or read for another tile, and that
    /// pack clears with `tile_regs_release`.
    /// # Why it matters
    /// The value is gone. Scratch tiles are read before the release, and a tile filled with zero
    /// holds nothing, so that those stay silent.
    /// # Instead
    /// Pack the tile before the release, or do not compute it.
    pub struct LostOnRelease {
        settings: Settings,
        cores: PerCore<UnreadTiles>,
    }
    Declaration {
        name: "lost-on-release",
        tool: Some(Tool::Dst),
        loses_values: true,
        // A section is off, or has more tiles than there are.
        follows: &[Cause::OfSections, Cause::Kinds(&[FindingId::DstCapacity])],
    }
}

/// A value that is not used yet.
#[derive(Clone, Copy)]
struct Unused {
    site: Site,
    index: u32,
}

#[derive(Default)]
struct UnreadTiles {
    tiles: [Option<Unused>; 16],
    pack_half: usize,
}

impl LostOnRelease {
    pub(crate) fn new(program: &Program) -> LostOnRelease {
        LostOnRelease { settings: Settings::of(program), ..LostOnRelease::default() }
    }

    fn release(&mut self, event: &Event, found: &mut Found) {
        let settings = self.settings.get(event.processor.core);
        let section = settings.section_tiles() as usize;
        let core = self.cores.at(event.processor.core);
        let first = core.pack_half * section;
        for tile in &mut core.tiles[first..first + section] {
            if let Some(unused) = tile.take() {
                report(event, unused, found);
            }
        }
        if settings.sync == DstSync::Half {
            core.pack_half ^= 1;
        }
    }
}

impl UnreadTiles {
    fn write(&mut self, event: &Event, dst: DstUse) {
        let unused = Unused { site: event.site, index: dst.index };
        self.tiles[usize::from(dst.tile.0)] = Some(unused);
    }

    fn used(&mut self, dst: DstUse) {
        self.tiles[usize::from(dst.tile.0)] = None;
    }
}

impl Checker for LostOnRelease {
    fn classes(&self) -> &'static [Class] {
        &[Class::Section, Class::Matrix, Class::Vector, Class::Pack]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let at: CoreCoord = event.processor.core;
        match event.kind {
            EventKind::DstReleased => self.release(event, found),
            EventKind::StartedUp if event.processor.processor == Processor::Pack => {
                self.cores.at(at).pack_half = 0;
            }
            EventKind::Computed { dst, .. } => self.cores.at(at).write(event, dst),
            EventKind::Vectored { operation, reads, writes } => {
                let core = self.cores.at(at);
                let own = writes.map(|writes| writes.tile);
                for read in reads.into_iter().flatten().filter(|read| Some(read.tile) != own) {
                    core.used(read);
                }
                let Some(writes) = writes else { return };
                core.write(event, writes);
                if may_go_unused(operation) {
                    core.used(writes);
                }
            }
            EventKind::Packed { dst, .. } => self.cores.at(at).used(dst),
            EventKind::StartedUp
            | EventKind::StartupRepeated
            | EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | of_class!(Ring, Wait, UnpackFormat, AluFormat, Operation, PackSetting, Unpack)
            | of_class!(Network, Word, Kernel) => {}
        }
    }
}

/// Zeros that clear a tile, functions of several results, of which a kernel may want one, and a
/// kernel's own code, which may use tiles for what it holds on the way.
fn may_go_unused(operation: VectorOperation) -> bool {
    match operation {
        VectorOperation::Unary(op) => op == Unary::Fill(0),
        VectorOperation::Code => true,
        VectorOperation::Function(id) => {
            matches!(id.function().writes(), Writes::Operands(places) if places.len() > 1)
        }
        VectorOperation::Binary(_)
        | VectorOperation::Masked(_)
        | VectorOperation::CopyValues
        | VectorOperation::Sum(_)
        | VectorOperation::Transpose => false,
    }
}

fn report(event: &Event, Unused { site, index }: Unused, found: &mut Found) {
    let (id, pack) = (FindingId::LostOnRelease, event.processor);
    let math = ProcessorId { core: pack.core, processor: Processor::Math };
    found.add(id, site, (event.cycle, pack.core), || {
        Finding {
            title: format!(
                "Dst tile {index} on core {} is cleared before anybody uses it",
                pack.core
            ),
            marks: vec![
                Mark { role: format!("math writes Dst tile {index}"), site, processor: Some(math) },
                Mark {
                    role: "pack clears the section".to_owned(),
                    site: event.site,
                    processor: Some(pack),
                },
            ],
            facts: vec![
                "proof: nobody has packed the tile or read it for another between (1) and (2)"
                    .to_owned(),
            ],
            help: Some(format!("pack tile {index} before (2), or leave (1) out")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
