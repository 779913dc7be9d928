//! Tiles of one format read by an unpacker that is configured for another.

use std::sync::Arc;

use tilewright_machine::{Event, EventKind, Setting, Site, SourceId, UnpackFormats};

use super::{SOURCES, differ_in_l1, source_name};
use crate::class::Class;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::per_core::PerCore;
use crate::rings::{Ring, Rings};
use crate::session::{Checker, Found};

manual! {
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
    }
}

impl UnpackFormat {
    pub(crate) fn new(rings: &Arc<Rings>) -> UnpackFormat {
        UnpackFormat { rings: Arc::clone(rings), ..UnpackFormat::default() }
    }
}

impl Checker for UnpackFormat {
    fn classes(&self) -> &'static [Class] {
        &[Class::UnpackFormat, Class::Unpack]
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
                    let (tile, set) = (tiles[source as usize], set[source as usize]);
                    let ring = tile.and_then(|tile| self.rings.get(core, tile.cb));
                    if let (Some(ring), Some((formats, site))) = (ring, set)
                        && differ_in_l1(ring.config.format, formats.l1)
                    {
                        report(event, ring, source, (formats, site), found);
                    }
                }
            }
            _ => {}
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
            facts: vec![
                format!("proof: nothing has set the unpacker of {source} between (1) and (2)"),
                format!("cycle {}", event.cycle),
            ],
            help: Some(format!("set {source} for `{name}` with `reconfig_data_format` before (2)")),
            ..Finding::of(id)
        }
    });
}
