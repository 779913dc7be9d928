//! A run of a whole program: windows of simulated time, on one host thread or several.
//!
//! Cores advance alone for a window no longer than the least network latency. Between windows
//! they exchange what they sent, ordered by cycle, core and sequence, so that values, events and
//! endings are the same for any number of threads. As long as no core has sent another one
//! anything, windows are longer: the first request that does takes until the end of its window.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use crate::Cycle;
use crate::architecture::Architecture;
use crate::audience::{Audience, Curtain};
use crate::barrier::SpinBarrier;
use crate::circular_buffer::{CbConfig, CbLedger};
use crate::config::ComputeSettings;
use crate::core::{Core, RunSettings};
use crate::dst::DstSections;
use crate::edit::Edit;
use crate::event::{Digest, Observer};
use crate::fiber::KernelEntry;
use crate::grid::CoreCoord;
use crate::lock::lock;
use crate::memory::Dram;
use crate::noc::NocMode;
use crate::processor::{Activity, ProcessorState};
use crate::scheduler::Running;
use crate::stop::Stop;
use crate::transfer::{Outbox, Scheduled};
use crate::units::L1Address;
use crate::watch::Watch;

/// What runs on one core.
#[derive(Clone)]
pub struct CoreLaunch {
    /// The core.
    pub core: CoreCoord,
    /// Its circular buffers.
    pub buffers: Vec<CbConfig>,
    /// Its semaphores and their first values.
    pub semaphores: Vec<(L1Address, u32)>,
    /// What its compute kernel was compiled with.
    pub settings: ComputeSettings,
    /// The kernels, in the order of `Processor::ALL`.
    pub kernels: [Option<KernelEntry>; 5],
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Which schedule and latencies among the legal ones; 0 is the nominal one.
    pub seed: u64,
    /// Host threads.
    pub threads: usize,
    /// When transfers land.
    pub noc: NocMode,
    /// Simulated cycles after which a run is given up.
    pub cycle_limit: u64,
    /// A change to what kernels do, to see who notices.
    pub edit: Option<Edit>,
    /// Calls that a processor may make while nothing changes on any core and nothing is under way;
    /// after so many it is a livelock.
    pub step_budget: u64,
    /// The last cycle that happens, if the run is to be looked at there.
    pub stop_at: Option<Cycle>,
    /// Where to leave what each core is running.
    pub watch: Option<&'static Watch>,
    /// Whether events are fingerprinted. Without, the outcome's digest says nothing.
    pub has_digest: bool,
}

impl RunOptions {
    /// What a run has unless someone says otherwise.
    pub const USUAL: RunOptions = RunOptions {
        seed: 0,
        threads: 1,
        noc: NocMode::Timed,
        cycle_limit: 1 << 40,
        edit: None,
        // A kernel that polls in vain makes as many calls in milliseconds of the card's time, and
        // in less than a second of the host's.
        step_budget: 1 << 18,
        stop_at: None,
        watch: None,
        has_digest: true,
    };
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions::USUAL
    }
}

/// A core's state when a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreState {
    /// The core.
    pub core: CoreCoord,
    /// Its processors.
    pub processors: Vec<ProcessorState>,
    /// Its buffers.
    pub buffers: Vec<CbLedger>,
    /// How far math and pack are with Dst.
    pub dst: DstSections,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every kernel returned.
    Completed,
    /// Nothing could move any more.
    Stuck,
    /// These processors ended it, the earliest first.
    Stopped(Vec<Stop>),
    /// It could have gone on, and was asked to stop after this cycle.
    Paused(Cycle),
}

/// What a run left behind, besides the contents of the memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// The last cycle of any processor.
    pub cycles: Cycle,
    /// The fingerprint of all events.
    pub digest: Digest,
    /// Every core in row order; those without a kernel are idle.
    pub cores: Vec<CoreState>,
}

/// A core handed to a thread: its state and its kernels.
type Placed = (Core, [Option<KernelEntry>; 5]);

/// Runs the launches on their cores and gives the cores back.
pub(crate) fn run(
    arch: &Architecture,
    dram: &Dram,
    placed: Vec<Placed>,
    options: RunOptions,
    observers: &mut [&mut dyn Observer],
) -> std::io::Result<(Outcome, Vec<Core>)> {
    // Watching costs as much as running: with two threads or more it has one of them.
    let is_apart = options.threads > 1 && !observers.is_empty();
    let threads = (options.threads - usize::from(is_apart)).clamp(1, placed.len().max(1));
    let (audience, seats) = if is_apart {
        let (audience, seats) = Audience::apart(observers);
        (audience, Some(seats))
    } else {
        (Audience::here(observers), None)
    };
    let exchange = Exchange::new(arch, dram, threads, options.stop_at);
    let mut shares: Vec<Vec<Placed>> = (0..threads).map(|_| Vec::new()).collect();
    for (turn, core) in placed.into_iter().enumerate() {
        shares[turn % threads].push(core);
    }
    let results = std::thread::scope(|scope| {
        let (exchange, audience) = (&exchange, &audience);
        let watching = seats.map(|seats| scope.spawn(move || seats.watch()));
        let mut shares = shares.into_iter().enumerate();
        let own = shares.next();
        let others: Vec<_> = shares
            .map(|(index, share)| scope.spawn(move || exchange.work(index, share, audience)))
            .collect();
        let mut results: Vec<_> =
            own.into_iter().map(|(index, share)| exchange.work(index, share, audience)).collect();
        for other in others {
            results.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        if let Some(watching) = watching {
            watching.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        results
    });
    let mut ended = Vec::new();
    for result in results {
        ended.extend(result?);
    }
    ended.sort_by_key(|(core, _)| core.index);
    let (cores, ends): (Vec<Core>, Vec<CoreEnd>) = ended.into_iter().unzip();
    Ok((outcome(ends, options.stop_at), cores))
}

/// What one core looked like when the run was over.
pub(crate) struct CoreEnd {
    state: CoreState,
    stop: Option<Stop>,
    can_move: bool,
    digest: Digest,
}

impl CoreEnd {
    pub(crate) fn of(core: &Core, can_move: bool) -> CoreEnd {
        let (processors, buffers, dst) = (core.states(), core.ledgers(), core.dst.sections());
        let state = CoreState { core: core.coord, processors, buffers, dst };
        CoreEnd { state, stop: core.stop.clone(), can_move, digest: core.digest }
    }
}

fn outcome(ends: Vec<CoreEnd>, stop_at: Option<Cycle>) -> Outcome {
    let mut stops: Vec<Stop> = ends.iter().filter_map(|end| end.stop.clone()).collect();
    stops.sort_by_key(|stop| (stop.cycle, stop.processor));
    let processors = || ends.iter().flat_map(|end| &end.state.processors);
    let is_done = |processor: &ProcessorState| {
        matches!(processor.activity, Activity::Idle | Activity::Finished)
    };
    let can_move = ends.iter().any(|end| end.can_move);
    let ending = match stop_at {
        _ if !stops.is_empty() => Ending::Stopped(stops),
        _ if processors().all(is_done) => Ending::Completed,
        Some(cycle) if can_move => Ending::Paused(cycle),
        Some(_) | None => Ending::Stuck,
    };
    let mut digest = Digest::EMPTY;
    ends.iter().for_each(|end| digest.merge(end.digest));
    let cycles = processors().map(|processor| processor.cycle).max().unwrap_or_default();
    let cores = ends.into_iter().map(|end| end.state).collect();
    Outcome { ending, cycles, digest, cores }
}

/// Launch settings that every core of a run shares.
pub(crate) fn settings(options: &RunOptions, is_observed: bool, dram_bytes: u64) -> RunSettings {
    RunSettings {
        seed: options.seed,
        noc: options.noc,
        is_observed,
        dram_bytes,
        cycle_limit: options.cycle_limit,
        edit: options.edit,
        step_budget: options.step_budget,
        watch: options.watch,
        has_digest: options.has_digest,
    }
}

/// What threads share: what their cores have sent, and when the next window begins.
struct Exchange<'a> {
    dram: &'a Dram,
    window: u64,
    stop_at: Option<Cycle>,
    threads: usize,
    barrier: SpinBarrier,
    /// One outbox a core, by core number: written by its own thread, read by all between windows.
    outboxes: Vec<RwLock<Outbox>>,
    /// The cores that sent something, by the window's parity: one list is read while the other
    /// is emptied for the next window.
    senders: [Mutex<Vec<u16>>; 2],
    /// When each thread's cores can next move: `NEVER`, `STOPPED` or a cycle.
    next: Vec<AtomicU64>,
    /// Whether a core of each thread has sent another core anything.
    has_talked: Vec<AtomicBool>,
    /// Whether nothing changed on any core of each thread, and nothing is under way there.
    is_still: Vec<AtomicBool>,
}

/// Cycles of a window while cores are silent: some tens of tiles' work, which keeps a core's
/// memory in the host's caches, and host threads from waiting for each other.
const SILENT_WINDOW: u64 = 2048;

/// No core of the thread can move.
const NEVER: u64 = u64::MAX;
/// A core of the thread has ended the run.
const STOPPED: u64 = u64::MAX - 1;

/// What a thread tells the others between windows.
#[derive(Clone, Copy)]
struct Standing {
    next: u64,
    has_talked: bool,
    is_still: bool,
}

/// What all threads do next.
struct Window {
    /// Nothing reaches another core before this.
    end: Cycle,
    /// What is due from here on does not happen in it.
    until: Cycle,
    /// Nothing changed anywhere in the last one.
    is_still: bool,
}

/// One thread's cores.
struct Share {
    cores: Vec<Running>,
    /// Where a core is in `cores`, by its number.
    places: Vec<Option<usize>>,
    /// Those that have a kernel or something in flight.
    active: Vec<usize>,
    /// Whether one of them has sent another core anything.
    has_talked: bool,
}

impl Share {
    fn new(placed: Vec<Placed>, grid: usize) -> std::io::Result<Share> {
        let mut share = Share {
            cores: Vec::new(),
            places: vec![None; grid],
            active: Vec::new(),
            has_talked: false,
        };
        for (core, kernels) in placed {
            if kernels.iter().any(Option::is_some) {
                share.active.push(share.cores.len());
            }
            share.places[usize::from(core.index)] = Some(share.cores.len());
            share.cores.push(Running::new(core, kernels)?);
        }
        Ok(share)
    }

    /// Takes a message, never for before the window's end: until there its core has gone already.
    fn receive(&mut self, to: u16, message: &Scheduled, end: Cycle) {
        let Some(place) = self.places[usize::from(to)] else { return };
        assert!(message.cycle >= end, "what was sent in a window arrives after it");
        self.cores[place].core.borrow_mut().queue.push(message.clone());
        if !self.active.contains(&place) {
            self.active.push(place);
        }
    }

    fn standing(&mut self) -> Standing {
        let mut is_still = true;
        for place in &self.active {
            let core = &mut *self.cores[*place].core.borrow_mut();
            is_still &= !std::mem::take(&mut core.has_changed) && core.queue.is_empty();
        }
        Standing { next: self.next(), has_talked: self.has_talked, is_still }
    }

    /// Begins to count calls anew after a change anywhere; stops who makes too many without one.
    fn count_calls(&mut self, is_still: bool) {
        for place in &self.active {
            let core = &mut *self.cores[*place].core.borrow_mut();
            if is_still {
                core.stop_livelocks();
            } else {
                core.clocks.iter_mut().for_each(|clock| clock.calls = 0);
            }
        }
    }

    /// When something can next happen here, or that nothing will.
    fn next(&self) -> u64 {
        let cores = || self.active.iter().map(|place| &self.cores[*place]);
        if cores().any(|running| running.core.borrow().stop.is_some()) {
            return STOPPED;
        }
        cores().filter_map(Running::next_cycle).min().map_or(NEVER, |cycle| cycle.0)
    }
}

impl<'a> Exchange<'a> {
    fn new(
        arch: &Architecture,
        dram: &'a Dram,
        threads: usize,
        stop_at: Option<Cycle>,
    ) -> Exchange<'a> {
        Exchange {
            dram,
            window: arch.timing.noc_least,
            stop_at,
            threads,
            barrier: SpinBarrier::new(threads),
            outboxes: (0..arch.cores()).map(|_| RwLock::default()).collect(),
            senders: Default::default(),
            next: (0..threads).map(|_| AtomicU64::new(NEVER)).collect(),
            has_talked: (0..threads).map(|_| AtomicBool::new(false)).collect(),
            is_still: (0..threads).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// One thread's part of the run.
    fn work(
        &self,
        thread: usize,
        placed: Vec<Placed>,
        audience: &Audience<'_, '_>,
    ) -> std::io::Result<Vec<(Core, CoreEnd)>> {
        let curtain = (thread == 0).then(|| Curtain(audience));
        let mut share = Share::new(placed, self.outboxes.len());
        let next = share.as_ref().map_or(STOPPED, Share::next);
        let mut standing = Standing { next, has_talked: false, is_still: false };
        let mut turn = 0;
        while let Some(window) = self.agree(thread, standing) {
            let Ok(share) = &mut share else { break };
            share.count_calls(window.is_still);
            self.advance(share, turn % 2, &window, audience);
            self.barrier.wait();
            self.deliver(thread, share, turn % 2, window.end);
            if thread == 0 {
                lock(&self.senders[(turn + 1) % 2]).clear();
                audience.show(window.until);
            }
            standing = share.standing();
            turn += 1;
        }
        if thread == 0 {
            audience.show(self.last(Cycle(u64::MAX)));
        }
        drop(curtain);
        Ok(share?.cores.into_iter().map(Running::into_core).collect())
    }

    /// The end of the next window, which begins where something can next happen anywhere; nothing
    /// if the run is over.
    fn agree(&self, thread: usize, standing: Standing) -> Option<Window> {
        self.next[thread].store(standing.next, Ordering::Relaxed);
        self.has_talked[thread].store(standing.has_talked, Ordering::Relaxed);
        self.is_still[thread].store(standing.is_still, Ordering::Relaxed);
        self.barrier.wait();
        let all = || self.next.iter().map(|next| next.load(Ordering::Relaxed));
        if all().any(|next| next == STOPPED) {
            return None;
        }
        let has_talked = self.has_talked.iter().any(|talked| talked.load(Ordering::Relaxed));
        let window = if has_talked { self.window } else { SILENT_WINDOW };
        let start = all().min().filter(|next| *next != NEVER)?;
        if self.stop_at.is_some_and(|last| start > last.0) {
            return None;
        }
        let is_still = self.is_still.iter().all(|still| still.load(Ordering::Relaxed));
        let end = Cycle(start.saturating_add(window));
        Some(Window { end, until: self.last(end), is_still })
    }

    /// The end of what happens: `end`, unless the run is to stop before.
    fn last(&self, end: Cycle) -> Cycle {
        self.stop_at.map_or(end, |last| end.min(Cycle(last.0.saturating_add(1))))
    }

    /// Runs this thread's cores to the end of the window and puts out what they sent.
    fn advance(
        &self,
        share: &mut Share,
        parity: usize,
        window: &Window,
        audience: &Audience<'_, '_>,
    ) {
        let view = self.dram.view();
        for place in &share.active {
            let running = &mut share.cores[*place];
            running.run_until(window.until, window.end, &view);
            let core = &mut *running.core.borrow_mut();
            if !core.outbox.is_empty() {
                share.has_talked |= !core.outbox.messages.is_empty();
                let mut place = write(&self.outboxes[usize::from(core.index)]);
                place.clear();
                std::mem::swap(&mut *place, &mut core.outbox);
                lock(&self.senders[parity]).push(core.index);
            }
            if !core.log.is_empty() {
                audience.take(core.index, &mut core.log);
            }
        }
    }

    /// Takes the messages for this thread's cores and applies the writes to its banks of DRAM.
    fn deliver(&self, thread: usize, share: &mut Share, parity: usize, end: Cycle) {
        let senders = lock(&self.senders[parity]).clone();
        let mut writes = Vec::new();
        for sender in &senders {
            let outbox = read(&self.outboxes[usize::from(*sender)]);
            for write in &outbox.dram {
                if usize::from(write.at.bank) % self.threads == thread {
                    let key = (write.cycle, *sender, write.sequence);
                    writes.push((key, write.at, write.bytes.clone()));
                }
            }
            for (to, message) in &outbox.messages {
                share.receive(*to, message, end);
            }
        }
        writes.sort_by_key(|(key, ..)| *key);
        for ((_, sender, _), at, bytes) in writes {
            self.dram.write(at, &read(&self.outboxes[usize::from(sender)]).bytes[bytes]);
        }
    }
}

fn read<T>(place: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    place.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(place: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    place.write().unwrap_or_else(PoisonError::into_inner)
}
