//! Sweeps whose runs Python hands out: the plan and its results here, the runs wherever.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tilewright_report::html;
use tilewright_report::record::Failure;
use tilewright_run::sweep::{Begun, Job, Plan, Sweep as Runs, SweepRow};
use tilewright_run::{FrontEnd, Silent};

use crate::device::{failed, invalid};

/// A sweep under way.
#[pyclass(unsendable)]
pub struct Sweep {
    runs: Runs,
    begun: Option<Begun>,
}

/// A job as JSON with its capture, if it has one; or the row of a run that cannot begin.
type Handed<'py> = (Option<String>, Option<Bound<'py, PyBytes>>, Option<String>);

#[pymethods]
impl Sweep {
    /// Opens a sweep: a file, or a plan as JSON.
    #[new]
    fn new(file: Option<PathBuf>, plan: Option<&str>, folder: PathBuf) -> PyResult<Sweep> {
        let plan = match (file, plan) {
            (Some(file), _) => Plan::read(Path::new(&file)),
            (None, Some(plan)) => Plan::from_json(plan),
            (None, None) => Err(Failure::new("a sweep needs a file or a plan")),
        };
        let runs = Runs::new(plan.map_err(told)?, &folder);
        let begun = Some(runs.begin().map_err(told)?);
        Ok(Sweep { runs, begun })
    }

    /// The numbers of the runs that are left.
    fn left(&self) -> PyResult<Vec<usize>> {
        Ok(self.begun()?.left())
    }

    /// A run as a job by content.
    fn job<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Handed<'py>> {
        match self.begun()?.job(index) {
            Ok(job) => {
                let text = serde_json::to_string(&job).map_err(invalid)?;
                let capture = job.capture.as_deref().map(|bytes| PyBytes::new(py, bytes));
                Ok((Some(text), capture, None))
            }
            Err(row) => Ok((None, None, Some(serde_json::to_string(&*row).map_err(invalid)?))),
        }
    }

    /// Adds the row of a run.
    fn add(&mut self, row: &str) -> PyResult<()> {
        let row: SweepRow = serde_json::from_str(row).map_err(invalid)?;
        let begun = self.begun.as_mut().ok_or_else(|| failed("the sweep has ended"))?;
        begun.add(row).map_err(told)
    }

    /// Writes tables and page; the summary and all rows as JSON.
    fn finish(&mut self) -> PyResult<(String, Vec<String>)> {
        let begun = self.begun.take().ok_or_else(|| failed("the sweep has ended"))?;
        let front: Arc<dyn FrontEnd> = Arc::new(Silent);
        let mut swept = begun.finish(&front).map_err(told)?;
        let page = self.runs.folder.join("sweep.html");
        std::fs::write(&page, html::sweep_page(&self.runs.plan, &swept)).map_err(failed)?;
        swept.summary.files.push(page.display().to_string());
        let rows = swept.rows.iter().map(serde_json::to_string).collect::<Result<_, _>>();
        let summary = serde_json::to_string(&swept.summary).map_err(invalid)?;
        Ok((summary, rows.map_err(invalid)?))
    }
}

impl Sweep {
    fn begun(&self) -> PyResult<&Begun> {
        self.begun.as_ref().ok_or_else(|| failed("the sweep has ended"))
    }
}

/// Runs a job that a sweep handed out; the row as JSON. Other threads go on meanwhile.
#[pyfunction]
pub fn sweep_job(py: Python<'_>, job: &str, capture: Option<Vec<u8>>) -> PyResult<String> {
    let mut job: Job = serde_json::from_str(job).map_err(invalid)?;
    job.capture = capture;
    let row = py.detach(|| job.run());
    serde_json::to_string(&row).map_err(invalid)
}

/// A failure with its advice.
fn told(failure: Failure) -> PyErr {
    let help = failure.help.map(|help| format!("; {help}")).unwrap_or_default();
    invalid(format!("{}{help}", failure.message))
}
