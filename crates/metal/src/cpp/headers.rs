//! The headers that kernels are compiled against, embedded, and written out where a compiler can
//! find them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::digest::Digest128;

/// Every file below `shim`: its path there and its text.
pub const HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));

/// The fingerprint of all headers.
pub(super) fn fingerprint() -> &'static str {
    static KNOWN: OnceLock<String> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut digest = Digest128::new();
        for (name, text) in HEADERS {
            digest.add(name.as_bytes());
            digest.add(text.as_bytes());
        }
        digest.hex()
    })
}

/// Writes the headers to a folder of the cache, unless they are there, and gives the folder.
pub(super) fn install(cache: &Path) -> io::Result<PathBuf> {
    let folder = cache.join(format!("headers-{}", fingerprint()));
    if folder.is_dir() {
        return Ok(folder);
    }
    // Another process may do the same; whoever renames first has done it for both.
    let staging = cache.join(format!("headers-staging-{}", std::process::id()));
    for (name, text) in HEADERS {
        let path = staging.join(name);
        fs::create_dir_all(path.parent().expect("a file of a folder"))?;
        fs::write(path, text)?;
    }
    match fs::rename(&staging, &folder) {
        Ok(()) => {}
        Err(_) if folder.is_dir() => fs::remove_dir_all(&staging)?,
        Err(error) => return Err(error),
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::HEADERS;

    #[test]
    fn the_table_and_its_runtime_are_embedded() {
        for name in ["tilewright/abi.h", "tilewright/runtime.cpp", "api/dataflow/dataflow_api.h"] {
            assert!(HEADERS.iter().any(|(path, _)| *path == name), "{name}");
        }
    }
}
