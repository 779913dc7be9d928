//! Dst indices beyond the section.

use tilewright_machine::{ComputeSettings, DstSync, DstUse, Event, EventKind, Processor};
use tilewright_metal::Program;
use tilewright_tile::DstWidth;

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
    /// A Dst index beyond the section: 16 tiles of 16 bits or 8 of 32, and half of that in half
    /// sync.
    /// # Why it matters
    /// Row arithmetic wraps silently: the index falls on a tile of the other half, which pack may
    /// be draining, or on one of the same section that is in use already.
    /// # Instead
    /// Use fewer tiles at a time, a 16-bit Dst, or full sync.
    pub struct DstCapacity {
        settings: Settings,
        /// Tiles of the smallest section of any core.
        least_tiles: u32,
        /// The half that math and pack are in, as commit and release leave it.
        halves: PerCore<[u32; 2]>,
    }
    Declaration {
        name: "dst-capacity",
        tool: Some(Tool::Dst),
        loses_values: true,
        follows: &[Cause::Kinds(&[FindingId::DstCapacity])],
    }
}

impl DstCapacity {
    pub(crate) fn new(program: &Program) -> DstCapacity {
        let settings = Settings::of(program);
        let usual = ComputeSettings::default().section_tiles();
        let least = |least: u32, core| least.min(settings.get(core).section_tiles());
        let least_tiles = program.cores().iter().fold(usual, least);
        DstCapacity { settings, least_tiles, ..DstCapacity::default() }
    }

    #[inline]
    fn used(&self, event: &Event, used: DstUse, found: &mut Found) {
        if used.index >= self.least_tiles {
            self.used_beyond(event, used, found);
        }
    }

    /// A tile that the smallest section does not have.
    #[cold]
    fn used_beyond(&self, event: &Event, used: DstUse, found: &mut Found) {
        let settings = self.settings.get(event.processor.core);
        if used.index < settings.section_tiles() {
            return;
        }
        let halves = self.halves.get(event.processor.core).copied().unwrap_or_default();
        let half = match event.processor.processor {
            Processor::Pack => halves[1],
            Processor::Reader | Processor::Unpack | Processor::Math | Processor::Writer => {
                halves[0]
            }
        };
        report(event, used, half, &settings, found);
    }
}

impl Checker for DstCapacity {
    fn classes(&self) -> &'static [Class] {
        &[Class::Section, Class::Matrix, Class::Vector, Class::Pack]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let core = event.processor.core;
        match event.kind {
            EventKind::DstCommitted => self.halves.at(core)[0] ^= 1,
            EventKind::DstReleased => self.halves.at(core)[1] ^= 1,
            EventKind::StartedUp => match event.processor.processor {
                Processor::Math => self.halves.at(core)[0] = 0,
                Processor::Pack => self.halves.at(core)[1] = 0,
                Processor::Reader | Processor::Unpack | Processor::Writer => {}
            },
            EventKind::Computed { dst, .. } | EventKind::Packed { dst, .. } => {
                self.used(event, dst, found);
            }
            EventKind::Vectored { reads, writes, .. } => {
                let uses = reads.into_iter().flatten().chain(writes);
                uses.for_each(|used| self.used(event, used, found));
            }
            EventKind::StartupRepeated
            | EventKind::DstAcquired
            | EventKind::DstWaited
            | of_class!(Ring, Wait, UnpackFormat, AluFormat, Operation, PackSetting, Unpack)
            | of_class!(Network, Word, Kernel) => {}
        }
    }
}

fn report(event: &Event, used: DstUse, half: u32, settings: &ComputeSettings, found: &mut Found) {
    let (id, who) = (FindingId::DstCapacity, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let (tiles, tile) = (settings.section_tiles(), u32::from(used.tile.0));
        let bits = match settings.width {
            DstWidth::Bits16 => 16,
            DstWidth::Bits32 => 32,
        };
        let (sync, place) = match settings.sync {
            DstSync::Full => ("full", format!("tile {tile} of the same section")),
            DstSync::Half if tile / tiles == half => {
                ("half", format!("tile {} of the same half", tile % tiles))
            }
            DstSync::Half => ("half", format!("tile {} of the other half", tile % tiles)),
        };
        let (name, index, core) = (who.processor, used.index, who.core);
        let role = format!("index {index} falls on {place}");
        let proof = format!(
            "proof: a section has {tiles} tiles, indices 0 to {}: {bits}-bit Dst, {sync} sync",
            tiles - 1
        );
        Finding {
            title: format!("{name} on core {core} uses Dst index {index} of {tiles}"),
            marks: vec![Mark { role, site: event.site, processor: Some(who) }],
            facts: vec![proof],
            help: Some(format!("use at most {tiles} tiles of Dst between acquire and commit")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
