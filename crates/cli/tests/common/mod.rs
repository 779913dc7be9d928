//! The built command, started in the root of the repository.
#![allow(dead_code, reason = "each file of tests uses its part")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command gave back.
pub struct Answer {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code.
    pub code: i32,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The command, before its arguments.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.current_dir(root());
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
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

/// Whether the host can compile the kernels of manifests.
pub fn has_compiler() -> bool {
    let works = |name| Command::new(name).arg("--version").output().is_ok();
    std::env::var_os("CXX").is_some() || ["g++", "clang++"].into_iter().any(works)
}

/// Runs the command to its end.
pub fn tilewright(arguments: &[&str]) -> Answer {
    tilewright_in(&root(), arguments)
}

/// Runs the command in a folder.
pub fn tilewright_in(folder: &Path, arguments: &[&str]) -> Answer {
    let mut command = command();
    let output = command.current_dir(folder).args(arguments).output().expect("the command starts");
    Answer {
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        code: output.status.code().expect("an exit code, not a signal"),
    }
}

/// A line without what differs from host to host and from one timing table to the next.
pub fn steady(line: &str) -> String {
    let drawn = ["bytes", "begin", "slices", "slices_seen", "levels"];
    let run = ["wall_seconds", "tiles_per_second", "cycles", "digest"];
    for field in run.into_iter().chain(drawn) {
        if let Some((start, _)) = line.split_once(&format!("\"{field}\": ")) {
            return format!("{start}\"{field}\": _,");
        }
    }
    if let (Some((start, rest)), true) = (line.split_once(" in "), line.contains("simulated in")) {
        let word = if rest.contains(" cycle;") { "cycle" } else { "cycles" };
        return format!("{start} in _ {word}; simulated in _ s, _ tiles/s");
    }
    if let Some((start, rest)) = line.split_once("  ").filter(|_| line.contains(" bytes; ")) {
        return format!("{start}  _ bytes;{}", rest.split_once(';').map_or("", |(_, rest)| rest));
    }
    if line.contains(" cycles, ") && line.ends_with(" slices") {
        let start = line.split(", ").next().unwrap_or_default();
        return format!("{start}, _ cycles, _ slices");
    }
    let program = line.strip_prefix("   ").and_then(|line| line.split_once(": "));
    if let Some((name, _)) = program.filter(|(_, rest)| rest.contains(" cycles, digest ")) {
        return format!("   {name}: _ cycles, digest _");
    }
    match line.split_once(", digest ") {
        Some((start, _)) => format!("{start}, digest _"),
        None => line.to_owned(),
    }
}
