//! `tilewright exec`: compiles and runs a C++ host program.

use std::time::Duration;

use tilewright_host::{HostOutcome, HostProgram, Streams};
use tilewright_report::drawing::{Drawing, page};
use tilewright_report::record::Failure;
use tilewright_report::timeline::Limits;
use tilewright_report::{json, terminal};
use tilewright_run::{Request, Witness};

use super::{capture, names, run};
use crate::args::Exec;
use crate::output::{self, Output, Status};
use crate::request::{force_simd, isolation};

/// Runs a host program and shows what came of it.
pub fn exec(asked: &Exec, output: &Output) -> Result<Status, Failure> {
    if asked.print_flags {
        let flags = tilewright_host::print_flags(asked.cxx.as_deref())?;
        return Ok(output.answer(String::new, |_| flags.clone(), Status::Clean));
    }
    if let Some(folder) = &asked.install {
        let text = tilewright_host::install(folder, asked.cxx.as_deref())?;
        return Ok(output.answer(String::new, |_| text.clone(), Status::Clean));
    }
    names::check_writable(asked.report.as_deref())?;
    names::check_writable(asked.capture.as_deref())?;
    asked.capture.as_deref().map(capture::check_name).transpose()?;
    force_simd(asked.simd)?;
    let mut drawing = asked.report.is_some().then(|| Drawing::new(Limits::PAGE, &[page]));
    let witness = drawing.as_mut().map(|drawing| drawing as &mut dyn Witness);
    let host = asked.host()?;
    let outcome = tilewright_host::exec(&host, &output.front(), witness)?;
    write_files(asked, &outcome)?;
    let record = &outcome.run;
    let status = run::status_of(record, asked.require_judged);
    let text = |paint| terminal::exec(record, paint);
    Ok(output.answer(|| json::text(record), text, status))
}

impl Exec {
    /// The host program and how to run it.
    fn host(&self) -> Result<tilewright_host::Exec, Failure> {
        let program = match (&self.program, &self.file) {
            (Some(program), _) => HostProgram::Compiled(program.clone()),
            (None, Some(file)) => HostProgram::Source {
                file: file.clone(),
                include_paths: self.include.clone(),
                arguments: self.cxx_arg.clone(),
            },
            (None, None) => return Err(Failure::new("a host program is missing")),
        };
        let arguments = match (&self.program, &self.file) {
            // What clap took for the file is the first argument of the program.
            (Some(_), Some(first)) => {
                std::iter::once(first.into()).chain(self.arguments.iter().cloned()).collect()
            }
            _ => self.arguments.clone(),
        };
        Ok(tilewright_host::Exec {
            program,
            arguments,
            request: self.request(),
            streams: if self.json { Streams::Kept } else { Streams::Shown },
            launch: self.launch,
            is_captured: self.capture.is_some(),
        })
    }

    /// How every launch is run.
    fn request(&self) -> Request {
        let seconds = |seconds: u64| (seconds > 0).then(|| Duration::from_secs(seconds));
        Request {
            device: self.device.clone(),
            seed: self.seed,
            seeds: self.seeds,
            threads: self.threads.asked(),
            noc: self.noc,
            check: self.check.clone(),
            allow: self.allow.clone(),
            step_budget: self.step_budget,
            cxx: self.cxx.clone(),
            silence: seconds(self.silence),
            timeout: seconds(self.timeout),
            isolation: isolation(self.no_sandbox),
            ..Request::new("host program")
        }
    }
}

/// Writes what was asked for of one launch.
fn write_files(asked: &Exec, outcome: &HostOutcome) -> Result<(), Failure> {
    let none = || {
        Failure::new(format!("--launch {}: the program has launched fewer programs", asked.launch))
    };
    if let Some(path) = &asked.report {
        let (_, drawn) = Drawing::decode(&outcome.testimony);
        output::write(path, "html", drawn.first().ok_or_else(none)?)?;
    }
    if let Some(path) = &asked.capture {
        let capture = outcome.capture.as_ref().ok_or_else(none)?;
        let bytes = capture.to_bytes().map_err(|error| Failure::new(error.to_string()))?;
        output::write(path, "capture", &bytes)?;
    }
    Ok(())
}
