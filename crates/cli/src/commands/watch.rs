//! `tilewright watch`: checks programs again whenever one of their files is saved.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use tilewright_report::record::Failure;
use tilewright_run::{compiled_sources, subjects};

use super::check::{self, named};
use crate::args::Watch;
use crate::output::{Output, Status};

/// How often files are looked at.
const PERIOD: Duration = Duration::from_millis(200);
/// How deep in a folder files are looked for; what kernels include is known wherever it is.
const DEPTH: u32 = 3;
/// Endings of files that kernels and manifests are made of.
const ENDINGS: [&str; 9] = ["toml", "cap", "cpp", "cc", "h", "hpp", "inl", "npy", "safetensors"];

/// What a file is recognised by: when it was written, and its size.
type Stamp = (SystemTime, u64);

/// Checks, and checks again when a file has changed, until somebody ends it.
pub fn watch(asked: &Watch, output: &Output) -> Result<Status, Failure> {
    let mut sources: BTreeSet<PathBuf> = BTreeSet::new();
    loop {
        // A file that is saved while its program runs is a change, too.
        let before = stamps(asked, &sources)?;
        let status = output.attempt(|| check::check(&asked.check, output));
        if status == Status::CouldNotRun && before.is_empty() {
            return Ok(status);
        }
        for name in subjects::of(named(&asked.check))? {
            sources.extend(compiled_sources(&asked.check.explore.run.request_for(&name)?));
        }
        let known: BTreeSet<&PathBuf> = before.keys().collect();
        let added = stamps(asked, &sources)?.into_iter().filter(|(file, _)| !known.contains(file));
        let before: BTreeMap<PathBuf, Stamp> = before.clone().into_iter().chain(added).collect();
        output.remark(&format!("watching {} files; Ctrl-C ends it", before.len()));
        let changed = loop {
            sleep(PERIOD);
            let now = stamps(asked, &sources)?;
            if let Some(file) = first_change(&before, &now) {
                break file;
            }
        };
        // Editors write in several steps.
        sleep(PERIOD);
        output.remark(&format!("{} has changed", shown(&changed).display()));
    }
}

/// The first file that is new, gone or written since.
fn first_change(
    before: &BTreeMap<PathBuf, Stamp>,
    now: &BTreeMap<PathBuf, Stamp>,
) -> Option<PathBuf> {
    let files: BTreeSet<&PathBuf> = before.keys().chain(now.keys()).collect();
    files.into_iter().find(|file| before.get(*file) != now.get(*file)).cloned()
}

/// All files that a change of counts: the programs' own and those beside them, and what their
/// kernels were compiled from.
fn stamps(asked: &Watch, sources: &BTreeSet<PathBuf>) -> Result<BTreeMap<PathBuf, Stamp>, Failure> {
    let mut files: BTreeSet<PathBuf> = sources.clone();
    for name in named(&asked.check) {
        let path = Path::new(name);
        if path.is_dir() {
            gather(path, DEPTH, &mut files);
        } else if path.is_file() {
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            gather(folder.unwrap_or(Path::new(".")), DEPTH, &mut files);
        }
    }
    if files.is_empty() {
        return Err(Failure::new("there is no file to watch")
            .help("give manifests, captures or folders of them; operations do not change"));
    }
    let stamp = |file: PathBuf| {
        let data = fs::metadata(&file).ok()?;
        Some((file, (data.modified().ok()?, data.len())))
    };
    Ok(files.into_iter().filter_map(stamp).collect())
}

/// Files of a folder and of those in it, but for hidden ones and links to folders.
fn gather(folder: &Path, depth: u32, files: &mut BTreeSet<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
        if path.is_dir() && !path.is_symlink() && !is_hidden {
            if depth > 0 {
                gather(&path, depth - 1, files);
            }
        } else if path.extension().is_some_and(|it| ENDINGS.iter().any(|ending| it == *ending)) {
            files.extend(path.canonicalize());
        }
    }
}

/// A file as the user would name it.
fn shown(file: &Path) -> &Path {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    file.strip_prefix(here).unwrap_or(file)
}
