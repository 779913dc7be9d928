//! Tests that the host could not run, as they have noted it themselves.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where `tilewright-testing` notes them.
const FILE: &str = "tmp/skipped-tests.txt";
/// Set where every tool is expected to be there: a skipped test is then a failure.
const ALL_TOOLS: &str = "TILEWRIGHT_ALL_TOOLS";

/// No package has mdbook, and compiling it takes longer than all that a server has time for.
pub const NO_MDBOOK: &str = "there is no mdbook on PATH (`cargo install mdbook`)";
/// The limits of instructions are for one architecture.
pub const OTHER_ARCHITECTURE: &str = "limits are for x86-64";
/// As the tests of the Python package say it.
const ONE_PROCESSOR: &str = "needs two processors";
/// Reasons that `.ci/tools` cannot remove: they are counted, and are no failure anywhere.
const ACCEPTED: [&str; 3] = [NO_MDBOOK, OTHER_ARCHITECTURE, ONE_PROCESSOR];

/// Prints how many tests were skipped since the last time, and why.
pub fn summary(root: &Path) -> Result<(), String> {
    let path = target(root).join(FILE);
    let Ok(notes) = fs::read_to_string(&path) else { return Ok(()) };
    fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let reasons = reasons(&notes);
    for (why, tests) in &reasons {
        println!("+ {tests} skipped: {why}");
    }
    let is_strict = env::var_os(ALL_TOOLS).is_some_and(|it| it == "1");
    match is_strict && reasons.keys().any(|why| is_failure(why)) {
        true => Err(format!("tests were skipped, and {ALL_TOOLS}=1 says that no tool is missing")),
        false => Ok(()),
    }
}

/// Notes tests that the host cannot run, as they would themselves. `tests` are words without a
/// colon and a space.
pub fn note(root: &Path, tests: &str, why: &str) -> Result<(), String> {
    println!("skipped: {tests}: {why}");
    let path = target(root).join(FILE);
    let wrong = |error| format!("{}: {error}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(root)).map_err(wrong)?;
    // Chores that run beside each other note in the same file: one write each, to its end.
    let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(wrong)?;
    file.write_all(format!("{tests}: {why}\n").as_bytes()).map_err(wrong)
}

/// Where cargo builds.
pub fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Whether a test must not be skipped for this reason where every tool is there.
fn is_failure(why: &str) -> bool {
    !ACCEPTED.contains(&why)
}

/// How many tests were skipped for each reason.
fn reasons(notes: &str) -> BTreeMap<&str, usize> {
    let mut tests: Vec<(&str, &str)> = notes
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(test, why)| (why, test))
        .collect();
    tests.sort_unstable();
    // A test that asks twice is skipped once.
    tests.dedup();
    let mut reasons = BTreeMap::new();
    for (why, _) in tests {
        *reasons.entry(why).or_insert(0) += 1;
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::{NO_MDBOOK, is_failure, reasons};

    #[test]
    fn tests_are_counted_by_reason() {
        let notes = "a::b: no g++\na::c: no g++\na::b: no g++\nd: no Chromium\n";
        let counted: Vec<(&str, usize)> = reasons(notes).into_iter().collect();
        assert_eq!(counted, [("no Chromium", 1), ("no g++", 2)]);
    }

    #[test]
    fn what_cannot_be_installed_is_counted_and_is_no_failure() {
        let notes = format!("the book: {NO_MDBOOK}\n");
        assert_eq!(reasons(&notes).into_iter().collect::<Vec<_>>(), [(NO_MDBOOK, 1)]);
        assert!(!is_failure(NO_MDBOOK) && is_failure("there is no valgrind on PATH"));
    }
}
