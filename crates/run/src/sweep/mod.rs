//! Many runs of one subject: every combination of shapes, formats, inputs, seeds and options.
//!
//! Rows are kept as they come, so that a sweep that was interrupted goes on where it was, and ends
//! with the table that it would have had.

mod job;
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

pub use job::Job;
pub use plan::{Plan, Point, Word};
pub use row::SweepRow;
pub use store::SweepHead;

use self::store::Store;
use crate::lock;
use crate::progress::{FrontEnd, Progress, Silent};
use crate::record::{self, Failure, RunVerdict};
use crate::request::Request;
use crate::turns;

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
        let begun = self.begin()?;
        begun.work(front)?.finish(front)
    }

    /// Opens the folder for results; nothing runs yet.
    pub fn begin(&self) -> Result<Begun, Failure> {
        self.plan.check()?;
        let points = self.plan.points();
        let (fingerprint, runs) = (self.plan.fingerprint(), points.len());
        let head = SweepHead { sweep: fingerprint, runs, plan: self.plan.clone() };
        let (store, rows) = Store::open(&self.folder, &head)?;
        let resumed = rows.len();
        Ok(Begun { sweep: self.clone(), head, points, store, rows, resumed })
    }

    fn threads(&self, left: usize) -> usize {
        let host = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(host).clamp(1, left.max(1))
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

/// A sweep whose runs are being done, here or elsewhere.
pub struct Begun {
    sweep: Sweep,
    head: SweepHead,
    points: Vec<Point>,
    store: Store,
    rows: Vec<SweepRow>,
    resumed: usize,
}

impl Begun {
    /// The combinations that have no row yet.
    pub fn left(&self) -> Vec<usize> {
        let known: BTreeSet<usize> = self.rows.iter().map(|row| row.index).collect();
        (0..self.points.len()).filter(|index| !known.contains(index)).collect()
    }

    /// A combination as a job for somebody else, or its row if it cannot even begin.
    pub fn job(&self, index: usize) -> Result<Job, Box<SweepRow>> {
        Job::new(&self.sweep.plan, index, &self.points[index])
    }

    /// Adds the row of a run.
    pub fn add(&mut self, row: SweepRow) -> Result<(), Failure> {
        self.store.add(&row)?;
        self.rows.push(row);
        Ok(())
    }

    /// Runs all that is left on this machine. Foreign kernels run in a process each; their first
    /// run is alone, so that they are compiled once.
    fn work(mut self, front: &Arc<dyn FrontEnd>) -> Result<Begun, Failure> {
        let (mut left, sweep) = (self.left(), self.sweep.clone());
        let points = std::mem::take(&mut self.points);
        let silent: Arc<dyn FrontEnd> = Arc::new(Silent);
        let run = |index: usize| {
            let request = sweep.plan.request(&points[index]).map(job::limited);
            let outcome = request.and_then(|it| crate::run(&it, &silent, None));
            SweepRow::new(index, &points[index], &outcome)
        };
        let is_foreign = Request::new(sweep.plan.subject.clone()).is_foreign();
        if is_foreign && !left.is_empty() {
            self.add(run(left.remove(0)))?;
        }
        let (before, all) = (self.resumed, points.len());
        let state = Mutex::new((self, Ok(())));
        let (next, progress) = (AtomicUsize::new(0), Progress::new(front));
        let work = || {
            while let Some(index) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                let is_written = turns::in_turns_if(is_foreign, || {
                    let row = run(*index);
                    let (begun, written) = &mut *lock(&state);
                    if written.is_ok() {
                        *written = begun.add(row);
                        let ended = begun.rows.len() as u64;
                        progress.bar_from("runs", (before as u64, ended, all as u64));
                    }
                    written.is_ok()
                });
                if !is_written {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            (1..sweep.threads(left.len())).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let (mut begun, written) = state.into_inner().unwrap_or_else(|it| it.into_inner());
        written?;
        begun.points = points;
        Ok(begun)
    }

    /// Writes the table, and makes the smallest failing run smaller.
    pub fn finish(mut self, front: &Arc<dyn FrontEnd>) -> Result<Swept, Failure> {
        if let Some(index) = self.left().first() {
            return Err(Failure::new(format!("run {index} of the sweep has not ended")));
        }
        self.rows.sort_by_key(|row| row.index);
        let (sweep, rows) = (self.sweep, self.rows);
        self.store.finish(&self.head, &rows)?;
        let smallest = sweep.smallest(&rows, front)?;
        let summary = summary(&sweep.plan, &sweep.folder, (&rows, self.resumed), smallest);
        Ok(Swept { summary, rows })
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
