//! What Python asks for.

use serde::Deserialize;
use tilewright_check::Tools;
use tilewright_metal::{NocMode, RunOptions};
use tilewright_run::Injection;
use tilewright_run::grade::ListedFault;

/// How to run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Whether the tools watch.
    pub check: bool,
    pub seed: u64,
    /// The device's name.
    pub device: String,
    pub threads: usize,
    /// Whether transfers land as late as they may.
    pub late: bool,
    pub step_budget: Option<u64>,
    /// The compiler.
    pub cxx: Option<String>,
    /// Names of tensors whose contents are there.
    pub filled: Vec<String>,
    /// Whether kernels run in a process that is forked for them.
    #[serde(default)]
    pub is_forked: bool,
    /// Whether the faults that fit the run are listed.
    #[serde(default)]
    pub lists_faults: bool,
    /// Cycles that the run may take.
    #[serde(default)]
    pub cycle_limit: Option<u64>,
    /// A fault to run with.
    #[serde(default)]
    pub inject: Option<ListedFault>,
    /// Seconds of the host that a run may take.
    #[serde(default)]
    pub timeout: Option<f64>,
}

impl Options {
    pub fn tools(&self) -> Tools {
        if self.check { Tools::all() } else { Tools::none() }
    }

    /// The fault to run with.
    pub fn injection(&self) -> Result<Option<Injection>, String> {
        let Some(fault) = &self.inject else { return Ok(None) };
        let unknown = || "the fault is of another version of tilewright".to_owned();
        fault.injection().map(Some).ok_or_else(unknown)
    }

    pub fn run_options(&self) -> RunOptions {
        let usual = RunOptions::USUAL;
        RunOptions {
            seed: self.seed,
            threads: self.threads.max(1),
            noc: if self.late { NocMode::Late } else { NocMode::Timed },
            step_budget: self.step_budget.unwrap_or(usual.step_budget),
            cycle_limit: self.cycle_limit.unwrap_or(usual.cycle_limit),
            ..usual
        }
    }
}
