//! An operation under one schedule, or under several on as many host threads as there are.
//!
//! Each schedule has a device of its own, so that it is the run that its seed alone would give.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tilewright_check::pause::{self, Pause};
use tilewright_check::{Finding, FindingId, Report, Session, Sighting, undeclared};
use tilewright_metal::{
    Cycle, Device, Ending, Observer, Outcome, Prepared, Program, RunOptions, TensorError,
};

use crate::ask::Ask;
use crate::heat::HeatMap;
use crate::injection::Injection;
use crate::judgement::{Judged, Outputs};
use crate::keep::{self, Kept};
use crate::lock;
use crate::outcome::Witness;
use crate::progress::{FrontEnd, Progress};
use crate::record::{self, Failure, HostSeconds, RunVerdict};
use crate::remedy;
use crate::request::Request;
use crate::share::{Counting, Share};
use crate::stages::{SIMULATING, Stages};
use crate::stopwatch::Stopwatch;
use crate::watchdog::Watchdog;

/// What came of one schedule.
pub(crate) struct ScheduleOutcome {
    /// Its seed.
    pub seed: u64,
    /// What was found and counts.
    pub sightings: Vec<Sighting>,
    /// What was found and is allowed.
    pub allowed: Vec<Finding>,
    /// What a reader should know before trusting the verdict.
    pub notes: Vec<String>,
    /// What it comes to.
    pub verdict: RunVerdict,
    /// Its outputs, if it completed.
    pub judged: Judged,
    /// Outputs that were compared with nothing, if it completed.
    pub uncompared: Vec<String>,
    /// Where it was, if it was stopped as asked.
    pub pause: Option<Pause>,
    /// Tiles of all inputs.
    pub tiles: u64,
    /// Simulated cycles of all programs.
    pub cycles: u64,
    /// A fingerprint of all events.
    pub digest: u64,
    /// The programs that ran.
    pub programs: Vec<record::Program>,
    /// What kernels printed, and their zones.
    pub said: record::Said,
    /// The host's time for the simulation.
    pub wall: Duration,
    /// Its time before and after.
    pub host_seconds: HostSeconds,
}

/// A schedule that has run, and the device that it ran on.
pub(crate) struct Ran {
    pub(crate) schedule: ScheduleOutcome,
    pub(crate) device: Device,
    /// Where the errors of each output lie, if somebody asks.
    pub(crate) heat: Vec<(String, HeatMap)>,
    /// What was to be kept.
    pub(crate) kept: Vec<Kept>,
}

/// The schedules of a request, each watched by a clock.
pub(crate) struct ScheduleRunner<'a> {
    ask: &'a Ask<'a>,
    front: &'a Arc<dyn FrontEnd>,
    watchdog: Watchdog,
}

impl<'a> ScheduleRunner<'a> {
    /// No schedule has run yet.
    pub(crate) fn new(ask: &'a Ask<'a>, front: &'a Arc<dyn FrontEnd>) -> ScheduleRunner<'a> {
        ScheduleRunner { ask, front, watchdog: Watchdog::start(ask, front) }
    }

    /// Runs the schedule with the request's seed.
    pub(crate) fn first(&self, witness: Option<&mut dyn Witness>) -> Result<Ran, Failure> {
        self.one(self.ask.options, None, witness)
    }

    /// Runs the request's other schedules on as many threads as it may use. They come in the order
    /// of their seeds, whichever thread was first.
    pub(crate) fn others(&self, known: &ScheduleOutcome) -> Result<Vec<ScheduleOutcome>, Failure> {
        let (first, seeds) = (self.ask.options.seed, self.ask.asked.seeds);
        let end = first.checked_add(seeds).ok_or_else(|| {
            Failure::new(format!("--seeds {seeds}: there are not so many seeds from {first} on"))
        })?;
        let (next, done) = (AtomicU64::new(first + 1), AtomicU64::new(1));
        let rest = Mutex::new(Vec::new());
        let progress = Progress::new(self.front);
        let workers = self.ask.options.threads;
        let workers = workers.clamp(1, usize::try_from(seeds).unwrap_or(usize::MAX));
        std::thread::scope(|scope| {
            let work = || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let options = RunOptions { seed, threads: 1, ..self.ask.options };
                    let ran = self.one(options, Some(known), None).map(|ran| ran.schedule);
                    lock(&rest).push((seed, ran));
                    progress.bar("schedules", done.fetch_add(1, Ordering::Relaxed) + 1, seeds);
                }
            };
            (1..workers).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        drop(progress);
        let mut rest = rest.into_inner().unwrap_or_else(PoisonError::into_inner);
        rest.sort_by_key(|(seed, _)| *seed);
        rest.into_iter().map(|(_, schedule)| schedule).collect()
    }

    /// Runs one schedule. Outputs whose bits are those of a `known` one need no judgement.
    fn one(
        &self,
        options: RunOptions,
        known: Option<&ScheduleOutcome>,
        witness: Option<&mut dyn Witness>,
    ) -> Result<Ran, Failure> {
        let (ask, is_mapped) = (self.ask, witness.is_some());
        // Schedules after the first have a bar that counts them.
        let stages = known.is_none().then(|| Stages::new(self.front, "making the inputs"));
        let now = |stage| stages.iter().for_each(|stages| stages.next(stage));
        let mut stopwatch = Stopwatch::start();
        let prepared = match known {
            None if ask.asked.seeds == 1 => ask.prepare_last(),
            _ => ask.prepare(),
        };
        let (mut device, mut prepared) = prepared?;
        let prepared_in = stopwatch.lap();
        if let Some(injection) = &ask.asked.injection {
            injection.apply(&mut prepared)?;
        }
        let keep = if known.is_none() { keep::of(ask.asked, &prepared) } else { Vec::new() };
        keep::check(&keep, &prepared)?;
        now(SIMULATING);
        let share = stages.as_ref().and_then(Stages::share);
        let seat = self.watchdog.seat(options.seed);
        let options = RunOptions { watch: seat.watch(), ..options };
        let faulty = ask.asked.injection.as_ref();
        let mut simulated =
            simulate(&prepared, &mut device, options, (ask.asked, faulty), (witness, share))?;
        if known.is_none() && faulty.is_none() {
            let ran = (simulated.outcomes.as_slice(), &mut simulated.report);
            remedy::of_stuck(ask, &prepared, options, ran);
        }
        drop(seat);
        now("judging the outputs");
        let Some(summary) = summary(&simulated, &prepared, options) else {
            return Err(Failure::new(format!("{}: there is nothing to run", ask.name())));
        };
        let (judged, mut host_seconds) =
            judged(ask, &prepared, &mut device, (&summary.ending, known, is_mapped))?;
        host_seconds.loading = (prepared_in + simulated.loading).as_secs_f64();
        let mut kept = keep::read(&keep, &prepared, &mut device)?;
        if known.is_none() {
            kept.extend(keep::changed(ask.asked, &prepared, &mut device)?);
        }
        let heat = judged.heat.clone();
        let mut schedule = schedule(ask, options, (&prepared, simulated, summary, judged));
        schedule.host_seconds = host_seconds;
        Ok(Ran { schedule, device, heat, kept })
    }
}

/// Judges the outputs of a run that completed: what one that ended early left in them means
/// nothing, and bits that are known have been judged. With it comes how long that took.
fn judged(
    ask: &Ask<'_>,
    prepared: &Prepared,
    device: &mut Device,
    (ending, known, is_mapped): (&Ending, Option<&ScheduleOutcome>, bool),
) -> Result<(Judged, HostSeconds), Failure> {
    match ending {
        Ending::Completed => {}
        Ending::Stuck | Ending::Stopped(_) | Ending::Paused(_) => return Ok(Default::default()),
    }
    let mut stopwatch = Stopwatch::start();
    let wrong = |error: TensorError| ask.wrong(&error.into());
    let outputs = Outputs::read(prepared, device).map_err(wrong)?;
    let bits = Some(outputs.bits());
    let read_back = stopwatch.lap().as_secs_f64();
    let judged = match known.filter(|known| known.judged.bits == bits) {
        Some(known) => known.judged.clone(),
        None => outputs.judge(prepared, device, is_mapped).map_err(wrong)?,
    };
    let judging = stopwatch.lap().as_secs_f64();
    Ok((judged, HostSeconds { loading: 0.0, read_back, judging }))
}

/// What came of a schedule, with the findings that its outputs are.
fn schedule(
    ask: &Ask<'_>,
    options: RunOptions,
    (prepared, mut simulated, summary, judged): (&Prepared, Simulated, Summary, Judged),
) -> ScheduleOutcome {
    let Summary { ending, cycles, digest } = summary;
    for beyond in &judged.beyond {
        simulated.report.beyond_bound(beyond, Cycle(cycles));
    }
    for padded in &judged.padded {
        simulated.report.output_padding(padded, Cycle(cycles));
    }
    let finding = |sighting: &Sighting| record::Finding::from(&sighting.finding);
    let findings: Vec<_> = simulated.report.sightings.iter().map(finding).collect();
    let uncompared = match &judged.bits {
        Some(_) => uncompared(prepared, &judged.outputs),
        None => Vec::new(),
    };
    ScheduleOutcome {
        seed: options.seed,
        verdict: RunVerdict::of(&ending, &findings, &judged.outputs, &uncompared),
        notes: notes(ask.asked, &simulated.report, prepared),
        sightings: simulated.report.sightings,
        allowed: simulated.report.allowed,
        uncompared,
        judged,
        pause: simulated.pause,
        tiles: prepared.input_tiles,
        cycles,
        digest,
        programs: programs(&simulated.outcomes, prepared),
        said: record::Said::of(&simulated.outcomes),
        wall: simulated.wall,
        host_seconds: HostSeconds::default(),
    }
}

/// Outputs of which nothing is known, or no element could be judged.
fn uncompared(prepared: &Prepared, outputs: &BTreeMap<String, record::Output>) -> Vec<String> {
    let unjudged = outputs.iter().filter(|(_, output)| output.judged == 0);
    let unjudged = unjudged.map(|(name, _)| name.clone());
    let unknown = prepared.uncompared().into_iter().map(|output| output.name.clone());
    unknown.chain(unjudged).collect()
}

/// What the allows and declarations leave to say.
fn notes(asked: &Request, report: &Report, prepared: &Prepared) -> Vec<String> {
    let is_found = |id: &FindingId| report.allowed.iter().any(|finding| finding.id == *id);
    let unused = asked.allow.iter().filter(|id| !is_found(id));
    let mut notes: Vec<String> =
        unused.map(|id| format!("--allow {id}: nothing of this kind was found")).collect();
    if !report.allowed.is_empty() {
        let ids: Vec<&str> = report.allowed.iter().map(|finding| finding.id.name()).collect();
        notes.push(format!("allowed and not listed: {}", ids.join(", ")));
    }
    notes.extend(report.notes.iter().cloned());
    notes.extend(asked.injection.iter().map(|injection| format!("injected fault: {injection}")));
    notes.extend(prepared.programs.iter().flat_map(|program| undeclared(program, &asked.check)));
    notes
}

/// What programs came to, what was found, and how long the host took for that.
pub(crate) struct Simulated {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) report: Report,
    pause: Option<Pause>,
    loading: Duration,
    wall: Duration,
}

/// Runs the programs one after the other, each watched by the tools asked for, with a deliberate
/// fault if there is to be one.
pub(crate) fn simulate(
    prepared: &Prepared,
    device: &mut Device,
    options: RunOptions,
    (asked, injection): (&Request, Option<&Injection>),
    (mut witness, share): (Option<&mut dyn Witness>, Option<&Share>),
) -> Result<Simulated, Failure> {
    #[cfg(target_os = "linux")]
    let _running = crate::worker::Running::begin();
    let mut stopwatch = Stopwatch::start();
    prepared.load(device).map_err(no_stacks)?;
    let loading = stopwatch.lap();
    let (mut outcomes, mut all, mut pause) = (Vec::new(), Report::default(), None);
    let mut elapsed = 0;
    share.iter().for_each(|share| share.expect(&prepared.programs));
    for (number, program) in prepared.programs.iter().enumerate() {
        let stop_at = match options.stop_at {
            // What is asked for has happened by the end of the programs before.
            Some(last) if elapsed > 0 && last.0 <= elapsed => break,
            last => last.map(|last| Cycle(last.0 - elapsed)),
        };
        let edit = injection.and_then(|injection| injection.edit(number));
        let options = RunOptions { stop_at, edit, ..options };
        let mut session = Session::new(program, &asked.check).allow(asked.allow.iter().copied());
        let mut counting;
        let mut observers: Vec<&mut dyn Observer> = Vec::new();
        match share {
            _ if !session.is_watching() => {}
            Some(share) => {
                counting = Counting::new(&mut session, program, share);
                observers.push(&mut counting);
            }
            None => observers.push(&mut session),
        }
        if let Some(witness) = witness.as_deref_mut() {
            witness.begin(program);
            observers.push(witness.observer());
        }
        let outcome = program.run(device, options, &mut observers).map_err(no_stacks)?;
        if let Some(witness) = witness.as_deref_mut() {
            witness.end(&outcome);
        }
        let mut report = session.report(program, &outcome);
        if prepared.programs.len() > 1 {
            report.name_program(program.name());
        }
        all.join(report, elapsed);
        pause = pause::pause(program, &outcome);
        elapsed += outcome.cycles.0;
        let is_last = outcome.ending != Ending::Completed;
        outcomes.push(outcome);
        if is_last {
            break;
        }
    }
    Ok(Simulated { outcomes, report: all, pause, loading, wall: stopwatch.lap() })
}

fn no_stacks(error: std::io::Error) -> Failure {
    Failure::new(format!("the host gives no memory for the kernels' stacks: {error}"))
        .help("free some memory, or use fewer cores")
}

/// What programs that ran one after the other come to.
struct Summary {
    ending: Ending,
    cycles: u64,
    digest: u64,
}

/// The last program's ending, all cycles, and a digest of all events.
fn summary(ran: &Simulated, prepared: &Prepared, options: RunOptions) -> Option<Summary> {
    let (first, others) = ran.outcomes.split_first()?;
    let mut digest = first.digest;
    others.iter().for_each(|outcome| digest.merge(outcome.digest));
    let ending = ran.outcomes.last()?.ending.clone();
    let ending = match (ending, options.stop_at) {
        // It was stopped between two programs.
        (Ending::Completed, Some(last)) if ran.outcomes.len() < prepared.programs.len() => {
            Ending::Paused(last)
        }
        (ending, _) => ending,
    };
    let cycles = ran.outcomes.iter().map(|outcome| outcome.cycles.0).sum();
    Some(Summary { ending, cycles, digest: digest.0 })
}

/// What each program came to.
fn programs(outcomes: &[Outcome], prepared: &Prepared) -> Vec<record::Program> {
    let program = |(outcome, program): (&Outcome, &Program)| record::Program {
        name: program.name().to_owned(),
        cycles: outcome.cycles.0,
        digest: format!("{:016x}", outcome.digest.0),
    };
    outcomes.iter().zip(&prepared.programs).map(program).collect()
}
