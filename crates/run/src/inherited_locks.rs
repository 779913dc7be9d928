//! Workers that start while other threads of the command run.
//!
//! A forked process has only the thread that forked, and every lock as it was. What another thread
//! held at that moment is never released there: a lock of ours, the dynamic loader's, or the one
//! that the standard library takes whenever a thread begins or ends. So a worker takes all of them
//! once, and is replaced by another one if that does not end.

use std::sync::mpsc;
use std::time::Duration;

use crate::pipeline::compute_tables;

/// How often a worker is started.
pub(crate) const ATTEMPTS_MAX: u32 = 8;
/// The exit code of a worker that has inherited a lock which somebody held.
pub(crate) const IS_STUCK: i32 = 71;
/// How long the first worker tries; the next ones take twice as long each.
const PATIENCE: Duration = Duration::from_millis(250);

/// Whether this process has threads besides the one that asks. One that is about to end counts.
pub(crate) fn has_other_threads() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() > 1)
}

/// Whether this worker, the one of such an attempt, can take every lock that it may need.
pub(crate) fn are_free(attempt: u32) -> bool {
    let (done, is_done) = mpsc::channel();
    // On another thread: this one must be able to give up.
    let trial = std::thread::Builder::new().spawn(move || {
        compute_tables();
        tilewright_metal::cpp::take_locks_once();
        crate::compilation::hold_locks(|| {});
        done.send(()).ok();
    });
    // Where there can be no other thread, a worker that has several of them says why.
    let Ok(trial) = trial else { return true };
    is_done.recv_timeout(PATIENCE * 2_u32.pow(attempt)).is_ok() && trial.join().is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;
    use crate::supervisor::{Limits, WorkerEnding, supervise};

    #[test]
    fn a_worker_that_inherits_a_lock_which_somebody_held_is_replaced() {
        let (is_held, limits) = (Barrier::new(2), Limits { runs: 1, ..Limits::default() });
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| {
                crate::compilation::hold_locks(|| {
                    is_held.wait();
                    std::thread::sleep(PATIENCE / 2);
                });
            });
            is_held.wait();
            supervise(limits, false, |_| {}, |_| vec![u8::from(are_free(2))])
        });
        assert_eq!(ended.expect("it starts").ending, WorkerEnding::Finished(vec![1]));
    }
}
