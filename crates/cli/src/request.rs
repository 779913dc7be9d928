//! From arguments to a request.

use std::time::Duration;

use tilewright_report::record::Failure;
use tilewright_run::{Isolation, Request};
use tilewright_tile::{SimdLevel, dispatch};

use crate::args::{FormatWord, Run};

impl Run {
    /// The request that the arguments make.
    pub fn request(&self) -> Result<Request, Failure> {
        self.check_format()?;
        if let [_, _, ..] = self.device.as_slice() {
            return Err(Failure::new(
                "--device: only `check`, `diff` and `report` compare several devices",
            )
            .help("give one device"));
        }
        self.request_for(&self.name)
    }

    /// Refuses a format that is not one of values.
    pub fn check_format(&self) -> Result<(), Failure> {
        if self.format.iter().any(|word| matches!(word, FormatWord::Answer(_))) {
            return Err(Failure::new("--format: only `check` writes its answer in other forms")
                .help("give a format of values, or --json"));
        }
        Ok(())
    }

    /// The same for another name.
    pub fn request_for(&self, name: &str) -> Result<Request, Failure> {
        let format = self.format.iter().rev().find_map(|word| match word {
            FormatWord::Values(format) => Some(*format),
            FormatWord::Answer(_) => None,
        });
        let seconds = |seconds: u64| (seconds > 0).then(|| Duration::from_secs(seconds));
        let set = self.set.iter().map(|it| (it.name.clone(), it.value.clone()));
        force_simd(self.simd)?;
        Ok(Request {
            device: self.device.first().cloned(),
            shape: self.shape,
            format,
            dst: self.dst,
            sync: self.sync,
            fidelity: self.fidelity,
            cores: self.cores,
            seed: self.seed,
            threads: self.threads.asked(),
            noc: self.noc,
            input: self.input,
            data_seed: self.data_seed,
            check: self.check.clone(),
            allow: self.allow.clone(),
            step_budget: self.step_budget,
            set: set.collect(),
            cxx: self.cxx.clone(),
            compiled_by: self.compiled_by.clone(),
            silence: seconds(self.silence),
            timeout: seconds(self.timeout),
            isolation: isolation(self.no_sandbox),
            ..Request::new(name.to_owned())
        })
    }
}

/// Has the process use a SIMD level of the host, if one is asked for.
pub fn force_simd(level: Option<SimdLevel>) -> Result<(), Failure> {
    let Some(level) = level else { return Ok(()) };
    dispatch::force(Some(level)).map_err(|error| {
        Failure::new(format!("--simd {}: {error}", level.name()))
            .help(format!("give {} or a narrower level", error.detected.name()))
    })
}

/// Where foreign kernels run, with the sandbox or without.
pub fn isolation(no_sandbox: bool) -> Isolation {
    if no_sandbox { Isolation::Worker } else { Isolation::Sandboxed }
}
