//! Several threads that start workers. One of them is awake at a time, and the others wait for
//! their workers, so that a worker seldom inherits a lock that somebody holds (`inherited_locks`).
//! The workers run side by side.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard};

use crate::lock;

static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    static HELD: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// Does work that may start workers, taking turns with other threads that do.
pub(crate) fn in_turns<Answer>(work: impl FnOnce() -> Answer) -> Answer {
    let turn = lock(&TURN);
    HELD.with(|held| held.replace(Some(turn)));
    let answer = work();
    HELD.with(|held| drop(held.take()));
    answer
}

/// The same, if it starts workers at all.
pub(crate) fn in_turns_if<Answer>(is_foreign: bool, work: impl FnOnce() -> Answer) -> Answer {
    if is_foreign { in_turns(work) } else { work() }
}

/// Waits for something. It is the turn of others meanwhile.
pub(crate) fn rest<Answer>(wait: impl FnOnce() -> Answer) -> Answer {
    let held = HELD.with(RefCell::take);
    let is_held = held.is_some();
    drop(held);
    let answer = wait();
    if is_held {
        let turn = lock(&TURN);
        HELD.with(|held| held.replace(Some(turn)));
    }
    answer
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_thread_is_awake_and_others_may_wait_meanwhile() {
        let (awake, resting) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let both_rest = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    in_turns(|| {
                        assert_eq!(awake.fetch_add(1, Ordering::SeqCst), 0);
                        awake.fetch_sub(1, Ordering::SeqCst);
                        rest(|| {
                            resting.fetch_add(1, Ordering::SeqCst);
                            // Both come here, or this never ends.
                            both_rest.wait();
                        });
                        assert_eq!(awake.fetch_add(1, Ordering::SeqCst), 0);
                        awake.fetch_sub(1, Ordering::SeqCst);
                    });
                });
            }
        });
        assert_eq!(resting.into_inner(), 2);
    }
}
