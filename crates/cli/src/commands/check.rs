//! `tilewright check`: what is wrong with one program or with many.

use std::fs;
use std::path::Path;

use tilewright_report::record::{self, Checked, CheckedProgram, Failure};
use tilewright_report::{ci, json, terminal};
use tilewright_run::Request;

use super::run::{outcome, status};
use crate::args::{Check, Form};
use crate::output::{self, Output, Status};

/// Checks every program that was named, and shows what came of it in the form asked for.
pub fn check(asked: &Check, output: &Output) -> Result<Status, Failure> {
    let known = asked.baseline.as_deref().map(baseline).transpose()?.unwrap_or_default();
    let names = names(asked)?;
    let is_plain = matches!(asked.form(), Form::Terminal | Form::Json);
    let has_baseline = asked.baseline.is_some() || asked.write_baseline.is_some();
    if let ([name], true, false) = (names.as_slice(), is_plain, has_baseline) {
        let run = attempt(asked, name, output)?;
        let status = status(&run, &asked.explore.run);
        return Ok(output.answer(
            || json::text(&run),
            |paint| terminal::check(&run, paint),
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
        output::write(file, "json", ci::baseline(&programs).as_bytes())?;
    }
    let left_out = ci::leave_out(&mut programs, &known);
    let status = programs.iter().map(|program| match &program.run {
        Some(run) => status(run, &asked.explore.run),
        None => Status::CouldNotRun,
    });
    let status = status.max_by_key(|status| status.code()).unwrap_or(Status::Clean);
    let checked = Checked::new(programs, left_out);
    Ok(match asked.form() {
        Form::Terminal | Form::Json => output.answer(
            || json::text(&checked),
            |paint| terminal::checked(&checked, paint),
            status,
        ),
        Form::Sarif => output.verbatim(&ci::sarif(&checked), status),
        Form::Junit => output.verbatim(&ci::junit(&checked), status),
        Form::Github => output.verbatim(&ci::github(&checked), status),
        Form::Gitlab => output.verbatim(&ci::gitlab(&checked), status),
    })
}

fn attempt(asked: &Check, name: &str, output: &Output) -> Result<record::Run, Failure> {
    let request = asked.explore.run.request_for(name)?;
    let request = Request { is_repeated_on_few_cores: true, ..request };
    outcome(&asked.explore, request, output)
}

/// The names, with folders as the manifests and captures in them.
fn names(asked: &Check) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for name in [&asked.explore.run.name].into_iter().chain(&asked.more) {
        if !Path::new(name).is_dir() {
            names.push(name.clone());
            continue;
        }
        let before = names.len();
        gather(Path::new(name), &mut names)?;
        if names.len() == before {
            return Err(Failure::new(format!("{name} has no manifest and no capture"))
                .help("manifests are .toml files with kernels, captures .cap files"));
        }
    }
    Ok(names)
}

/// Every manifest and capture of a folder and of those in it, in the order of names.
fn gather(folder: &Path, names: &mut Vec<String>) -> Result<(), Failure> {
    let unreadable = |error| Failure::new(format!("{} cannot be read: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    for path in paths {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
        // A link may lead back to where it lies.
        if path.is_dir() && !path.is_symlink() && !is_hidden {
            gather(&path, names)?;
        } else if is_program(&path) {
            names.push(path.display().to_string());
        }
    }
    Ok(())
}

/// Whether a file is a capture, or a manifest: other tools have .toml files too.
fn is_program(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending {
        Some("cap") => path.is_file(),
        Some("toml") => fs::read_to_string(path).is_ok_and(|text| {
            let is_kernel =
                |line: &str| line.starts_with("[kernels.") || line.contains(".kernels.");
            text.lines().any(is_kernel)
        }),
        Some(_) | None => false,
    }
}

fn baseline(file: &Path) -> Result<Vec<ci::Known>, Failure> {
    let shown = file.display();
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("{shown} cannot be read: {error}")))?;
    ci::known(&text).map_err(|error| {
        Failure::new(format!("{shown} is no baseline: {error}"))
            .help("--write-baseline FILE writes one")
    })
}
