//! How processors take turns at a ring: asked for pages, used them, gave them on.
//!
//! A producer reserves and pushes, a consumer waits and pops. Remembers the first time that the
//! same line asked again although the pages from before had not been given on. Judges nothing.

use tilewright_machine::{CbId, CoreCoord, Event, EventKind, Processor, Site, Waiting};

use crate::flow::Step;
use crate::of_class;
use crate::per_core::PerCore;

/// A side of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Reserves and pushes.
    Producer,
    /// Waits and pops.
    Consumer,
}

/// What one processor did on one side of one ring.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns {
    /// The last call that asked, and for how many pages.
    pub(crate) asked: Option<(Step, u32)>,
    /// The last call that gave pages on, and how many; of those calls that gave none too.
    pub(crate) gave: Option<(Step, u32)>,
    /// Where the pages that are held were used last, or a barrier waited for their transfers.
    pub(crate) used: Option<Step>,
    /// Pages asked for and not given on.
    pub(crate) held: u32,
    /// Pages given on since launch.
    pub(crate) given: u64,
    /// Whether pages were given on since the last call that asked.
    has_given: bool,
    /// The first time that pages were asked for again and those from before were not given on.
    pub(crate) again: Option<Again>,
}

/// A line that asks for pages again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again {
    pub(crate) before: Step,
    pub(crate) pages: u32,
    pub(crate) used: Option<Step>,
    pub(crate) now: Step,
    /// The call that gave too few of them on, and how many.
    pub(crate) short: Option<(Step, u32)>,
}

impl Turns {
    /// Asks for pages, which are not there yet.
    fn block(&mut self, step: Step, pages: u32, last_access: Option<Step>) {
        let since = |access: &Step, before: Step| access.cycle >= before.cycle;
        if let Some((before, asked)) = self.asked
            && (before.site, asked) == (step.site, pages)
            && self.held > 0
            && self.again.is_none()
        {
            let used = self.used.or(last_access.filter(|access| since(access, before)));
            let short = self.gave.filter(|(gave, _)| gave.cycle >= before.cycle);
            self.again = Some(Again { before, pages, used, now: step, short });
        }
    }

    fn ask(&mut self, step: Step, pages: u32, last_access: Option<Step>) {
        self.block(step, pages, last_access);
        if self.held == 0 || self.has_given {
            self.used = None;
        }
        (self.asked, self.has_given) = (Some((step, pages)), false);
        self.held = self.held.max(pages);
    }

    fn give(&mut self, step: Step, pages: u32) {
        self.gave = Some((step, pages));
        self.given += u64::from(pages);
        self.held = self.held.saturating_sub(pages);
        self.has_given |= pages > 0;
    }
}

/// Both sides of one ring for each processor, in the order of `Processor::ALL`.
#[derive(Default)]
struct RingTurns {
    sides: [[Option<Box<Turns>>; 5]; 2],
}

#[derive(Default)]
struct CoreTurns {
    rings: Vec<RingTurns>,
    /// Where each processor touched memory last.
    accesses: [Option<Step>; 5],
    /// Rings that each processor has asked for and whose transfers no barrier has waited for.
    open: [Vec<(CbId, Side)>; 5],
}

/// The turns at all rings of all cores.
#[derive(Default)]
pub(crate) struct AllTurns(PerCore<CoreTurns>);

impl AllTurns {
    pub(crate) fn event(&mut self, event: &Event) {
        let core = self.0.at(event.processor.core);
        let step = Step::of(event);
        match event.kind {
            EventKind::Blocked(Waiting::ForSpace { cb, asked }) => {
                core.block(step, (cb, Side::Producer), asked);
            }
            EventKind::Blocked(Waiting::ForPages { cb, asked }) => {
                core.block(step, (cb, Side::Consumer), asked);
            }
            EventKind::Reserved { cb, pages } => core.ask(step, (cb, Side::Producer), pages),
            EventKind::Waited { cb, pages } => core.ask(step, (cb, Side::Consumer), pages),
            EventKind::Pushed { cb, pages } => core.give(step, (cb, Side::Producer), pages),
            EventKind::Popped { cb, pages } => core.give(step, (cb, Side::Consumer), pages),
            EventKind::Unpacked { tiles, .. } => {
                for tile in tiles.into_iter().flatten() {
                    core.turns(step, (tile.cb, Side::Consumer)).used = Some(step);
                }
            }
            EventKind::Packed { tile, .. } => {
                core.turns(step, (tile.cb, Side::Producer)).used = Some(step);
            }
            EventKind::BarrierPassed { .. } => core.passed(step),
            EventKind::ReadIssued { .. }
            | EventKind::WriteIssued { .. }
            | EventKind::L1Read { .. }
            | EventKind::L1Written { .. } => {
                core.accesses[event.processor.processor as usize] = Some(step);
            }
            EventKind::Blocked(_)
            | EventKind::PointerMoved { .. }
            | EventKind::Zeros { .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | EventKind::SemaphoreSet { .. }
            | EventKind::SemaphoreWaited { .. }
            | of_class!(Section, UnpackFormat, AluFormat, Operation, PackSetting, Matrix, Vector)
            | of_class!(Kernel) => {}
        }
    }

    /// What a processor did on a side of a ring.
    pub(crate) fn get(
        &self,
        core: CoreCoord,
        cb: CbId,
        side: Side,
        processor: Processor,
    ) -> Option<&Turns> {
        let ring = self.0.get(core)?.rings.get(usize::from(cb.0))?;
        ring.sides[side as usize][processor as usize].as_deref()
    }

    /// Who has been on a side of a ring, with what it did.
    pub(crate) fn on(
        &self,
        core: CoreCoord,
        cb: CbId,
        side: Side,
    ) -> impl Iterator<Item = (Processor, &Turns)> {
        let all = Processor::ALL.into_iter();
        all.filter_map(move |processor| Some((processor, self.get(core, cb, side, processor)?)))
    }

    /// Where a processor touched memory last.
    pub(crate) fn access(&self, core: CoreCoord, processor: Processor) -> Option<Site> {
        self.0.get(core)?.accesses[processor as usize].map(|step| step.site)
    }
}

impl CoreTurns {
    fn turns(&mut self, step: Step, (cb, side): (CbId, Side)) -> &mut Turns {
        let place = usize::from(cb.0);
        if place >= self.rings.len() {
            self.rings.resize_with(place + 1, RingTurns::default);
        }
        let processor = step.processor.processor as usize;
        self.rings[place].sides[side as usize][processor].get_or_insert_default()
    }

    fn block(&mut self, step: Step, ring: (CbId, Side), pages: u32) {
        let access = self.accesses[step.processor.processor as usize];
        self.turns(step, ring).block(step, pages, access);
    }

    fn ask(&mut self, step: Step, ring: (CbId, Side), pages: u32) {
        let processor = step.processor.processor as usize;
        let access = self.accesses[processor];
        self.turns(step, ring).ask(step, pages, access);
        if !self.open[processor].contains(&ring) {
            self.open[processor].push(ring);
        }
    }

    fn give(&mut self, step: Step, ring: (CbId, Side), pages: u32) {
        self.turns(step, ring).give(step, pages);
        self.open[step.processor.processor as usize].retain(|open| *open != ring);
    }

    /// A barrier has waited for the transfers of what the processor asked for before.
    fn passed(&mut self, step: Step) {
        let open = std::mem::take(&mut self.open[step.processor.processor as usize]);
        for ring in open {
            self.turns(step, ring).used = Some(step);
        }
    }
}
