//! Tiles of one format read by an unpacker that is configured for another.

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewright_machine::{
    CbTile, CoreCoord, Event, EventKind, MathOperation, Setting, Site, SourceId, UnpackFormats,
};
use tilewright_tile::fpu::{Pool, ReduceDim};

use super::{SOURCES, differ_in_l1, source_name};
use crate::FindingId;
use crate::class::Class;
use crate::declaration::declare;
use crate::finding::{Finding, Mark};
use crate::of_class;
use crate::per_core::PerCore;
use crate::rings::{Ring, Rings};
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A tile of a circular buffer that is unpacked while the unpacker is configured for another
    /// format than the buffer's.
    /// # Why it matters
    /// An unpacker knows nothing of buffers: it takes the bytes for values of the format that was
    /// set last, so that fp32 ones read as bf16 become 0, 1, 0, 1. Formats that look alike in L1,
    /// Float32 and Tf32, are no finding.
    /// # Instead
    /// Call `reconfig_data_format` with the buffers of the operation before it.
    pub struct UnpackFormat {
        rings: Arc<Rings>,
        /// What the unpackers of SrcA and SrcB were set for, and where.
        set: PerCore<[Option<(UnpackFormats, Site)>; 2]>,
        /// Places whose operands would be right in each other's register.
        swapped: BTreeSet<Site>,
    }
    Declaration { name: "unpack-format", tool: Some(Tool::Format), resizes: true }
}

/// What row sums were like in the other generation of the API.
fn other_generation(operation: MathOperation) -> Option<&'static str> {
    let MathOperation::Reduce { pool, dim: ReduceDim::Row } = operation else { return None };
    match pool {
        Pool::Sum => Some(
            "only since tt-metal v0.74 a sum of rows has its data in SrcB: before, these formats \
             were right; `api = \"before-v0.74\"` of the kernel selects that",
        ),
        Pool::PooledSum => Some(
            "the kernel selects the API before tt-metal v0.74: since then a sum of rows has its \
             data in SrcB, and these formats are right",
        ),
        Pool::Max | Pool::BlockMax => None,
    }
}

impl UnpackFormat {
    pub(crate) fn new(rings: &Arc<Rings>) -> UnpackFormat {
        UnpackFormat { rings: Arc::clone(rings), ..UnpackFormat::default() }
    }

    /// Whether each operand has the format that the other's unpacker is set for.
    fn is_swapped(
        &self,
        core: CoreCoord,
        tiles: [Option<CbTile>; 2],
        set: [Option<(UnpackFormats, Site)>; 2],
    ) -> bool {
        let fits = |tile: Option<CbTile>, set: Option<(UnpackFormats, Site)>| {
            let ring = tile.and_then(|tile| self.rings.get(core, tile.cb));
            ring.zip(set)
                .is_some_and(|(ring, (formats, _))| !differ_in_l1(ring.config.format, formats.l1))
        };
        fits(tiles[0], set[1]) && fits(tiles[1], set[0])
    }
}

impl Checker for UnpackFormat {
    fn classes(&self) -> &'static [Class] {
        &[Class::UnpackFormat, Class::Unpack, Class::Matrix]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let core = event.processor.core;
        match event.kind {
            EventKind::Configured(Setting::UnpackFormats(source, formats)) => {
                self.set.at(core)[source as usize] = Some((formats, event.site));
            }
            EventKind::Unpacked { tiles, .. } => {
                let set = *self.set.at(core);
                for source in SOURCES {
                    let (tile, own) = (tiles[source as usize], set[source as usize]);
                    let ring = tile.and_then(|tile| self.rings.get(core, tile.cb));
                    if let (Some(ring), Some((formats, site))) = (ring, own)
                        && differ_in_l1(ring.config.format, formats.l1)
                    {
                        report(event, ring, source, (formats, site), found);
                        if self.is_swapped(core, tiles, set) {
                            self.swapped.insert(event.site);
                        }
                    }
                }
            }
            EventKind::Computed { called, .. } if !self.swapped.is_empty() => {
                if self.swapped.remove(&event.site)
                    && let Some(fact) = other_generation(called)
                {
                    found.add_fact(FindingId::UnpackFormat, event.site, fact);
                }
            }
            EventKind::Zeros { .. }
            | EventKind::Computed { .. }
            | of_class!(Ring, Wait, Section, AluFormat, Operation, PackSetting, Vector, Pack)
            | of_class!(Network, Word, Kernel) => {}
        }
    }
}

fn report(
    event: &Event,
    ring: &Ring,
    source: SourceId,
    (set, site): (UnpackFormats, Site),
    found: &mut Found,
) {
    let (id, who) = (FindingId::UnpackFormat, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        let (name, holds, source) = (&ring.name, ring.config.format, source_name(source));
        Finding {
            title: format!("unpack on core {} reads `{name}` as {}, not {holds}", who.core, set.l1),
            marks: vec![
                mark(site, format!("the unpacker of {source} is set for {}", set.l1)),
                mark(event.site, format!("it reads a tile of `{name}`, which holds {holds}")),
                ring.declaration(format!("`{name}` was declared as {holds} here")),
            ],
            facts: vec![format!(
                "proof: nothing has set the unpacker of {source} between (1) and (2)"
            )],
            help: Some(format!("set {source} for `{name}` with `reconfig_data_format` before (2)")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
