//! All launches of a host program as one record: its verdict, and each finding once.
//!
//! The one verdict that rests on somebody else's comparison is made here: a host program that reads
//! what its launches made, and then exits with 0, has judged it.

use std::collections::{BTreeMap, BTreeSet};

use tilewright_check::FindingId;

use crate::device::DEFAULT_DEVICE;
use crate::record::{self, Finding, FindingIdentity, RunVerdict};
use crate::request::Request;

/// What launches have come to so far.
#[derive(Default)]
pub struct Launches {
    /// How many there were.
    pub count: u64,
    /// Whether a launch did not complete, so that nothing can go on.
    pub is_over: bool,
    run: Option<record::Run>,
    /// What the findings of the record are known by, in their order.
    known: Vec<FindingIdentity>,
    verdicts: Vec<RunVerdict>,
    /// Findings that count only if the host program looks at the buffer: by its name.
    pending: BTreeMap<String, (FindingIdentity, Finding)>,
    digests: String,
    /// Whether the host program has looked at something that a launch has made.
    has_read_result: bool,
}

/// How the host program ended that made the launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostProgramEnding {
    /// By a fault of its own, which is a finding: a crash, or an error that nobody caught.
    Fault(Box<Finding>),
    /// By itself, with this status.
    Exit(i32),
    /// It was ended: a launch did not complete, so that a card would leave it waiting.
    Stopped,
    /// It was ended: it took longer than it may.
    Silent,
}

impl Launches {
    /// Adds a launch, made at a line of the host program. `named` are the buffers that it may have
    /// written.
    pub fn add(&mut self, mut run: record::Run, at: &str, named: &BTreeSet<String>) {
        self.count += 1;
        self.pending.retain(|buffer, _| !named.contains(buffer));
        let identities = record::identities(&run.findings);
        let mut now = Vec::new();
        for (identity, finding) in identities.into_iter().zip(run.findings.drain(..)) {
            match awaiting_read(&finding, named) {
                Some(buffer) => drop(self.pending.insert(buffer.clone(), (identity, finding))),
                None => {
                    let program = Some(at.to_owned());
                    now.push((identity, Finding { program, ..finding }));
                }
            }
        }
        self.is_over |= matches!(run.verdict, RunVerdict::Hang | RunVerdict::Error)
            || now.iter().any(|(_, finding)| ends_a_run(finding));
        self.verdicts.push(match run.verdict {
            // What was only unwritten outputs is judged when somebody looks at them.
            RunVerdict::Fail if now.is_empty() && run.outputs.values().all(|it| it.in_bound) => {
                RunVerdict::Unjudged
            }
            other => other,
        });
        self.digests.push_str(&run.digest);
        match &mut self.run {
            None => self.run = Some(run),
            Some(all) => join(all, run),
        }
        now.into_iter().for_each(|(identity, finding)| self.show(identity, finding));
    }

    /// The host program looks at a buffer, which launches may have written.
    pub fn read(&mut self, buffer: &str, is_result: bool) {
        self.has_read_result |= is_result;
        let Some((identity, finding)) = self.pending.remove(buffer) else { return };
        self.verdicts.push(RunVerdict::Fail);
        self.show(identity, finding);
    }

    /// Adds a finding, unless an earlier launch has shown the same one.
    fn show(&mut self, identity: FindingIdentity, finding: Finding) {
        let Some(run) = &mut self.run else { return };
        let Some(at) = self.known.iter().position(|known| *known == identity) else {
            self.known.push(identity);
            run.findings.push(finding);
            return;
        };
        let (also, facts) = ("a later launch shows it, too", &mut run.findings[at].facts);
        if facts.iter().all(|fact| fact != also) {
            facts.push(also.to_owned());
        }
    }

    /// The record of the host program, which has ended.
    pub fn record(self, asked: &Request, name: &str, ending: HostProgramEnding) -> record::Run {
        let has_read_result = self.has_read_result;
        let mut run = self.run.unwrap_or_else(|| nothing(asked));
        if self.count > 0 {
            run.verdict = RunVerdict::worst(self.verdicts);
        }
        run.request.operation = name.to_owned();
        run.notes.dedup();
        run.uncompared.clear();
        if self.count > 1 {
            run.digest = format!("{:016x}", tilewright_metal::fingerprint(self.digests.as_bytes()));
        }
        end(&mut run, ending, has_read_result);
        run
    }
}

/// What the host program's end adds to its launches.
fn end(run: &mut record::Run, ending: HostProgramEnding, has_read_result: bool) {
    match ending {
        HostProgramEnding::Fault(finding) => {
            run.findings.push(*finding);
            run.verdict = RunVerdict::worst([run.verdict, RunVerdict::Fail]);
        }
        HostProgramEnding::Exit(0) => {
            if run.verdict == RunVerdict::Unjudged && has_read_result {
                // It has looked at what its launches made, and is content.
                run.verdict = RunVerdict::Pass;
            }
        }
        HostProgramEnding::Exit(status) => {
            run.notes.push(format!("the host program ended with status {status}"));
            run.verdict = RunVerdict::worst([run.verdict, RunVerdict::Fail]);
        }
        HostProgramEnding::Stopped => {
            run.notes.push("the host program was ended: its launch did not complete".to_owned());
        }
        HostProgramEnding::Silent => {
            run.notes.push("the host program took longer than --timeout allows".to_owned());
            run.verdict = RunVerdict::Hang;
        }
    }
}

/// The buffer that a finding is about which counts only if that is read, if it is one of those that
/// are named.
fn awaiting_read<'a>(finding: &Finding, named: &'a BTreeSet<String>) -> Option<&'a String> {
    if !FindingId::from_name(&finding.id).is_some_and(FindingId::counts_when_read) {
        return None;
    }
    named.iter().find(|name| finding.title.contains(&format!("`{name}`")))
}

/// Whether a finding is of a launch that did not complete.
fn ends_a_run(finding: &Finding) -> bool {
    FindingId::from_name(&finding.id).is_some_and(FindingId::ends_run)
}

/// Adds a launch's totals to those of the launches before; findings are added one by one.
fn join(all: &mut record::Run, run: record::Run) {
    all.completed &= run.completed;
    all.allowed += run.allowed;
    let is_new = |note: &String| !all.notes.contains(note);
    let notes: Vec<String> = run.notes.into_iter().filter(is_new).collect();
    all.notes.extend(notes);
    all.tiles += run.tiles;
    all.cycles += run.cycles;
    all.wall_seconds += run.wall_seconds;
    all.host_seconds.loading += run.host_seconds.loading;
    all.host_seconds.read_back += run.host_seconds.read_back;
    all.host_seconds.judging += run.host_seconds.judging;
    all.tiles_per_second = all.tiles as f64 / all.wall_seconds.max(1e-9);
    all.programs.extend(run.programs);
    all.printed.extend(run.printed);
    all.zones.extend(run.zones);
    all.omitted_zones += run.omitted_zones;
}

/// The record of a host program that has launched nothing.
pub(crate) fn nothing(asked: &Request) -> record::Run {
    record::Run {
        verdict: RunVerdict::Unjudged,
        completed: true,
        request: record::Request {
            device: asked.device.clone().unwrap_or_else(|| DEFAULT_DEVICE.to_owned()),
            threads: asked.threads.unwrap_or(1),
            ..record::Request::unknown("")
        },
        findings: Vec::new(),
        allowed: 0,
        outputs: BTreeMap::new(),
        uncompared: Vec::new(),
        notes: vec!["the host program has launched nothing".to_owned()],
        tiles: 0,
        cycles: 0,
        wall_seconds: 0.0,
        host_seconds: record::HostSeconds::default(),
        tiles_per_second: 0.0,
        seed: asked.seed.unwrap_or(0),
        schedules: asked.seeds,
        digest: format!("{:016x}", 0),
        programs: Vec::new(),
        also_cores: None,
        compiled_by: None,
        printed: Vec::new(),
        zones: Vec::new(),
        omitted_zones: 0,
        replay: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ending: HostProgramEnding, reads: bool, launched: RunVerdict, expected: RunVerdict) {
        let request = Request::new("a host program");
        let mut launches = Launches::default();
        let launch = record::Run { verdict: launched, ..nothing(&request) };
        launches.add(launch, "main.cpp:7", &BTreeSet::new());
        launches.read("buffer", false);
        if reads {
            launches.read("buffer", true);
        }
        let run = launches.record(&request, "main.cpp", ending.clone());
        assert_eq!(run.verdict, expected, "{ending:?}, reads: {reads}");
    }

    #[test]
    fn only_a_program_that_reads_results_and_exits_with_0_has_judged_them() {
        use HostProgramEnding::{Exit, Silent, Stopped};
        use RunVerdict::{Error, Fail, Hang, Pass, Unjudged};
        check(Exit(0), true, Unjudged, Pass);
        check(Exit(0), false, Unjudged, Unjudged);
        check(Exit(3), true, Unjudged, Fail);
        check(Stopped, true, Unjudged, Unjudged);
        check(Silent, true, Unjudged, Hang);
        for verdict in [Hang, Error] {
            check(Exit(0), true, verdict, verdict);
        }
    }
}
