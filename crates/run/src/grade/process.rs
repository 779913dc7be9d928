//! A run of foreign kernels in a process of its own.

use crate::ask::Ask;
use crate::fault;
use crate::guard::Guard;
use crate::record::Failure;
use crate::request::{Isolation, Request};
use crate::supervisor::{Limits, WorkerEnding, supervise};
use crate::worker_link::become_worker;

/// Has compilers and workers end with this process, for as long as the guard is held.
pub(crate) fn guarded(request: &Request) -> Result<Option<Guard>, Failure> {
    match request.is_foreign() {
        true => Guard::hold().map(Some).map_err(no_process),
        false => Ok(None),
    }
}

fn no_process(error: std::io::Error) -> Failure {
    Failure::new(format!("no process could be started for kernels: {error}"))
        .help("`ulimit -a` says how many processes and open files this user may have")
}

/// What `work` hands over, or how its process was lost.
pub(crate) fn isolated(
    ask: &Ask<'_>,
    work: impl FnOnce() -> Result<Vec<u8>, Failure>,
) -> Result<Result<Vec<u8>, String>, Failure> {
    let asked = ask.asked;
    let limits = Limits {
        timeout: asked.timeout,
        silence: asked.silence,
        runs: 1,
        memory_bytes: crate::memory::available_bytes(),
    };
    let worker = |link| {
        become_worker(link);
        let answer = fault::attempt(work);
        let (head, body) = match answer {
            Ok(body) => (0, body),
            Err(failure) => (1, serde_json::to_vec(&failure).expect("a failure is plain JSON")),
        };
        let mut bytes = vec![head];
        bytes.extend(body);
        bytes
    };
    let ended = supervise(limits, asked.isolation == Isolation::Sandboxed, |_| {}, worker)
        .map_err(no_process)?;
    match ended.ending {
        WorkerEnding::Finished(bytes) => match bytes.split_first() {
            Some((0, body)) => Ok(Ok(body.to_vec())),
            Some((_, body)) => match serde_json::from_slice(body) {
                Ok(failure) => Err(failure),
                Err(_) => Ok(Err("damages the memory of its process".to_owned())),
            },
            None => Ok(Err("damages the memory of its process".to_owned())),
        },
        WorkerEnding::Lost(_) => Ok(Err("is lost".to_owned())),
        WorkerEnding::OutOfMemory(_) => Ok(Err("runs out of memory".to_owned())),
        WorkerEnding::Failed(what) => Err(fault::failed(&what)),
    }
}
