//! `tilewright check`: what is wrong with one program or with many.

use std::fs;
use std::path::Path;

use tilewright_report::record::{self, Checked, CheckedProgram, Failure};
use tilewright_report::{ci, json, terminal};
use tilewright_run::baseline::{self, Known};
use tilewright_run::{Request, subjects};

use super::run::{outcome, status};
use crate::args::{Check, Form};
use crate::output::{self, Output, Status};

/// Checks every program that was named, and shows what came of it in the form asked for.
pub fn check(asked: &Check, output: &Output) -> Result<Status, Failure> {
    let known = asked.baseline.as_deref().map(known).transpose()?.unwrap_or_default();
    let names = subjects::of(named(asked))?;
    let is_plain = matches!(asked.form(), Form::Terminal | Form::Json);
    let has_baseline = asked.baseline.is_some() || asked.write_baseline.is_some();
    if let [_, _, ..] = asked.explore.run.device.as_slice() {
        let ([name], true, false) = (names.as_slice(), is_plain, has_baseline) else {
            return Err(Failure::new("--device: several devices are compared for one program")
                .help("name one program, and write the answer to the terminal or as JSON"));
        };
        return on_devices(asked, name, output);
    }
    if let ([name], true, false) = (names.as_slice(), is_plain, has_baseline) {
        let run = attempt(asked, name, output)?;
        let status = status(&run, &asked.explore.run);
        return Ok(output.answer(
            || json::text(&run),
            |paint| terminal::check(&run, asked.explore.print, paint),
            status,
        ));
    }
    if names.len() > 1 && !asked.explore.save.is_empty() {
        return Err(Failure::new("--save: there are several programs")
            .help("check the one whose tensors you want on its own"));
    }
    let mut programs: Vec<CheckedProgram> = Vec::new();
    for name in &names {
        programs.push(CheckedProgram::new(name, attempt(asked, name, output)));
    }
    if let Some(file) = &asked.write_baseline {
        output::write(file, "json", json::text(&baseline::of(&programs)).as_bytes())?;
    }
    let left_out = baseline::leave_out(&mut programs, &known);
    let status = programs.iter().map(|program| match &program.run {
        Some(run) => status(run, &asked.explore.run),
        None => Status::CouldNotRun,
    });
    let status = status.max_by_key(|status| status.code()).unwrap_or(Status::Clean);
    let checked = Checked::new(programs, left_out);
    Ok(match asked.form() {
        Form::Terminal | Form::Json => output.answer(
            || json::text(&checked),
            |paint| terminal::checked(&checked, asked.explore.print, paint),
            status,
        ),
        Form::Sarif => output.verbatim(&ci::sarif(&checked), status),
        Form::Junit => output.verbatim(&ci::junit(&checked), status),
        Form::Github => output.verbatim(&ci::github(&checked), status),
        Form::Gitlab => output.verbatim(&ci::gitlab(&checked), status),
    })
}

/// What was named, as it was typed.
pub fn named(asked: &Check) -> impl Iterator<Item = &String> {
    [&asked.explore.run.name].into_iter().chain(&asked.more)
}

/// Checks one program on several devices, and shows what differs.
fn on_devices(asked: &Check, name: &str, output: &Output) -> Result<Status, Failure> {
    let run = &asked.explore.run;
    if !asked.explore.save.is_empty() {
        return Err(Failure::new("--save: there are several devices")
            .help("check the one whose tensors you want on its own"));
    }
    let request = Request { seeds: asked.explore.seeds, ..run.request_for(name)? };
    let devices = tilewright_run::compare(&request, &run.device, &output.front())?;
    let codes = devices.runs.iter().map(|it| status(it, run));
    let status = codes.max_by_key(|status| status.code()).unwrap_or(Status::Clean);
    let print = asked.explore.print;
    let text = |paint| terminal::devices(&devices, print, paint);
    Ok(output.answer(|| json::text(&devices), text, status))
}

fn attempt(asked: &Check, name: &str, output: &Output) -> Result<record::Run, Failure> {
    let request = asked.explore.run.request_for(name)?;
    let request = Request { is_repeated_on_few_cores: true, ..request };
    outcome(&asked.explore, request, output)
}

fn known(file: &Path) -> Result<Vec<Known>, Failure> {
    let shown = file.display();
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("{shown} cannot be read: {error}")))?;
    baseline::read(&text).map_err(|error| {
        Failure::new(format!("{shown} is not a baseline file: {error}"))
            .help("--write-baseline FILE writes one")
    })
}
