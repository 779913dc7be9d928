//! The built command, started in the root of the repository, and its answers.
#![allow(dead_code, reason = "each file of tests uses its part")]

pub mod formats;
pub mod json_schema;
pub mod steady;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tilewright_testing::skip;

/// What a command gave back.
pub struct Answer {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code.
    pub code: i32,
}

impl Answer {
    /// Runs a command to its end.
    pub fn of(mut command: Command) -> Answer {
        let output = command.output().expect("the command starts");
        Answer {
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
            code: output.status.code().expect("an exit code, not a signal"),
        }
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The command, before its arguments.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.current_dir(root());
    // Kernels are compiled once for all tests, into the cache `tilewright` there.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("COLUMNS");
    command
}

/// The arguments of a typed line: words, and what double quotes hold together.
pub fn words(line: &str) -> Vec<&str> {
    let is_quoted = |(index, _): &(usize, &str)| index % 2 == 1;
    let parts = line.split('"').enumerate();
    let words = |part @ (_, text): (usize, _)| -> Vec<&str> {
        if is_quoted(&part) { vec![text] } else { text.split_whitespace().collect() }
    };
    parts.flat_map(words).collect()
}

/// Whether the host can compile the kernels of manifests; if not, the test is noted as skipped.
pub fn has_compiler() -> bool {
    let works = |name| Command::new(name).arg("--version").output().is_ok();
    let found = std::env::var_os("CXX").is_some() || ["g++", "clang++"].into_iter().any(works);
    if !found {
        skip!("there is no C++ compiler");
    }
    found
}

/// Runs the command to its end.
pub fn tilewright(arguments: &[&str]) -> Answer {
    tilewright_in(&root(), arguments)
}

/// Runs the command in a folder.
pub fn tilewright_in(folder: &Path, arguments: &[&str]) -> Answer {
    let mut command = command();
    command.current_dir(folder).args(arguments);
    Answer::of(command)
}

pub use tilewright_testing::is_bless;

/// A published schema.
pub fn schema(name: &str) -> Value {
    let path = root().join(format!("docs/schema/{name}.schema.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).expect("JSON")
}

/// The one JSON object that a subcommand has printed, which must hold to its schema.
#[track_caller]
pub fn must_hold(subcommand: &str, stdout: &str) -> Value {
    let value: Value = serde_json::from_str(stdout).expect("one JSON object");
    // Without a subcommand there is but a failure, and that is the same everywhere.
    let is_known = root().join(format!("docs/schema/{subcommand}.schema.json")).is_file();
    let name = if is_known { subcommand } else { "run" };
    let errors = json_schema::errors(&schema(name), &value);
    assert!(errors.is_empty(), "{errors:?} in {stdout}");
    value
}
