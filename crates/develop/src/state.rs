//! What is kept of the last run, in a folder of our own inside the operation's.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tilewright_run::record::{Failure, Stages};

/// The folder for what is ours.
pub(crate) const FOLDER: &str = ".tilewright";

/// Makes the folder for what is ours; version control need not see it.
pub(crate) fn folder(directory: &Path) -> Result<PathBuf, Failure> {
    let folder = directory.join(FOLDER);
    let ignore = folder.join(".gitignore");
    let made = fs::create_dir_all(&folder).and_then(|()| fs::write(&ignore, "*\n"));
    made.map_err(|error| unwritable(&folder, &error))?;
    Ok(folder)
}

/// The last run, if there was one.
pub(crate) fn load(directory: &Path) -> Result<Option<Stages>, Failure> {
    let path = file(directory);
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            Failure::new(format!("{}: {error}", path.display()))
                .help("it is written by `tilewright stages`; remove it to begin anew")
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(format!("{} cannot be read: {error}", path.display()))),
    }
}

/// Keeps a run for the next one.
pub(crate) fn save(directory: &Path, stages: &Stages) -> Result<(), Failure> {
    let path = file(directory);
    let part = path.with_extension("part");
    let text = serde_json::to_string_pretty(stages).expect("plain JSON") + "\n";
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, &path));
    written.map_err(|error| unwritable(&path, &error))
}

fn file(directory: &Path) -> PathBuf {
    directory.join(FOLDER).join("stages.json")
}

pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{} cannot be written: {error}", path.display()))
}
