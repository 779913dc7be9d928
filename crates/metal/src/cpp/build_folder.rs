//! A folder for one compilation: what is written for it, and what stands in for what is missing.

use std::fs;
use std::path::{Path, PathBuf};

use super::cache::Scratch;
use super::error::CppError;

/// An empty file that is as old as its folder.
const BEGUN: &str = "begun";

/// A folder for one compilation, removed at its end.
pub(super) struct BuildFolder {
    pub(super) path: PathBuf,
    _folder: Scratch,
}

impl BuildFolder {
    pub(super) fn new(place: &Path) -> Result<BuildFolder, CppError> {
        let scratch = Scratch::new(place).map_err(at(place))?;
        let build_folder = BuildFolder { path: scratch.0.clone(), _folder: scratch };
        build_folder.write(BEGUN, "")?;
        Ok(build_folder)
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), CppError> {
        let path = self.path.join(name);
        fs::write(&path, content).map_err(at(&path))
    }

    /// Whether a file has changed since this folder was made for a compilation that gave `made`.
    pub(super) fn is_outdated(&self, made: &Path, files: &[PathBuf]) -> bool {
        let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
        let times = (changed(&self.path.join(BEGUN)), changed(made));
        let (Some(began), Some(ended)) = times else { return false };
        // A file may claim any time; one of the future says nothing about this compilation.
        let is_between = |time| began < time && time <= ended;
        files.iter().filter_map(|file| changed(file)).any(is_between)
    }

    /// Puts an empty header where one is missing; false if that cannot help.
    pub(super) fn stand_in(&self, header: &str) -> Result<bool, CppError> {
        let path = self.path.join("missing").join(header);
        if header.starts_with('/') || header.contains("..") || path.exists() {
            return Ok(false);
        }
        let parent = path.parent().expect("below a folder");
        fs::create_dir_all(parent).map_err(at(parent))?;
        fs::write(&path, "").map_err(at(&path))?;
        Ok(true)
    }
}

/// A failure at a path.
pub(super) fn at(path: &Path) -> impl Fn(std::io::Error) -> CppError {
    let path = path.to_owned();
    move |error| CppError::Io { path: path.clone(), error }
}
