//! The answer of `tilewright run`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_machine::{Ending, StopReason};
use tilewright_metal::Shape;
use tilewright_ops::judge::Judgement;

use super::finding::{Blame, Finding};
use super::number::Number;
use super::printed::{Printed, Zone};

/// One run: what was asked for, what came of it, and how to have it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// What it comes to. The exit code is 0 for `pass`, `unjudged` and `paused`, 1 for `fail` and
    /// `hang`, 2 for `error`; with `--require-judged` it is 1 for `unjudged`.
    pub verdict: RunVerdict,
    /// Whether every kernel returned, in every schedule.
    pub completed: bool,
    /// What was run.
    pub request: Request,
    /// What is wrong with the program, in order of simulated time.
    pub findings: Vec<Finding>,
    /// How many findings were allowed; they are not listed and do not count.
    pub allowed: usize,
    /// Outputs by name, compared with their references; empty if the run did not complete.
    pub outputs: BTreeMap<String, Output>,
    /// Outputs of which no element was compared with anything; empty if the run did not complete.
    pub uncompared: Vec<String>,
    /// What a reader should know before trusting the verdict.
    pub notes: Vec<String>,
    /// Tiles of all inputs.
    pub tiles: u64,
    /// Simulated cycles until the last processor was done.
    pub cycles: u64,
    /// Seconds of the host, for the simulation alone.
    pub wall_seconds: f64,
    /// Seconds of the host for what is before and after the simulation; of the first schedule.
    pub host_seconds: HostSeconds,
    /// Input tiles over `wall_seconds`.
    pub tiles_per_second: f64,
    /// The seed of the schedule; with several, of the first.
    pub seed: u64,
    /// How many schedules were run, with seeds from `seed` on. Cycles and digest are the first's.
    pub schedules: u64,
    /// A fingerprint of all events, 16 hexadecimal digits: equal for equal runs.
    pub digest: String,
    /// The programs that ran, one after the other, in the first schedule.
    pub programs: Vec<Program>,
    /// The cores of a second run, on which every core repeats its loops; null if there was none.
    /// What only it shows is among the findings.
    pub also_cores: Option<u32>,
    /// Who compiled C++ kernels: the compiler with its version, and a fingerprint of that, of our
    /// flags and our headers. With program, inputs and seed it decides the schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiled_by: Option<String>,
    /// What kernels printed, in order of simulated time; left out if there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<Printed>,
    /// Zones of kernels, in order of their beginnings; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<Zone>,
    /// Zones that were not kept; left out if there are none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub omitted_zones: u64,
    /// The command that makes the same run again.
    pub replay: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// What a run takes of the host's time beside the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostSeconds {
    /// Making the inputs, writing them to the device's memory, and placing the programs.
    pub loading: f64,
    /// Reading the outputs back.
    pub read_back: f64,
    /// Computing references with their bounds, and comparing the outputs with them.
    pub judging: f64,
}

/// One of the programs of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Simulated cycles until its last processor was done.
    pub cycles: u64,
    /// A fingerprint of its events, 16 hexadecimal digits.
    pub digest: String,
}

/// What a run comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunVerdict {
    /// It completed, nothing was found, every output was compared with something, and every judged
    /// element is inside its bound.
    Pass,
    /// It completed and nothing was found, and an output was compared with nothing.
    Unjudged,
    /// A kernel is wrong, or an element is outside its bound.
    Fail,
    /// It stopped moving, or took more simulated time than its limit.
    Hang,
    /// It met something that is not modelled, or a fault of the simulator.
    Error,
    /// It was stopped as asked for, and nothing had been found by then.
    Paused,
}

impl Run {
    /// Takes findings out that do not count, and says how many. Values outside their bounds and
    /// runs that did not complete stay what they are.
    pub(crate) fn leave_out(&mut self, mut is_out: impl FnMut(&Finding) -> bool) -> usize {
        let before = self.findings.len();
        self.findings.retain(|finding| !is_out(finding));
        let left_out = before - self.findings.len();
        if self.completed && left_out > 0 {
            let (outputs, uncompared) = (&self.outputs, &self.uncompared);
            self.verdict = RunVerdict::of(&Ending::Completed, &self.findings, outputs, uncompared);
        }
        left_out
    }
}

impl RunVerdict {
    /// The verdict on a run.
    pub fn of(
        ending: &Ending,
        findings: &[Finding],
        outputs: &BTreeMap<String, Output>,
        uncompared: &[String],
    ) -> RunVerdict {
        let is_program_bug =
            |finding: &Finding| matches!(finding.blame, Blame::KernelBug | Blame::HostBug);
        let is_limit = |reason: &StopReason| {
            matches!(
                reason,
                StopReason::CycleLimit(_)
                    | StopReason::Livelock { .. }
                    | StopReason::EndlessLoop(_)
            )
        };
        match ending {
            Ending::Stuck => RunVerdict::Hang,
            Ending::Stopped(stops) if stops.iter().any(|stop| is_limit(&stop.reason)) => {
                RunVerdict::Hang
            }
            Ending::Stopped(_) | Ending::Completed | Ending::Paused(_)
                if findings.iter().any(is_program_bug) =>
            {
                RunVerdict::Fail
            }
            Ending::Paused(_) => RunVerdict::Paused,
            Ending::Stopped(_) => RunVerdict::Error,
            Ending::Completed if !findings.is_empty() => RunVerdict::Error,
            Ending::Completed if outputs.values().any(|output| !output.in_bound) => {
                RunVerdict::Fail
            }
            Ending::Completed if outputs.is_empty() || !uncompared.is_empty() => {
                RunVerdict::Unjudged
            }
            Ending::Completed => RunVerdict::Pass,
        }
    }

    /// The word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            RunVerdict::Pass => "pass",
            RunVerdict::Unjudged => "unjudged",
            RunVerdict::Fail => "fail",
            RunVerdict::Hang => "hang",
            RunVerdict::Error => "error",
            RunVerdict::Paused => "paused",
        }
    }

    /// The verdict on several runs: that of the worst.
    pub fn worst(verdicts: impl IntoIterator<Item = RunVerdict>) -> RunVerdict {
        let badness = |verdict: &RunVerdict| match verdict {
            RunVerdict::Pass => 0,
            RunVerdict::Unjudged => 1,
            RunVerdict::Paused => 2,
            RunVerdict::Error => 3,
            RunVerdict::Fail => 4,
            RunVerdict::Hang => 5,
        };
        verdicts.into_iter().max_by_key(badness).unwrap_or(RunVerdict::Pass)
    }
}

/// What was run, with every default filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The operation.
    pub operation: String,
    /// The device: `n150`, `p100a` or `p150`.
    pub device: String,
    /// The shape of the first input, such as `1x1x64x128`.
    pub shape: String,
    /// The format of inputs and outputs, in tt-metal's spelling.
    pub format: String,
    /// Bits of a value in Dst: 16 or 32.
    pub dst_bits: u32,
    /// How math and pack share Dst: `half` or `full`.
    pub dst_sync: String,
    /// Phases of a product, in tt-metal's spelling.
    pub fidelity: String,
    /// The most cores the program may use.
    pub cores: u32,
    /// Host threads; values, events and findings do not depend on them.
    pub threads: usize,
    /// When transfers land: `timed` or `late`.
    pub noc: String,
    /// What the inputs hold.
    pub input: String,
    /// The seed of the inputs.
    pub data_seed: u64,
    /// The operation's own choices, by name.
    pub choices: BTreeMap<String, String>,
}

impl Request {
    /// A program of which nothing but the name is known.
    pub fn unknown(name: &str) -> Request {
        let unknown = || "-".to_owned();
        Request {
            operation: name.to_owned(),
            device: unknown(),
            shape: unknown(),
            format: unknown(),
            dst_bits: 0,
            dst_sync: unknown(),
            fidelity: unknown(),
            cores: 0,
            threads: 1,
            noc: "timed".to_owned(),
            input: "declared".to_owned(),
            data_seed: 0,
            choices: BTreeMap::new(),
        }
    }
}

/// One output against its reference. Errors are differences from the exact value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Its sizes, the last one running fastest.
    pub shape: Vec<u32>,
    /// The largest error of any judged element.
    pub max_abs_error: Number,
    /// The mean error of the judged elements.
    pub mean_abs_error: Number,
    /// The largest error relative to the exact value, where that is not zero.
    pub max_relative_error: Number,
    /// The largest error over bound; at most 1 is inside.
    pub worst_ratio: Number,
    /// The element with that ratio, in row-major order; null if none was judged.
    pub worst_index: Option<usize>,
    /// The exact value of that element.
    pub wanted: Option<Number>,
    /// The device's value of that element.
    pub got: Option<Number>,
    /// The bound on the difference of the two.
    pub bound: Option<Number>,
    /// Whether every judged element is inside its bound.
    pub in_bound: bool,
    /// Elements outside their bounds.
    pub outside: usize,
    /// Elements that were compared with a bound, or with the class of a NaN or infinity.
    pub judged: usize,
    /// Elements of which nothing is known: they depend on a NaN or an infinity, or may overflow.
    pub unjudged: usize,
    /// The median of the bounds over the median of the errors: how loose the bounds are.
    pub median_slack: Number,
}

impl Output {
    /// A judgement as a record.
    pub fn new(shape: &Shape, judgement: &Judgement) -> Output {
        let worst = (judgement.judged > 0).then_some(judgement.worst);
        Output {
            shape: shape.sizes().to_vec(),
            max_abs_error: Number(judgement.max_abs_error),
            mean_abs_error: Number(judgement.mean_abs_error),
            max_relative_error: Number(judgement.max_relative_error),
            worst_ratio: Number(judgement.worst.ratio),
            worst_index: worst.map(|worst| worst.index),
            wanted: worst.map(|worst| Number(worst.wanted)),
            got: worst.map(|worst| Number(worst.got)),
            bound: worst.map(|worst| Number(worst.bound)),
            in_bound: judgement.in_bound,
            outside: judgement.outside.len(),
            judged: judgement.judged,
            unjudged: judgement.unjudged,
            median_slack: Number(judgement.median_slack),
        }
    }

    /// What a reader must know about how much of an output was judged, if anything.
    pub fn note(&self, name: &str) -> Option<String> {
        let all = self.judged + self.unjudged;
        match (self.judged, self.unjudged) {
            (_, 0) => None,
            (0, _) => Some(format!(
                "no element of `{name}` could be judged: all depend on a NaN or an infinity, or \
                 may overflow"
            )),
            (_, unjudged) => Some(format!(
                "{unjudged} of {all} elements of `{name}` were not judged: they depend on a NaN \
                 or an infinity, or may overflow"
            )),
        }
    }
}
