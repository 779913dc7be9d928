//! Lists the C++ headers below `shim`, so that every file of the folder is embedded.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=shim");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let shim = root.join("shim");
    let mut files = Vec::new();
    collect(&shim, &mut files)?;
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&shim).expect("found below it");
        let name = name.to_string_lossy().replace('\\', "/");
        let _ = writeln!(text, "    ({name:?}, include_str!({file:?})),");
    }
    text.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("headers.rs"), text)
}

/// Headers and sources; the folder's own README is for readers of the repository.
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
