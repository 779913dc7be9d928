//! A meeting point for a few host threads that arrive within microseconds of each other.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Iterations to spin before yielding to the host's scheduler.
const SPINS: u32 = 2000;

/// Releases threads when all have arrived. Unlike the standard library's, it does not sleep:
/// windows are much shorter than waking a thread takes.
pub(crate) struct MeetingPoint {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
}

impl MeetingPoint {
    pub(crate) fn new(threads: usize) -> MeetingPoint {
        MeetingPoint { threads, arrived: AtomicUsize::new(0), round: AtomicUsize::new(0) }
    }

    /// Waits for the others. What they did before is visible after.
    pub(crate) fn wait(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut turns = 0;
        while self.round.load(Ordering::Acquire) == round {
            turns += 1;
            if turns < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MeetingPoint;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn nobody_leaves_before_all_have_come() {
        let (meeting, count) = (MeetingPoint::new(3), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=200 {
                        count.fetch_add(1, Ordering::Relaxed);
                        meeting.wait();
                        assert_eq!(count.load(Ordering::Relaxed), 3 * round);
                        meeting.wait();
                    }
                });
            }
        });
    }
}
