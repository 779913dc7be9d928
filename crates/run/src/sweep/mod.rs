//! Many runs of one subject: every combination of shapes, formats, inputs, seeds and options.
//!
//! Rows are kept as they come, so that a sweep that was interrupted goes on where it was, and ends
//! with the table that it would have had.

mod plan;
mod row;
mod shrink;
mod store;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use plan::{Plan, Point, Word};
pub use row::SweepRow;
pub use store::SweepHead;

use self::store::Store;
use crate::lock;
use crate::progress::{FrontEnd, Progress, Silent};
use crate::record::{self, Failure, RunVerdict};
use crate::request::Request;

/// The host's time that foreign kernels may take for a run, and without a call.
const TIMEOUT: Duration = Duration::from_secs(60);
const SILENCE: Duration = Duration::from_secs(10);

/// A sweep and the folder for its results.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What to run.
    pub plan: Plan,
    /// The folder for `results.jsonl` and `results.csv`.
    pub folder: PathBuf,
    /// Host threads; all unless given. They change no result.
    pub threads: Option<usize>,
}

/// A sweep that has ended.
#[derive(Clone, Debug)]
pub struct Swept {
    /// The summary.
    pub summary: record::Sweep,
    /// What came of each run, in the order of the combinations.
    pub rows: Vec<SweepRow>,
}

impl Sweep {
    /// A sweep on all host threads.
    pub fn new(plan: Plan, folder: impl AsRef<Path>) -> Sweep {
        Sweep { plan, folder: folder.as_ref().to_owned(), threads: None }
    }

    /// Runs what has not run yet, and shows nobody how far it is.
    pub fn run(&self) -> Result<Swept, Failure> {
        let front: Arc<dyn FrontEnd> = Arc::new(Silent);
        self.run_with(&front)
    }

    /// Runs what has not run yet.
    pub fn run_with(&self, front: &Arc<dyn FrontEnd>) -> Result<Swept, Failure> {
        self.plan.check()?;
        let points = self.plan.points();
        let (sweep, runs, plan) = (self.plan.fingerprint(), points.len(), self.plan.clone());
        let head = SweepHead { sweep, runs, plan };
        let (store, rows) = Store::open(&self.folder, &head)?;
        let resumed = rows.len();
        let known: BTreeSet<usize> = rows.iter().map(|row| row.index).collect();
        let left: Vec<(usize, &Point)> =
            points.iter().enumerate().filter(|(index, _)| !known.contains(index)).collect();
        let (store, rows) = self.work(&left, (store, rows), front)?;
        store.finish(&head, &rows)?;
        let smallest = self.smallest(&rows, front)?;
        let summary = summary(&self.plan, &self.folder, (&rows, resumed), smallest);
        Ok(Swept { summary, rows })
    }

    /// Runs combinations on all threads; foreign kernels need a process without threads to start
    /// theirs from, one after the other.
    fn work(
        &self,
        left: &[(usize, &Point)],
        (store, rows): (Store, Vec<SweepRow>),
        front: &Arc<dyn FrontEnd>,
    ) -> Result<(Store, Vec<SweepRow>), Failure> {
        let (before, all) = (rows.len(), rows.len() + left.len());
        let state = Mutex::new((store, rows, Ok(())));
        let (next, progress) = (AtomicUsize::new(0), Progress::new(front));
        let silent: Arc<dyn FrontEnd> = Arc::new(Silent);
        let work = || {
            while let Some((index, point)) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = self.request(point).and_then(|it| crate::run(&it, &silent, None));
                let row = SweepRow::new(*index, point, &outcome);
                let (store, rows, written) = &mut *lock(&state);
                if written.is_err() {
                    return;
                }
                *written = store.add(&row);
                rows.push(row);
                progress.bar_with_time("runs", (before, rows.len(), all));
            }
        };
        std::thread::scope(|scope| {
            (1..self.threads(left)).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let (store, mut rows, written) = state.into_inner().unwrap_or_else(|it| it.into_inner());
        written?;
        rows.sort_by_key(|row| row.index);
        Ok((store, rows))
    }

    fn threads(&self, left: &[(usize, &Point)]) -> usize {
        let is_foreign = Request::new(self.plan.subject.clone()).is_foreign();
        let host = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = self.threads.unwrap_or_else(host).clamp(1, left.len().max(1));
        if is_foreign { 1 } else { threads }
    }

    fn request(&self, point: &Point) -> Result<Request, Failure> {
        let request = self.plan.request(point)?;
        let (timeout, silence) = match request.is_foreign() {
            true => (Some(TIMEOUT), Some(SILENCE)),
            false => (None, None),
        };
        Ok(Request { timeout, silence, ..request })
    }

    /// The smallest failing run, made smaller, and captured if its kernels are in C++.
    fn smallest(
        &self,
        rows: &[SweepRow],
        front: &Arc<dyn FrontEnd>,
    ) -> Result<Option<record::SweepFailure>, Failure> {
        let Some(shrunk) = shrink::shrink(&self.plan, rows, front)? else { return Ok(None) };
        let capture = match shrunk.request.is_foreign() {
            true => Some(self.capture(&shrunk.request, front)?),
            false => None,
        };
        let row = shrunk.row;
        Ok(Some(record::SweepFailure {
            index: row.index,
            point: row.point,
            verdict: row.verdict,
            findings: row.findings,
            replay: row.replay,
            capture,
        }))
    }

    fn capture(&self, request: &Request, front: &Arc<dyn FrontEnd>) -> Result<String, Failure> {
        let capture = crate::capture(request, front)?;
        let bytes = capture.to_bytes().map_err(|error| Failure::new(error.to_string()))?;
        let path = self.folder.join("smallest.cap");
        std::fs::write(&path, bytes).map_err(|error| {
            Failure::new(format!("{} cannot be written: {error}", path.display()))
        })?;
        Ok(path.display().to_string())
    }
}

fn summary(
    plan: &Plan,
    folder: &Path,
    (rows, resumed): (&[SweepRow], usize),
    smallest: Option<record::SweepFailure>,
) -> record::Sweep {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let ratio = |row: &SweepRow| row.worst_ratio.map_or(-1.0, |ratio| ratio.0);
    let worst = rows.iter().filter(|row| row.worst_ratio.is_some());
    let worst = worst.reduce(|worst, row| if ratio(row) > ratio(worst) { row } else { worst });
    let file = |name: &str| folder.join(name).display().to_string();
    record::Sweep {
        subject: plan.subject.clone(),
        runs: rows.len(),
        resumed,
        pass: count(RunVerdict::Pass),
        unjudged: count(RunVerdict::Unjudged),
        fail: count(RunVerdict::Fail),
        hang: count(RunVerdict::Hang),
        error: count(RunVerdict::Error),
        worst: worst.cloned(),
        smallest_failure: smallest,
        files: vec![file("results.jsonl"), file("results.csv")],
    }
}
