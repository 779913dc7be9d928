//! Rings whose pages are not tiles, used as tiles by a compute processor.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_machine::{
    CbId, CbTile, CoreCoord, Event, EventKind, Outcome, PackMode, Processor, Setting, Site,
    UnpackOperation,
};
use tilewright_metal::Program;

use crate::Blame;
use crate::FindingId;
use crate::class::Class;
use crate::declaration::{StuckWaits, declare};
use crate::ending::count_of;
use crate::finding::{Finding, Mark};
use crate::of_class;
use crate::per_core::PerCore;
use crate::rings::{Ring, Rings};
use crate::session::{Checker, Found};
use crate::sticks;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A ring that a compute processor uses as tiles and whose pages have another size than a tile
    /// of its format; before tilize and after untilize, a wait or a reserve that covers the tiles
    /// only if its pages were tiles.
    /// # Why it matters
    /// Compute calls count in tiles and step by pages: tile 1 is read where page 1 is, and 8 pages
    /// of a stick each are not the 8 tiles that tilize reads. Sticks are fine if as many are waited
    /// for and popped as tilize reads, 32 for a row of tiles, or all that come if fewer do.
    /// # Instead
    /// Give the ring pages of one tile. 32 sticks of n tiles' width are n such pages. Page sizes
    /// are the host program's, and so is the fault.
    pub struct PageSize {
        rings: Arc<Rings>,
        cores: PerCore<PagesUsed>,
        /// The line at which each ring was first used as tiles: one finding a ring.
        sites: BTreeMap<(Site, CbId), Site>,
        /// The first block of each ring that has fewer sticks than tilize reads, and how many.
        short: BTreeMap<(CoreCoord, CbId), (Event, u32, u64)>,
    }
    Declaration {
        name: "page-size",
        tool: Some(Tool::Format),
        blame: Blame::HostBug,
        loses_values: true,
        miscounts: true,
        stuck_waits: StuckWaits::ForItsRing,
    }
}

/// Rings of the largest core.
const RINGS: usize = 64;

/// What unpack has waited for and pack has reserved, in pages.
struct PagesUsed {
    waited: [u32; RINGS],
    reserved: [u32; RINGS],
    pack: PackMode,
}

impl Default for PagesUsed {
    fn default() -> PagesUsed {
        PagesUsed { waited: [0; RINGS], reserved: [0; RINGS], pack: PackMode::Tile }
    }
}

impl PageSize {
    pub(crate) fn new(rings: &Arc<Rings>) -> PageSize {
        PageSize { rings: Arc::clone(rings), ..PageSize::default() }
    }

    fn counted(&mut self, event: &Event, cb: CbId, change: impl FnOnce(&mut u32)) {
        let core = self.cores.at(event.processor.core);
        let place = usize::from(cb.0) % RINGS;
        match event.processor.processor {
            Processor::Unpack => change(&mut core.waited[place]),
            Processor::Pack => change(&mut core.reserved[place]),
            Processor::Reader | Processor::Math | Processor::Writer => {}
        }
    }

    fn unpacked(&mut self, event: &Event, tile: CbTile, how: UnpackOperation, found: &mut Found) {
        let core = event.processor.core;
        let waited = self.cores.at(core).waited[usize::from(tile.cb.0) % RINGS];
        let Some(ring) = self.rings.get(core, tile.cb) else { return };
        if ring.config.page_bytes == ring.tile_bytes() {
            return;
        }
        let site = *self.sites.entry((ring.declared, tile.cb)).or_insert(event.site);
        match how {
            UnpackOperation::One { .. } | UnpackOperation::Both => {
                as_tiles(event, (ring, site), found);
            }
            UnpackOperation::Tilize { row_tiles } => {
                let needed = u64::from(row_tiles) * u64::from(ring.tile_bytes());
                let is_short = u64::from(waited) * u64::from(ring.config.page_bytes) < needed;
                if is_short && sticks::are_pages(&ring.config, row_tiles) {
                    self.short.entry((core, tile.cb)).or_insert((*event, waited, needed));
                } else {
                    as_rows(event, (ring, site), (waited, "waited for"), needed, found);
                }
            }
        }
    }

    fn packed(&mut self, event: &Event, tile: CbTile, found: &mut Found) {
        let at = event.processor.core;
        let core = self.cores.at(at);
        let (mode, reserved) = (core.pack, core.reserved[usize::from(tile.cb.0) % RINGS]);
        let Some(ring) = self.rings.get(at, tile.cb) else { return };
        if ring.config.page_bytes == ring.tile_bytes() {
            return;
        }
        let site = *self.sites.entry((ring.declared, tile.cb)).or_insert(event.site);
        match mode {
            PackMode::Tile => as_tiles(event, (ring, site), found),
            PackMode::Untilize { row_tiles, .. } => {
                let needed = u64::from(row_tiles) * u64::from(ring.tile_bytes());
                as_rows(event, (ring, site), (reserved, "reserved"), needed, found);
            }
        }
    }
}

impl Checker for PageSize {
    fn classes(&self) -> &'static [Class] {
        &[Class::Ring, Class::PackSetting, Class::Unpack, Class::Pack]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        match event.kind {
            EventKind::Waited { cb, pages } | EventKind::Reserved { cb, pages } => {
                self.counted(event, cb, |held| *held = pages.max(*held));
            }
            EventKind::Popped { cb, pages } | EventKind::Pushed { cb, pages } => {
                self.counted(event, cb, |held| *held = held.saturating_sub(pages));
            }
            EventKind::Configured(Setting::Pack(mode)) => {
                self.cores.at(event.processor.core).pack = mode;
            }
            EventKind::Unpacked { tiles, configured, .. } => {
                for tile in tiles.into_iter().flatten() {
                    self.unpacked(event, tile, configured, found);
                }
            }
            EventKind::Packed { tile, .. } => self.packed(event, tile, found),
            EventKind::PointerMoved { .. }
            | EventKind::Configured(
                Setting::PackFormats(_) | Setting::Relu | Setting::Mask(_) | Setting::Accumulate,
            )
            | EventKind::Zeros { .. }
            | of_class!(Wait, Section, UnpackFormat, AluFormat, Operation, Matrix, Vector)
            | of_class!(Network, Word, Kernel) => {}
        }
    }

    fn end(&mut self, _: &Program, outcome: &Outcome, found: &mut Found) {
        for ((core, cb), (event, waited, needed)) in &self.short {
            let Some(ring) = self.rings.get(*core, *cb) else { continue };
            if !sticks::are_all_taken(outcome, *core, *cb) {
                let site = self.sites.get(&(ring.declared, *cb)).copied().unwrap_or(event.site);
                as_rows(event, (ring, site), (*waited, "waited for"), *needed, found);
            }
        }
    }
}

fn as_tiles(event: &Event, (ring, site): (&Ring, Site), found: &mut Found) {
    let (page, tile) = (ring.config.page_bytes, ring.tile_bytes());
    if page != tile {
        let proof = format!(
            "proof: tiles of `{}` are counted in steps of {page} bytes, and take {tile} each",
            ring.name
        );
        report(event, (ring, site), proof, found);
    }
}

/// Sticks: wrong if the pages held are too few bytes and would be enough if they were tiles.
fn as_rows(
    event: &Event,
    (ring, site): (&Ring, Site),
    (held, done): (u32, &str),
    needed: u64,
    found: &mut Found,
) {
    let (page, tile) = (ring.config.page_bytes, ring.tile_bytes());
    let bytes = u64::from(held) * u64::from(page);
    if page != tile && bytes < needed && u64::from(held) * u64::from(tile) >= needed {
        let pages = count_of(held.into(), "page");
        let proof = format!("proof: {pages} {done}, {bytes} bytes; the tiles take {needed}");
        report(event, (ring, site), proof, found);
    }
}

fn report(event: &Event, (ring, site): (&Ring, Site), proof: String, found: &mut Found) {
    let (id, who) = (FindingId::PageSize, event.processor);
    found.add_on(ring.config.id, id, site, (event.cycle, who.core), || {
        let (name, page, tile) = (&ring.name, ring.config.page_bytes, ring.tile_bytes());
        let (done, format) = (who.processor, ring.config.format);
        let role = format!("{done} uses `{name}` as tiles of {format}, {tile} bytes each");
        let declared = format!("`{name}` was given pages of {page} bytes here");
        Finding {
            title: format!(
                "`{name}` on core {} has pages of {page} bytes, tiles of {tile}",
                who.core
            ),
            marks: vec![
                Mark { role, site: event.site, processor: Some(who) },
                ring.declaration(declared),
            ],
            facts: vec![proof],
            help: Some(format!("give `{name}` pages of {tile} bytes")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
