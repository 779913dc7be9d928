//! Would a host program notice a fault? It is run again with single faults in its launches, and its
//! exit code says whether its own verification does.

use std::sync::Arc;
use std::time::Duration;

use tilewright_metal::fingerprint;
use tilewright_run::grade::{FaultLister, ListedFault, Tried, own_grade};
use tilewright_run::record::{Failure, Grade};
use tilewright_run::{FrontEnd, Injection, Outcome as Ran, Progress, Request, Silent};

use crate::exec::{Exec, Streams, exec_graded};

/// Calls without progress after which a faulty launch is a livelock.
const STEP_BUDGET: u64 = 1 << 14;
/// The host's time for a faulty launch, and without a call.
const TIMEOUT: Duration = Duration::from_secs(60);
const SILENCE: Duration = Duration::from_secs(5);

/// What is noted of launches, and the fault of one of them.
#[derive(Default)]
pub(crate) struct Grading {
    is_listing: bool,
    /// The launch, 1 being the first, and its fault.
    fault: Option<(u64, Injection)>,
    launches: Vec<Launched>,
}

/// A launch that has ended.
struct Launched {
    is_completed: bool,
    /// A fingerprint of what all buffers hold.
    contents: u64,
    findings: Vec<String>,
    faults: Vec<ListedFault>,
}

impl Grading {
    /// Who lists the faults of a launch.
    pub(crate) fn lister(&self) -> Option<FaultLister> {
        self.is_listing.then(FaultLister::default)
    }

    /// The request of a launch, with its fault.
    pub(crate) fn faulty(&self, number: u64, request: Request) -> Request {
        match &self.fault {
            Some((launch, injection)) if *launch == number => Request {
                injection: Some(injection.clone()),
                step_budget: STEP_BUDGET,
                timeout: Some(TIMEOUT),
                silence: Some(SILENCE),
                ..request
            },
            Some(_) | None => request,
        }
    }

    /// Notes what came of a launch.
    pub(crate) fn note(&mut self, ran: &Ran, is_completed: bool) {
        let contents = ran.kept.iter().flat_map(|kept| kept.tensor.bytes().iter().copied());
        let listed = ran.testimony.first().filter(|_| self.is_listing);
        self.launches.push(Launched {
            is_completed,
            contents: fingerprint(&contents.collect::<Vec<u8>>()),
            findings: ran.run.findings.iter().map(|finding| finding.id.clone()).collect(),
            faults: listed.and_then(|it| serde_json::from_slice(it).ok()).unwrap_or_default(),
        });
    }
}

/// Grades the verification of a host program: the share of value-changing faults with which it does
/// not exit with 0.
pub fn grade(asked: &Exec, front: &Arc<dyn FrontEnd>) -> Result<Grade, Failure> {
    let asked = &Exec { streams: Streams::Kept, is_captured: false, ..asked.clone() };
    let silent: Arc<dyn FrontEnd> = Arc::new(Silent);
    let clean = Grading { is_listing: true, ..Grading::default() };
    let (is_content, clean) = exec_graded(asked, front, clean)?;
    let name = asked.program.file().display().to_string();
    if !is_content {
        return Err(Failure::new(format!("{name}: the test fails without any fault"))
            .help("`tilewright exec` says why"));
    }
    if clean.launches.is_empty() {
        return Err(Failure::new(format!("{name}: it launches nothing, so there is no fault")));
    }
    let all: usize = clean.launches.iter().map(|launch| launch.faults.len()).sum();
    let (progress, mut tried) = (Progress::new(front), Vec::new());
    for (place, launch) in clean.launches.iter().enumerate() {
        for fault in &launch.faults {
            let Some(injection) = fault.injection() else { continue };
            let number = place as u64 + 1;
            let faulty = Grading { fault: Some((number, injection)), ..Grading::default() };
            let ended = exec_graded(asked, &silent, faulty);
            tried.push(came_of(fault, place, launch, ended.ok()));
            progress.bar("faults", tried.len() as u64, all as u64);
        }
    }
    Ok(own_grade(&name, "its exit code", &tried))
}

/// What came of a host program with a fault; nothing if it could not go on.
fn came_of(
    fault: &ListedFault,
    place: usize,
    clean: &Launched,
    ended: Option<(bool, Grading)>,
) -> Tried {
    let (is_content, launches) = ended.map_or((false, Vec::new()), |(is, it)| (is, it.launches));
    let launch = launches.get(place);
    let is_new = |id: &&String| !clean.findings.contains(id);
    Tried {
        fault: fault.clone(),
        program: place,
        ended: launch.is_none_or(|launch| !launch.is_completed),
        changed: launch.is_some_and(|launch| launch.contents != clean.contents),
        findings: launch
            .map(|launch| launch.findings.iter().filter(is_new).cloned().collect())
            .unwrap_or_default(),
        noticed: !is_content,
    }
}
