//! Foreign kernels in a worker process; there is one outcome however the worker ends.

use std::sync::Arc;

use tilewright_check::{Loss, Lost, lost_worker};

use crate::ask::Ask;
use crate::guard::Guard;
use crate::outcome::{self, Outcome, Witness};
use crate::printed_streams::Captured;
use crate::progress::{FrontEnd, Progress};
use crate::record::{self, Failure, RunVerdict};
use crate::request::{Isolation, Request};
use crate::supervisor::{Limits, WorkerEnding, supervise};
use crate::worker_link::{Supervisor, become_worker, printed};
use crate::{compilation, fault, memory, pipeline, watchdog};

/// Memory that is left to others.
const SPARE_BYTES: u64 = 256 << 20;

/// Compiles the kernels, and runs them in a process that can do nothing else.
pub(crate) fn run(
    asked: &Request,
    front: &Arc<dyn FrontEnd>,
    mut witness: Option<&mut dyn Witness>,
) -> Result<Outcome, Failure> {
    let _guard = Guard::hold().map_err(|error| {
        Failure::new(format!("no process could be started: {error}"))
            .help("`ulimit -a` says how many processes and open files this user may have")
    })?;
    let progress = Progress::new(front);
    let ask = Ask::new(asked, &progress)?;
    if let Some(cores) = ask.few_cores().filter(|_| asked.is_repeated_on_few_cores) {
        // What the worker may run besides is compiled here; what cannot be is not run.
        drop(Ask::new(&Request { cores: Some(cores), ..asked.clone() }, &progress));
    }
    let limits = Limits {
        timeout: asked.timeout,
        silence: asked.silence,
        runs: asked.runs(),
        memory_bytes: memory::available_bytes().map(|all| all.saturating_sub(SPARE_BYTES)),
    };
    let work = |link| {
        become_worker(Arc::clone(&link));
        let is_watched = progress.is_shown();
        let front: Arc<dyn FrontEnd> = Arc::new(Supervisor { link, is_watched });
        let witness = witness.take();
        outcome::encode(&fault::attempt(|| pipeline::perform(&ask, &front, witness)))
    };
    let stage = |line: &str| progress.show(line);
    let ended = supervise(limits, asked.isolation == Isolation::Sandboxed, stage, work).map_err(
        |error| {
            Failure::new(format!("no process could be started for kernels: {error}"))
                .help("`ulimit -a` says how many processes and open files this user may have")
        },
    )?;
    drop(progress);
    compilation::forget(asked);
    match ended.ending {
        WorkerEnding::Finished(record) => outcome::decode(&record).unwrap_or_else(|| {
            Err(Failure::new("the kernels damaged the record of their run")
                .help("a kernel writes to memory of the simulator; `--no-sandbox` does not help"))
        }),
        WorkerEnding::Lost(lost) => Ok(lost_outcome(&ask, &lost, &ended.printed)),
        WorkerEnding::OutOfMemory(lost) => Err(out_of_memory(&lost, limits)),
        WorkerEnding::Failed(what) => Err(fault::failed(&what)),
    }
}

fn lost_outcome(ask: &Ask<'_>, lost: &Lost, printed: &Captured) -> Outcome {
    let (name, run) = (ask.own_name(), lost_run(ask, lost, printed));
    Outcome { name, run, pause: None, kept: Vec::new(), testimony: Vec::new() }
}

/// The record of a run whose worker did not terminate normally.
fn lost_run(ask: &Ask<'_>, lost: &Lost, captured: &Captured) -> record::Run {
    let mut run = watchdog::template(ask);
    run.verdict = match lost.loss {
        Loss::Silent(_) | Loss::TimeLimit(_) => RunVerdict::Hang,
        Loss::Ended(_) => RunVerdict::Fail,
    };
    run.findings = vec![record::Finding::from(&lost_worker(lost))];
    run.printed = printed(captured);
    run.replay = ask.replay("run", ask.options.seed);
    run
}

fn out_of_memory(lost: &Lost, limits: Limits) -> Failure {
    let most = limits
        .memory_bytes
        .map_or_else(String::new, |bytes| format!("; about {} MiB were available", bytes >> 20));
    let failure = Failure::new(format!("the run ran out of this computer's memory{most}"));
    match lost.last.first() {
        Some(last) => failure.help(format!("the last call of a kernel was at {}", last.site)),
        None => failure.help("give smaller sizes or fewer cores"),
    }
}
