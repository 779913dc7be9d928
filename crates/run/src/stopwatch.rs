//! How long the parts of a run take the host. Decides nothing.

use std::time::{Duration, Instant};

/// Measures parts that follow one another.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// The first part begins.
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(now())
    }

    /// The part that ends here; the next one begins.
    pub(crate) fn lap(&mut self) -> Duration {
        let end = now();
        let lap = end.duration_since(self.0);
        self.0 = end;
        lap
    }
}

#[expect(clippy::disallowed_methods, reason = "users ask how long the parts of a run take")]
fn now() -> Instant {
    Instant::now()
}
