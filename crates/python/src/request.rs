//! What Python asks for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use tilewright_check::Tools;
use tilewright_metal::{NocMode, ProgramDescription, RunOptions};
use tilewright_run::grade::ListedFault;
use tilewright_run::{Described, Injection, Isolation, LaunchCommand, Reference, Request};

use crate::contents::Contents;

/// Time without a call or a step of any kernel after which a run is given up.
const SILENCE: Duration = Duration::from_secs(20);

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
    /// What the outputs are compared with.
    #[serde(default)]
    pub reference: Option<AskedReference>,
}

/// A reference with the names of its tensors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedReference {
    operation: String,
    choices: BTreeMap<String, String>,
    inputs: BTreeMap<String, String>,
    outputs: BTreeMap<String, String>,
}

impl AskedReference {
    fn reference(&self) -> Reference {
        Reference {
            operation: self.operation.clone(),
            choices: self.choices.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
        }
    }
}

impl Options {
    /// The request for a program; `tensors` holds the bytes of its tensors.
    pub fn request(
        &self,
        description: &str,
        tensors: &BTreeMap<String, Contents>,
    ) -> Result<Request, String> {
        let description = ProgramDescription::from_json(description);
        let description = description.map_err(|error| error.to_string())?;
        let filled = self.filled.iter().filter_map(|name| Some((name, tensors.get(name)?)));
        let contents = filled.map(|(name, it)| (name.clone(), it.bytes().to_vec())).collect();
        // Python shows a capture instead.
        let command = LaunchCommand::default();
        let timeout = self.timeout.filter(|it| *it > 0.0);
        Ok(Request {
            device: Some(self.device.clone()),
            seed: Some(self.seed),
            threads: Some(self.threads.max(1)),
            noc: if self.late { NocMode::Late } else { NocMode::Timed },
            check: if self.check { Tools::all() } else { Tools::none() },
            step_budget: self.step_budget.unwrap_or(RunOptions::USUAL.step_budget),
            cycle_limit: self.cycle_limit,
            cxx: self.cxx.as_ref().map(PathBuf::from),
            silence: Some(SILENCE),
            timeout: timeout.and_then(|it| Duration::try_from_secs_f64(it).ok()),
            isolation: if self.is_forked { Isolation::Sandboxed } else { Isolation::InProcess },
            injection: self.injection()?,
            reference: self.reference.as_ref().map(AskedReference::reference),
            keeps_changed: true,
            ..Request::described(Described { description, contents, command })
        })
    }

    /// The fault to run with.
    fn injection(&self) -> Result<Option<Injection>, String> {
        let Some(fault) = &self.inject else { return Ok(None) };
        let unknown = || "the fault is of another version of tilewright".to_owned();
        fault.injection().map(Some).ok_or_else(unknown)
    }
}
