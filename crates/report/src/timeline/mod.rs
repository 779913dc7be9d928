//! What a run did over simulated time: slices of each processor, transfers, pages in buffers.
//!
//! Watches and keeps. Judges nothing, and changes nothing. Memory is bounded: what is too much to
//! keep is joined or left out by the rules in `Lane`, `Ring::grain` and `Limits`, and totals
//! are counted first.

mod call;
mod doing;
mod lane;
mod lines;
mod ring;
mod traffic;
mod transfer;
mod writers;

use std::collections::BTreeMap;

use tilewright_check::of_class;
use tilewright_machine::{
    CoreCoord, CoreState, Ending, Event, EventKind, Observer, Outcome, Processor, SourceId, Target,
    Waiting, sources_of,
};
use tilewright_metal::Program;

pub use call::Given;
pub use doing::{Doing, Stall, Work};
pub use lane::{Lane, Slice, Total};
pub use lines::{LineKey, LineTotal};
pub use ring::{Level, Ring};
pub use traffic::{Series, Traffic};
use transfer::Transfers;
pub use transfer::{FarEnd, Transfer, TransferKind};
pub use writers::Writers;

/// How much of a run is kept, over all its cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Slices of all processors of a program.
    pub slices: usize,
    /// Levels of all buffers of a program.
    pub levels: usize,
    /// Transfers of a program; later ones are counted and not kept.
    pub transfers: usize,
}

impl Limits {
    /// Enough for a trace viewer: some tens of megabytes.
    pub const TRACE: Limits = Limits { slices: 1 << 20, levels: 1 << 19, transfers: 1 << 17 };

    /// Totals alone, which are counted whatever is kept.
    pub const COSTS: Limits = Limits { slices: 0, levels: 0, transfers: 0 };

    /// Enough for a page: well below three megabytes.
    pub const PAGE: Limits = Limits { slices: 80_000, levels: 50_000, transfers: 0 };
}

/// One core's time.
#[derive(Clone, Debug)]
pub struct CoreLine {
    /// The core.
    pub core: CoreCoord,
    /// Its processors that have a kernel.
    pub lanes: Vec<Lane>,
    /// Its circular buffers.
    pub rings: Vec<Ring>,
}

impl CoreLine {
    /// What the program calls a buffer of this core.
    pub fn buffer_name(&self, cb: tilewright_machine::CbId) -> String {
        let found = self.rings.iter().find(|ring| ring.config.id == cb);
        found.map_or_else(|| cb.to_string(), |ring| ring.name.clone())
    }

    fn lane(&mut self, processor: Processor) -> Option<&mut Lane> {
        self.lanes.iter_mut().find(|lane| lane.processor == processor)
    }

    fn ring(&mut self, cb: tilewright_machine::CbId) -> Option<&mut Ring> {
        self.rings.iter_mut().find(|ring| ring.config.id == cb)
    }
}

/// How long and how often transfers of one kind took, and their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferTotal {
    /// Whose.
    pub owner: tilewright_machine::ProcessorId,
    /// What they did.
    pub kind: TransferKind,
    /// Where their other end was.
    pub far: FarEnd,
    /// How long and how often.
    pub total: Total,
    /// Bytes in all.
    pub bytes: u64,
}

/// One program's time.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The program.
    pub program: String,
    /// When it began, counted from the beginning of the first program.
    pub start: u64,
    /// How long it took.
    pub cycles: u64,
    /// Whether it stopped moving.
    pub is_stuck: bool,
    /// The cores that have a kernel.
    pub cores: Vec<CoreLine>,
    /// Transfers, in the order of their ends.
    pub transfers: Vec<Transfer>,
    /// How many transfers were counted and not kept.
    pub transfers_left_out: u64,
    /// All transfers, by owner, kind and far end.
    pub transfer_totals: Vec<TransferTotal>,
    /// Bytes over the networks and to banks of DRAM, over time.
    pub traffic: Traffic,
    /// Which core wrote which tile of each output.
    pub writers: Vec<Writers>,
}

/// Watches the programs of a run, one after the other.
pub struct Recorder {
    limits: Limits,
    done: Vec<Timeline>,
    now: Option<Recording>,
}

struct Recording {
    program: String,
    cores: BTreeMap<CoreCoord, CoreLine>,
    transfers: Transfers,
    writers: Vec<Writers>,
}

impl Recorder {
    /// A recorder that has seen nothing.
    pub fn new(limits: Limits) -> Recorder {
        Recorder { limits, done: Vec::new(), now: None }
    }

    /// Makes ready for the next program.
    pub fn begin(&mut self, program: &Program) {
        let cores: Vec<CoreCoord> = program.cores().iter().collect();
        let lanes = cores.iter().map(|core| processors(program, *core).count()).sum::<usize>();
        let rings = cores.iter().map(|core| program.placed_buffers(*core).len()).sum::<usize>();
        let slices = self.limits.slices / lanes.max(1);
        let limit = slices.max(64);
        let levels = (self.limits.levels / rings.max(1)).max(24);
        let line = |core: CoreCoord| (core, core_line(program, core, limit, levels));
        self.now = Some(Recording {
            program: program.name().to_owned(),
            cores: cores.into_iter().map(line).collect(),
            transfers: Transfers::new(self.limits.transfers),
            writers: program.declarations().outputs.iter().map(Writers::new).collect(),
        });
    }

    /// Takes the end of the program that was begun last.
    pub fn end(&mut self, outcome: &Outcome) {
        let Some(mut now) = self.now.take() else { return };
        let cycles = outcome.cycles.0;
        for state in &outcome.cores {
            now.end(state, cycles);
        }
        now.transfers.end(cycles);
        let totals = now.transfers.totals.iter();
        let total = |((owner, kind, far), (total, bytes)): (&(_, _, _), &(_, _))| TransferTotal {
            owner: *owner,
            kind: *kind,
            far: *far,
            total: *total,
            bytes: *bytes,
        };
        self.done.push(Timeline {
            program: now.program,
            start: self.done.last().map_or(0, |last| last.start + last.cycles),
            cycles,
            is_stuck: outcome.ending == Ending::Stuck,
            cores: now.cores.into_values().collect(),
            transfer_totals: totals.map(total).collect(),
            traffic: now.transfers.traffic,
            writers: now.writers,
            transfers: now.transfers.done,
            transfers_left_out: now.transfers.left_out,
        });
    }

    /// The programs that have ended, in their order.
    pub fn timelines(&self) -> &[Timeline] {
        &self.done
    }
}

fn processors(program: &Program, core: CoreCoord) -> impl Iterator<Item = (Processor, String)> {
    Processor::ALL.into_iter().filter_map(move |processor| {
        program.kernel_name(core, processor).map(|name| (processor, name.to_owned()))
    })
}

fn core_line(program: &Program, core: CoreCoord, limit: usize, levels: usize) -> CoreLine {
    let lane = |(processor, kernel)| Lane::new(processor, kernel, limit);
    let ring = |config: &tilewright_machine::CbConfig| {
        let declared = program.buffer(core, config.id);
        let name = declared.map_or_else(|| config.id.to_string(), |(spec, _)| spec.name.clone());
        let site = declared.map_or(tilewright_machine::Site::KERNEL, |(_, site)| site);
        Ring::new(*config, name, site, levels)
    };
    let lanes = processors(program, core).map(lane).collect();
    let rings = program.placed_buffers(core).iter().map(ring).collect();
    CoreLine { core, lanes, rings }
}

impl Recording {
    fn event(&mut self, event: &Event) {
        self.transfers.event(event);
        if let EventKind::WriteIssued { to: Target::One(at), .. } = event.kind {
            self.writers.iter_mut().for_each(|it| it.write(at, event.processor.core));
        }
        let Some(work) = doing::work(&event.kind) else { return };
        let (doing, given) = (Doing::Work(work, call::name(&event.kind)), Given::of(&event.kind));
        let (cycle, site) = (event.cycle.0, event.site);
        let Some(core) = self.cores.get_mut(&event.processor.core) else { return };
        let processor = event.processor.processor;
        if let Some(lane) = core.lane(processor) {
            match event.kind {
                EventKind::KernelStarted => lane.start(cycle),
                EventKind::Blocked(waiting) => lane.block(cycle, waiting, site),
                EventKind::KernelFinished => {
                    lane.work(cycle, doing, site, given);
                    lane.finished = Some(cycle);
                }
                EventKind::Printed { .. }
                | EventKind::Waypoint { .. }
                | EventKind::Zone { .. }
                | of_class!(Ring, Section, UnpackFormat, AluFormat, Operation, PackSetting)
                | of_class!(Unpack, Matrix, Vector, Pack, Network, Word) => {
                    lane.work(cycle, doing, site, given)
                }
            }
        }
        bring(core, event);
        fill(core, event);
    }

    fn end(&mut self, state: &CoreState, cycles: u64) {
        let Some(core) = self.cores.get_mut(&state.core) else { return };
        for processor in &state.processors {
            if let Some(lane) = core.lane(processor.id.processor) {
                lane.end(cycles, processor.cycle.0, processor.site);
            }
        }
    }
}

/// Takes what happens to a buffer.
fn fill(core: &mut CoreLine, event: &Event) {
    let (cycle, processor) = (event.cycle.0, event.processor.processor);
    match event.kind {
        EventKind::Pushed { cb, pages } => {
            core.ring(cb).into_iter().for_each(|ring| ring.push(cycle, processor, pages));
        }
        EventKind::Popped { cb, pages } => {
            core.ring(cb).into_iter().for_each(|ring| ring.pop(cycle, processor, pages));
        }
        EventKind::Waited { cb, .. } => {
            core.ring(cb).into_iter().for_each(|ring| ring.see(processor));
        }
        EventKind::Reserved { .. }
        | EventKind::PointerMoved { .. }
        | of_class!(Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting, Unpack)
        | of_class!(Matrix, Vector, Pack, Network, Word, Kernel) => {}
    }
}

/// Ends waits for what another processor's operation fills or frees: its event is the only word
/// of it.
fn bring(core: &mut CoreLine, event: &Event) {
    let (processor, ended) = match event.kind {
        EventKind::Computed { configured, .. } => {
            let is_freed = |source: &SourceId| sources_of(configured).contains(source);
            let freed = |source| Some(source).filter(is_freed).map(Waiting::ForFreeBank);
            (Processor::Unpack, [SourceId::A, SourceId::B].map(freed))
        }
        EventKind::Unpacked { a, b, .. } => {
            let filled = |tile: Option<_>, to| tile.map(|_| Waiting::ForFullBank(to));
            (Processor::Math, [filled(a, SourceId::A), filled(b, SourceId::B)])
        }
        EventKind::DstReleased => (Processor::Math, [Some(Waiting::ForDstDrained), None]),
        EventKind::Zeros { .. }
        | EventKind::StartedUp
        | EventKind::StartupRepeated
        | EventKind::DstAcquired
        | EventKind::DstCommitted
        | EventKind::DstWaited
        | of_class!(Ring, Wait, UnpackFormat, AluFormat, Operation, PackSetting, Vector, Pack)
        | of_class!(Network, Word, Kernel) => return,
    };
    if let Some(lane) = core.lane(processor)
        && lane.waiting().is_some_and(|waiting| ended.contains(&Some(waiting)))
    {
        lane.brought(event.cycle.0);
    }
}

impl Observer for Recorder {
    fn event(&mut self, event: &Event) {
        if let Some(now) = &mut self.now {
            now.event(event);
        }
    }
}
