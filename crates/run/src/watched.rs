//! The files of programs, and which of them has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::subjects;

/// How deep in a folder files are looked for; what kernels include is known wherever it is.
const DEPTH: u32 = 3;
/// Endings of files that kernels and manifests are made of.
const ENDINGS: [&str; 9] = ["toml", "cap", "cpp", "cc", "h", "hpp", "inl", "npy", "safetensors"];

/// What a file is recognised by: when it was written, and its size.
type Stamp = (SystemTime, u64);

/// Files as they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    files: BTreeMap<PathBuf, Stamp>,
}

impl Watched {
    /// The files of programs and those beside them, and further ones. A name may be a folder's, or
    /// an operation's, which has no file.
    pub fn new<'a>(
        names: impl IntoIterator<Item = &'a String>,
        more: &BTreeSet<PathBuf>,
    ) -> Watched {
        let mut files: BTreeSet<PathBuf> = more.clone();
        for name in names {
            let path = Path::new(name);
            if path.is_dir() {
                gather(path, DEPTH, &mut files);
            } else if path.is_file() {
                let folder = path.parent().filter(|folder| *folder != Path::new(""));
                gather(folder.unwrap_or(Path::new(".")), DEPTH, &mut files);
            }
        }
        let stamp = |file: PathBuf| {
            let data = fs::metadata(&file).ok()?;
            Some((file, (data.modified().ok()?, data.len())))
        };
        Watched { files: files.into_iter().filter_map(stamp).collect() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// Takes files that were not known yet.
    pub fn learn(&mut self, later: Watched) {
        for (file, stamp) in later.files {
            self.files.entry(file).or_insert(stamp);
        }
    }

    /// The first file that is new, gone or written since.
    pub fn change(&self, now: &Watched) -> Option<PathBuf> {
        let files: BTreeSet<&PathBuf> = self.files.keys().chain(now.files.keys()).collect();
        files.into_iter().find(|file| self.files.get(*file) != now.files.get(*file)).cloned()
    }
}

/// Files of a folder and of those in it, but for hidden ones and links to folders.
fn gather(folder: &Path, depth: u32, files: &mut BTreeSet<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if subjects::is_entered(&path) {
            if depth > 0 {
                gather(&path, depth - 1, files);
            }
        } else if path.extension().is_some_and(|it| ENDINGS.iter().any(|ending| it == *ending)) {
            files.extend(path.canonicalize());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_written_and_missing_files_are_changes() {
        let at = |seconds| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let of = |all: &[(&str, u64)]| Watched {
            files: all.iter().map(|(name, time)| (PathBuf::from(name), (at(*time), 1))).collect(),
        };
        let before = of(&[("a", 1), ("b", 1)]);
        assert_eq!(before.change(&before), None);
        for (now, file) in [
            (of(&[("a", 1), ("b", 2)]), "b"),
            (of(&[("b", 1)]), "a"),
            (of(&[("a", 1), ("b", 1), ("c", 1)]), "c"),
        ] {
            assert_eq!(before.change(&now), Some(PathBuf::from(file)), "{now:?}");
        }
        let mut learnt = before.clone();
        learnt.learn(of(&[("b", 5), ("c", 5)]));
        assert_eq!(learnt, of(&[("a", 1), ("b", 1), ("c", 5)]));
    }
}
