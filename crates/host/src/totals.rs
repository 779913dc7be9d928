//! All launches of a host program as one record.

use std::collections::{BTreeMap, BTreeSet};

use tilewright_check::FindingId;
use tilewright_run::record::{self, Finding, RunVerdict};
use tilewright_run::{DEFAULT_DEVICE, Request};

/// What launches have come to so far.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) launches: u64,
    /// Whether a launch did not come to its end, so that nothing can go on.
    pub(crate) is_over: bool,
    run: Option<record::Run>,
    verdicts: Vec<RunVerdict>,
    /// Findings that count only if the host program looks at the buffer: by its name.
    pending: BTreeMap<String, Finding>,
    digests: String,
}

impl Totals {
    /// Adds a launch. `named` are the buffers that it may have written.
    pub(crate) fn add(&mut self, mut run: record::Run, at: &str, named: &BTreeSet<String>) {
        self.launches += 1;
        self.pending.retain(|buffer, _| !named.contains(buffer));
        let (later, mut now): (Vec<Finding>, Vec<Finding>) = run
            .findings
            .drain(..)
            .partition(|finding| finding.id == FindingId::UnwrittenOutput.name());
        for finding in later {
            let of = named.iter().find(|name| finding.title.contains(&format!("`{name}`")));
            match of {
                Some(buffer) => drop(self.pending.insert(buffer.clone(), finding)),
                None => now.push(finding),
            }
        }
        self.is_over |= matches!(run.verdict, RunVerdict::Hang | RunVerdict::Error)
            || now.iter().any(ends_a_run);
        self.verdicts.push(match run.verdict {
            // What was only unwritten outputs is judged when somebody looks at them.
            RunVerdict::Fail if now.is_empty() && run.outputs.values().all(|it| it.in_bound) => {
                RunVerdict::Unjudged
            }
            other => other,
        });
        now.iter_mut().for_each(|finding| finding.program = Some(at.to_owned()));
        self.digests.push_str(&run.digest);
        match &mut self.run {
            None => self.run = Some(record::Run { findings: now, ..run }),
            Some(all) => join(all, run, now),
        }
    }

    /// The host program looks at a buffer.
    pub(crate) fn read(&mut self, buffer: &str) {
        let Some(finding) = self.pending.remove(buffer) else { return };
        self.verdicts.push(RunVerdict::Fail);
        if let Some(run) = &mut self.run {
            add(&mut run.findings, finding);
        }
    }

    /// The record of the host program.
    pub(crate) fn record(self, asked: &Request, name: &str) -> record::Run {
        let mut run = self.run.unwrap_or_else(|| nothing(asked));
        if self.launches > 0 {
            run.verdict = RunVerdict::worst(self.verdicts);
        }
        run.request.operation = name.to_owned();
        run.notes.dedup();
        run.uncompared.clear();
        if self.launches > 1 {
            run.digest = format!("{:016x}", tilewright_metal::fingerprint(self.digests.as_bytes()));
        }
        run
    }
}

/// Whether a finding is of a launch that did not come to its end: no tool is asked about those.
fn ends_a_run(finding: &Finding) -> bool {
    let id = FindingId::from_name(&finding.id);
    id.is_some_and(|id| id.tool().is_none() && id != FindingId::UnstableOutput)
}

/// Adds what a launch came to to what those before did.
fn join(all: &mut record::Run, run: record::Run, findings: Vec<Finding>) {
    findings.into_iter().for_each(|finding| add(&mut all.findings, finding));
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

/// Adds a finding, unless an earlier launch has shown the same one.
fn add(all: &mut Vec<Finding>, finding: Finding) {
    let lines = |it: &Finding| -> Vec<(String, u32)> {
        it.marks.iter().map(|mark| (mark.file.clone(), mark.line)).collect()
    };
    let same = |it: &&mut Finding| it.id == finding.id && lines(it) == lines(&finding);
    match all.iter_mut().find(same) {
        Some(known) => {
            let also = "a later launch shows it, too".to_owned();
            if !known.facts.contains(&also) {
                known.facts.push(also);
            }
        }
        None => all.push(finding),
    }
}

/// The record of a host program that has launched nothing.
fn nothing(asked: &Request) -> record::Run {
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
