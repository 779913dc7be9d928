//! `cargo xtask ci` and `cargo xtask bless`: the steps that must pass, in order.
//!
//! The words are the same on a desk and on a server: `.ci/run` calls this.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::book;
use crate::cargo::Call;
use crate::fuzz::{self, Plan};
use crate::instructions;
use crate::many_seeds::{self, Seeds};
use crate::skipped;
use crate::tidy;

const TEST: &str = "test --workspace --locked";
const CLANG: &str = "clang++";
const SEEDS: Seeds = Seeds { first: 0, end: 64 };

/// Whether `ci` runs the tests, or the caller just has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests {
    Run,
    Skip,
}

enum Step {
    Cargo(Call),
    Tidy,
    Book,
    ManySeeds(Seeds),
    Fuzz,
    Instructions,
    /// Steps, and chores of this command that run beside them: neither keeps all processors busy.
    Beside(Vec<Step>, &'static [&'static str]),
    Skipped,
}

pub fn run(root: &Path, tests: Tests) -> Result<(), String> {
    run_all(root, steps(tests))
}

fn run_all(root: &Path, steps: Vec<Step>) -> Result<(), String> {
    for step in steps {
        match step {
            Step::Cargo(call) => call.run(root)?,
            Step::Tidy => tidy::run(root)?,
            Step::Book => book::run(root)?,
            Step::ManySeeds(seeds) => many_seeds::run(root, seeds)?,
            Step::Fuzz => fuzz::run(root, fuzz_plan(root))?,
            Step::Instructions => instructions::run(root, Some(binary(root)))?,
            Step::Beside(steps, chores) => beside(root, steps, chores)?,
            Step::Skipped => skipped::summary(root)?,
        }
    }
    Ok(())
}

/// Runs steps, and chores beside them, whose output follows that of the steps.
fn beside(root: &Path, steps: Vec<Step>, chores: &[&str]) -> Result<(), String> {
    println!("+ beside the next steps: {}", chores.join(", "));
    let folder = skipped::target(root).join("tmp");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = folder.join("beside.txt");
    let (own, others) = thread::scope(|scope| {
        let others = scope.spawn(|| run_chores(chores, &path));
        (run_all(root, steps), others.join().unwrap_or_else(|_| Err("a panic".to_owned())))
    });
    print!("{}", fs::read_to_string(&path).unwrap_or_default());
    own.and(others)
}

/// Runs chores one after another; what they print goes to a file.
fn run_chores(chores: &[&str], path: &Path) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
    let output = File::create(path).map_err(wrong)?;
    let own = env::current_exe().map_err(|error| error.to_string())?;
    for chore in chores {
        let (stdout, stderr) = (output.try_clone(), output.try_clone());
        let mut command = Command::new(&own);
        command.arg(chore).stdout(stdout.map_err(wrong)?).stderr(stderr.map_err(wrong)?);
        let status = command.status().map_err(|error| format!("{chore}: {error}"))?;
        if !status.success() {
            return Err(format!("failed: cargo xtask {chore}"));
        }
    }
    Ok(())
}

/// The tests of C++ kernels once more, with the compiler that is not found first.
pub fn clang(root: &Path) -> Result<(), String> {
    if Command::new(CLANG).arg("--version").output().is_err() {
        return skipped::note(root, "C++ kernels with clang++", "there is no clang++ on PATH");
    }
    // Of the whole workspace, as all tests are: with other features, crates would be built anew.
    let call = Call::new("test --workspace --test suite --locked --");
    let tests = ["cpp_kernels::", "cpp_faults::", "cpp_sfpi::", "cpp_spellings::", "cpp_vector::"];
    // `CXX` would have build scripts run again, and what depends on them be built anew.
    call.and(&tests).with("TILEWRIGHT_TEST_CXX", CLANG).run(root)
}

/// Runs the tests and lets them write down what they got as what they expect.
pub fn bless(root: &Path, words: &[&str]) -> Result<(), String> {
    // One crate's output may be what another crate's tests read: all are written in one go.
    let call = Call::new(TEST).and(&["--no-fail-fast"]);
    let call = call.with("TILEWRIGHT_BLESS", "1").with("INSTA_UPDATE", "always");
    call.and(words).run(root)
}

/// A thousand cases of the command that the tests have just been run with.
fn fuzz_plan(root: &Path) -> Plan {
    Plan { cases: 1_000, first: 0, seed: 0, binary: Some(binary(root)) }
}

/// The command, as the tests have built it.
fn binary(root: &Path) -> PathBuf {
    skipped::target(root).join("debug/tilewright")
}

fn steps(tests: Tests) -> Vec<Step> {
    let clippy = "clippy --workspace --all-targets --all-features --locked -- -D warnings";
    let doc = Call::new("doc --workspace --no-deps --locked").with("RUSTDOCFLAGS", "-D warnings");
    let test = match tests {
        Tests::Run => Some(Step::Cargo(Call::new(TEST))),
        Tests::Skip => None,
    };
    let before = [Call::new("fmt --all --check"), Call::new(clippy)].map(Step::Cargo);
    let outside = "test --workspace --test outside --locked";
    let checks = [Step::Tidy, Step::Book];
    // These have long parts that one processor does, and so do the chores.
    let parts = vec![
        Step::Cargo(Call::new(outside)),
        Step::ManySeeds(SEEDS),
        Step::Fuzz,
        Step::Instructions,
        Step::Cargo(doc),
    ];
    let after = [Step::Beside(parts, &["clang", "python"]), Step::Skipped];
    before.into_iter().chain(test).chain(checks).chain(after).collect()
}

#[cfg(test)]
mod tests {
    use super::{Step, TEST, Tests, steps};
    use std::fs;
    use std::path::Path;

    fn typed(tests: Tests) -> Vec<String> {
        steps(tests).into_iter().flat_map(names).collect()
    }

    fn names(step: Step) -> Vec<String> {
        let name = match step {
            Step::Cargo(call) => call.typed(),
            Step::Tidy => "tidy".to_owned(),
            Step::Book => "book".to_owned(),
            Step::ManySeeds(seeds) => format!("many-seeds {seeds}"),
            Step::Fuzz => "fuzz".to_owned(),
            Step::Instructions => "instructions".to_owned(),
            Step::Skipped => "skipped".to_owned(),
            Step::Beside(steps, chores) => {
                let chores = chores.iter().map(|chore| (*chore).to_owned());
                return steps.into_iter().flat_map(names).chain(chores).collect();
            }
        };
        vec![name]
    }

    #[test]
    fn only_the_tests_can_be_skipped() {
        let mut all = typed(Tests::Run);
        all.retain(|step| *step != format!("cargo {TEST}"));
        assert_eq!(all, typed(Tests::Skip));
        assert_eq!(all.len() + 1, typed(Tests::Run).len());
    }

    /// `.ci/run` may skip our tests only because it runs the README's test command itself.
    #[test]
    fn the_server_runs_the_readme_test_command() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |name| fs::read_to_string(root.join(name)).expect("a file of this repository");
        let command = format!("cargo {TEST}");
        assert!(read("README.md").contains(&command), "README.md: {command}");
        let script = read(".ci/run");
        let lines: Vec<&str> = script.lines().collect();
        assert!(lines.contains(&command.as_str()), ".ci/run: {command}");
        assert!(lines.contains(&"cargo xtask ci --skip-tests"), ".ci/run: the other steps");
        assert!(lines.contains(&"set -euo pipefail"), ".ci/run: stop at the first failure");
    }
}
