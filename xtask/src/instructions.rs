//! `cargo xtask instructions`: how many instructions commands execute, against limits.
//!
//! Counts do not depend on how busy a host is, so that a change that makes a command slower is seen
//! on any of them. Valgrind counts; without it, or on another architecture than the limits are for,
//! the step is noted as skipped. Time that caches decide is for the benches.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cargo::Call;
use crate::skipped;

/// A command of the tests' build, and the most instructions that it may execute.
struct Case {
    words: &'static str,
    millions_most: u64,
}

/// Limits are a tenth above what was counted with Rust 1.95, without incremental compilation, which
/// splits a crate's code otherwise. Another compiler may need others.
const CASES: [Case; 9] = [
    Case { words: "copy --shape 256x1024 --check none", millions_most: 122 },
    Case { words: "copy --shape 256x1024 --check all", millions_most: 131 },
    Case { words: "eltwise --shape 256x1024 --check none", millions_most: 362 },
    Case { words: "layernorm-fw --shape 128x1024 --check none", millions_most: 156 },
    Case { words: "layernorm-fw --shape 128x1024 --check all", millions_most: 174 },
    Case { words: "layernorm-bw --shape 128x512 --check none", millions_most: 188 },
    Case { words: "layernorm-bw --shape 128x512 --check all", millions_most: 209 },
    Case { words: "softmax --shape 128x512 --check none", millions_most: 307 },
    Case { words: "matmul --shape 128x128 --check none", millions_most: 147 },
];

/// What is skipped as a whole where it cannot be done.
const STEP: &str = "counts of instructions";

/// What every command is asked for, so that its work is the same on every host.
const COMMON: &str = "--threads 1 --cores 4 --simd avx2";

/// Counts with the tests' command, or with another one.
pub fn run(root: &Path, binary: Option<PathBuf>) -> Result<(), String> {
    if !cfg!(target_arch = "x86_64") {
        return skipped::note(root, STEP, skipped::OTHER_ARCHITECTURE);
    }
    if !has_valgrind() {
        return skipped::note(root, STEP, "there is no valgrind on PATH");
    }
    let binary = match binary {
        Some(binary) => binary,
        None => {
            let build = Call::new("build --workspace --bin tilewright --locked");
            build.with("CARGO_INCREMENTAL", "0").run(root)?;
            skipped::target(root).join("debug/tilewright")
        }
    };
    let mut over = Vec::new();
    for (case, counted) in CASES.iter().zip(count_all(&binary)) {
        let millions = counted?.div_ceil(1_000_000);
        let Case { words, millions_most } = case;
        println!("+ {millions:>6} of at most {millions_most:>6} million instructions: {words}");
        if millions > *millions_most {
            over.push(format!("`run {words}`: {millions} million, at most {millions_most}"));
        }
    }
    match over.is_empty() {
        true => Ok(()),
        false => Err(format!("more instructions than allowed:\n{}", over.join("\n"))),
    }
}

fn has_valgrind() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|it| it.status.success())
}

/// The counts of all commands, in their order. A count occupies one processor: as many run at once
/// as the host has.
fn count_all(binary: &Path) -> Vec<Result<u64, String>> {
    let next = AtomicUsize::new(0);
    let counts: [OnceLock<_>; CASES.len()] = [const { OnceLock::new() }; CASES.len()];
    let cases: Vec<_> = CASES.iter().zip(&counts).collect();
    let work = || {
        while let Some((case, place)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            place.get_or_init(|| count(binary, case.words));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    counts.into_iter().map(|it| it.into_inner().expect("every case was taken")).collect()
}

fn count(binary: &Path, words: &str) -> Result<u64, String> {
    let counter = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
    let mut command = Command::new("valgrind");
    command.args(counter).arg(binary).arg("run");
    command.args(words.split(' ')).args(COMMON.split(' '));
    let wrong = |why: String| format!("counting the instructions of `run {words}`: {why}");
    let output = command.output().map_err(|error| wrong(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(wrong(format!("{}\n{said}", output.status)));
    }
    counted(&said).ok_or_else(|| wrong(format!("no count in what valgrind said\n{said}")))
}

/// The count in a line such as `==7== I refs: 1,234`.
fn counted(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("refs:") && line.contains("== I"))?;
    line.rsplit(' ').next()?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn counts_are_read() {
        let said = "==7== Cachegrind\n==7== \n==7== I   refs:      27,106,112\n";
        assert_eq!(counted(said), Some(27_106_112));
        assert_eq!(counted("==7== I refs:        512\n"), Some(512));
        assert_eq!(counted("valgrind: Fatal error\n"), None);
    }
}
