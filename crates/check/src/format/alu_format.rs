//! Sources of one format read by a matrix unit that is configured for another.

use std::sync::Arc;

use tilewright_machine::{
    CbId, Event, EventKind, Setting, Site, SourceId, UnpackFormats, sources_of,
};
use tilewright_tile::DataFormat;

use super::{SOURCES, source_name};
use crate::FindingId;
use crate::class::Class;
use crate::declaration::declare;
use crate::finding::{Finding, Mark};
use crate::of_class;
use crate::per_core::PerCore;
use crate::rings::Rings;
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// An operation whose source register holds values of more bits than the matrix unit is
    /// configured to read: Tf32 read as bf16.
    /// # Why it matters
    /// Unpackers and matrix unit are configured apart. The matrix unit takes ten mantissa bits of a
    /// Tf32 source and seven of any other, so that 265 becomes 264, silently. Reading narrow values
    /// as Tf32 changes nothing and is no finding; neither is a tile on its way straight to Dst.
    /// # Instead
    /// Configure the matrix unit in the order of the register files, SrcA first, as
    /// `reconfig_data_format` does. A matmul has its second operand in SrcA.
    pub struct AluFormat {
        rings: Arc<Rings>,
        cores: PerCore<ConfiguredFormats>,
    }
    Declaration { name: "alu-format", tool: Some(Tool::Format) }
}

/// Banks of a register file, and one to spare.
const BANKS: usize = 4;

/// A tile in a source register.
#[derive(Clone, Copy)]
struct Filled {
    cb: CbId,
    register: DataFormat,
}

/// Tiles that unpack has given and math has not taken, the first in first out.
#[derive(Default)]
struct Queue {
    tiles: [Option<Filled>; BANKS],
    first: usize,
    count: usize,
}

impl Queue {
    fn push(&mut self, filled: Filled) {
        self.tiles[(self.first + self.count) % BANKS] = Some(filled);
        self.count = (self.count + 1).min(BANKS);
    }

    fn pop(&mut self) -> Option<Filled> {
        self.count = self.count.checked_sub(1)?;
        let filled = self.tiles[self.first].take();
        self.first = (self.first + 1) % BANKS;
        filled
    }
}

#[derive(Default)]
struct ConfiguredFormats {
    unpack: [Option<UnpackFormats>; 2],
    alu: [Option<(DataFormat, Site)>; 2],
    sources: [Queue; 2],
}

impl AluFormat {
    pub(crate) fn new(rings: &Arc<Rings>) -> AluFormat {
        AluFormat { rings: Arc::clone(rings), ..AluFormat::default() }
    }
}

impl Checker for AluFormat {
    fn classes(&self) -> &'static [Class] {
        &[Class::UnpackFormat, Class::AluFormat, Class::Unpack, Class::Matrix]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let at = event.processor.core;
        match event.kind {
            EventKind::Configured(Setting::UnpackFormats(source, formats)) => {
                self.cores.at(at).unpack[source as usize] = Some(formats);
            }
            EventKind::Configured(Setting::AluFormat(source, format)) => {
                self.cores.at(at).alu[source as usize] = Some((format, event.site));
            }
            EventKind::Unpacked { tiles, .. } => {
                let core = self.cores.at(at);
                for source in SOURCES.map(|source| source as usize) {
                    if let (Some(tile), Some(set)) = (tiles[source], core.unpack[source]) {
                        core.sources[source].push(Filled { cb: tile.cb, register: set.register });
                    }
                }
            }
            EventKind::Computed { configured, .. } => {
                let core = self.cores.at(at);
                for source in sources_of(configured) {
                    let filled = core.sources[*source as usize].pop();
                    if let (Some(filled), Some(set)) = (filled, core.alu[*source as usize])
                        && cuts(filled.register, set.0)
                    {
                        report(event, &self.rings, *source, filled, set, found);
                    }
                }
            }
            EventKind::Zeros { .. }
            | of_class!(Ring, Wait, Section, Operation, PackSetting, Vector, Pack, Network, Word)
            | of_class!(Kernel) => {}
        }
    }
}

/// Whether the matrix unit leaves out bits of what a register holds (numerics specification,
/// section 3: Tf32 has ten mantissa bits, all other sources seven). Float32 goes straight to Dst.
fn cuts(register: DataFormat, alu: DataFormat) -> bool {
    register != DataFormat::Float32 && register.source_mask() & !alu.source_mask() != 0
}

fn report(
    event: &Event,
    rings: &Rings,
    source: SourceId,
    filled: Filled,
    (set, site): (DataFormat, Site),
    found: &mut Found,
) {
    let (id, who) = (FindingId::AluFormat, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        let name = rings.get(who.core, filled.cb).map_or("", |ring| ring.name.as_str());
        let (holds, source) = (filled.register, source_name(source));
        let kept = set.source_mask().count_ones().saturating_sub(9);
        let bits = filled.register.source_mask().count_ones().saturating_sub(9);
        Finding {
            title: format!("math on core {} reads {source} as {set}; it holds {holds}", who.core),
            marks: vec![
                mark(site, format!("the matrix unit is set to read {source} as {set}")),
                mark(event.site, format!("{source} holds a tile of `{name}` as {holds}")),
            ],
            facts: vec![
                format!("proof: nothing has set the format of {source} between (1) and (2)"),
                format!("{kept} of {bits} mantissa bits of `{name}` are used, the others cut off"),
                "the unpackers are right: they are configured apart from the matrix unit"
                    .to_owned(),
            ],
            help: Some(format!("at (1), give the buffer that goes to {source} as {source}'s")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
