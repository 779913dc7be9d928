//! Work on foreign kernels in a worker process, with one answer whatever becomes of it.

use std::path::PathBuf;
use std::time::Duration;

use tilewright_check::{Loss, Lost, lost_worker};
use tilewright_metal::cpp::Cache;
use tilewright_report::record::{self, Failure, RunVerdict};
use tilewright_run::{Captured, Ending, Guard, Limits, memory, supervise};

use super::job::Job;
use super::manifest;
use super::run::Ask;
use crate::args::Run;
use crate::output::{self, Collected, Output, Progress, Status};
use crate::watchdog;

/// Memory that is left to others.
const SPARE_BYTES: u64 = 256 << 20;

/// Whether foreign kernels are meant.
pub(super) fn is_meant(asked: &Run) -> bool {
    manifest::is_meant(&asked.name)
}

/// Compiles the kernels, and does the work in a process that can do nothing else.
pub(super) fn perform(job: &Job<'_>, asked: &Run, output: &Output) -> Result<Status, Failure> {
    let _guard = Guard::start(Cache::new(None).folder().to_owned()).map_err(|error| {
        Failure::new(format!("no process could be started: {error}"))
            .help("`ulimit -a` says how many processes and open files this user may have")
    })?;
    let ask = Ask::new(asked)?;
    if let Some(cores) = ask.few_cores().filter(|_| job.runs > 1) {
        // What the worker may run besides is compiled here; what cannot be is not run.
        drop(Ask::new(&Run { cores: Some(cores), ..asked.clone() }));
    }
    let files = (job.files)(&ask);
    let seconds = |seconds: u64| (seconds > 0).then(|| Duration::from_secs(seconds));
    let limits = Limits {
        timeout: seconds(asked.timeout),
        silence: seconds(asked.silence),
        runs: job.runs,
        memory_bytes: memory::available_bytes().map(|all| all.saturating_sub(SPARE_BYTES)),
    };
    let progress = Progress::new();
    let work = |link| {
        output::become_worker(link, progress.is_shown());
        let status = output.attempt(|| (job.work)(&ask, output));
        output::collected().encode(status)
    };
    let stage = |text: &str| progress.show(text);
    let outcome = supervise(limits, !asked.no_sandbox, stage, work).map_err(|error| {
        Failure::new(format!("no process could be started for kernels: {error}"))
            .help("`ulimit -a` says how many processes and open files this user may have")
    })?;
    drop(progress);
    match outcome.ending {
        Ending::Finished(record) => deliver(&record, &files),
        Ending::Lost(lost) => Ok((job.show)(lost_run(&ask, &lost, &outcome.printed), output)),
        Ending::OutOfMemory(lost) => Err(out_of_memory(&lost, limits)),
        Ending::Failed(what) => Err(Failure::new(format!("the simulator itself failed: {what}"))
            .help("this is a bug of tilewright; please report it with the command you gave")),
    }
}

/// Prints and writes what a worker has made.
fn deliver(record: &[u8], files: &[PathBuf]) -> Result<Status, Failure> {
    let Some((collected, status)) = Collected::decode(record, files.len()) else {
        return Err(Failure::new("the kernels damaged the record of their run")
            .help("a kernel writes to memory of the simulator; `--no-sandbox` does not help"));
    };
    collected.print(files, status)
}

/// The record of a run whose worker did not come to its end.
fn lost_run(ask: &Ask<'_>, lost: &Lost, printed: &Captured) -> record::Run {
    let mut run = watchdog::template(ask);
    run.verdict = match lost.loss {
        Loss::Silent(_) | Loss::TimeLimit(_) => RunVerdict::Hang,
        Loss::Ended(_) => RunVerdict::Fail,
    };
    run.findings = vec![record::Finding::from(&lost_worker(lost))];
    run.printed = output::printed_records(printed);
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
