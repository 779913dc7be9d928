//! The files that commands write.

use std::path::{Path, PathBuf};

use tilewright_report::record::Failure;

/// The file that a command draws: the one asked for, or one in this folder with the run's name.
pub fn drawn(asked: Option<&Path>, name: &str, ending: &str) -> PathBuf {
    let is_plain = |it: char| it.is_alphanumeric() || "-_.".contains(it);
    let usual = || PathBuf::from(format!("{}.{ending}", name.replace(|it| !is_plain(it), "-")));
    asked.map_or_else(usual, Path::to_owned)
}

/// Refuses what cannot be written, before a long run and not after it.
pub fn check_writable(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let refuse = |why: String| Err(Failure::new(format!("{} {why}", path.display())));
    let folder = path.parent().filter(|it| *it != Path::new("")).unwrap_or(Path::new("."));
    if path.is_dir() {
        return refuse("cannot be written: it is a folder".to_owned());
    }
    if !folder.is_dir() {
        let folder = folder.display();
        return refuse(format!("cannot be written: there is no folder {folder}"));
    }
    Ok(())
}
