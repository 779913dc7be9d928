//! One run of a sweep by content: it runs wherever the program is, whatever files are there.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tilewright_metal::fingerprint;

use super::plan::{Plan, Point};
use super::row::SweepRow;
use super::{SILENCE, TIMEOUT};
use crate::progress::{FrontEnd, Silent};
use crate::record::Failure;
use crate::request::Request;

/// A run of a sweep, for somebody else to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The number of the combination.
    pub index: usize,
    point: Point,
    /// The plan that the combination is of, if it can be run from that alone.
    plan: Option<Plan>,
    /// The command that makes a captured run again.
    replay: Option<String>,
    /// The program as a capture, if its kernels are in C++; it is not part of the JSON.
    #[serde(skip)]
    pub capture: Option<Vec<u8>>,
}

/// How foreign kernels are limited.
pub(super) fn limited(request: Request) -> Request {
    match request.is_foreign() {
        true => Request { timeout: Some(TIMEOUT), silence: Some(SILENCE), ..request },
        false => request,
    }
}

impl Job {
    /// A job, or the row of a run that cannot even begin.
    pub(super) fn new(plan: &Plan, index: usize, point: &Point) -> Result<Job, Box<SweepRow>> {
        Job::of(plan, index, point)
            .map_err(|failure| Box::new(SweepRow::new(index, point, &Err(failure))))
    }

    fn of(plan: &Plan, index: usize, point: &Point) -> Result<Job, Failure> {
        let request = plan.request(point)?;
        let point = point.clone();
        if !request.is_foreign() {
            let plan = Some(plan.clone());
            return Ok(Job { index, point, plan, replay: None, capture: None });
        }
        let (bytes, replay) = crate::turns::in_turns(|| captured(&request))?;
        Ok(Job { index, point, plan: None, replay: Some(replay), capture: Some(bytes) })
    }

    /// Runs it. Threads of one process take turns where kernels are foreign.
    pub fn run(&self) -> SweepRow {
        let silent: Arc<dyn FrontEnd> = Arc::new(Silent);
        let outcome = match (&self.plan, &self.capture) {
            (Some(plan), _) => plan
                .request(&self.point)
                .and_then(|request| crate::run(&limited(request), &silent, None)),
            (None, Some(bytes)) => crate::turns::in_turns(|| in_file(bytes, &silent)),
            (None, None) => Err(Failure::new("the job has neither a plan nor a capture")),
        };
        let row = SweepRow::new(self.index, &self.point, &outcome);
        let replay = row.replay.as_ref().and(self.replay.clone()).or(row.replay.clone());
        SweepRow { replay, ..row }
    }
}

#[cfg(target_os = "linux")]
fn captured(request: &Request) -> Result<(Vec<u8>, String), Failure> {
    let silent: Arc<dyn FrontEnd> = Arc::new(Silent);
    let (capture, replay) = crate::capture_file::captured(request, &silent)?;
    let bytes = capture.to_bytes().map_err(|error| Failure::new(error.to_string()))?;
    Ok((bytes, replay))
}

#[cfg(not(target_os = "linux"))]
fn captured(request: &Request) -> Result<(Vec<u8>, String), Failure> {
    let silent: Arc<dyn FrontEnd> = Arc::new(Silent);
    crate::capture(request, &silent).map(|_| unreachable!("there are no captures elsewhere"))
}

/// Runs a capture, which must be a file for that.
fn in_file(bytes: &[u8], front: &Arc<dyn FrontEnd>) -> Result<crate::Outcome, Failure> {
    let name = format!("tilewright-{}-{:016x}.cap", std::process::id(), fingerprint(bytes));
    let path: PathBuf = std::env::temp_dir().join(name);
    fs::write(&path, bytes)
        .map_err(|error| Failure::new(format!("{} cannot be written: {error}", path.display())))?;
    let request = Request { threads: Some(1), ..Request::new(path.display().to_string()) };
    let outcome = crate::run(&limited(request), front, None);
    // A file that is left in the folder for temporary files does no harm.
    drop(fs::remove_file(&path));
    outcome
}
