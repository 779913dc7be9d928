//! Our own operations on values that Python gives, and traces of captured programs.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use tilewright_check::Tools;
use tilewright_metal::Shape;
use tilewright_report::drawing::{Drawing, trace as perfetto};
use tilewright_report::timeline::Limits;
use tilewright_run::{FrontEnd, Keep, Outcome, Request, Silent};
use tilewright_tile::DataFormat;

use crate::contents::Contents;
use crate::device::{failed, invalid};
use crate::outcome::Record;

/// What is asked of an operation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    operation: String,
    shape: Vec<usize>,
    format: String,
    /// Its own choices.
    set: BTreeMap<String, String>,
    /// Outputs to bring back.
    outputs: Vec<String>,
    check: bool,
    seed: u64,
    device: String,
    epsilon: Option<f32>,
}

/// The record of a run as JSON, and its outputs as 32-bit floats.
type Answer<'py> = (String, BTreeMap<String, Bound<'py, PyBytes>>);

/// Runs one of our operations. `contents` maps names of inputs to address and size of their
/// 32-bit floats.
#[pyfunction]
pub fn operate<'py>(
    py: Python<'py>,
    request: &str,
    contents: BTreeMap<String, (usize, usize)>,
) -> PyResult<Answer<'py>> {
    let asked: Asked = serde_json::from_str(request).map_err(invalid)?;
    let mut request = Request::new(asked.operation.as_str());
    request.shape = Some(Shape::new(&asked.shape).map_err(invalid)?);
    request.format = Some(DataFormat::from_name(&asked.format).map_err(invalid)?);
    request.set = asked.set.into_iter().collect();
    request.check = if asked.check { Tools::all() } else { Tools::none() };
    request.seed = Some(asked.seed);
    request.device = Some(asked.device);
    request.epsilon = asked.epsilon;
    request.keep = asked.outputs.iter().map(|name| Keep::tensor(name)).collect();
    for (name, (at, size)) in contents {
        request.given.insert(name, Contents::new(at, size).floats());
    }
    let outcome = py.detach(|| request.run()).map_err(failed)?;
    let record = serde_json::to_string(&Record::of_run(&outcome.run)).map_err(invalid)?;
    Ok((record, kept(py, &outcome)))
}

/// A captured program's trace for ui.perfetto.dev.
#[pyfunction]
pub fn trace<'py>(py: Python<'py>, capture: &str) -> PyResult<Bound<'py, PyBytes>> {
    let front: Arc<dyn FrontEnd> = Arc::new(Silent);
    let mut request = Request::new(capture);
    request.check = Tools::none();
    let mut drawing = Drawing::new(Limits::TRACE, &[perfetto]);
    let outcome = tilewright_run::run(&request, &front, Some(&mut drawing)).map_err(failed)?;
    match Drawing::decode(&outcome.testimony).1 {
        [trace] => Ok(PyBytes::new(py, trace)),
        _ => Err(failed("the run was lost before it could be traced")),
    }
}

fn kept<'py>(py: Python<'py>, outcome: &Outcome) -> BTreeMap<String, Bound<'py, PyBytes>> {
    let bytes =
        |values: Vec<f32>| values.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<_>>();
    let each = outcome.kept.iter();
    each.map(|it| (it.name.clone(), PyBytes::new(py, &bytes(it.tensor.to_f32())))).collect()
}
