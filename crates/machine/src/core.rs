//! One Tensix core: its memories and registers, its processors' clocks, and what is in flight.
//!
//! Holds state and records events. What calls do is in `context`, `tensix` and `transfer`; who
//! runs next is in `scheduler`.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use tilewright_tile::sfpu::program::VectorState;
use tilewright_tile::{Lanes, TILE_VALUES};

use crate::architecture::Architecture;
use crate::circular_buffer::{CbConfig, CbLedger, CircularBuffer};
use crate::config::{ComputeSettings, Configuration};
use crate::digest::Digest;
use crate::dst::Dst;
use crate::edit::Edit;
use crate::event::{Event, EventKind, Operand, Zeros};
use crate::grid::CoreCoord;
use crate::memory::{DramView, L1, SpareLeaves};
use crate::noc::{NocCounters, NocMode};
use crate::processor::{Activity, Changes, Processor, ProcessorId, ProcessorState, Waiting};
use crate::said::Said;
use crate::schedule::Schedule;
use crate::source::SourceBanks;
use crate::stop::{Polled, Stop, StopReason};
use crate::transfer::{Agenda, Outbox, Traffic};
use crate::units::{CbId, L1Address};
use crate::watch::Watch;
use crate::{Cycle, Site};

/// What stands in [`Core::order`] for a processor that is not ready.
pub(crate) const NOT_READY: u64 = u64::MAX;

/// A processor's clock and state.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    pub(crate) cycle: Cycle,
    pub(crate) activity: Activity,
    pub(crate) site: Site,
    /// Calls since anything changed anywhere, as of the last window.
    pub(crate) calls: u64,
    /// Queries since time last passed.
    pub(crate) questions: u64,
    /// What was last read from L1, and by which call.
    pub(crate) polled: Option<(Site, L1Address, u32)>,
}

impl Clock {
    const STOPPED: Clock = Clock {
        cycle: Cycle(0),
        activity: Activity::Idle,
        site: Site::KERNEL,
        calls: 0,
        questions: 0,
        polled: None,
    };

    /// A call was made.
    #[inline]
    pub(crate) fn count_call(&mut self) {
        self.calls += 1;
        self.questions = 0;
    }
}

/// A tile's worth of memory for calls under way, which most cores never need.
#[derive(Default)]
pub(crate) struct Scratch(Option<Box<Lanes>>);

impl Deref for Scratch {
    type Target = Lanes;

    #[inline]
    fn deref(&self) -> &Lanes {
        static ZEROS: Lanes = [0; TILE_VALUES];
        self.0.as_deref().unwrap_or(&ZEROS)
    }
}

impl DerefMut for Scratch {
    #[inline]
    fn deref_mut(&mut self) -> &mut Lanes {
        self.0.get_or_insert_with(|| Box::new([0; TILE_VALUES]))
    }
}

/// What a run sets for all cores.
#[derive(Clone, Copy)]
pub(crate) struct RunSettings {
    pub(crate) seed: u64,
    pub(crate) noc: NocMode,
    pub(crate) is_observed: bool,
    pub(crate) dram_bytes: u64,
    pub(crate) cycle_limit: u64,
    pub(crate) edit: Option<Edit>,
    pub(crate) step_budget: u64,
    pub(crate) watch: Option<&'static Watch>,
    pub(crate) has_digest: bool,
}

/// One core.
pub struct Core {
    pub(crate) arch: Arc<Architecture>,
    pub(crate) coord: CoreCoord,
    pub(crate) index: u16,
    pub(crate) l1: L1,
    pub(crate) dst: Dst,
    pub(crate) sources: [SourceBanks; 2],
    pub(crate) configuration: Configuration,
    pub(crate) settings: ComputeSettings,
    pub(crate) scratch: Scratch,
    /// What the vector unit keeps between calls.
    pub(crate) vector: VectorState,
    buffers: Vec<Option<CircularBuffer>>,
    pub(crate) counters: [[NocCounters; 2]; 5],
    pub(crate) traffic: Traffic,
    pub(crate) queue: Agenda,
    pub(crate) outbox: Outbox,
    /// The one that others read while this core fills the first.
    pub(crate) sent_outbox: Outbox,
    /// For what is written to DRAM.
    pub(crate) spare_leaves: SpareLeaves,
    /// What DRAM holds, while a window lasts.
    pub(crate) dram: Option<Arc<DramView>>,
    pub(crate) sequence: u64,
    pub(crate) clocks: [Clock; 5],
    /// A ready processor's clock and place in one number, so that the least is the earliest; the
    /// largest number for others.
    pub(crate) order: [u64; 5],
    /// The running processor needs no scheduling point while its clock is below this.
    pub(crate) horizon: Cycle,
    /// What is due from here on does not happen now.
    pub(crate) until: Cycle,
    /// How far it has gone: nothing happens here any more before this.
    pub(crate) gone: Cycle,
    /// The end of the window under way: no other core is reached before it.
    pub(crate) window_end: Cycle,
    /// When the call or transfer under way takes effect.
    pub(crate) now: Cycle,
    /// The processor that runs next, as found when the last one yielded.
    pub(crate) turn: Option<Processor>,
    /// What each blocked processor waits for; nothing for others.
    awaited: [Changes; 5],
    /// What any of them waits for.
    awaited_by_any: Changes,
    /// What changed at `now` that a blocked processor may have waited for.
    pub(crate) stirred: Changes,
    /// Something changed since the end of the last window that another processor can see.
    pub(crate) has_changed: bool,
    pub(crate) run: RunSettings,
    pub(crate) schedule: Schedule,
    pub(crate) digest: Digest,
    pub(crate) log: Vec<Event>,
    pub(crate) said: Said,
    pub(crate) stop: Option<Stop>,
    /// Processors whose kernels cannot be unwound.
    pub(crate) is_rigid: [bool; 5],
}

impl Core {
    /// A core as after boot.
    pub fn new(arch: &Arc<Architecture>, coord: CoreCoord) -> Core {
        Core {
            coord,
            index: arch.core_index(coord) as u16,
            l1: L1::new(arch.l1_bytes as usize),
            dst: Dst::at_boot(),
            sources: [SourceBanks::new(), SourceBanks::new()],
            configuration: Configuration::default(),
            settings: ComputeSettings::default(),
            scratch: Scratch::default(),
            vector: VectorState::default(),
            buffers: Vec::new(),
            counters: Default::default(),
            traffic: Traffic::new(arch),
            queue: Agenda::default(),
            outbox: Outbox::default(),
            sent_outbox: Outbox::default(),
            spare_leaves: SpareLeaves::default(),
            dram: None,
            sequence: 0,
            clocks: [Clock::STOPPED; 5],
            order: [NOT_READY; 5],
            horizon: Cycle(0),
            until: Cycle(0),
            gone: Cycle(0),
            window_end: Cycle(0),
            now: Cycle(0),
            turn: None,
            awaited: [Changes::NONE; 5],
            awaited_by_any: Changes::NONE,
            stirred: Changes::NONE,
            has_changed: false,
            run: RunSettings {
                seed: 0,
                noc: NocMode::Timed,
                is_observed: false,
                dram_bytes: 0,
                cycle_limit: u64::MAX,
                edit: None,
                step_budget: u64::MAX,
                watch: None,
                has_digest: true,
            },
            schedule: Schedule::new(0, 0),
            digest: Digest::EMPTY,
            log: Vec::new(),
            said: Said::default(),
            stop: None,
            is_rigid: [false; 5],
            arch: Arc::clone(arch),
        }
    }

    /// Its L1.
    pub fn l1(&self) -> &L1 {
        &self.l1
    }

    /// Its L1, for the host to write before a launch.
    pub fn l1_mut(&mut self) -> &mut L1 {
        &mut self.l1
    }

    /// Moves L1 to where kernels with raw pointers can reach it: below 4 GiB.
    pub fn move_l1_low(&mut self) -> std::io::Result<()> {
        self.l1.move_low()
    }

    /// Allocates the host's memory for its registers, for spans of L1 and for leaves of DRAM that
    /// it will write, now instead of on first use; changes nothing else.
    pub fn populate(&mut self, spans: impl IntoIterator<Item = (L1Address, u32)>, leaves: usize) {
        self.dst.populate();
        self.sources.iter_mut().for_each(SourceBanks::populate);
        self.spare_leaves.populate(leaves);
        for (at, bytes) in spans {
            self.l1.populate(at, bytes as usize);
        }
    }

    /// Announces a write to L1: source banks that refer to a tile there copy it first.
    #[inline]
    pub(crate) fn detach(&mut self, at: L1Address, bytes: u32) {
        for banks in &mut self.sources {
            banks.detach(&self.l1, at, bytes);
        }
    }

    /// Its Dst.
    pub fn dst(&self) -> &Dst {
        &self.dst
    }

    /// What a launch does: rings are empty, Dst and the sources are cleared, configuration is
    /// gone. L1, the Dst semaphore and the Dst halves stay.
    pub(crate) fn launch(
        &mut self,
        buffers: &[CbConfig],
        semaphores: &[(L1Address, u32)],
        settings: ComputeSettings,
    ) {
        self.buffers.resize_with(usize::from(self.arch.circular_buffers), || None);
        for config in buffers {
            self.buffers[usize::from(config.id.0)] = Some(CircularBuffer::new(*config));
        }
        for (at, value) in semaphores {
            self.l1.set_word(*at, *value);
        }
        self.dst.launch(settings.width, settings.sync);
        self.sources.iter_mut().for_each(SourceBanks::reset);
        self.settings = settings;
    }

    /// What a run does to every core, whether a kernel is launched on it or not.
    pub(crate) fn idle(&mut self, run: RunSettings) {
        self.buffers.clear();
        self.configuration = Configuration::default();
        self.counters = Default::default();
        self.traffic = Traffic::new(&self.arch);
        self.queue.clear();
        self.outbox.clear(&mut self.spare_leaves);
        self.sequence = 0;
        for clock in &mut self.clocks {
            *clock = Clock::STOPPED;
        }
        self.order = [NOT_READY; 5];
        (self.turn, self.gone) = (None, Cycle(0));
        self.awaited = [Changes::NONE; 5];
        self.awaited_by_any = Changes::NONE;
        self.stirred = Changes::NONE;
        self.has_changed = false;
        self.run = run;
        self.schedule = Schedule::new(run.seed, self.index);
        self.digest = Digest::EMPTY;
        self.log.clear();
        self.said = Said::default();
        self.stop = None;
        self.is_rigid = [false; 5];
    }

    /// The buffer, or the reason to stop.
    pub(crate) fn buffer(&self, cb: CbId) -> Result<&CircularBuffer, StopReason> {
        let found = self.buffers.get(usize::from(cb.0)).and_then(Option::as_ref);
        let Some(buffer) = found else { return Err(StopReason::NoSuchBuffer(cb)) };
        Ok(buffer)
    }

    /// The buffer for writing, or the reason to stop.
    pub(crate) fn buffer_mut(&mut self, cb: CbId) -> Result<&mut CircularBuffer, StopReason> {
        let found = self.buffers.get_mut(usize::from(cb.0)).and_then(Option::as_mut);
        let Some(buffer) = found else { return Err(StopReason::NoSuchBuffer(cb)) };
        Ok(buffer)
    }

    /// Every buffer's counts.
    pub(crate) fn ledgers(&self) -> Vec<CbLedger> {
        self.buffers.iter().flatten().map(CircularBuffer::ledger).collect()
    }

    /// Every processor's state.
    pub(crate) fn states(&self) -> Vec<ProcessorState> {
        let state = |processor: Processor| {
            let clock = &self.clocks[processor.index()];
            let word = match clock.activity {
                Activity::Blocked(Waiting::ForSemaphore { address, .. }) => self.l1.word(address),
                Activity::Blocked(_) | Activity::Idle | Activity::Ready | Activity::Finished => {
                    None
                }
            };
            ProcessorState {
                id: ProcessorId { core: self.coord, processor },
                cycle: clock.cycle,
                activity: clock.activity,
                site: clock.site,
                word,
            }
        };
        Processor::ALL.map(state).to_vec()
    }

    /// Records an event at a processor's clock.
    #[inline(always)]
    pub(crate) fn emit(&mut self, processor: Processor, kind: EventKind) {
        let cycle = self.clocks[processor.index()].cycle;
        if self.run.has_digest {
            self.digest.add(cycle, processor, &kind);
        }
        if self.run.is_observed {
            let site = self.clocks[processor.index()].site;
            self.log(cycle, ProcessorId { core: self.coord, processor }, site, kind);
        }
    }

    /// Keeps a kernel's output for the end of the run.
    pub(crate) fn keep_said(&mut self, processor: Processor, kind: EventKind) {
        let Clock { cycle, site, .. } = self.clocks[processor.index()];
        let processor = ProcessorId { core: self.coord, processor };
        self.said.add(Event { cycle, processor, site, kind });
    }

    /// Records an event at another time, for transfers, which may be another core's doing.
    #[inline(always)]
    pub(crate) fn emit_at(
        &mut self,
        cycle: Cycle,
        processor: ProcessorId,
        site: Site,
        kind: EventKind,
    ) {
        if self.run.has_digest {
            self.digest.add(cycle, processor.processor, &kind);
        }
        if self.run.is_observed {
            self.log(cycle, processor, site, kind);
        }
    }

    /// Keeps an event for observers.
    #[inline(never)]
    fn log(&mut self, cycle: Cycle, processor: ProcessorId, site: Site, kind: EventKind) {
        self.log.push(Event { cycle, processor, site, kind });
    }

    /// Tells observers where an operand is zero: a product with it, or a mask, leaves nothing of
    /// the other operand there. Not part of the digest, which is the same whether anybody watches
    /// or not.
    pub(crate) fn tell_zeros(&mut self, processor: Processor, operand: Operand, zeros: Zeros) {
        if zeros != Zeros::NONE {
            let clock = &self.clocks[processor.index()];
            let (cycle, site) = (clock.cycle, clock.site);
            let processor = ProcessorId { core: self.coord, processor };
            let kind = EventKind::Zeros { operand, zeros };
            self.log.push(Event { cycle, processor, site, kind });
        }
    }

    /// Notes that a processor cannot go on.
    pub(crate) fn block(&mut self, processor: Processor, waiting: Waiting) {
        self.clocks[processor.index()].activity = Activity::Blocked(waiting);
        self.order[processor.index()] = NOT_READY;
        self.await_changes(processor, waiting.ended_by());
        self.emit(processor, EventKind::Blocked(waiting));
    }

    fn await_changes(&mut self, processor: Processor, changes: Changes) {
        self.awaited[processor.index()] = changes;
        let all = self.awaited.iter().fold(Changes::NONE, |all, one| all.with(*one));
        self.awaited_by_any = all;
    }

    /// Whether a processor is blocked and waits for one of these.
    pub(crate) fn awaits(&self, processor: Processor, changes: Changes) -> bool {
        self.awaited[processor.index()].has_any_of(changes)
    }

    /// Readies a processor whose wait is over now.
    pub(crate) fn unblock(&mut self, processor: Processor) {
        self.await_changes(processor, Changes::NONE);
        let now = self.now;
        let clock = &mut self.clocks[processor.index()];
        clock.activity = Activity::Ready;
        clock.cycle = clock.cycle.max(now);
        self.note_ready(processor);
    }

    /// Notes where a ready processor's clock is. Clocks stay far below 2^61.
    #[inline]
    pub(crate) fn note_ready(&mut self, processor: Processor) {
        let place = processor.index();
        self.order[place] = self.clocks[place].cycle.0 << 3 | place as u64;
    }

    /// Says that a blocked processor which waits for such changes may be able to go on.
    #[inline]
    pub(crate) fn stir(&mut self, changes: Changes) {
        self.stirred = self.stirred.with(self.awaited_by_any.of(changes));
        self.has_changed = true;
    }

    /// Notes which call a processor is in.
    #[inline]
    pub(crate) fn called(&mut self, processor: Processor, site: Site) {
        self.clocks[processor.index()].site = site;
        if let Some(watch) = self.run.watch {
            watch.call(self.index, processor, site);
        }
    }

    /// Ends the run if a processor has made more calls than the budget since the last change.
    pub(crate) fn stop_livelocks(&mut self) {
        for processor in Processor::ALL {
            if self.clocks[processor.index()].calls > self.run.step_budget {
                self.stop_at(processor, self.livelock(processor));
            }
        }
    }

    /// The reason to stop a processor that only polls.
    pub(crate) fn livelock(&self, processor: Processor) -> StopReason {
        let clock = &self.clocks[processor.index()];
        let polled = clock.polled.filter(|(site, ..)| *site == clock.site);
        let polled = polled.map(|(_, at, bytes)| Polled { at, bytes, word: self.l1.word(at) });
        StopReason::Livelock { calls: clock.calls.max(clock.questions), polled }
    }

    /// Whether a wait is over.
    pub(crate) fn is_over(&self, processor: Processor, waiting: &Waiting) -> bool {
        match *waiting {
            Waiting::ForSpace { cb, asked } => self.buffer(cb).is_ok_and(|b| b.free() >= asked),
            Waiting::ForPages { cb, asked } => self.buffer(cb).is_ok_and(|b| b.visible() >= asked),
            Waiting::ForTransfers { noc, barrier, transaction } => {
                self.counters[processor.index()][noc as usize].under_way(barrier, transaction) == 0
            }
            Waiting::ForSemaphore { address, until } => {
                self.l1.word(address).is_some_and(|value| until.holds(value))
            }
            Waiting::ForDstSection => self.dst.can_acquire(),
            Waiting::ForDstCommit => self.dst.can_wait(),
            Waiting::ForDstDrained => self.dst.is_drained(),
            Waiting::ForFreeBank(source) => self.sources[source as usize].can_fill(),
            Waiting::ForFullBank(source) => self.sources[source as usize].can_drain(),
        }
    }

    /// Ends the run because of what a processor did.
    pub(crate) fn stop_at(&mut self, processor: Processor, reason: StopReason) {
        let clock = &self.clocks[processor.index()];
        let (cycle, site) = (clock.cycle, clock.site);
        let processor = ProcessorId { core: self.coord, processor };
        self.stop.get_or_insert(Stop { processor, cycle, site, reason });
        (self.horizon, self.turn) = (Cycle(0), None);
    }
}
