//! How much of a tree of kernels the headers serve: every kernel is compiled, nothing is run.
//!
//! Kernels are compiled without their hosts, so that what hosts give them is assumed
//! (`assume.rs`). A kernel counts as served only if code comes out for every processor it runs on
//! and no name is left that the simulator lacks.

mod assume;
mod find;
mod hosts;
mod judge;
mod reason;
mod strings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use assume::NOTE;
pub use find::{Found, Role, find, include_paths};
pub use strings::{OpStrings, op_strings};

use tilewright_metal::Architecture;
use tilewright_metal::cpp::{CompileOptions, CppError, Progress, Workshop};

use crate::compilation::not_compiled;
use crate::record::Failure;

/// A tree of kernels, and how they are compiled.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The folder.
    pub folder: PathBuf,
    /// Paths that contain one of these are left out.
    pub exclude: Vec<String>,
    /// Folders in which the kernels' own headers are looked for, besides those that are found.
    pub include: Vec<PathBuf>,
    /// The compiler; otherwise the usual one.
    pub cxx: Option<PathBuf>,
    /// The name of the device.
    pub device: String,
}

/// What became of the kernels of a tree. Files are named from its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// Kernels of the compute processors.
    pub compute: Tally,
    /// Kernels that move data.
    pub dataflow: Tally,
    /// Every kernel that does not compile, with its answer.
    pub not_compiled: Vec<(String, Answer)>,
    /// Operations that hosts write into macros of their kernels.
    pub op_strings: Vec<OpStrings>,
    /// The compiler, as it names itself.
    pub compiler: String,
}

impl Tree {
    /// Compiles every kernel of the tree and counts what is missing.
    pub fn survey(&self, progress: Progress<'_>) -> Result<Surveyed, Failure> {
        let failed = |error: CppError| not_compiled(&error);
        let folder = self.folder.canonicalize().map_err(|_| self.absent())?;
        if !folder.is_dir() {
            return Err(self.not_a_folder());
        }
        let kernels = find(&folder, &self.exclude)
            .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
        if kernels.is_empty() {
            return Err(self.empty());
        }
        let mut paths = include_paths(&folder);
        paths.extend(self.include.iter().cloned());
        let options = CompileOptions { cxx: self.cxx.clone(), ..CompileOptions::default() };
        let workshop = Workshop::open(&options).map_err(failed)?;
        let arch = Architecture::named(&self.device).map_err(|it| Failure::new(it.to_string()))?;
        let target = Target { arch: &arch, include_paths: &paths };
        let answers = survey(&workshop, &kernels, target, progress).map_err(failed)?;
        let mut op_strings =
            op_strings(&workshop, &folder, &self.exclude, target).map_err(failed)?;
        for strings in &mut op_strings {
            strings.file = below(&strings.file, &folder);
        }
        let mut all = Surveyed {
            compute: Tally::default(),
            dataflow: Tally::default(),
            not_compiled: Vec::new(),
            op_strings,
            compiler: workshop.compiler().version().to_owned(),
        };
        for (kernel, answer) in kernels.iter().zip(answers) {
            let file = below(&kernel.file, &folder).display().to_string();
            all.add(kernel.role, file, answer);
        }
        Ok(all)
    }

    fn absent(&self) -> Failure {
        Failure::new(format!("there is no folder {}", self.folder.display()))
            .help("give a folder with C++ kernels, such as a checkout of tt-metal")
    }

    fn not_a_folder(&self) -> Failure {
        Failure::new(format!("{} is a file; a folder is needed", self.folder.display()))
            .help("give the folder that it is in")
    }

    fn empty(&self) -> Failure {
        Failure::new(format!("there is no C++ kernel below {}", self.folder.display()))
            .help("a kernel is a .cpp file with `kernel_main` in it")
    }
}

impl Surveyed {
    fn add(&mut self, role: Role, file: String, answer: Answer) {
        match role {
            Role::Compute => self.compute.add(&answer),
            Role::Dataflow => self.dataflow.add(&answer),
        }
        if answer != Answer::Compiles {
            self.not_compiled.push((file, answer));
        }
    }
}

/// A file's path from a folder that it is below.
fn below(file: &Path, folder: &Path) -> PathBuf {
    file.strip_prefix(folder).unwrap_or(file).to_owned()
}

/// What kernels are compiled for, and against.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The device.
    pub arch: &'a Architecture,
    /// Folders in which the kernels' own headers are looked for.
    pub include_paths: &'a [PathBuf],
}

/// What became of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It compiles, for every processor.
    Compiles,
    /// It is written below the interface that is served, or beyond the card.
    Refused {
        /// Why, in a few words.
        why: &'static str,
        /// The names that say so, and others that are not there.
        names: BTreeSet<String>,
    },
    /// Names that it needs and that are not there.
    Missing(BTreeSet<String>),
}

/// The kernels of one role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Kernels in all.
    pub total: usize,
    /// Kernels that compile.
    pub compiles: usize,
    /// Names that are not there, and how many kernels want each.
    pub missing: BTreeMap<String, usize>,
    /// Why kernels are not served, and how many.
    pub refused: BTreeMap<String, usize>,
}

impl Tally {
    /// Counts one kernel.
    pub fn add(&mut self, answer: &Answer) {
        self.total += 1;
        match answer {
            Answer::Compiles => self.compiles += 1,
            Answer::Refused { why, .. } => {
                *self.refused.entry((*why).to_owned()).or_default() += 1;
            }
            Answer::Missing(names) => {
                for name in names {
                    *self.missing.entry(name.clone()).or_default() += 1;
                }
            }
        }
    }

    /// Kernels that could be served: all but those that are refused.
    pub fn servable(&self) -> usize {
        self.total - self.refused.values().sum::<usize>()
    }
}

/// Compiles every kernel, several at a time; answers come in the order of the kernels.
pub fn survey(
    workshop: &Workshop,
    kernels: &[Found],
    target: Target<'_>,
    progress: Progress<'_>,
) -> Result<Vec<Answer>, CppError> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let answers: Vec<Mutex<Option<Result<Answer, CppError>>>> =
        kernels.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..workshop.jobs().min(kernels.len()) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(kernel) = kernels.get(place) else { break };
                    let answer = judge::judge(workshop, kernel, target);
                    *answers[place].lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1, kernels.len());
                }
            });
        }
    });
    let slots = answers.into_iter();
    slots.map(|slot| slot.into_inner().ok().flatten().expect("every kernel was taken")).collect()
}

#[cfg(test)]
mod tests {
    use super::{Answer, Tally};

    #[test]
    fn a_tally_adds_up() {
        let mut tally = Tally::default();
        let missing =
            |names: &[&str]| Answer::Missing(names.iter().map(|name| (*name).to_owned()).collect());
        for answer in [
            Answer::Compiles,
            Answer::Refused { why: "fabric", names: [].into() },
            missing(&["where_tile", "typecast_tile"]),
            missing(&["where_tile"]),
        ] {
            tally.add(&answer);
        }
        assert_eq!((tally.total, tally.compiles, tally.servable()), (4, 1, 3));
        assert_eq!(tally.missing["where_tile"], 2);
        assert_eq!(tally.refused["fabric"], 1);
    }
}
