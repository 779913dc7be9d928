//! One run with a fault, and how far its outputs are from the right ones.

use serde::{Deserialize, Serialize};
use tilewright_check::FindingId;
use tilewright_metal::{Device, Ending, Prepared, RunOptions, Tensor};
use tilewright_tile::bound::Approx;

use super::comparison::{Comparison, Distance};
use super::fault::Cause;
use super::places::Places;
use crate::ask::Ask;
use crate::judgement::Outputs;
use crate::record::Failure;
use crate::schedule::simulate;

/// Cycles that a faulty run may take, as a multiple of the right one's.
const CYCLES_FACTOR: u64 = 4;
/// Calls without progress after which a faulty run is a livelock.
const STEP_BUDGET: u64 = 1 << 14;

/// A program that faults are tried on, with what its outputs must be.
pub(crate) struct TestBed<'a> {
    /// The right program.
    ask: &'a Ask<'a>,
    /// Programs with faults that were reported.
    reported: &'a [Ask<'a>],
    options: RunOptions,
    comparison: Comparison,
    /// The exact values of the outputs that are compared with something.
    wanted: Vec<Vec<Approx>>,
    /// The run without a fault.
    clean: Option<Clean>,
}

/// What is kept of the run without a fault.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Clean {
    /// The findings, which are no faulty run's own.
    pub(crate) findings: Vec<String>,
    /// The bits of every output.
    pub(crate) bits: Vec<Vec<u32>>,
    /// Simulated cycles.
    pub(crate) cycles: u64,
}

/// What came of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trial {
    /// How it ended, unless it completed.
    pub(crate) ended: Option<String>,
    /// The kinds of findings that the run without a fault does not have.
    pub(crate) findings: Vec<String>,
    /// Whether a value of an output is another one.
    pub(crate) is_changed: bool,
    /// The least tolerance, least correlation, and whether an element is outside its bound.
    distance: (u64, u64, bool),
}

impl Trial {
    pub(super) fn new(ended: Option<String>, findings: Vec<String>, distance: Distance) -> Trial {
        let Distance { atol, pcc, is_beyond } = distance;
        // As bits: JSON has no infinities.
        let distance = (atol.to_bits(), pcc.to_bits(), is_beyond);
        Trial { ended, findings, is_changed: false, distance }
    }

    /// A run whose process was lost.
    pub(crate) fn lost(how: String) -> Trial {
        Trial::new(Some(how), Vec::new(), Distance::NONE)
    }

    /// How far its outputs are from the right values.
    pub(crate) fn distance(&self) -> Distance {
        let (atol, pcc, is_beyond) = self.distance;
        Distance { atol: f64::from_bits(atol), pcc: f64::from_bits(pcc), is_beyond }
    }
}

impl<'a> TestBed<'a> {
    /// Evaluates the references; nothing has run yet.
    pub(crate) fn new(
        ask: &'a Ask<'a>,
        reported: &'a [Ask<'a>],
        comparison: Comparison,
    ) -> Result<TestBed<'a>, Failure> {
        let (_, prepared) = ask.prepare()?;
        let wanted = prepared.outputs.iter().map(|output| (output.reference)()).collect();
        let step_budget = ask.options.step_budget.min(STEP_BUDGET);
        let options = RunOptions { threads: 1, step_budget, has_digest: false, ..ask.options };
        Ok(TestBed { ask, reported, options, comparison, wanted, clean: None })
    }

    /// The run without a fault: what it leaves, how near it is, and the faults that fit it.
    pub(crate) fn clean(&self) -> Result<(Clean, Trial, Places), Failure> {
        let mut places = Places::default();
        let (mut device, prepared) = self.ask.prepare()?;
        let asked = (self.ask.asked, None);
        let ran = simulate(&prepared, &mut device, self.options, asked, (Some(&mut places), None))?;
        let ended = ended(ran.outcomes.last().map(|outcome| &outcome.ending));
        let findings: Vec<String> =
            ran.report.sightings.iter().map(|it| it.finding.id.name().to_owned()).collect();
        let outputs = Outputs::read(&prepared, &mut device).map_err(|it| self.wrong(&it))?;
        let bits = bits(&outputs);
        let trial = Trial::new(ended, findings.clone(), self.distance(&bits));
        let cycles = ran.outcomes.iter().map(|outcome| outcome.cycles.0).sum();
        Ok((Clean { findings, bits, cycles }, trial, places))
    }

    /// Knows the run without a fault from now on.
    pub(crate) fn set_clean(&mut self, clean: Clean) {
        self.options.cycle_limit = clean.cycles.saturating_mul(CYCLES_FACTOR).max(1 << 16);
        self.clean = Some(clean);
    }

    /// The least absolute tolerance that accepts every kernel inside its bounds; none if nothing
    /// is compared with a bound.
    pub(crate) fn justified_atol(&self) -> Option<f64> {
        let all = self.wanted.iter().map(|wanted| self.comparison.justified_atol(wanted));
        all.reduce(f64::max)
    }

    /// Runs with a fault.
    pub(crate) fn attempt(&self, cause: &Cause) -> Result<Trial, Failure> {
        let ((mut device, prepared), injection) = match cause {
            Cause::Injected(injection) => {
                let (device, mut prepared) = self.ask.prepare()?;
                injection.apply(&mut prepared)?;
                ((device, prepared), Some(injection))
            }
            Cause::Reported(_, number) => (self.reported[*number].prepare()?, None),
        };
        let asked = (self.ask.asked, injection);
        let ran = simulate(&prepared, &mut device, self.options, asked, (None, None))?;
        let found = ran.report.sightings.iter().map(|it| it.finding.id.name());
        let ended = ended(ran.outcomes.last().map(|outcome| &outcome.ending));
        self.judge(ended, found, &prepared, &mut device)
    }

    fn judge<'f>(
        &self,
        ended: Option<String>,
        found: impl Iterator<Item = &'f str>,
        prepared: &Prepared,
        device: &mut Device,
    ) -> Result<Trial, Failure> {
        let clean = self.clean.as_ref().expect("the run without a fault comes first");
        let is_new = |id: &&str| !clean.findings.iter().any(|known| known == id);
        let mut findings: Vec<String> = found.filter(is_new).map(str::to_owned).collect();
        findings.dedup();
        if ended.is_some() {
            return Ok(Trial::new(ended, findings, Distance::NONE));
        }
        let outputs = Outputs::read(prepared, device).map_err(|it| self.wrong(&it))?;
        let padded = outputs.padding_faults(prepared, device).map_err(|it| self.wrong(&it))?;
        if !padded.is_empty() {
            findings.push(FindingId::OutputPadding.name().to_owned());
        }
        let bits = bits(&outputs);
        let is_changed = bits != clean.bits;
        let distance = self.distance(&bits);
        Ok(Trial { is_changed, ..Trial::new(None, findings, distance) })
    }

    /// How far outputs are from the right values, or those with no reference from the clean run's.
    fn distance(&self, outputs: &[Vec<u32>]) -> Distance {
        let mut distance = Distance::NONE;
        for (number, bits) in outputs.iter().enumerate() {
            let values: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
            let clean = || Some(&self.clean.as_ref()?.bits[number]);
            let one = match self.wanted.get(number) {
                Some(wanted) => self.comparison.distance(&values, wanted),
                None => match clean() {
                    Some(clean) => {
                        let exact = |bits: &u32| Approx::exact(f64::from(f32::from_bits(*bits)));
                        let clean: Vec<Approx> = clean.iter().map(exact).collect();
                        self.comparison.distance(&values, &clean)
                    }
                    None => Distance::NONE,
                },
            };
            distance = distance.and(one);
        }
        distance
    }

    fn wrong(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::new(format!("{}: {error}", self.ask.name()))
    }
}

/// The bits of every output's values, padding left out.
fn bits(outputs: &Outputs) -> Vec<Vec<u32>> {
    let values = outputs.contents().map(Tensor::to_f32);
    values.map(|values| values.into_iter().map(f32::to_bits).collect()).collect()
}

/// How a run ended that did not complete.
fn ended(ending: Option<&Ending>) -> Option<String> {
    match ending {
        Some(Ending::Completed) => None,
        Some(Ending::Stuck) => Some("hangs".to_owned()),
        Some(Ending::Stopped(_)) => Some("is stopped".to_owned()),
        Some(Ending::Paused(_)) | None => Some("does not complete".to_owned()),
    }
}
