//! Tests that the host could not run, as they have noted it themselves.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Where `tilewright-testing` notes them.
const FILE: &str = "tmp/skipped-tests.txt";
/// Set where every tool is expected to be there: a skipped test is then a failure.
const ALL_TOOLS: &str = "TILEWRIGHT_ALL_TOOLS";

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
    match is_strict && !reasons.is_empty() {
        true => Err(format!("tests were skipped, and {ALL_TOOLS}=1 says that no tool is missing")),
        false => Ok(()),
    }
}

/// Notes tests that the host cannot run, as they would themselves.
pub fn note(root: &Path, tests: &str, why: &str) -> Result<(), String> {
    let path = target(root).join(FILE);
    let noted = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, format!("{noted}{tests}: {why}\n"))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Where cargo builds.
pub fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
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
    use super::reasons;

    #[test]
    fn tests_are_counted_by_reason() {
        let notes = "a::b: no g++\na::c: no g++\na::b: no g++\nd: no Chromium\n";
        let counted: Vec<(&str, usize)> = reasons(notes).into_iter().collect();
        assert_eq!(counted, [("no Chromium", 1), ("no g++", 2)]);
    }
}
