//! Where compiled kernels are kept: a folder of entries that are whole or not there.
//!
//! Processes share it: an entry appears by renaming and carries a fingerprint of itself, so that
//! one that is damaged counts as missing. A folder that cannot be used costs time and no result.

#![allow(unsafe_code, reason = "marks entries as used through the host's own call")]

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::digest;

/// Bytes that a cache may take before the entries used longest ago go.
pub const CACHE_BYTES_MAX: u64 = 512 << 20;

/// How an entry begins; its fingerprint and a line break follow, then what is kept.
const MAGIC: &[u8] = b"tilewright-1 ";
const DIGEST_BYTES: usize = 32;
/// How the folder of a process at work begins; its number follows.
const SCRATCH: &str = "tmp-";
/// How old the folder of a process must be that cannot be seen from here.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A cache in a folder, which need not be there.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    problem: Mutex<Option<String>>,
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSize {
    /// Entries.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Something in the folder.
struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Cache {
    /// The cache in a folder; otherwise `tilewright` in the user's folder for caches.
    pub fn new(folder: Option<PathBuf>) -> Cache {
        let folder = folder.unwrap_or_else(default_folder);
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        Cache { folder, problem: Mutex::new(None) }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Why something could not be kept, if that happened.
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is kept under a name, if it is there and whole.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let file = self.folder.join(name);
        let mut bytes = fs::read(&file).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (known, rest) = rest.split_at_checked(DIGEST_BYTES)?;
        let content = rest.strip_prefix(b"\n")?;
        if digest::of(content).as_bytes() != known {
            return None;
        }
        let start = bytes.len() - content.len();
        mark_used(&file);
        bytes.drain(..start);
        Some(bytes)
    }

    /// Whether something is kept under a name with this ending.
    pub(super) fn has_any(&self, ending: &str) -> bool {
        let mut entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.any(|entry| entry.file_name().to_string_lossy().ends_with(ending))
    }

    /// Keeps something under a name, for this process and others. If that fails, it is remembered
    /// as the cache's problem.
    pub(super) fn write(&self, name: &str, content: &[u8]) {
        let whole = [MAGIC, digest::of(content).as_bytes(), b"\n", content].concat();
        let kept = self.scratch().and_then(|scratch| {
            let draft = scratch.0.join("entry");
            fs::write(&draft, whole)?;
            fs::rename(&draft, self.folder.join(name))
        });
        if let Err(error) = kept {
            self.complain(&error);
        }
    }

    /// Remembers why the folder is of no use.
    pub(super) fn complain(&self, error: &io::Error) {
        let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.get_or_insert_with(|| {
            let folder = self.folder.display();
            format!("nothing can be kept in the cache {folder}: {error}")
        });
    }

    /// A folder for work of this process, removed in the end.
    pub(super) fn scratch(&self) -> io::Result<Scratch> {
        Scratch::new(&self.folder)
    }

    /// What it holds.
    pub fn size(&self) -> io::Result<CacheSize> {
        Ok(sum(&self.entries()?))
    }

    /// Removes the entries used longest ago until it takes no more than this, and what processes
    /// have left behind. Says what is gone.
    pub fn prune(&self, bytes_max: u64) -> io::Result<CacheSize> {
        self.sweep();
        let mut entries = self.entries()?;
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.used));
        let mut left = sum(&entries).bytes;
        let mut gone = CacheSize::default();
        while left > bytes_max
            && let Some(oldest) = entries.pop()
        {
            remove(&oldest.path)?;
            left -= oldest.bytes;
            gone = CacheSize { entries: gone.entries + 1, bytes: gone.bytes + oldest.bytes };
        }
        Ok(gone)
    }

    /// Removes everything that is kept.
    pub fn clear(&self) -> io::Result<CacheSize> {
        self.prune(0)
    }

    /// Prunes after something was added, if there is too much.
    pub(super) fn trim(&self) {
        // What cannot be removed is there next time.
        if self.size().is_ok_and(|size| size.bytes > CACHE_BYTES_MAX) {
            drop(self.prune(CACHE_BYTES_MAX / 10 * 9));
        }
    }

    fn entries(&self) -> io::Result<Vec<Entry>> {
        let found = match fs::read_dir(&self.folder) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut entries = Vec::new();
        for entry in found.flatten() {
            // Another process may have removed it meanwhile.
            let Ok(about) = entry.metadata() else { continue };
            if entry.file_name().to_string_lossy().starts_with(SCRATCH) {
                continue;
            }
            let path = entry.path();
            let bytes = if about.is_dir() { folder_bytes(&path) } else { about.len() };
            let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            entries.push(Entry { path, bytes, used });
        }
        Ok(entries)
    }

    /// Removes folders of processes that are gone. A process in another container is not seen, but
    /// no compilation takes that long.
    fn sweep(&self) {
        let Ok(mine) = self.scratch() else { return };
        let age = |path: &Path| fs::metadata(path).and_then(|about| about.modified());
        let Ok(now) = age(&mine.0) else { return };
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(rest) = name.strip_prefix(SCRATCH) else { continue };
            let process = rest.split('-').next().unwrap_or_default();
            let is_running = Path::new("/proc").join(process).is_dir();
            let is_old = age(&entry.path())
                .is_ok_and(|then| now.duration_since(then).is_ok_and(|age| age > ABANDONED));
            if !is_running && is_old {
                drop(fs::remove_dir_all(entry.path()));
            }
        }
    }
}

/// A folder of this process, removed when dropped.
#[derive(Debug)]
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    /// A folder below another one.
    pub(super) fn new(folder: &Path) -> io::Result<Scratch> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let turn = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{SCRATCH}{}-{turn}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed goes when the cache is pruned.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Removes what a process of this number has left behind in a cache.
pub fn remove_scratch(cache: &Path, process: u32) {
    let prefix = format!("{SCRATCH}{process}-");
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

fn sum(entries: &[Entry]) -> CacheSize {
    CacheSize {
        entries: entries.len() as u64,
        bytes: entries.iter().map(|entry| entry.bytes).sum(),
    }
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(about) if about.is_dir() => folder_bytes(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

fn remove(path: &Path) -> io::Result<()> {
    let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match gone {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Makes a file or folder one that was used just now. In a folder of somebody else it stays as old
/// as it is.
pub(super) fn mark_used(path: &Path) {
    if let Ok(file) = File::open(path) {
        // SAFETY: a descriptor of ours, and no times, which stands for now.
        unsafe { libc::futimens(file.as_raw_fd(), std::ptr::null()) };
    }
}

fn default_folder() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    folder.join("tilewright")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(name: &str) -> Cache {
        let folder = format!("tilewright-cache-{name}-{}", std::process::id());
        Cache::new(Some(std::env::temp_dir().join(folder)))
    }

    #[test]
    fn only_whole_entries_are_read() {
        let cache = cache("whole");
        assert_eq!(cache.read("a"), None);
        cache.write("a", b"one");
        assert_eq!(cache.read("a").as_deref(), Some(&b"one"[..]));
        let file = cache.folder().join("a");
        let whole = fs::read(&file).expect("ours");
        let mut damaged = whole.clone();
        *damaged.last_mut().expect("not empty") ^= 1;
        for wrong in [&damaged[..], &whole[..whole.len() - 1], b"", b"tilewright-1 x", b"one"] {
            fs::write(&file, wrong).expect("ours");
            assert_eq!(cache.read("a"), None, "{wrong:?}");
        }
        cache.write("a", b"two");
        assert_eq!(cache.read("a").as_deref(), Some(&b"two"[..]));
        assert_eq!(cache.problem(), None);
        fs::remove_dir_all(cache.folder()).expect("ours");
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let cache = cache("prune");
        for (name, age) in [("old", 300), ("older", 400), ("new", 100)] {
            cache.write(name, &[0; 1000]);
            let file = File::open(cache.folder().join(name)).expect("ours");
            let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
            file.set_modified(then).expect("ours");
        }
        let all = cache.size().expect("ours");
        assert_eq!(all.entries, 3);
        let gone = cache.prune(all.bytes - 1).expect("ours");
        assert_eq!((gone.entries, cache.read("older")), (1, None));
        assert!(cache.read("old").is_some());
        // Reading has made it the one used last.
        cache.prune(all.bytes / 2).expect("ours");
        assert!(cache.read("old").is_some() && cache.read("new").is_none());
        assert_eq!(cache.clear().expect("ours").entries, 1);
        assert_eq!(cache.size().expect("ours"), CacheSize::default());
        fs::remove_dir_all(cache.folder()).expect("ours");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_a_problem_and_no_failure() {
        let file = std::env::temp_dir().join(format!("tilewright-file-{}", std::process::id()));
        fs::write(&file, "").expect("room");
        let cache = Cache::new(Some(file.join("below")));
        cache.write("a", b"one");
        assert_eq!(cache.read("a"), None);
        assert!(cache.problem().is_some_and(|it| it.starts_with("nothing can be kept in")));
        fs::remove_file(&file).expect("ours");
    }
}
