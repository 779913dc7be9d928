//! `cargo xtask fuzz`: malformed manifests, tensors, golden data and arguments, by seed.
//!
//! Whatever the command line is given, it ends in time with exit code 0, 1 or 2, says something,
//! takes bounded memory and, with `--json`, prints one object. What the answer is, is not judged.

mod arguments;
mod case;
mod hostile;
mod outcome;
mod random;
mod tensor;
mod text;

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cargo::Call;
use case::{Case, Materials};
use outcome::Outcome;
use random::Random;

/// Faults after which there is no point in looking for more.
const FAULTS_MAX: u64 = 20;

/// Which cases to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many.
    pub cases: u64,
    /// The first one.
    pub first: u64,
    /// Where all cases come from.
    pub seed: u64,
    /// The command line tool to try; this workspace's own is built if there is none.
    pub binary: Option<PathBuf>,
}

impl Plan {
    /// Reads `--cases N`, `--seed N`, `--first N` and `--binary FILE`.
    pub fn parse(words: &[&str]) -> Result<Plan, String> {
        let mut plan = Plan { cases: 1_000, first: 0, seed: 0, binary: None };
        for pair in words.chunks(2) {
            let [name, value] = *pair else {
                return Err(format!("fuzz: {} needs a value", pair[0]));
            };
            let number =
                || value.parse().map_err(|_| format!("fuzz: {name} {value}: expected a number"));
            match name {
                "--cases" => plan.cases = number()?,
                "--first" => plan.first = number()?,
                "--seed" => plan.seed = number()?,
                "--binary" => plan.binary = Some(PathBuf::from(value)),
                _ => {
                    let known = "--cases, --first, --seed or --binary";
                    return Err(format!("fuzz: unknown option {name}; expected {known}"));
                }
            }
        }
        Ok(plan)
    }
}

/// Tries every case on the command line tool.
pub fn run(root: &Path, plan: Plan) -> Result<(), String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let place = target.join("fuzz");
    let binary = match &plan.binary {
        Some(binary) => {
            let found = binary.canonicalize();
            found.map_err(|error| format!("fuzz: {}: {error}", binary.display()))?
        }
        None => {
            Call::new("build --workspace --bin tilewright --locked").run(root)?;
            target.join("debug/tilewright")
        }
    };
    let campaign = Campaign {
        materials: Materials::of(root).map_err(|error| format!("fuzz: {error}"))?,
        binary,
        place,
        plan,
        next: AtomicU64::new(0),
        faults: AtomicU64::new(0),
        codes: Default::default(),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let ended: io::Result<()> = std::thread::scope(|scope| {
        let work = |thread| {
            scope.spawn({
                let campaign = &campaign;
                move || campaign.work(thread)
            })
        };
        let threads: Vec<_> = (0..threads).map(work).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("it does not panic"))
    });
    ended.map_err(|error| format!("fuzz: {error}"))?;
    let [clean, found, refused] = campaign.codes.map(AtomicU64::into_inner);
    println!("fuzz: exit code 0: {clean}, 1: {found}, 2: {refused}");
    let (faults, tried) =
        (campaign.faults.into_inner(), campaign.plan.cases.min(campaign.next.into_inner()));
    println!("fuzz: {} passed, {faults} failed", tried - faults);
    if faults == 0 { Ok(()) } else { Err("fuzz: failing cases are in target/fuzz".to_owned()) }
}

struct Campaign {
    materials: Materials,
    binary: PathBuf,
    place: PathBuf,
    plan: Plan,
    next: AtomicU64,
    faults: AtomicU64,
    /// How many cases ended with exit code 0, 1 and 2.
    codes: [AtomicU64; 3],
}

impl Campaign {
    /// Takes cases until there are none, or too many have failed.
    fn work(&self, thread: usize) -> io::Result<()> {
        let folder = self.place.join(format!("thread {thread}"));
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.plan.cases || self.faults.load(Ordering::Relaxed) >= FAULTS_MAX {
                return Ok(());
            }
            let number = self.plan.first + index;
            remove(&folder)?;
            let case = self.materials.case(&folder, Random::of(self.plan.seed, number))?;
            let outcome = Outcome::of(&self.binary, &case, &folder)?;
            if let Some(code @ 0..=2) = outcome.code() {
                self.codes[code as usize].fetch_add(1, Ordering::Relaxed);
            }
            if let Some(fault) = outcome.fault(&case).or_else(outcome::memory_fault) {
                self.keep(number, &fault, &case, &folder)?;
            }
            if index % 10_000 == 9_999 {
                println!("fuzz: {} cases tried", index + 1);
            }
        }
    }

    /// Keeps the files of a failing case, and says how to try it again.
    fn keep(&self, number: u64, fault: &str, case: &Case, folder: &Path) -> io::Result<()> {
        self.faults.fetch_add(1, Ordering::Relaxed);
        let kept = self.place.join(format!("case-{}-{number}", self.plan.seed));
        remove(&kept)?;
        fs::rename(folder, &kept)?;
        let again =
            format!("cargo xtask fuzz --seed {} --first {number} --cases 1", self.plan.seed);
        println!(
            "fuzz: {fault}\n  tilewright {:?}\n  in {}\n  {again}",
            case.words,
            kept.display()
        );
        Ok(())
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read() {
        let usual = Plan { cases: 1_000, first: 0, seed: 0, binary: None };
        assert_eq!(Plan::parse(&[]), Ok(usual));
        let words = ["--seed", "7", "--cases", "3", "--first", "9"];
        let numbers = Plan { cases: 3, first: 9, seed: 7, binary: None };
        assert_eq!(Plan::parse(&words), Ok(numbers));
        let binary = Plan::parse(&["--binary", "a/b"]).expect("an option").binary;
        assert_eq!(binary.as_deref(), Some(Path::new("a/b")));
        for wrong in [&["--cases"][..], &["--cases", "x"], &["--number", "1"]] {
            assert!(Plan::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    /// A case is its seed and its number, so that a failing one can be tried again.
    #[test]
    fn cases_are_repeatable() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let materials = Materials::of(root).expect("the manifests of this repository");
        let folder = env::temp_dir().join(format!("xtask-fuzz-{}", std::process::id()));
        let words = |number| {
            remove(&folder).expect("it is ours");
            let case = materials.case(&folder, Random::of(1, number)).expect("files are written");
            let manifest = fs::read(case.folder.join("program.toml")).unwrap_or_default();
            (case.words, manifest)
        };
        let all: Vec<_> = (0..40).map(words).collect();
        assert!(all.iter().enumerate().all(|(number, one)| *one == words(number as u64)));
        assert!(all.iter().any(|(_, manifest)| !manifest.is_empty()));
        assert!(all.iter().any(|(words, _)| words.contains(&"--shape".to_owned())));
        remove(&folder).expect("it is ours");
    }
}
