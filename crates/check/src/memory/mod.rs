//! The tool memory: what processors reserve, push, wait for, pop and touch of a ring.
//!
//! One observer follows every processor's pointers and windows; each file says what is wrong with
//! one kind of step. Out of bounds and misaligned accesses end a run by themselves.

mod frames;
mod l1_budget;
mod outside_tensor;
mod outside_window;
mod over_pop;
mod over_push;
mod over_reserve;
mod straddles_end;
mod window;

pub use l1_budget::{L1Budget, l1_budget};
pub use outside_tensor::OutsideTensor;
pub use outside_window::OutsideWindow;
pub use over_pop::OverPop;
pub use over_push::OverPush;
pub use over_reserve::OverReserve;
pub use straddles_end::StraddlesEnd;

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_machine::{
    CbId, CbTile, CoreCoord, Event, EventKind, L1Address, Outcome, Processor, Setting, SourceId,
    UnpackFormats, UnpackOperation, Waiting,
};
use tilewright_metal::Program;
use tilewright_tile::TILE_SIDE;

use crate::FindingId;
use crate::class::Class;
use crate::flow::Step;
use crate::of_class;
use crate::per_core::PerCore;
use crate::rings::{Ring, Rings};
use crate::session::{Checker, Found};
use crate::sticks;
use frames::Pushes;
use window::{Claim, Range, Use};

/// The checkers of this tool.
pub(crate) fn checkers(program: &Program, rings: &Arc<Rings>) -> Vec<Box<dyn Checker>> {
    let mut checkers: Vec<Box<dyn Checker>> = Vec::new();
    let outside = OutsideTensor::new(program, rings);
    if outside.is_needed() {
        checkers.push(Box::new(outside));
    }
    checkers.push(Box::new(Memory::new(rings)));
    checkers
}

/// Follows the rings of all cores.
pub(crate) struct Memory {
    rings: Arc<Rings>,
    cores: PerCore<CoreMemory>,
    /// The first block of each ring that has fewer sticks than tilize reads.
    short: BTreeMap<(CoreCoord, CbId), (Event, Range, outside_window::Miss)>,
}

#[derive(Default)]
struct CoreMemory {
    /// Each ring's use by each processor, in the order of `Processor::ALL`.
    uses: Vec<[Use; 5]>,
    /// Where rings lie, for accesses that name none.
    places: Option<Vec<(Range, CbId)>>,
    unpack: [Option<UnpackFormats>; 2],
    pushes: Pushes,
    /// Whether each processor has held pages that run over the end of their ring.
    has_run_over: [bool; 5],
}

impl Memory {
    pub(crate) fn new(rings: &Arc<Rings>) -> Memory {
        Memory { rings: Arc::clone(rings), cores: PerCore::default(), short: BTreeMap::new() }
    }

    /// What the event's processor does with a ring, and the ring.
    fn at(&mut self, event: &Event, cb: CbId) -> Option<(&Ring, &mut Use)> {
        let id = event.processor;
        let ring = self.rings.get(id.core, cb)?;
        let uses = &mut self.cores.at(id.core).uses;
        let place = usize::from(cb.0);
        if uses.len() <= place {
            uses.resize_with(place + 1, Default::default);
        }
        let state = &mut uses[place][id.processor as usize];
        state.start(ring.config.base);
        Some((ring, state))
    }

    fn pushed(&mut self, event: &Event, cb: CbId, pages: u32, found: &mut Found) {
        self.pushes(event).pushed(event.processor.processor, cb, pages);
        let Some((ring, state)) = self.at(event, cb) else { return };
        over_push::check(event, ring, state, pages, found);
        state.give(Claim::Reserved, pages, Step::of(event));
        state.pushed += u64::from(pages);
        let (from, to) = state.write.step(event.processor.processor, &ring.config, pages);
        straddles_end::check_step(event, ring, state, (from, to), found);
    }

    fn popped(&mut self, event: &Event, cb: CbId, pages: u32, found: &mut Found) {
        let known = self.pushes(event).known(event.processor.processor, cb);
        let Some((ring, state)) = self.at(event, cb) else { return };
        over_pop::check(event, ring, state, (pages, known), found);
        state.give(Claim::Waited, pages, Step::of(event));
        let (from, to) = state.read.step(event.processor.processor, &ring.config, pages);
        straddles_end::check_step(event, ring, state, (from, to), found);
        self.pushes(event).popped(cb, pages);
    }

    /// The pushes on the event's core.
    fn pushes(&mut self, event: &Event) -> &mut Pushes {
        &mut self.cores.at(event.processor.core).pushes
    }

    /// A processor holds more pages than before.
    fn held(&mut self, event: &Event, cb: CbId, held: Claim, pages: u32) {
        let Some((ring, state)) = self.at(event, cb) else { return };
        state.hold(held, pages);
        state.has_reserved |= held == Claim::Reserved;
        state.is_used = true;
        if state.window(held, &ring.config).end > u64::from(ring.config.limit().0) {
            let who = event.processor;
            self.cores.at(who.core).has_run_over[who.processor as usize] = true;
        }
    }

    /// An access of a compute processor, which names its ring.
    fn named(&mut self, event: &Event, cb: CbId, range: Range, held: Claim, found: &mut Found) {
        let Some((ring, state)) = self.at(event, cb) else { return };
        if state.is_broken {
            return;
        }
        let window = state.window(held, &ring.config);
        if !window.contains(range) {
            let miss = outside_window::Miss { held, window, given: state.given_unused(held) };
            if held == Claim::Waited && self.is_known(event, cb, range) {
                return;
            }
            if let Some(ring) = self.rings.get(event.processor.core, cb) {
                outside_window::report(event, ring, range, miss, found);
            }
            return;
        }
        state.touch(held);
        if range.end > u64::from(ring.config.limit().0) {
            state.is_broken = true;
            straddles_end::report_access(event, ring, range, found);
        }
    }

    /// Whether pages that a processor has not waited for are there, because it has waited for what
    /// their producer pushed later, and to a ring in the same memory: the same pages.
    fn is_known(&mut self, event: &Event, cb: CbId, range: Range) -> bool {
        let core = event.processor.core;
        let known = self.pushes(event).known(event.processor.processor, cb);
        let Some((ring, state)) = self.at(event, cb) else { return false };
        let place = Range::of(&ring.config);
        if !state.read_ahead(known, &ring.config).contains(range) || range.end > place.end {
            return false;
        }
        let others = self.places(core).to_vec().into_iter();
        let mut others = others.filter(|(there, id)| *id != cb && there.contains_start(place));
        others.any(|(_, id)| self.at(event, id).is_some_and(|(_, other)| other.is_used))
    }

    /// An access of a data-movement processor, by address alone. It may be in a window of any ring
    /// that lies there; rings that the processor does not use as rings are plain memory to it.
    fn unnamed(
        &mut self,
        event: &Event,
        at: L1Address,
        bytes: u32,
        held: Claim,
        found: &mut Found,
    ) {
        let (core, range) = (event.processor.core, Range::new(at, bytes));
        if self.cores.at(core).has_run_over[event.processor.processor as usize]
            && self.is_beyond(event, range, found)
        {
            return;
        }
        let mut miss = None;
        for place in 0..self.places(core).len() {
            let (there, cb) = self.places(core)[place];
            if !there.contains_start(range) {
                continue;
            }
            let Some((ring, state)) = self.at(event, cb) else { return };
            if held == Claim::Waited {
                state.has_read_own |= state.pushed > 0;
            }
            if !state.is_used && state.first_uses[held as usize].is_none() {
                let id = match held {
                    Claim::Waited => FindingId::OverPop,
                    Claim::Reserved => FindingId::OverPush,
                };
                let token = found.token(id, event.site);
                state.first_uses[held as usize] = Some((Step::of(event), token));
            }
            if !state.is_used || state.is_broken {
                return;
            }
            let claims = [Claim::Waited, Claim::Reserved];
            if let Some(claim) = claims.into_iter().find(|it| state.holds(*it, range, &ring.config))
            {
                state.touch(claim);
                if range.end > there.end {
                    state.is_broken = true;
                    straddles_end::report_access(event, ring, range, found);
                }
                return;
            }
            if held == Claim::Waited && state.has_pushed(range, &ring.config) {
                return;
            }
            let (window, given) = (state.window(held, &ring.config), state.given_unused(held));
            miss.get_or_insert((cb, outside_window::Miss { held, window, given }));
        }
        if let Some((cb, miss)) = miss
            && let Some(ring) = self.rings.get(core, cb)
        {
            outside_window::report(event, ring, range, miss, found);
        }
    }

    /// Whether an access is to pages that the processor holds and that lie beyond the end of their
    /// ring, whatever is there but its own scratch memory. If so it is reported.
    fn is_beyond(&mut self, event: &Event, range: Range, found: &mut Found) -> bool {
        let core = event.processor.core;
        for place in 0..self.places(core).len() {
            let (there, cb) = self.places(core)[place];
            if there.contains(range) && self.at(event, cb).is_some_and(|(_, it)| it.is_scratch()) {
                return false;
            }
        }
        for place in 0..self.places(core).len() {
            let (there, cb) = self.places(core)[place];
            let Some((ring, state)) = self.at(event, cb) else { continue };
            let windows =
                [Claim::Waited, Claim::Reserved].map(|held| state.window(held, &ring.config));
            if range.start >= there.end && windows.iter().any(|window| window.contains(range)) {
                state.is_broken = true;
                straddles_end::report_access(event, ring, range, found);
                return true;
            }
        }
        false
    }

    fn places(&mut self, core: CoreCoord) -> &[(Range, CbId)] {
        let rings = &self.rings;
        self.cores.at(core).places.get_or_insert_with(|| {
            let place = |ring: &Ring| (Range::of(&ring.config), ring.config.id);
            rings.on(core).map(place).collect()
        })
    }

    /// A tile that unpack reads: where it begins, or for tilize its first row among those of its
    /// block, which is counted from the read pointer whatever the page size.
    fn unpacked(
        &mut self,
        event: &Event,
        (source, tile): (SourceId, CbTile),
        at: L1Address,
        how: UnpackOperation,
        found: &mut Found,
    ) {
        let Some(set) = self.cores.at(event.processor.core).unpack[source as usize] else { return };
        let bytes = set.l1.tile_bytes() as u32;
        let range = match how {
            UnpackOperation::One { .. } | UnpackOperation::Both => Range::new(at, bytes),
            UnpackOperation::Tilize { row_tiles } => {
                let Some((_, state)) = self.at(event, tile.cb) else { return };
                let row = bytes / TILE_SIDE as u32;
                let start = state.read.at + row.wrapping_mul(tile.index);
                let last = (TILE_SIDE as u32 - 1).saturating_mul(row_tiles);
                Range::new(start, row.saturating_mul(last.saturating_add(1)))
            }
        };
        if let UnpackOperation::Tilize { row_tiles } = how
            && self.is_short_block(event, tile.cb, range, row_tiles)
        {
            return;
        }
        self.named(event, tile.cb, range, Claim::Waited, found);
    }

    /// Whether tilize reads more sticks than were waited for, and some that were; whether that is
    /// a mistake is known at the end.
    fn is_short_block(&mut self, event: &Event, cb: CbId, range: Range, row_tiles: u32) -> bool {
        let Some((ring, state)) = self.at(event, cb) else { return false };
        let (held, window) = (Claim::Waited, state.window(Claim::Waited, &ring.config));
        let is_short = sticks::are_pages(&ring.config, row_tiles)
            && window.contains_start(range)
            && !window.contains(range)
            && !state.is_broken;
        if is_short {
            let miss = outside_window::Miss { held, window, given: state.given_unused(held) };
            state.touch(held);
            self.short.entry((event.processor.core, cb)).or_insert((*event, range, miss));
        }
        is_short
    }
}

impl Checker for Memory {
    fn classes(&self) -> &'static [Class] {
        &[
            Class::Ring,
            Class::Wait,
            Class::UnpackFormat,
            Class::Unpack,
            Class::Pack,
            Class::Network,
            Class::Word,
        ]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        match event.kind {
            EventKind::Blocked(Waiting::ForSpace { cb, asked })
            | EventKind::Reserved { cb, pages: asked } => {
                let Some((ring, _)) = self.at(event, cb) else { return };
                over_reserve::check(event, ring, asked, found);
                if matches!(event.kind, EventKind::Reserved { .. }) {
                    self.held(event, cb, Claim::Reserved, asked);
                }
            }
            EventKind::Waited { cb, pages } => {
                let proven = self.pushes(event).waited(event.processor.processor, cb, pages);
                self.held(event, cb, Claim::Waited, proven);
            }
            EventKind::Pushed { cb, pages } => self.pushed(event, cb, pages, found),
            EventKind::Popped { cb, pages } => self.popped(event, cb, pages, found),
            EventKind::PointerMoved { cb, pointer, to } => {
                if let Some((_, state)) = self.at(event, cb) {
                    state.set(pointer, to);
                }
            }
            EventKind::Configured(Setting::UnpackFormats(source, formats)) => {
                self.cores.at(event.processor.core).unpack[source as usize] = Some(formats);
            }
            EventKind::Unpacked { a, b, tiles, configured, .. } => {
                for (source, at) in [(SourceId::A, a), (SourceId::B, b)] {
                    if let (Some(at), Some(tile)) = (at, tiles[source as usize]) {
                        self.unpacked(event, (source, tile), at, configured, found);
                    }
                }
            }
            EventKind::Packed { tile, to, bytes, .. } => {
                self.named(event, tile.cb, Range::new(to, bytes), Claim::Reserved, found);
            }
            EventKind::ReadIssued { to, bytes, .. } | EventKind::L1Written { at: to, bytes } => {
                self.unnamed(event, to, bytes, Claim::Reserved, found);
            }
            EventKind::WriteIssued { from: Some(at), bytes, .. }
            | EventKind::L1Read { at, bytes } => {
                self.unnamed(event, at, bytes, Claim::Waited, found);
            }
            EventKind::Blocked(_)
            | EventKind::Zeros { .. }
            | EventKind::WriteIssued { from: None, .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | EventKind::BarrierPassed { .. }
            | EventKind::SemaphoreSet { .. }
            | EventKind::SemaphoreWaited { .. }
            | of_class!(Section, AluFormat, Operation, PackSetting, Matrix, Vector, Kernel) => {}
        }
    }

    /// Short blocks whose ring has sticks left, and rings of which a processor has read pages that
    /// it had pushed itself.
    fn end(&mut self, _: &Program, outcome: &Outcome, found: &mut Found) {
        for ((core, cb), (event, range, miss)) in std::mem::take(&mut self.short) {
            let ring = self.rings.get(core, cb);
            let ring = ring.filter(|_| !sticks::are_all_taken(outcome, core, cb));
            if let Some(ring) = ring {
                outside_window::report(&event, ring, range, miss, found);
            }
        }
        for core in outcome.cores.iter().map(|state| state.core) {
            let Some(state) = self.cores.get(core) else { continue };
            for (ring, uses) in state.uses.iter().enumerate() {
                for processor in Processor::ALL {
                    if uses[processor as usize].has_read_own {
                        found.own_reads.insert((core, CbId(ring as u8), processor));
                    }
                }
            }
        }
    }
}
