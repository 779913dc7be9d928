//! Runs one description: its tensors come from Python's memory, and what has changed goes back.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tilewright_report::terminal::{self, Paint};
use tilewright_run::grade::FaultLister;
use tilewright_run::record::Failure;
use tilewright_run::supervision::Guard;
use tilewright_run::{FrontEnd, Request, Silent, Witness, warm_up};

use crate::contents::Contents;
use crate::device::{failed, invalid};
use crate::outcome::Record;
use crate::request::Options;

/// Address and size of tensors' bytes, by name.
type Places = BTreeMap<String, (usize, usize)>;

/// Runs a program. `contents` maps names of tensors to address and size of their bytes, which are
/// replaced.
#[pyfunction]
pub fn run(description: &str, options: &str, contents: Places) -> PyResult<String> {
    let options: Options = serde_json::from_str(options).map_err(invalid)?;
    let mut tensors = tensors(contents);
    let request = options.request(description, &tensors).map_err(failed)?;
    if options.is_forked {
        guard();
    }
    let mut lister = FaultLister::default();
    let witness = options.lists_faults.then_some(&mut lister as &mut dyn Witness);
    let outcome = tilewright_run::run(&request, &silent(), witness).map_err(refused)?;
    for kept in &outcome.kept {
        if let Some(contents) = tensors.get_mut(&kept.name) {
            contents.replace(kept.tensor.bytes());
        }
    }
    let mut record = Record::of_run(&outcome.run);
    if let [listed] = outcome.testimony.as_slice() {
        record.faults = serde_json::from_slice(listed).map_err(invalid)?;
    }
    serde_json::to_string(&record).map_err(invalid)
}

/// A program with its tensors as they are and the sources of its kernels: the bytes of a capture.
#[pyfunction]
pub fn capture<'py>(
    py: Python<'py>,
    description: &str,
    options: &str,
    contents: Places,
) -> PyResult<Bound<'py, PyBytes>> {
    let request = request(description, options, contents)?;
    let capture = tilewright_run::capture(&request, &silent()).map_err(refused)?;
    Ok(PyBytes::new(py, &capture.to_bytes().map_err(failed)?))
}

/// Compiles a program's kernels, so that a run finds them in the cache.
#[pyfunction]
pub fn compile(description: &str, options: &str) -> PyResult<()> {
    let request = request(description, options, Places::new())?;
    tilewright_run::compile(&request).map_err(refused)
}

fn request(description: &str, options: &str, contents: Places) -> PyResult<Request> {
    let options: Options = serde_json::from_str(options).map_err(invalid)?;
    options.request(description, &tensors(contents)).map_err(failed)
}

fn tensors(contents: Places) -> BTreeMap<String, Contents> {
    contents.into_iter().map(|(name, (at, size))| (name, Contents::new(at, size))).collect()
}

fn silent() -> Arc<dyn FrontEnd> {
    Arc::new(Silent)
}

/// Has all that this process starts end with it. The guard is held until then: each run would
/// start another one otherwise. What each run would compute anew is there before the first.
fn guard() {
    static GUARD: OnceLock<Option<Guard>> = OnceLock::new();
    GUARD.get_or_init(|| {
        warm_up();
        Guard::hold().ok()
    });
}

/// Everything that is wrong, one line for each place.
fn refused(failure: Failure) -> PyErr {
    if failure.places.is_empty() {
        return failed(
            terminal::failure(&failure, Paint::Plain).trim_start_matches("error: ").trim(),
        );
    }
    let mut text = format!("{}:", failure.message);
    for it in &failure.places {
        text.push_str(&format!("\n{}:{}:{}: {}", it.file, it.line, it.column, it.message));
    }
    failed(text)
}
