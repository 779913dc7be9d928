//! What names stand for: operations, manifests and captures, and folders of the last two.

use std::fs;
use std::path::Path;

use crate::record::Failure;

/// The names, with each folder replaced by the manifests and captures in it and below.
pub fn of<'a>(names: impl IntoIterator<Item = &'a String>) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for name in names {
        if !Path::new(name).is_dir() {
            all.push(name.clone());
            continue;
        }
        let before = all.len();
        gather(Path::new(name), &mut all)?;
        if all.len() == before {
            return Err(Failure::new(format!("{name} has no manifest and no capture"))
                .help("manifests are .toml files with kernels, captures .cap files"));
        }
    }
    Ok(all)
}

/// Every manifest and capture of a folder and of those in it, in the order of names.
fn gather(folder: &Path, names: &mut Vec<String>) -> Result<(), Failure> {
    let unreadable = |error| Failure::new(format!("{} cannot be read: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    for path in paths {
        if is_entered(&path) {
            gather(&path, names)?;
        } else if is_program(&path) {
            names.push(path.display().to_string());
        }
    }
    Ok(())
}

/// Whether files are looked for in a folder: not in hidden ones, and not behind links, which may
/// lead back to where they lie.
pub(crate) fn is_entered(path: &Path) -> bool {
    let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
    path.is_dir() && !path.is_symlink() && !is_hidden
}

/// Whether a file is a capture, or a manifest: other tools have .toml files too.
fn is_program(path: &Path) -> bool {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("cap") => path.is_file(),
        Some("toml") => fs::read_to_string(path).is_ok_and(|text| {
            let is_kernel =
                |line: &str| line.starts_with("[kernels.") || line.contains(".kernels.");
            text.lines().any(is_kernel)
        }),
        Some(_) | None => false,
    }
}
