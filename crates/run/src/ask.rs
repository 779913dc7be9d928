//! A request with its names looked up: what is prepared, how it is run, and the record it becomes.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::PathBuf;

use tilewright_metal::{Architecture, Device, Prepared, RunOptions};
use tilewright_ops::{OpError, Operation, Request as OperationRequest};

use crate::progress::Progress;
use crate::record::{self, Failure, RunVerdict};
use crate::request::{OwnProgram, Request, Subject as Requested};
use crate::schedule::ScheduleOutcome;
use crate::worker_link::worker_printed;
use crate::{device, foreign, operation, replay_command};

/// Tiles with which every core of an operation repeats its loops.
const TILES_A_CORE: u32 = 16;

/// What is to be run, checked as far as no operation need be asked.
pub(crate) struct Ask<'a> {
    /// The request.
    pub(crate) asked: &'a Request,
    /// How to run it.
    pub(crate) options: RunOptions,
    /// The device that it runs on.
    pub(crate) arch: Architecture,
    subject: Subject<'a>,
}

/// What a request's subject stands for.
enum Subject<'a> {
    /// One of our operations, and what it is asked for.
    Operation(&'static dyn Operation, OperationRequest),
    /// A manifest or a capture: programs of C++ kernels.
    Foreign(Box<foreign::ForeignSubject>),
    /// A user's program of Rust kernels.
    Own(&'a OwnProgram),
}

impl<'a> Ask<'a> {
    /// Looks up an operation, or reads a file and compiles its kernels.
    pub(crate) fn new(asked: &'a Request, progress: &Progress) -> Result<Ask<'a>, Failure> {
        let (subject, arch, cores) = match &asked.subject {
            Requested::Own(own) => {
                let arch = device::architecture(asked, None)?;
                let cores = arch.cores() as u32;
                (Subject::Own(own), arch, cores)
            }
            Requested::Named(_) | Requested::Described(_) if asked.is_foreign() => {
                let foreign = foreign::ForeignSubject::new(asked, progress)?;
                let (arch, cores) = (foreign.arch.clone(), foreign.cores());
                (Subject::Foreign(Box::new(foreign)), arch, cores)
            }
            Requested::Named(_) | Requested::Described(_) => {
                let operation = operation::operation(asked.name())?;
                let arch = device::architecture(asked, None)?;
                let request = operation::request(asked, operation, &arch)?;
                let cores = request.cores;
                (Subject::Operation(operation, request), arch, cores)
            }
        };
        let seed = asked.seed.unwrap_or_else(|| match &subject {
            Subject::Foreign(foreign) => foreign.seed(),
            Subject::Operation(..) | Subject::Own(_) => 0,
        });
        Ok(Ask { asked, options: options(asked, seed, cores), arch, subject })
    }

    /// Whether its kernels are foreign code, which this process must not run itself.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self.subject, Subject::Foreign(_))
    }

    /// What a reader should know before trusting any verdict on it.
    fn notes(&self) -> Vec<String> {
        match &self.subject {
            Subject::Operation(..) | Subject::Own(_) => Vec::new(),
            Subject::Foreign(foreign) => foreign.notes(),
        }
    }

    /// What reports call it.
    pub(crate) fn name(&self) -> &str {
        match &self.subject {
            Subject::Operation(operation, _) => operation.name(),
            Subject::Foreign(_) | Subject::Own(_) => self.asked.name(),
        }
    }

    /// What it calls itself: the operation's name, or the manifest's own.
    pub(crate) fn own_name(&self) -> String {
        match &self.subject {
            Subject::Operation(operation, _) => operation.name().to_owned(),
            Subject::Foreign(foreign) => foreign.name().to_owned(),
            Subject::Own(own) => own.name.clone(),
        }
    }

    /// A device of its own with the inputs, and the programs, ready to run on it.
    pub(crate) fn prepare(&self) -> Result<(Device, Prepared), Failure> {
        self.prepare_for(false)
    }

    /// The same for what is probably the last run.
    pub(crate) fn prepare_last(&self) -> Result<(Device, Prepared), Failure> {
        self.prepare_for(true)
    }

    fn prepare_for(&self, is_last: bool) -> Result<(Device, Prepared), Failure> {
        let new = || Device::new(self.arch.clone());
        Ok(match &self.subject {
            Subject::Operation(operation, request) => {
                let mut device = new();
                let prepared = operation.prepare(&mut device, request);
                (device, prepared.map_err(|error| self.wrong(&error))?)
            }
            Subject::Foreign(foreign) => foreign.prepare(is_last)?,
            Subject::Own(own) => {
                let mut device = new();
                let wrong = |error| Failure::new(format!("{}: {error}", own.name));
                let prepared = (own.prepare)(&mut device).map_err(wrong)?;
                (device, prepared)
            }
        })
    }

    /// On how few cores every core would repeat its loops; nothing if it does, if the caller has
    /// said how many cores there are, or if the program deals its work out itself.
    pub(crate) fn few_cores(&self) -> Option<u32> {
        if self.asked.cores.is_some() {
            return None;
        }
        match &self.subject {
            Subject::Operation(_, request) => {
                let tiles = request.shape.tiles() as u32;
                let few = (tiles / TILES_A_CORE).max(1);
                (few < tiles.min(request.cores)).then_some(few)
            }
            Subject::Foreign(foreign) => foreign.few_cores(),
            Subject::Own(_) => None,
        }
    }

    /// What an operation says it cannot do.
    pub(crate) fn wrong(&self, error: &OpError) -> Failure {
        operation::wrong(self.name(), error)
    }

    /// What was asked for, with every default filled in.
    pub(crate) fn echo(&self) -> record::Request {
        match &self.subject {
            Subject::Operation(operation, request) => {
                operation::echo(*operation, request, self.arch.name, self.options)
            }
            Subject::Foreign(foreign) => foreign.echo(self.asked, self.options),
            Subject::Own(own) => own.echo(self.arch.name, self.options),
        }
    }

    /// The record of schedules that came to a verdict; the first gives cycles and digest.
    pub(crate) fn record(&self, first: &ScheduleOutcome, merged: Merged) -> record::Run {
        let seconds = first.wall.as_secs_f64();
        let Merged { verdict, completed, findings, outputs, uncompared, schedules } = merged;
        let judged = outputs.iter().filter_map(|(name, output)| output.note(name));
        let advice = (verdict == RunVerdict::Unjudged).then(|| self.advice(&outputs, &uncompared));
        let compiled_by = self.compiled_by();
        let other = compiled_by.as_ref().and_then(|by| foreign::other_compiler(self.asked, by));
        let own = first.notes.iter().cloned().chain(self.notes());
        let notes = judged.chain(advice.flatten()).chain(own).chain(other).collect();
        record::Run {
            verdict,
            completed,
            request: self.echo(),
            findings,
            allowed: first.allowed.len(),
            notes,
            outputs,
            uncompared,
            tiles: first.tiles,
            cycles: first.cycles,
            wall_seconds: seconds,
            host_seconds: first.host_seconds,
            tiles_per_second: first.tiles as f64 / seconds.max(1e-9),
            seed: self.options.seed,
            schedules,
            digest: format!("{:016x}", first.digest),
            programs: first.programs.clone(),
            also_cores: None,
            compiled_by,
            printed: first.said.printed.iter().cloned().chain(worker_printed()).collect(),
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
        let is_manifest = matches!(self.subject, Subject::Foreign(_))
            && !matches!(self.asked.subject, Requested::Described(_));
        (is_manifest && (unknown.is_some() || outputs.is_empty())).then(|| {
            let name = unknown.map_or("NAME", String::as_str);
            format!(
                "nothing says what `{name}` must hold: add [reference] with an operation of \
                 `tilewright list`, or [expected.{name}] with a file"
            )
        })
    }

    /// The user's files that the kernels were compiled from.
    pub(crate) fn sources(&self) -> BTreeSet<PathBuf> {
        match &self.subject {
            Subject::Operation(..) | Subject::Own(_) => BTreeSet::new(),
            Subject::Foreign(foreign) => foreign.sources(),
        }
    }

    /// Who compiled the kernels, if they were compiled.
    pub(crate) fn compiled_by(&self) -> Option<String> {
        match &self.subject {
            Subject::Operation(..) | Subject::Own(_) => None,
            Subject::Foreign(foreign) => Some(foreign.compiled_by()),
        }
    }

    /// Whether a run of it can be stopped at a cycle by a command.
    pub(crate) fn can_pause(&self) -> bool {
        !matches!(self.asked.subject, Requested::Described(_))
    }

    /// The command that makes the run with a seed again.
    pub(crate) fn replay(&self, command: &str, seed: u64) -> String {
        match &self.subject {
            Subject::Operation(_, request) => {
                replay_command::of_operation(self.asked, request, command, seed)
            }
            Subject::Foreign(foreign) => match &self.asked.subject {
                Requested::Described(described) => described.command.replay(seed),
                Requested::Named(_) | Requested::Own(_) => {
                    let compiled_by = foreign.compiled_by();
                    replay_command::of_manifest(self.asked, command, (seed, &compiled_by))
                }
            },
            Subject::Own(own) => format!("run `{}` with seed {seed}", own.name),
        }
    }
}

/// What came of all schedules together.
pub(crate) struct Merged {
    /// What they come to.
    pub(crate) verdict: RunVerdict,
    /// Whether all of them completed.
    pub(crate) completed: bool,
    /// What was found in any of them.
    pub(crate) findings: Vec<record::Finding>,
    /// Outputs of one that completed.
    pub(crate) outputs: BTreeMap<String, record::Output>,
    /// Outputs that were compared with nothing, in one that completed.
    pub(crate) uncompared: Vec<String>,
    /// How many there were.
    pub(crate) schedules: u64,
}

fn options(asked: &Request, seed: u64, cores: u32) -> RunOptions {
    let host = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = asked.threads.unwrap_or_else(|| host().min(cores as usize));
    RunOptions {
        seed,
        threads,
        noc: asked.noc,
        step_budget: asked.step_budget,
        stop_at: asked.stop_at,
        cycle_limit: asked.cycle_limit.unwrap_or(RunOptions::USUAL.cycle_limit),
        ..RunOptions::default()
    }
}
