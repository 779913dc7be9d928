//! Times of small pieces of work, for benches: the least of several samples, on the terminal.
//!
//! No statistics and no baselines; what may not become slower is counted in instructions
//! (`cargo xtask instructions`).

use std::fmt::Display;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Samples of each piece of work.
const SAMPLES: u32 = 10;

/// Pieces of work that are shown together.
pub struct BenchGroup {
    name: String,
    /// Elements that each piece handles.
    elements: u64,
    /// The time that a sample should take.
    sample: Duration,
    /// Words of the command line; only names with one of them are measured.
    wanted: Vec<String>,
}

/// One piece of work under the clock.
pub struct Sampler {
    sample: Duration,
    /// The least time of one call, in seconds.
    least: f64,
}

impl BenchGroup {
    /// A group of pieces that handle one element each, in samples of some milliseconds.
    pub fn new(name: impl Into<String>) -> BenchGroup {
        let words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
        let sample = Duration::from_millis(6);
        BenchGroup { name: name.into(), elements: 1, sample, wanted: words.collect() }
    }

    /// The same, with pieces that handle so many elements, in samples of this length.
    pub fn elements(self, elements: u64, sample: Duration) -> BenchGroup {
        BenchGroup { elements: elements.max(1), sample, ..self }
    }

    /// Measures one piece of work, which calls [`Sampler::iter`].
    #[allow(clippy::print_stdout, reason = "a bench tells its figures")]
    pub fn bench_function(&mut self, name: impl Display, work: impl FnOnce(&mut Sampler)) {
        let name = format!("{}/{name}", self.name);
        if !self.wanted.is_empty() && !self.wanted.iter().any(|word| name.contains(word)) {
            return;
        }
        let mut sampler = Sampler { sample: self.sample, least: f64::INFINITY };
        work(&mut sampler);
        let nanoseconds = sampler.least * 1e9 / self.elements as f64;
        println!("{name:<60} {nanoseconds:>14.1} ns");
    }
}

impl Sampler {
    /// Calls a piece of work often enough to time it.
    #[allow(clippy::disallowed_methods, reason = "the host's time is what a bench is about")]
    pub fn iter<Result>(&mut self, mut work: impl FnMut() -> Result) {
        let mut time = |calls: u32| {
            let start = Instant::now();
            (0..calls).for_each(|_| drop(black_box(work())));
            start.elapsed().as_secs_f64()
        };
        let one = time(1).max(1e-9);
        let calls = (self.sample.as_secs_f64() / one).clamp(1.0, 1e6) as u32;
        for _ in 0..SAMPLES {
            self.least = self.least.min(time(calls) / f64::from(calls));
        }
    }
}
