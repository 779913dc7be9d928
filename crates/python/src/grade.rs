//! The grade of a Python test, from what came of it with each fault.

use pyo3::prelude::*;
use tilewright_run::grade::{Tried, own_grade};

use crate::device::invalid;

/// The grade of a test that compares by itself, as JSON; `tried` is a JSON list.
#[pyfunction(name = "own_grade")]
pub fn grade(name: &str, comparison: &str, tried: &str) -> PyResult<String> {
    let tried: Vec<Tried> = serde_json::from_str(tried).map_err(invalid)?;
    serde_json::to_string(&own_grade(name, comparison, &tried)).map_err(invalid)
}
