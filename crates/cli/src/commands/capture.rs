//! `tilewright capture`: writes all that a run of a manifest needs to one file.

use std::path::Path;

use tilewright_report::record::{Capture as Record, Failure};
use tilewright_report::{json, terminal};
use tilewright_run::Request;

use super::names;
use crate::args::Capture;
use crate::output::{self, Output, Status};

/// What the name of a capture ends in.
const EXTENSION: &str = "cap";

/// Compiles the kernels of a manifest and writes the capture.
pub fn capture(asked: &Capture, output: &Output) -> Result<Status, Failure> {
    if let Some(path) = &asked.output {
        check_name(path)?;
    }
    names::check_writable(asked.output.as_deref())?;
    let set = asked.set.iter().map(|it| (it.name.clone(), it.value.clone()));
    let request = Request {
        device: asked.device.clone(),
        seed: Some(asked.seed),
        cores: asked.cores,
        input: asked.input,
        data_seed: asked.data_seed,
        cxx: asked.cxx.clone(),
        set: set.collect(),
        ..Request::new(asked.name.clone())
    };
    let capture = tilewright_run::capture(&request, &output.front())?;
    let bytes = capture.to_bytes().map_err(|error| Failure::new(error.to_string()))?;
    let path = names::drawn(asked.output.as_deref(), &capture.name, EXTENSION);
    let record = Record {
        file: output::write(&path, "capture", &bytes)?,
        programs: capture.programs.iter().map(|program| program.name.clone()).collect(),
        sources: capture.files.len(),
        tensors: capture.tensor_count(),
        compared: capture.compared().map(str::to_owned).collect(),
        seed: capture.seed,
    };
    let text = |paint| terminal::capture(&record, paint);
    Ok(output.answer(|| json::text(&record), text, Status::Clean))
}

/// Other commands know a capture by its name.
pub(super) fn check_name(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|it| it == EXTENSION) {
        return Ok(());
    }
    let better = path.with_extension(EXTENSION);
    Err(Failure::new(format!("{}: the name of a capture must end in .cap", path.display()))
        .help(format!("write {}", better.display())))
}
