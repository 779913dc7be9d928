//! Lists the files of a folder for `include!`, so that every one of them is embedded. Shared by the
//! build scripts of the crates that bring C++ headers.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Writes the list of the files below `folder` to `headers.rs` of the build.
pub fn embed(folder: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={folder}");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let folder = root.join(folder);
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&folder).expect("found below it");
        let name = name.to_string_lossy().replace('\\', "/");
        let _ = writeln!(text, "    ({name:?}, include_str!({file:?})),");
    }
    text.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("headers.rs"), text)
}

/// Headers and sources; a folder's own README is for readers of the repository.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end != "md") {
            files.push(path);
        }
    }
    Ok(())
}
