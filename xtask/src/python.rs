//! `cargo xtask python`: the Python package, built and tested in a virtual environment of its own.
//!
//! Everything is below `target/python`; nothing is installed for the user. Without Python the step
//! is noted as skipped, and so is each test that pytest skips.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::skipped;

/// What the environment has, besides the package.
const NEEDS: [&str; 6] =
    ["maturin>=1.7,<2", "numpy", "ml_dtypes", "pytest", "pytest-xdist", "distributed"];

/// Builds the package and runs its tests.
pub fn run(root: &Path) -> Result<(), String> {
    if !has_python() {
        let why = "there is no python3, 3.10 or newer, with venv";
        return skipped::note(root, "tests of the Python package", why);
    }
    let place = root.join("target/python");
    let python = place.join("bin/python");
    if !python.exists() {
        call(Command::new("python3").args(["-m", "venv"]).arg(&place))?;
    }
    // What an older environment lacks is installed once.
    let noted = place.join("needs.txt");
    if std::fs::read_to_string(&noted).unwrap_or_default() != NEEDS.join("\n") {
        call(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(NEEDS))?;
        std::fs::write(&noted, NEEDS.join("\n")).map_err(|error| error.to_string())?;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let command_line = ["build", "--quiet", "--locked", "--workspace", "--bin", "tilewright"];
    call(Command::new(cargo).args(command_line).current_dir(root))?;
    let package = root.join("crates/python");
    call(&mut build(&place, &package))?;
    let tests = ["-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs", "--doctest-modules"];
    // A test is a process and its compilers: as many at once as there are cores.
    let parallel = ["-n", "auto", "--dist", "worksteal"];
    let folders = ["python/tilewright", "tests"];
    let mut command = Command::new(&python);
    command.args(tests).args(parallel).args(folders).current_dir(&package);
    // The test of the installation builds a wheel: with the profile of all tests.
    command.env("TILEWRIGHT_BINARY", root.join("target/debug/tilewright"));
    command.env("TILEWRIGHT_INSTALL", "1").env("MATURIN_PEP517_ARGS", "--locked --profile dev");
    for (test, why) in call_tests(&mut command)? {
        skipped::note(root, &test, &why)?;
    }
    Ok(())
}

/// Runs pytest: which tests it skipped, and why.
fn call_tests(command: &mut Command) -> Result<Vec<(String, String)>, String> {
    let line = typed(command);
    println!("+ {line}");
    let wrong = |error: std::io::Error| format!("{line}: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(wrong)?;
    let mut tests = Vec::new();
    for said in child.stdout.take().into_iter().flat_map(|it| BufReader::new(it).lines()) {
        let said = said.map_err(wrong)?;
        println!("{said}");
        tests.extend(skips(&said));
    }
    let status = child.wait().map_err(wrong)?;
    if status.success() { Ok(tests) } else { Err(format!("failed: {line}")) }
}

/// The tests in a line of pytest's summary such as `SKIPPED [2] tests/test_a.py:7: no torch`.
fn skips(said: &str) -> Vec<(String, String)> {
    let parts = || {
        let (count, rest) = said.strip_prefix("SKIPPED [")?.split_once("] ")?;
        let (place, why) = rest.split_once(": ")?;
        Some((count.parse().ok()?, place, why))
    };
    let Some((count, place, why)) = parts() else { return Vec::new() };
    (1..=count).map(|index: u32| (format!("{place} ({index})"), why.to_owned())).collect()
}

/// The package with the profile that the workspace's tests are built with.
fn build(place: &Path, package: &Path) -> Command {
    let mut command = Command::new(place.join("bin/maturin"));
    command.args(["develop", "--quiet", "--locked", "--profile", "dev"]);
    command.env("VIRTUAL_ENV", place).current_dir(package);
    command
}

fn has_python() -> bool {
    let test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    Command::new("python3").args(["-c", test]).status().is_ok_and(|status| status.success())
}

fn call(command: &mut Command) -> Result<(), String> {
    let line = typed(command);
    println!("+ {line}");
    let status = command.status().map_err(|error| format!("{line} did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("failed: {line}")) }
}

/// A command as one would type it.
fn typed(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::skips;

    #[test]
    fn skipped_tests_are_read() {
        let why = "could not import 'torch': No module named 'torch'";
        let said = format!("SKIPPED [2] tests/test_a.py:61: {why}");
        let test = |index| (format!("tests/test_a.py:61 ({index})"), why.to_owned());
        assert_eq!(skips(&said), [test(1), test(2)]);
        assert_eq!(skips("144 passed, 1 skipped in 20.1s"), []);
        assert_eq!(skips("FAILED tests/test_a.py::test - SKIPPED [1]"), []);
    }
}
