//! `cargo xtask many-seeds A..B`: programs that must hold under every schedule.
//!
//! Hands the range to the test targets `many_seeds`: that of `ops` runs each seed on one host
//! thread and on two, that of `check` with every tool on.

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use toml::de::DeTable;

use crate::cargo::Call;

const PACKAGES: [(&str, &str); 2] =
    [("tilewright-ops", "crates/ops"), ("tilewright-check", "crates/check")];
const TARGET: &str = "many_seeds";

/// Seeds from `first` up to, not including, `end`; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    pub first: u64,
    pub end: u64,
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no range of seeds; right would be `0..64`");
        let (first, end) = text.split_once("..").ok_or_else(wrong)?;
        let first = first.parse().map_err(|_| wrong())?;
        let end = end.parse().map_err(|_| wrong())?;
        if first < end { Ok(Self { first, end }) } else { Err(wrong()) }
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}..{}", self.first, self.end)
    }
}

pub fn run(root: &Path, seeds: Seeds) -> Result<(), String> {
    for (package, folder) in PACKAGES {
        if !has_target(&root.join(folder)) {
            return Err(format!("many-seeds {seeds}: {package} has no test target `{TARGET}`"));
        }
    }
    // Of the whole workspace, as all tests are: with other features, crates would be built anew.
    let call = Call::new(&format!("test --workspace --test {TARGET} --locked"));
    call.with("TILEWRIGHT_SEEDS", &seeds.to_string()).run(root)
}

/// Cargo finds a test target by its file, or by its name in the manifest.
fn has_target(folder: &Path) -> bool {
    let by_file = [format!("tests/{TARGET}.rs"), format!("tests/{TARGET}/main.rs")];
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    by_file.iter().any(|file| folder.join(file).exists()) || is_declared(&manifest)
}

fn is_declared(manifest: &str) -> bool {
    let Ok(manifest) = DeTable::parse(manifest) else { return false };
    let tests = manifest.get_ref().get("test").and_then(|tests| tests.get_ref().as_array());
    let name = |test: &toml::de::DeValue<'_>| {
        test.get("name").and_then(|name| name.get_ref().as_str()) == Some(TARGET)
    };
    tests.is_some_and(|tests| tests.iter().any(|test| name(test.get_ref())))
}

#[cfg(test)]
mod tests {
    use super::{Seeds, is_declared};

    #[test]
    fn a_range_reads_and_prints_alike() {
        assert_eq!("0..64".parse(), Ok(Seeds { first: 0, end: 64 }));
        assert_eq!(Seeds { first: 3, end: 9 }.to_string().parse(), Ok(Seeds { first: 3, end: 9 }));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "64", "0..", "..64", "64..0", "5..5", "0..=64", "a..b", "-1..2"] {
            assert!(text.parse::<Seeds>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_declared_target_is_seen() {
        assert!(is_declared("[[test]]\nname = \"other\"\n[[test]]\nname = \"many_seeds\"\n"));
        assert!(!is_declared("[[test]]\nname = \"other\"\n"));
        assert!(!is_declared("[package]\nname = \"many_seeds\"\n"));
    }
}
