//! A run of a whole program: what is asked of it, what it leaves behind, and its host threads.
//!
//! How cores advance is `exchange`'s business.

use crate::Cycle;
use crate::architecture::Architecture;
use crate::audience::Audience;
use crate::circular_buffer::{CbConfig, CbLedger};
use crate::config::ComputeSettings;
use crate::core::{Core, RunSettings};
use crate::digest::Digest;
use crate::dst::DstSections;
use crate::edit::Edit;
use crate::event::Observer;
use crate::exchange::Exchange;
use crate::fiber::KernelEntry;
use crate::grid::CoreCoord;
use crate::memory::Dram;
use crate::noc::NocMode;
use crate::processor::{Activity, ProcessorState};
use crate::said::Said;
use crate::stop::Stop;
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
    /// A deliberate fault (`tilewright grade`).
    pub edit: Option<Edit>,
    /// Calls that a processor may make while nothing changes on any core and nothing is under way;
    /// after so many it is a livelock.
    pub step_budget: u64,
    /// The last cycle that happens, if the run is to be looked at there.
    pub stop_at: Option<Cycle>,
    /// Where to leave what each core is running.
    pub watch: Option<&'static Watch>,
    /// Whether the program's cores have nothing to send each other, so that each can go on alone
    /// for long. What one sends all the same arrives late, but arrives.
    pub are_cores_apart: bool,
    /// Whether events are fingerprinted. If not, the outcome's digest is meaningless.
    pub has_digest: bool,
}

impl RunOptions {
    /// The default options.
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
        are_cores_apart: false,
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
    /// What kernels printed and marked.
    pub said: Said,
}

/// A core handed to a thread: its state and its kernels.
pub(crate) type Placed = (Box<Core>, [Option<KernelEntry>; 5]);

/// Runs the launches on their cores and gives the cores back.
pub(crate) fn run(
    arch: &Architecture,
    dram: &Dram,
    placed: Vec<Placed>,
    options: RunOptions,
    observers: &mut [&mut dyn Observer],
) -> std::io::Result<(Outcome, Vec<Box<Core>>)> {
    let is_observed = !observers.is_empty();
    // Watching costs as much as running: with two threads or more it has one of them.
    let has_seats = options.threads > 1 && is_observed;
    let threads = (options.threads - usize::from(has_seats)).clamp(1, placed.len().max(1));
    let (audience, seats) = if has_seats {
        let (audience, seats) = Audience::apart(observers, threads);
        (audience, Some(seats))
    } else {
        (Audience::here(observers), None)
    };
    let exchange = Exchange::new(arch, dram, threads, &options, is_observed);
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
    let (cores, ends): (Vec<Box<Core>>, Vec<CoreEnd>) = ended.into_iter().unzip();
    Ok((outcome(ends, options.stop_at), cores))
}

/// What one core looked like when the run was over.
pub(crate) struct CoreEnd {
    state: CoreState,
    stop: Option<Stop>,
    can_move: bool,
    digest: Digest,
    said: Said,
}

impl CoreEnd {
    pub(crate) fn of(core: &Core, can_move: bool) -> CoreEnd {
        let (processors, buffers, dst) = (core.states(), core.ledgers(), core.dst.sections());
        let state = CoreState { core: core.coord, processors, buffers, dst };
        let (stop, said) = (core.stop.clone(), core.said.clone());
        CoreEnd { state, stop, can_move, digest: core.digest, said }
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
    let (cores, said): (Vec<CoreState>, Vec<Said>) =
        ends.into_iter().map(|end| (end.state, end.said)).unzip();
    Outcome { ending, cycles, digest, cores, said: Said::joined(said) }
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
