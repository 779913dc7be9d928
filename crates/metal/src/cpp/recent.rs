//! Objects that this process has used before, for as long as the times of their files stay.
//!
//! The cache on disk reads every file to know that an object is still right. Where a process runs
//! the same kernels again and again, times and sizes of the files, and of the folders in which
//! other headers could come before them, are enough.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::object::Code;

/// Objects that are kept; beyond that all are forgotten.
const OBJECTS_MAX: usize = 256;

/// When a file or folder was changed last, and its size; nothing if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// The objects, by what decides them besides files.
#[derive(Default)]
pub(super) struct Recent {
    all: Mutex<BTreeMap<String, Remembered>>,
}

/// The stamps of files at about one time.
#[derive(Default)]
pub(super) struct Stamps(BTreeMap<PathBuf, Stamp>);

impl Stamps {
    fn of(&mut self, path: &Path) -> Stamp {
        if let Some(known) = self.0.get(path) {
            return *known;
        }
        let asked = stamp(path);
        self.0.insert(path.to_owned(), asked);
        asked
    }
}

struct Remembered {
    code: Arc<Code>,
    stamps: Vec<(PathBuf, Stamp)>,
}

impl Recent {
    /// The object under this key, if nothing has changed since it was kept. What is known of files
    /// `now` need not be asked again.
    pub(super) fn find(&self, key: &str, now: &mut Stamps) -> Option<Arc<Code>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.get(key)?;
        let is_same = |(path, before): &(PathBuf, Stamp)| now.of(path) == *before;
        found.stamps.iter().all(is_same).then(|| Arc::clone(&found.code))
    }

    /// Keeps an object whose headers were looked for in `folders`.
    pub(super) fn keep(&self, key: String, code: &Arc<Code>, folders: &[PathBuf]) {
        let paths = code.files.iter().chain(folders);
        let stamps = paths.map(|path| (path.clone(), stamp(path))).collect();
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= OBJECTS_MAX {
            all.clear();
        }
        all.insert(key, Remembered { code: Arc::clone(code), stamps });
    }
}

fn stamp(path: &Path) -> Stamp {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

#[cfg(test)]
mod tests {
    use super::super::roots::Roots;
    use super::*;

    #[test]
    fn a_changed_file_or_folder_is_noticed() {
        let folder = std::env::temp_dir().join(format!("tilewright-recent-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("room");
        let file = folder.join("kernel.cpp");
        fs::write(&file, "one").expect("ours");
        let files = vec![file.clone()];
        let code = Code {
            file: String::new(),
            digest: String::new(),
            bytes: Vec::new(),
            files,
            roots: Roots::default(),
        };
        let code = Arc::new(code);
        let recent = Recent::default();
        let is_found = || recent.find("key", &mut Stamps::default()).is_some();
        let keep = || {
            recent.keep("key".into(), &code, std::slice::from_ref(&folder));
            assert!(is_found());
        };
        assert!(!is_found());
        keep();
        fs::write(&file, "longer").expect("ours");
        assert!(!is_found());
        keep();
        fs::write(folder.join("new.h"), "").expect("ours");
        assert!(!is_found());
        fs::remove_dir_all(&folder).expect("ours");
    }
}
