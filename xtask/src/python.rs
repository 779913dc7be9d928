//! `cargo xtask python`: the Python package, built and tested in a virtual environment of its own.
//!
//! Everything is below `target/python`; nothing is installed for the user. Without Python the step
//! says that it was skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the environment has, besides the package.
const NEEDS: [&str; 6] =
    ["maturin>=1.7,<2", "numpy", "ml_dtypes", "pytest", "pytest-xdist", "distributed"];

/// Builds the package and runs its tests.
pub fn run(root: &Path) -> Result<(), String> {
    if !has_python() {
        println!("skipped: Python tests; they need python3, 3.10 or newer, with venv");
        return Ok(());
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
    let tests = ["-m", "pytest", "-p", "no:cacheprovider", "-q", "--doctest-modules"];
    // A test is a process and its compilers: as many at once as there are cores.
    let parallel = ["-n", "auto", "--dist", "worksteal"];
    let folders = ["python/tilewright", "tests"];
    let mut command = Command::new(&python);
    command.args(tests).args(parallel).args(folders).current_dir(&package);
    // The test of the installation builds a wheel: with the profile of all tests.
    command.env("TILEWRIGHT_BINARY", root.join("target/debug/tilewright"));
    command.env("TILEWRIGHT_INSTALL", "1").env("MATURIN_PEP517_ARGS", "--locked --profile dev");
    call(&mut command)
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
    let program = PathBuf::from(command.get_program());
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    let line = format!("{} {}", program.display(), words.join(" "));
    println!("+ {line}");
    let status = command.status().map_err(|error| format!("{line} did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("failed: {line}")) }
}
