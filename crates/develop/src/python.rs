//! The Python that has Tilewright's package.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tilewright_run::record::Failure;

/// Names a Python to use.
const VARIABLE: &str = "TILEWRIGHT_PYTHON";

/// The first Python that has the package and pytest: the one that is given, that of
/// `TILEWRIGHT_PYTHON`, of the active environment, or on PATH.
pub(crate) fn find(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let candidates = match given {
        Some(path) => vec![path.to_owned()],
        None => candidates(),
    };
    if let Some(found) = candidates.iter().find(|python| has_package(python)) {
        return Ok(found.clone());
    }
    let tried: Vec<String> = candidates.iter().map(|it| it.display().to_string()).collect();
    Err(Failure::new(format!(
        "no Python with the packages `tilewright` and `pytest` was found; tried {}",
        tried.join(", ")
    ))
    .help(format!("`pip install tilewright pytest`, or name a Python with --python or {VARIABLE}")))
}

fn candidates() -> Vec<PathBuf> {
    let given = env::var_os(VARIABLE).map(PathBuf::from);
    let active = env::var_os("VIRTUAL_ENV").map(|it| PathBuf::from(it).join("bin/python"));
    given.into_iter().chain(active).chain(["python3", "python"].map(PathBuf::from)).collect()
}

fn has_package(python: &Path) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", "import pytest, tilewright.pytest_plugin"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
