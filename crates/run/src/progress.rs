//! What a front end sees of a run that is under way, and how far the run is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::record;

/// Who shows a run to a user.
pub trait FrontEnd: Send + Sync {
    /// Whether `progress` shows anything.
    fn is_watched(&self) -> bool {
        false
    }
    /// Shows how far the run is, in a line that replaces the last one; an empty line clears it.
    fn progress(&self, _line: &str) {}
    /// Shows the record of a Rust kernel that does not return, and ends the process: nothing else
    /// can end the kernel. Called only for requests that limit the time of a kernel (`silence`).
    fn abandon(&self, run: &record::Run) -> !;
}

/// A front end that shows nothing.
pub struct Silent;

impl FrontEnd for Silent {
    fn abandon(&self, _: &record::Run) -> ! {
        std::process::exit(1)
    }
}

/// How far a run is; cleared when dropped.
pub struct Progress {
    front: Arc<dyn FrontEnd>,
    is_drawn: AtomicBool,
    started: Instant,
}

impl Progress {
    /// Nothing to show yet.
    pub fn new(front: &Arc<dyn FrontEnd>) -> Progress {
        #[expect(clippy::disallowed_methods, reason = "short work needs no progress line")]
        let started = Instant::now();
        Progress { front: Arc::clone(front), is_drawn: AtomicBool::new(false), started }
    }

    /// Whether anybody sees it.
    pub fn is_shown(&self) -> bool {
        self.front.is_watched()
    }

    /// Shows what is under way and for how long, once it has taken a second.
    pub fn stage(&self, what: &str) {
        if !self.is_early() {
            self.show(&format!("{what}, {} s", self.started.elapsed().as_secs()));
        }
    }

    /// Shows how many of all are done and how long the others may take, once it has taken a second.
    pub fn bar(&self, what: &str, done: u64, all: u64) {
        self.bar_from(what, (0, done, all));
    }

    /// Shows the share of work that cannot be counted, once it has taken a second.
    pub(crate) fn share(&self, what: &str, (done, all): (u64, u64)) {
        if !self.is_early() {
            let left = left(self.started.elapsed(), done, all - done.min(all));
            self.show(&format!("{} {what}, about {left} left", drawn(done, all)));
        }
    }

    /// The same for work of which some was done `before` this began.
    pub fn bar_from(&self, what: &str, (before, done, all): (u64, u64, u64)) {
        if self.is_early() {
            return;
        }
        let left = left(self.started.elapsed(), done.saturating_sub(before), all - done.min(all));
        self.show(&format!("{} {done} of {all} {what}, about {left} left", drawn(done, all)));
    }

    /// Replaces the line.
    pub fn show(&self, line: &str) {
        if self.front.is_watched() {
            self.is_drawn.store(true, Ordering::Relaxed);
            self.front.progress(line);
        }
    }

    fn is_early(&self) -> bool {
        self.started.elapsed() < Duration::from_secs(1)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_drawn.load(Ordering::Relaxed) {
            self.show("");
        }
    }
}

/// The share that is done, as a bar and in per cent.
fn drawn(done: u64, all: u64) -> String {
    const COLUMNS: u64 = 30;
    let full = (done * COLUMNS / all.max(1)).min(COLUMNS) as usize;
    let bar = format!("{}{}", "=".repeat(full), " ".repeat(COLUMNS as usize - full));
    format!("[{bar}] {} %,", 100 * done / all.max(1))
}

/// How long `open` pieces take if they are as fast as those that have been done.
fn left(elapsed: Duration, done: u64, open: u64) -> String {
    let seconds = (elapsed.as_secs_f64() / done.max(1) as f64 * open as f64).ceil();
    match seconds {
        0.0..120.0 => format!("{seconds} s"),
        _ => format!("{} min", (seconds / 60.0).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_follows_from_what_has_been_done() {
        let elapsed = Duration::from_secs(10);
        assert_eq!(left(elapsed, 5, 5), "10 s");
        assert_eq!(left(elapsed, 1, 59), "10 min");
        assert_eq!(left(elapsed, 0, 3), "30 s", "as if one were done by now");
        assert_eq!(left(elapsed, 7, 0), "0 s");
    }
}
