//! Tiles packed to a buffer of one format by packers that are configured for another.

use std::sync::Arc;

use tilewright_machine::{Event, EventKind, PackFormats, Setting, Site};

use super::differ_in_l1;
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
    /// A tile that is packed to a circular buffer while the packers are configured for another
    /// format than the buffer's.
    /// # Why it matters
    /// The packers write what was set last: whoever reads the buffer takes the bytes for another
    /// format, and a wider one runs over into the next page. Formats that look alike in L1, Float32
    /// and Tf32, are no finding.
    /// # Instead
    /// Call `pack_reconfig_data_format` with the output buffer before packing to it.
    pub struct PackFormat {
        rings: Arc<Rings>,
        /// What the packers were set for, and where.
        set: PerCore<Option<(PackFormats, Site)>>,
    }
    Declaration { name: "pack-format", tool: Some(Tool::Format), resizes: true }
}

impl PackFormat {
    pub(crate) fn new(rings: &Arc<Rings>) -> PackFormat {
        PackFormat { rings: Arc::clone(rings), ..PackFormat::default() }
    }
}

impl Checker for PackFormat {
    fn classes(&self) -> &'static [Class] {
        &[Class::PackSetting, Class::Pack]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let core = event.processor.core;
        match event.kind {
            EventKind::Configured(Setting::PackFormats(formats)) => {
                *self.set.at(core) = Some((formats, event.site));
            }
            EventKind::Packed { tile, .. } => {
                if let (Some(ring), Some(set)) = (self.rings.get(core, tile.cb), *self.set.at(core))
                    && differ_in_l1(ring.pack.output, set.0.output)
                {
                    report(event, ring, set, found);
                }
            }
            EventKind::Configured(
                Setting::Pack(_) | Setting::Relu | Setting::Mask(_) | Setting::Accumulate,
            )
            | of_class!(Ring, Wait, Section, UnpackFormat, AluFormat, Operation, Unpack, Matrix)
            | of_class!(Vector, Network, Word, Kernel) => {}
        }
    }
}

fn report(event: &Event, ring: &Ring, (set, site): (PackFormats, Site), found: &mut Found) {
    let (id, who) = (FindingId::PackFormat, event.processor);
    found.add(id, event.site, (event.cycle, who.core), || {
        let mark = |site, role: String| Mark { role, site, processor: Some(who) };
        let (name, holds, set) = (&ring.name, ring.pack.output, set.output);
        Finding {
            title: format!("pack on core {} writes {set} to `{name}`, not {holds}", who.core),
            marks: vec![
                mark(site, format!("the packers are set for {set}")),
                mark(event.site, format!("they write a tile to `{name}`, which holds {holds}")),
                ring.declaration(format!("`{name}` was declared as {holds} here")),
            ],
            facts: vec![
                "proof: nothing has set the packers' formats between (1) and (2)".to_owned(),
            ],
            help: Some(format!("call `pack_reconfig_data_format` for `{name}` before (2)")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
