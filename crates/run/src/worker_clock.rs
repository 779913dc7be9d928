//! When a worker has taken too long. Instants are those of its own time (`taken.rs`).

use std::time::{Duration, Instant};

use tilewright_metal::cpp::worker::Progress;

use crate::supervisor::Limits;

/// Which limit a worker has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overrun {
    /// Its kernels neither call nor step.
    Silence(Duration),
    /// A run takes too long.
    Time(Duration),
}

/// What has been seen of a worker, and since when.
pub(crate) struct WorkerClock {
    limits: Limits,
    started: Instant,
    /// Since when nothing has been called.
    quiet: Instant,
    /// Since when the same runs are under way.
    running: Instant,
    seen: Progress,
}

impl WorkerClock {
    pub(crate) fn start(limits: Limits, now: Instant) -> WorkerClock {
        let seen = Progress::default();
        WorkerClock { limits, started: now, quiet: now, running: now, seen }
    }

    /// Takes a look.
    pub(crate) fn look(&mut self, progress: Progress, now: Instant) -> Option<Overrun> {
        let is_inside = progress.executing > 0 || progress.is_loading;
        if progress.calls != self.seen.calls || !is_inside {
            self.quiet = now;
        }
        if progress.finished != self.seen.finished || progress.begun == progress.finished {
            self.running = now;
        }
        self.seen = progress;
        let exceeds = |since: Instant, limit: &Duration| now.duration_since(since) > *limit;
        if let Some(silence) = self.limits.silence.filter(|limit| exceeds(self.quiet, limit)) {
            return Some(Overrun::Silence(silence));
        }
        let timeout = self.limits.timeout?;
        // A kernel may have overwritten the counters: all runs together have a limit, too.
        let runs = u32::try_from(self.limits.runs).unwrap_or(u32::MAX).saturating_add(1);
        let all = timeout.saturating_mul(runs);
        let is_late = exceeds(self.running, &timeout) || exceeds(self.started, &all);
        is_late.then_some(Overrun::Time(timeout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_and_time_are_counted_apart() {
        #[expect(clippy::disallowed_methods, reason = "any instant will do")]
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let limits = Limits {
            timeout: Some(10 * second),
            silence: Some(3 * second),
            runs: 1,
            memory_bytes: None,
        };
        let mut clock = WorkerClock::start(limits, start);
        let mut look = |seconds, calls, executing, begun, finished| {
            let seen = Progress { calls, executing, begun, finished, is_loading: false };
            clock.look(seen, start + second * seconds)
        };
        assert_eq!(look(2, 0, 0, 0, 0), None);
        assert_eq!(look(6, 0, 0, 0, 0), None, "no kernel runs");
        assert_eq!(look(7, 0, 1, 1, 0), None);
        assert_eq!(look(9, 5, 1, 1, 0), None, "it calls");
        assert_eq!(look(12, 5, 1, 1, 0), None);
        assert_eq!(look(13, 5, 1, 1, 0), Some(Overrun::Silence(3 * second)));
        assert_eq!(look(14, 6, 1, 1, 0), None);
        assert_eq!(look(17, 7, 1, 1, 0), Some(Overrun::Time(10 * second)));
        assert_eq!(look(17, 7, 0, 1, 1), None, "it has ended");
        assert_eq!(look(21, 8, 0, 7, 7), Some(Overrun::Time(10 * second)), "all together");
    }
}
