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

use tilewright_machine::Architecture;

use super::error::CppError;
use super::workshop::{Progress, Workshop};

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

/// The names of kernels below a folder, for messages.
pub fn shown(kernel: &Found, folder: &Path) -> String {
    kernel.file.strip_prefix(folder).unwrap_or(&kernel.file).display().to_string()
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
