//! `tilewright run`: prepares an operation, runs it, judges its outputs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tilewright_check::{FindingId, Report, Session, Tools, memory, undeclared};
use tilewright_metal::{Device, DstSync, Ending, NocMode, Outcome, RunOptions};
use tilewright_ops::family::Family;
use tilewright_ops::{OpError, Operation, Prepared, Request, nearest};
use tilewright_report::record::{self, Failure, RunVerdict};
use tilewright_report::{json, terminal};
use tilewright_tile::{DataFormat, DstWidth};

use super::manifest;
use crate::args::{Run, Threads};
use crate::host;
use crate::output::{Output, Status};

/// Bytes of host memory for each value of the first input: its copies, the device's, and the
/// reference with its bounds.
const HOST_BYTES_PER_VALUE: u64 = 48;

/// How much of an answer is shown on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Findings, outputs with their errors, figures.
    Run,
    /// Findings and the verdict.
    Check,
}

/// Runs an operation or a manifest and shows what came of it.
pub fn run(asked: &Run, output: &Output, face: Face) -> Result<Status, Failure> {
    if manifest::is_meant(&asked.name) && !manifest::is_worker() {
        return manifest::supervise();
    }
    let mut device = Device::n150();
    let ready = if manifest::is_meant(&asked.name) {
        manifest::prepare(asked, &mut device)?
    } else {
        prepare(asked, &mut device)?
    };
    let run = ready.run(asked, &mut device)?;
    let text = |paint| match face {
        Face::Run => terminal::run(&run, paint),
        Face::Check => terminal::check(&run, paint),
    };
    Ok(output.answer(|| json::text(&run), text, status(run.verdict)))
}

/// A program with its inputs on the device, and what the answer says of it.
pub(super) struct Ready {
    pub(super) name: String,
    pub(super) prepared: Prepared,
    pub(super) options: RunOptions,
    pub(super) request: record::Request,
    pub(super) replay: String,
}

fn prepare(asked: &Run, device: &mut Device) -> Result<Ready, Failure> {
    let operation = operation(&asked.name)?;
    let request = request(asked, operation, device)?;
    let options = options(asked, request.cores);
    let prepared =
        operation.prepare(device, &request).map_err(|error| wrong(operation.name(), &error))?;
    Ok(Ready {
        name: operation.name().to_owned(),
        prepared,
        options,
        request: echo(operation, &request, options),
        replay: replay(asked, &request, options),
    })
}

impl Ready {
    fn run(self, asked: &Run, device: &mut Device) -> Result<record::Run, Failure> {
        let Ready { name, prepared, options, request, replay } = self;
        let (outcomes, report, wall) = simulate(&prepared, device, options, asked)?;
        let findings: Vec<_> = report.findings.iter().map(record::Finding::from).collect();
        let Some(Summary { ending, cycles, digest }) = summary(&outcomes) else {
            return Err(Failure::new(format!("{name}: there is nothing to run")));
        };
        let outputs = match ending {
            Ending::Completed => judge(&prepared, device).map_err(|error| wrong(&name, &error))?,
            // What a run that ended early left in its outputs means nothing.
            Ending::Stuck | Ending::Stopped(_) => BTreeMap::new(),
        };
        let seconds = wall.as_secs_f64();
        Ok(record::Run {
            verdict: RunVerdict::of(ending, &findings, &outputs),
            request,
            findings,
            allowed: report.allowed.len(),
            notes: notes(asked, &report, &prepared, &outputs),
            outputs,
            tiles: prepared.input_tiles,
            cycles,
            wall_seconds: seconds,
            tiles_per_second: prepared.input_tiles as f64 / seconds.max(1e-9),
            seed: options.seed,
            digest: format!("{digest:016x}"),
            replay,
        })
    }
}

/// What programs that ran one after the other come to.
struct Summary<'a> {
    ending: &'a Ending,
    cycles: u64,
    digest: u64,
}

/// The last program's ending, all cycles, and a digest of all events.
fn summary(outcomes: &[Outcome]) -> Option<Summary<'_>> {
    let (first, others) = outcomes.split_first()?;
    let mut digest = first.digest;
    others.iter().for_each(|outcome| digest.merge(outcome.digest));
    let ending = &outcomes.last()?.ending;
    let cycles = outcomes.iter().map(|outcome| outcome.cycles.0).sum();
    Some(Summary { ending, cycles, digest: digest.0 })
}

fn status(verdict: RunVerdict) -> Status {
    match verdict {
        RunVerdict::Pass => Status::Clean,
        RunVerdict::Fail | RunVerdict::Hang => Status::Found,
        RunVerdict::Error => Status::CouldNotRun,
    }
}

fn operation(name: &str) -> Result<&'static dyn Operation, Failure> {
    let names = || tilewright_ops::operations().iter().map(|operation| operation.name());
    tilewright_ops::find(name).ok_or_else(|| {
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
    if !(1..=most).contains(&request.cores) {
        let (cores, name) = (request.cores, arch.name);
        return Err(Failure::new(format!("--cores {cores}: the {name} has {most} cores"))
            .help(format!("give a number from 1 to {most}")));
    }
    let usual = operation.settings(asked.format());
    request.settings.width = asked.dst.unwrap_or(usual.width);
    request.settings.sync = asked.sync.unwrap_or(usual.sync);
    request.settings.fidelity = asked.fidelity.unwrap_or(usual.fidelity);
    request.family = asked.family();
    request.data_seed = asked.data_seed;
    check_size(asked, device)?;
    for setting in &asked.set {
        request.choices.insert(setting.name.clone(), setting.value.clone());
    }
    check_choices(&request, operation)?;
    Ok(request)
}

/// A tensor that cannot be held is refused before anything is allocated for it.
fn check_size(asked: &Run, device: &Device) -> Result<(), Failure> {
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
    let needed = shape.padded_volume() as u64 * HOST_BYTES_PER_VALUE;
    match host::available_bytes() {
        Some(available) if needed > available => Err(Failure::new(format!(
            "--shape {shape}: running it takes about {} MiB of this computer's memory; {} are \
             available",
            needed >> 20,
            available >> 20
        ))
        .help("give a smaller shape")),
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

pub(super) fn options(asked: &Run, cores: u32) -> RunOptions {
    let threads = match asked.threads {
        Threads::Auto => host::threads().min(cores as usize),
        Threads::Count(count) => count,
    };
    RunOptions { seed: asked.seed, threads, noc: asked.noc, ..RunOptions::default() }
}

/// What a reader should know before trusting the verdict.
fn notes(
    asked: &Run,
    report: &Report,
    prepared: &Prepared,
    outputs: &BTreeMap<String, record::Output>,
) -> Vec<String> {
    let mut notes: Vec<String> =
        outputs.iter().filter_map(|(name, output)| output.note(name)).collect();
    let is_found = |id: &FindingId| report.allowed.iter().any(|finding| finding.id == *id);
    for id in asked.allow.iter().filter(|id| !is_found(id)) {
        notes.push(format!("--allow {id}: nothing of this kind was found"));
    }
    if !report.allowed.is_empty() {
        let ids: Vec<&str> = report.allowed.iter().map(|finding| finding.id.name()).collect();
        notes.push(format!("allowed and not listed: {}", ids.join(", ")));
    }
    notes.extend(report.notes.iter().cloned());
    notes.extend(prepared.programs.iter().flat_map(|program| undeclared(program, &asked.check)));
    notes
}

/// What programs came to, what was found, and how long the host took for that.
type Simulated = (Vec<Outcome>, Report, Duration);

/// Runs the programs one after the other, each watched by the tools asked for.
fn simulate(
    prepared: &Prepared,
    device: &mut Device,
    options: RunOptions,
    asked: &Run,
) -> Result<Simulated, Failure> {
    prepared.load(device).map_err(no_stacks)?;
    #[expect(clippy::disallowed_methods, reason = "the user asks how fast the simulation is")]
    let started = Instant::now();
    let (mut outcomes, mut all) = (Vec::new(), Report::default());
    for program in &prepared.programs {
        let mut session = Session::new(program, &asked.check).allow(asked.allow.iter().copied());
        let outcome = if session.is_watching() {
            program.run(device, options, &mut [&mut session])
        } else {
            program.run(device, options, &mut [])
        };
        let outcome = outcome.map_err(no_stacks)?;
        let report = session.report(program, &outcome);
        all.findings.extend(report.findings);
        all.allowed.extend(report.allowed);
        all.notes.extend(report.notes);
        outcomes.push(outcome);
        if outcomes.last().is_some_and(|outcome| outcome.ending != Ending::Completed) {
            break;
        }
    }
    Ok((outcomes, all, started.elapsed()))
}

fn no_stacks(error: std::io::Error) -> Failure {
    Failure::new(format!("the host gives no memory for the kernels' stacks: {error}"))
        .help("free some memory, or use fewer cores")
}

fn judge(
    prepared: &Prepared,
    device: &mut Device,
) -> Result<BTreeMap<String, record::Output>, OpError> {
    let shapes: Vec<_> = prepared.outputs.iter().map(|output| output.tensor.shape).collect();
    let judged = prepared.judge(device)?;
    let record = |((name, judgement), shape): ((&str, _), _)| {
        (name.to_owned(), record::Output::new(&shape, &judgement))
    };
    Ok(judged.into_iter().zip(shapes).map(record).collect())
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
fn replay(asked: &Run, request: &Request, options: RunOptions) -> String {
    let mut words = vec![format!("tilewright run {} --shape {}", asked.name, request.shape)];
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
    add(options.noc == NocMode::Timed, format!("--noc {}", noc_word(options.noc)));
    add(request.family == Family::Uniform, format!("--input {}", request.family));
    add(request.data_seed == 0, format!("--data-seed {}", request.data_seed));
    add(asked.check == Tools::all(), format!("--check {}", asked.check));
    for id in &asked.allow {
        add(false, format!("--allow {id}"));
    }
    for (name, value) in &request.choices {
        add(false, format!("--set {name}={value}"));
    }
    add(false, format!("--seed {}", options.seed));
    words.join(" ")
}

pub(super) fn dst_bits(width: DstWidth) -> u32 {
    match width {
        DstWidth::Bits16 => 16,
        DstWidth::Bits32 => 32,
    }
}

pub(super) fn sync_word(sync: DstSync) -> &'static str {
    match sync {
        DstSync::Half => "half",
        DstSync::Full => "full",
    }
}

pub(super) fn noc_word(noc: NocMode) -> &'static str {
    match noc {
        NocMode::Timed => "timed",
        NocMode::Late => "late",
    }
}
