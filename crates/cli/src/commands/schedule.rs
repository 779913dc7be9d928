//! An operation under one schedule, or under several on as many host threads as there are.
//!
//! Each schedule has a device of its own, so that it is the run that its seed alone would give.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tilewright_check::pause::{self, Pause};
use tilewright_check::value::{Beyond, Padded};
use tilewright_check::{Finding, FindingId, Report, Session, Sighting, undeclared};
use tilewright_metal::{
    Cycle, Device, Ending, Expected, Observer, Outcome, Prepared, Program, RunOptions,
};
use tilewright_ops::{OpError, judge};
use tilewright_report::record::{self, Failure, RunVerdict};
use tilewright_report::timeline::Recorder;
use tilewright_run::heat::{HeatMap, heat_map};
use tilewright_run::padding::padding_faults;

use super::run::Ask;
use crate::args::Run;
use crate::output::Progress;
use crate::stages::Stages;
use crate::watchdog::Watchdog;

/// What came of one schedule.
pub struct Schedule {
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
    /// A fingerprint of each output, if it completed.
    pub bits: Option<Vec<(String, u64)>>,
    /// The outputs, judged, if it completed.
    pub outputs: BTreeMap<String, record::Output>,
    /// Outputs that were compared with nothing, if it completed.
    pub uncompared: Vec<String>,
    /// The outputs outside their bounds, if it was judged anew.
    beyond: Vec<Beyond>,
    /// The outputs whose padding is not as declared, if it was judged anew.
    padded: Vec<Padded>,
    /// Where the errors of each output lie, if it was recorded.
    pub heat: Vec<(String, HeatMap)>,
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
}

/// Runs so many schedules from the first seed on. They come in the order of their seeds, whichever
/// thread was first.
pub fn explore(ask: &Ask<'_>, seeds: u64, watchdog: &Watchdog) -> Result<Vec<Schedule>, Failure> {
    let first = ask.options.seed;
    let end = first.checked_add(seeds).ok_or_else(|| {
        Failure::new(format!("--seeds {seeds}: there are not so many seeds from {first} on"))
    })?;
    let mut all = vec![one(ask, ask.options, watchdog, None)?];
    let (next, done) = (AtomicU64::new(first + 1), AtomicU64::new(1));
    let (known, rest) = (&all[0], Mutex::new(Vec::new()));
    let progress = Progress::new();
    let workers = ask.options.threads.clamp(1, usize::try_from(seeds).unwrap_or(usize::MAX));
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= end {
                    return;
                }
                let options = RunOptions { seed, threads: 1, ..ask.options };
                let schedule = one(ask, options, watchdog, Some(known));
                rest.lock().unwrap_or_else(PoisonError::into_inner).push((seed, schedule));
                progress.bar("schedules", done.fetch_add(1, Ordering::Relaxed) + 1, seeds);
            }
        };
        (1..workers).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    drop(progress);
    let mut rest = rest.into_inner().unwrap_or_else(PoisonError::into_inner);
    rest.sort_by_key(|(seed, _)| *seed);
    for (_, schedule) in rest {
        all.push(schedule?);
    }
    Ok(all)
}

/// Runs one schedule. Outputs whose bits are those of a `known` one need no judgement.
pub fn one(
    ask: &Ask<'_>,
    options: RunOptions,
    watchdog: &Watchdog,
    known: Option<&Schedule>,
) -> Result<Schedule, Failure> {
    Ok(made(ask, options, watchdog, known, None)?.0)
}

/// Runs the schedule asked for with somebody who records it; gives the chip that it ran on, too.
pub fn recorded(
    ask: &Ask<'_>,
    watchdog: &Watchdog,
    recorder: &mut Recorder,
) -> Result<(Schedule, Device), Failure> {
    made(ask, ask.options, watchdog, None, Some(recorder))
}

fn made(
    ask: &Ask<'_>,
    options: RunOptions,
    watchdog: &Watchdog,
    known: Option<&Schedule>,
    recorder: Option<&mut Recorder>,
) -> Result<(Schedule, Device), Failure> {
    let wrong = |error: OpError| ask.wrong(&error);
    let mut device = Device::n150();
    // Schedules after the first have a bar that counts them.
    let stages = known.is_none().then(|| Stages::new("making the inputs"));
    let now = |stage| stages.iter().for_each(|stages| stages.next(stage));
    let prepared = ask.prepare(&mut device)?;
    now("simulating");
    let seat = watchdog.seat(options.seed);
    let options = RunOptions { watch: seat.watch(), ..options };
    let is_recorded = recorder.is_some();
    let mut ran = simulate(&prepared, &mut device, options, ask.asked, recorder)?;
    if known.is_none() {
        try_remedies(ask, &prepared, options, &mut ran);
    }
    drop(seat);
    now("judging the outputs");
    let Some(Summary { ending, cycles, digest }) = summary(&ran, &prepared, options) else {
        return Err(Failure::new(format!("{}: there is nothing to run", ask.name())));
    };
    let bits = match ending {
        Ending::Completed => {
            Some(prepared.output_bits(&mut device).map_err(|error| wrong(error.into()))?)
        }
        // What a run that ended early left in its outputs means nothing.
        Ending::Stuck | Ending::Stopped(_) | Ending::Paused(_) => None,
    };
    let same = known.filter(|known| bits.is_some() && bits == known.bits);
    let judged = match (&bits, same) {
        (None, _) | (_, Some(_)) => Judged::default(),
        (Some(_), None) => judge(&prepared, &mut device, is_recorded).map_err(wrong)?,
    };
    let outputs = same.map_or(judged.outputs, |known| known.outputs.clone());
    let uncompared = bits.as_ref().map(|_| uncompared(&prepared, &outputs)).unwrap_or_default();
    for beyond in same.map_or(&judged.beyond, |known| &known.beyond) {
        ran.report.beyond_bound(beyond, Cycle(cycles));
    }
    for padded in same.map_or(&judged.padded, |known| &known.padded) {
        ran.report.output_padding(padded, Cycle(cycles));
    }
    let finding = |sighting: &Sighting| record::Finding::from(&sighting.finding);
    let findings: Vec<_> = ran.report.sightings.iter().map(finding).collect();
    let schedule = Schedule {
        seed: options.seed,
        verdict: RunVerdict::of(&ending, &findings, &outputs, &uncompared),
        notes: notes(ask.asked, &ran.report, &prepared),
        sightings: ran.report.sightings,
        allowed: ran.report.allowed,
        bits,
        outputs,
        uncompared,
        beyond: judged.beyond,
        padded: judged.padded,
        heat: judged.heat,
        pause: ran.pause,
        tiles: prepared.input_tiles,
        cycles,
        digest,
        programs: programs(&ran.outcomes, &prepared),
        said: record::Said::of(&ran.outcomes),
        wall: ran.wall,
    };
    Ok((schedule, device))
}

/// Outputs of which nothing is known, or no element could be judged.
fn uncompared(prepared: &Prepared, outputs: &BTreeMap<String, record::Output>) -> Vec<String> {
    let unjudged = outputs.iter().filter(|(_, output)| output.judged == 0);
    let unjudged = unjudged.map(|(name, _)| name.clone());
    let unknown = prepared.uncompared().into_iter().map(|output| output.name.clone());
    unknown.chain(unjudged).collect()
}

/// What the allows and declarations leave to say.
fn notes(asked: &Run, report: &Report, prepared: &Prepared) -> Vec<String> {
    let is_found = |id: &FindingId| report.allowed.iter().any(|finding| finding.id == *id);
    let unused = asked.allow.iter().filter(|id| !is_found(id));
    let mut notes: Vec<String> =
        unused.map(|id| format!("--allow {id}: nothing of this kind was found")).collect();
    if !report.allowed.is_empty() {
        let ids: Vec<&str> = report.allowed.iter().map(|finding| finding.id.name()).collect();
        notes.push(format!("allowed and not listed: {}", ids.join(", ")));
    }
    notes.extend(report.notes.iter().cloned());
    notes.extend(prepared.programs.iter().flat_map(|program| undeclared(program, &asked.check)));
    notes
}

/// What programs came to, what was found, and how long the host took for that.
struct Ran {
    outcomes: Vec<Outcome>,
    report: Report,
    pause: Option<Pause>,
    wall: Duration,
}

/// Runs the programs one after the other, each watched by the tools asked for.
fn simulate(
    prepared: &Prepared,
    device: &mut Device,
    options: RunOptions,
    asked: &Run,
    mut recorder: Option<&mut Recorder>,
) -> Result<Ran, Failure> {
    #[cfg(target_os = "linux")]
    let _running = tilewright_run::Running::begin();
    prepared.load(device).map_err(no_stacks)?;
    #[expect(clippy::disallowed_methods, reason = "the user asks how fast the simulation is")]
    let started = Instant::now();
    let (mut outcomes, mut all, mut pause) = (Vec::new(), Report::default(), None);
    let mut elapsed = 0;
    for program in &prepared.programs {
        let stop_at = match options.stop_at {
            // What is asked for has happened by the end of the programs before.
            Some(last) if elapsed > 0 && last.0 <= elapsed => break,
            last => last.map(|last| Cycle(last.0 - elapsed)),
        };
        let options = RunOptions { stop_at, ..options };
        let mut session = Session::new(program, &asked.check).allow(asked.allow.iter().copied());
        let mut observers: Vec<&mut dyn Observer> = Vec::new();
        if session.is_watching() {
            observers.push(&mut session);
        }
        if let Some(recorder) = recorder.as_deref_mut() {
            recorder.begin(program);
            observers.push(recorder);
        }
        let outcome = program.run(device, options, &mut observers).map_err(no_stacks)?;
        if let Some(recorder) = recorder.as_deref_mut() {
            recorder.end(&outcome);
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
    Ok(Ran { outcomes, report: all, pause, wall: started.elapsed() })
}

/// Whether more pages would have helped a run that is stuck.
fn try_remedies(ask: &Ask<'_>, prepared: &Prepared, options: RunOptions, ran: &mut Ran) {
    let is_stuck = |outcome: &Outcome| outcome.ending == Ending::Stuck;
    let Some(last) = ran.outcomes.iter().position(is_stuck) else { return };
    let again = |program: &Program| {
        let mut device = Device::n150();
        let mut prepared = ask.prepare(&mut device).ok()?;
        prepared.programs[last] = program.clone();
        prepared.load(&mut device).ok()?;
        for earlier in &prepared.programs[..last] {
            let outcome = earlier.run(&mut device, options, &mut []).ok()?;
            if outcome.ending != Ending::Completed {
                return None;
            }
        }
        program.run(&mut device, options, &mut []).ok()
    };
    let device = Device::n150();
    ran.report.try_remedies(&prepared.programs[last], device.architecture(), again);
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
fn summary(ran: &Ran, prepared: &Prepared, options: RunOptions) -> Option<Summary> {
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

/// Cells of a heat map a side, at most.
const HEAT_CELLS: usize = 96;

/// What came of judging the outputs.
#[derive(Default)]
struct Judged {
    outputs: BTreeMap<String, record::Output>,
    beyond: Vec<Beyond>,
    padded: Vec<Padded>,
    heat: Vec<(String, HeatMap)>,
}

fn judge(prepared: &Prepared, device: &mut Device, is_mapped: bool) -> Result<Judged, OpError> {
    let known = |output: &Expected| (output.tensor.shape, output.tensor_name());
    let tensors: Vec<_> = prepared.outputs.iter().map(known).collect();
    let judged = judge::outputs_and(prepared, device, |shape, values, reference| {
        is_mapped.then(|| heat_map(values, reference, shape, HEAT_CELLS))
    })?;
    let faults = padding_faults(prepared, device)?;
    let padded = faults.iter().map(record::Output::padded).collect();
    let mut all = Judged { padded, ..Judged::default() };
    for ((name, judgement, map), (shape, tensor)) in judged.into_iter().zip(tensors) {
        all.outputs.insert(name.to_owned(), record::Output::new(&shape, &judgement));
        all.beyond.extend(record::Output::beyond(tensor, &shape, &judgement));
        all.heat.extend(map.map(|map| (name.to_owned(), map)));
    }
    Ok(all)
}
