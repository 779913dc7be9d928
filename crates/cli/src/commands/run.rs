//! `tilewright run`: what was asked for, and one record of all its schedules.

use std::collections::BTreeMap;

use tilewright_check::{FindingId, Scheduled, Schedules, Tools, memory};
use tilewright_metal::{
    Architecture, Device, Family, HOST_BYTES_PER_VALUE, NocMode, Prepared, RunOptions, nearest,
};
use tilewright_ops::{OpError, Operation, Request};
use tilewright_report::record::{self, Failure, RunVerdict};
use tilewright_report::timeline::Recorder;
use tilewright_report::{json, terminal};
use tilewright_run::heat::HeatMap;
use tilewright_tile::DataFormat;

use super::job::Job;
use super::schedule::{self, Schedule};
pub(super) use super::words::{dst_bits, noc_word, sync_word};
use super::{few_cores, manifest, names};
use crate::args::{Run, Threads};
use crate::host;
use crate::output::{Output, Status, printed};
use crate::watchdog::Watchdog;

/// Tiles with which every core of an operation repeats its loops.
const TILES_A_CORE: u32 = 16;

/// How much of an answer is shown on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Findings, outputs with their errors, figures.
    Run,
    /// Findings and the verdict.
    Check,
}

/// What is to be run, checked as far as no operation need be asked.
pub struct Ask<'a> {
    /// As it was typed.
    pub asked: &'a Run,
    /// How to run it.
    pub options: RunOptions,
    subject: Subject,
}

/// What a name on the command line means.
enum Subject {
    /// One of our operations, and what it is asked for.
    Operation(&'static dyn Operation, Request),
    /// A user's program.
    Manifest(Box<manifest::Asked>),
}

impl<'a> Ask<'a> {
    /// Reads the arguments, and the manifest if one is meant.
    pub fn new(asked: &'a Run) -> Result<Ask<'a>, Failure> {
        if manifest::is_meant(&asked.name) {
            let manifest = manifest::Asked::new(asked)?;
            let options = options(asked, manifest.cores());
            return Ok(Ask { asked, options, subject: Subject::Manifest(Box::new(manifest)) });
        }
        let operation = operation(&asked.name)?;
        let request = request(asked, operation, &Device::n150())?;
        let options = options(asked, request.cores);
        Ok(Ask { asked, options, subject: Subject::Operation(operation, request) })
    }

    /// Whether its kernels are foreign code, which this process had better not run itself.
    pub fn is_foreign(&self) -> bool {
        matches!(self.subject, Subject::Manifest(_))
    }

    /// What a reader should know before trusting any verdict on it.
    fn notes(&self) -> Vec<String> {
        match &self.subject {
            Subject::Operation(..) => Vec::new(),
            Subject::Manifest(manifest) => manifest.notes(),
        }
    }

    /// What reports call it.
    pub fn name(&self) -> &str {
        match &self.subject {
            Subject::Operation(operation, _) => operation.name(),
            Subject::Manifest(_) => &self.asked.name,
        }
    }

    /// What it calls itself: the operation's name, or the manifest's own.
    pub fn own_name(&self) -> String {
        match &self.subject {
            Subject::Operation(operation, _) => operation.name().to_owned(),
            Subject::Manifest(manifest) => manifest.name().to_owned(),
        }
    }

    /// Puts inputs on a device and makes the programs, ready to run.
    pub fn prepare(&self, device: &mut Device) -> Result<Prepared, Failure> {
        match &self.subject {
            Subject::Operation(operation, request) => {
                operation.prepare(device, request).map_err(|error| self.wrong(&error))
            }
            Subject::Manifest(manifest) => manifest.prepare(device),
        }
    }

    /// On how few cores every core would repeat its loops; nothing if it does, if the caller has
    /// said how many cores there are, or if the program deals its work out itself.
    pub fn few_cores(&self) -> Option<u32> {
        if self.asked.cores.is_some() {
            return None;
        }
        match &self.subject {
            Subject::Operation(_, request) => {
                let tiles = request.shape.tiles() as u32;
                let few = (tiles / TILES_A_CORE).max(1);
                (few < tiles.min(request.cores)).then_some(few)
            }
            Subject::Manifest(manifest) => manifest.few_cores(),
        }
    }

    /// What an operation says it cannot do.
    pub fn wrong(&self, error: &OpError) -> Failure {
        wrong(self.name(), error)
    }

    /// What was asked for, with every default filled in.
    pub fn echo(&self) -> record::Request {
        match &self.subject {
            Subject::Operation(operation, request) => echo(*operation, request, self.options),
            Subject::Manifest(manifest) => manifest.echo(self.asked, self.options),
        }
    }

    /// The record of schedules that came to a verdict; the first gives cycles and digest.
    pub fn record(&self, first: &Schedule, told: Told) -> record::Run {
        let seconds = first.wall.as_secs_f64();
        let Told { verdict, findings, outputs, uncompared, schedules } = told;
        let judged = outputs.iter().filter_map(|(name, output)| output.note(name));
        let advice = (verdict == RunVerdict::Unjudged).then(|| self.advice(&outputs, &uncompared));
        let compiled_by = self.compiled_by();
        let other = compiled_by.as_ref().and_then(|by| manifest::other_compiler(self.asked, by));
        let own = first.notes.iter().cloned().chain(self.notes());
        let notes = judged.chain(advice.flatten()).chain(own).chain(other).collect();
        record::Run {
            verdict,
            request: self.echo(),
            findings,
            allowed: first.allowed.len(),
            notes,
            outputs,
            uncompared,
            tiles: first.tiles,
            cycles: first.cycles,
            wall_seconds: seconds,
            tiles_per_second: first.tiles as f64 / seconds.max(1e-9),
            seed: self.options.seed,
            schedules,
            digest: format!("{:016x}", first.digest),
            programs: first.programs.clone(),
            also_cores: None,
            compiled_by,
            printed: first.said.printed.iter().cloned().chain(printed()).collect(),
            zones: first.said.zones.clone(),
            omitted_zones: first.said.omitted_zones,
            replay: self.replay("run", self.options.seed),
        }
    }

    /// What would have outputs compared that were not.
    fn advice(
        &self,
        outputs: &BTreeMap<String, record::Output>,
        uncompared: &[String],
    ) -> Option<String> {
        let unknown = uncompared.iter().find(|name| !outputs.contains_key(*name));
        let is_manifest = matches!(self.subject, Subject::Manifest(_));
        (is_manifest && (unknown.is_some() || outputs.is_empty())).then(|| {
            let name = unknown.map_or("NAME", String::as_str);
            format!(
                "nothing says what `{name}` must hold: add [reference] with an operation of \
                 `tilewright list`, or [expected.{name}] with a file"
            )
        })
    }

    /// Who compiled the kernels, if they were compiled.
    pub fn compiled_by(&self) -> Option<String> {
        match &self.subject {
            Subject::Operation(..) => None,
            Subject::Manifest(manifest) => Some(manifest.compiled_by()),
        }
    }

    /// The command that makes the run with a seed again.
    pub fn replay(&self, command: &str, seed: u64) -> String {
        match &self.subject {
            Subject::Operation(_, request) => replay(self.asked, request, command, seed),
            Subject::Manifest(manifest) => {
                manifest::replay(self.asked, command, (seed, &manifest.compiled_by()))
            }
        }
    }
}

/// What came of all schedules together.
pub struct Told {
    /// What they come to.
    pub verdict: RunVerdict,
    /// What was found in any of them.
    pub findings: Vec<record::Finding>,
    /// Outputs of one that completed.
    pub outputs: BTreeMap<String, record::Output>,
    /// Outputs that were compared with nothing, in one that completed.
    pub uncompared: Vec<String>,
    /// How many there were.
    pub schedules: u64,
}

/// Runs an operation or a manifest under one schedule or several and shows what came of it.
pub fn job(asked: &Run, seeds: u64, face: Face) -> Job<'_> {
    Job {
        // The second run of `check` counts.
        runs: if face == Face::Check { seeds.saturating_add(1) } else { seeds },
        files: Box::new(|_| Vec::new()),
        work: Box::new(move |ask, output| run(ask, seeds, output, face)),
        show: Box::new(move |run, output| show(&run, output, face, asked)),
    }
}

fn run(ask: &Ask<'_>, seeds: u64, output: &Output, face: Face) -> Result<Status, Failure> {
    if seeds == 0 {
        return Err(Failure::new("--seeds 0: there is nothing to run").help("give at least 1"));
    }
    let watchdog = Watchdog::start(ask, *output);
    let schedules = schedule::explore(ask, seeds, &watchdog)?;
    drop(watchdog);
    let mut run = merged(ask, schedules);
    if face == Face::Check {
        few_cores::also(ask, &mut run, output);
    }
    Ok(show(&run, output, face, ask.asked))
}

fn show(run: &record::Run, output: &Output, face: Face, asked: &Run) -> Status {
    let text = |paint| match face {
        Face::Run => terminal::run(run, paint),
        Face::Check => terminal::check(run, paint),
    };
    output.answer(|| json::text(run), text, status(run.verdict, asked))
}

/// A run and what may be drawn of it.
pub struct Performed {
    /// What a file about it is called, unless its reader says otherwise.
    pub name: String,
    /// What `tilewright run` answers.
    pub run: record::Run,
    /// Where the errors of each output lie.
    pub heat: Vec<(String, HeatMap)>,
    /// The chip it ran on, with its buffers.
    pub device: Device,
}

/// Runs an operation under one schedule, watched by the tools asked for and by a recorder.
pub fn perform(
    ask: &Ask<'_>,
    output: &Output,
    recorder: &mut Recorder,
) -> Result<Performed, Failure> {
    let watchdog = Watchdog::start(ask, *output);
    let (mut one, device) = schedule::recorded(ask, &watchdog, recorder)?;
    drop(watchdog);
    let heat = std::mem::take(&mut one.heat);
    Ok(Performed { name: ask.own_name(), run: merged(ask, vec![one]), heat, device })
}

/// One record of all schedules.
pub(super) fn merged(ask: &Ask<'_>, all: Vec<Schedule>) -> record::Run {
    let mut schedules = Schedules::default();
    for one in &all {
        schedules.add(one.seed, one.sightings.clone(), one.bits.as_deref().unwrap_or_default());
    }
    let is_one = all.len() == 1;
    let finding = |found: &Scheduled| {
        let mut finding = record::Finding::from(&found.finding);
        let command = ask.replay("replay", found.seeds[0]);
        let stop = found.cycle.map_or_else(String::new, |cycle| format!(" --stop-at {cycle}"));
        finding.replay = Some(command + &stop);
        if !is_one {
            finding.seeds.clone_from(&found.seeds);
        }
        finding
    };
    let findings: Vec<_> = schedules.findings().iter().map(finding).collect();
    let unstable = findings.iter().any(|it| it.id == FindingId::UnstableOutput.name());
    let verdicts = all.iter().map(|one| one.verdict);
    let verdict = RunVerdict::worst(verdicts.chain(unstable.then_some(RunVerdict::Fail)));
    let is_outside = |one: &&Schedule| one.outputs.values().any(|output| !output.in_bound);
    let shown = all.iter().find(is_outside).or_else(|| all.iter().find(|it| it.bits.is_some()));
    let outputs = shown.map(|one| one.outputs.clone()).unwrap_or_default();
    let uncompared = shown.map(|one| one.uncompared.clone()).unwrap_or_default();
    let schedules = all.len() as u64;
    ask.record(&all[0], Told { verdict, findings, outputs, uncompared, schedules })
}

/// The exit code of a verdict on what was asked for.
pub fn status(verdict: RunVerdict, asked: &Run) -> Status {
    match verdict {
        RunVerdict::Unjudged if asked.require_judged => Status::Found,
        RunVerdict::Unjudged => Status::Clean,
        RunVerdict::Pass | RunVerdict::Paused => Status::Clean,
        RunVerdict::Fail | RunVerdict::Hang => Status::Found,
        RunVerdict::Error => Status::CouldNotRun,
    }
}

fn operation(name: &str) -> Result<&'static dyn Operation, Failure> {
    let names = || tilewright_ops::operations().iter().map(|operation| operation.name());
    tilewright_ops::find(name).ok_or_else(|| {
        if let Some(failure) = names::not_a_manifest(name) {
            return failure;
        }
        let all: Vec<&str> = names().collect();
        let failure = Failure::new(format!("there is no operation `{name}`"));
        match nearest(name, names()) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure.help(format!("there is {}", all.join(", "))),
        }
    })
}

/// The request that the arguments make, checked as far as no operation need be asked.
fn request(asked: &Run, operation: &dyn Operation, device: &Device) -> Result<Request, Failure> {
    let arch = device.architecture();
    let most = arch.cores() as u32;
    let mut request = Request::new(asked.shape(), asked.format());
    request.cores = asked.cores.unwrap_or(most);
    check_cores(request.cores, arch)?;
    let usual = operation.settings(asked.format());
    request.settings.width = asked.dst.unwrap_or(usual.width);
    request.settings.sync = asked.sync.unwrap_or(usual.sync);
    request.settings.fidelity = asked.fidelity.unwrap_or(usual.fidelity);
    request.family = asked.family();
    request.data_seed = asked.data_seed;
    for setting in &asked.set {
        request.choices.insert(setting.name.clone(), setting.value.clone());
    }
    check_choices(&request, operation)?;
    check_size(asked, device, operation.values_most(&request))?;
    Ok(request)
}

/// A number of cores that the chip has.
pub(super) fn check_cores(cores: u32, arch: &Architecture) -> Result<(), Failure> {
    let (most, name) = (arch.cores() as u32, arch.name);
    if (1..=most).contains(&cores) {
        return Ok(());
    }
    Err(Failure::new(format!("--cores {cores}: the {name} has {most} cores"))
        .help(format!("give a number from 1 to {most}")))
}

/// A tensor that cannot be held is refused before anything is allocated for it.
fn check_size(asked: &Run, device: &Device, values_most: u64) -> Result<(), Failure> {
    let (arch, shape, format) = (device.architecture(), asked.shape(), asked.format());
    let tensor = shape.tiles() as u64 * format.tile_bytes() as u64;
    let dram = u64::from(arch.dram_banks) * arch.dram_bank_bytes;
    if tensor > dram {
        let name = arch.name;
        return Err(Failure::new(format!(
            "--shape {shape}: a {format} tensor of this shape takes {tensor} bytes; the DRAM of \
             the {name} has {dram}"
        ))
        .help("give a smaller shape"));
    }
    let needed = values_most.saturating_mul(HOST_BYTES_PER_VALUE);
    match host::available_bytes() {
        Some(available) if needed > available => Err(Failure::new(format!(
            "--shape {shape}: running it takes about {} MiB of this computer's memory; {} are \
             available",
            needed >> 20,
            available >> 20
        ))
        .help("give smaller sizes")),
        Some(_) | None => Ok(()),
    }
}

/// A choice that the operation lacks would go unnoticed; values are the operation's to check.
fn check_choices(request: &Request, operation: &dyn Operation) -> Result<(), Failure> {
    let choices = operation.choices();
    for name in request.choices.keys() {
        if !choices.iter().any(|choice| choice.name == name) {
            let known: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
            let near = nearest(name, known.iter().copied());
            let failure =
                wrong(operation.name(), &OpError::NoSuchChoice { name: name.clone(), known });
            return Err(match near {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure,
            });
        }
    }
    Ok(())
}

fn wrong(name: &str, error: &OpError) -> Failure {
    let text = error.to_string();
    let failure =
        Failure::new(if text.starts_with(name) { text } else { format!("{name}: {text}") });
    let finding = match error {
        OpError::Program(error) => memory::l1_budget(error),
        _ => None,
    };
    match finding {
        Some(finding) => failure.finding(record::Finding::from(&finding)),
        None => failure,
    }
}

fn options(asked: &Run, cores: u32) -> RunOptions {
    let threads = match asked.threads {
        Threads::Auto => host::threads().min(cores as usize),
        Threads::Count(count) => count,
    };
    RunOptions {
        seed: asked.seed,
        threads,
        noc: asked.noc,
        step_budget: asked.step_budget,
        ..RunOptions::default()
    }
}

/// What was asked for, with every default filled in.
fn echo(operation: &dyn Operation, request: &Request, options: RunOptions) -> record::Request {
    let chosen = |choice: &tilewright_ops::Choice| {
        let usual = choice.values.first().copied().unwrap_or_default();
        let value = request.choices.get(choice.name).map_or(usual, String::as_str);
        (choice.name.to_owned(), value.to_owned())
    };
    record::Request {
        operation: operation.name().to_owned(),
        shape: request.shape.to_string(),
        format: request.format.name().to_owned(),
        dst_bits: dst_bits(request.settings.width),
        dst_sync: sync_word(request.settings.sync).to_owned(),
        fidelity: request.settings.fidelity.name().to_owned(),
        cores: request.cores,
        threads: options.threads,
        noc: noc_word(options.noc).to_owned(),
        input: request.family.to_string(),
        data_seed: request.data_seed,
        choices: operation.choices().iter().map(chosen).collect(),
    }
}

/// The command that makes the same run again.
fn replay(asked: &Run, request: &Request, command: &str, seed: u64) -> String {
    let mut words = vec![format!("tilewright {command} {} --shape {}", asked.name, request.shape)];
    let mut add = |is_usual: bool, word: String| {
        if !is_usual {
            words.push(word);
        }
    };
    let settings = &request.settings;
    add(request.format == DataFormat::Bfloat16, format!("--format {}", request.format));
    add(asked.dst.is_none(), format!("--dst {}", dst_bits(settings.width)));
    add(asked.sync.is_none(), format!("--sync {}", sync_word(settings.sync)));
    let fidelity = settings.fidelity.name().to_ascii_lowercase();
    add(asked.fidelity.is_none(), format!("--fidelity {fidelity}"));
    add(asked.cores.is_none(), format!("--cores {}", request.cores));
    add(asked.noc == NocMode::Timed, format!("--noc {}", noc_word(asked.noc)));
    add(request.family == Family::Uniform, format!("--input {}", request.family));
    add(request.data_seed == 0, format!("--data-seed {}", request.data_seed));
    add(asked.check == Tools::all(), format!("--check {}", asked.check));
    for id in &asked.allow {
        add(false, format!("--allow {id}"));
    }
    let budget = asked.step_budget;
    add(budget == RunOptions::USUAL.step_budget, format!("--step-budget {budget}"));
    for (name, value) in &request.choices {
        add(false, format!("--set {name}={value}"));
    }
    add(false, format!("--seed {seed}"));
    words.join(" ")
}
