//! The headers that kernels are compiled against, embedded, and written out where a compiler can
//! find them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::cache::{Scratch, mark_used};
use super::digest::Digest128;

/// Every file below `shim`: its path there and its text.
pub const HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));

/// Files that a compiler is to find, by their paths, and the name of their folder in the cache.
#[derive(Clone, Copy, Debug)]
pub struct HeaderSet {
    /// How the folder's name begins.
    pub name: &'static str,
    /// Path and text of each file.
    pub files: &'static [(&'static str, &'static str)],
}

/// What kernels are compiled against.
pub(super) const KERNEL_HEADERS: HeaderSet = HeaderSet { name: "headers", files: HEADERS };

impl HeaderSet {
    /// A number that tells this set from others.
    pub(super) fn fingerprint(self) -> String {
        let mut digest = Digest128::new();
        for (name, text) in self.files {
            digest.add(name.as_bytes());
            digest.add(text.as_bytes());
        }
        digest.hex()
    }

    /// Writes the files to a folder of the cache, unless they are there, and gives the folder.
    pub(super) fn install(self, cache: &Path) -> io::Result<PathBuf> {
        let folder = cache.join(format!("{}-{}", self.name, self.fingerprint()));
        let is_whole = |(name, text): &(&str, &str)| {
            fs::read(folder.join(name)).is_ok_and(|there| there == text.as_bytes())
        };
        if self.files.iter().all(is_whole) {
            mark_used(&folder);
            return Ok(folder);
        }
        let staging = Scratch::new(cache)?;
        for (name, text) in self.files {
            let (draft, path) = (staging.0.join("header"), folder.join(name));
            fs::create_dir_all(path.parent().expect("a file of a folder"))?;
            fs::write(&draft, text)?;
            // Another process may do the same; either file is whole.
            fs::rename(&draft, &path)?;
        }
        Ok(folder)
    }
}

/// The fingerprint of all headers of kernels.
pub(super) fn fingerprint() -> &'static str {
    static KNOWN: OnceLock<String> = OnceLock::new();
    KNOWN.get_or_init(|| KERNEL_HEADERS.fingerprint())
}

/// Writes the headers of kernels to a folder of the cache, unless they are there.
pub(super) fn install(cache: &Path) -> io::Result<PathBuf> {
    KERNEL_HEADERS.install(cache)
}

/// Whether a header is one of those that are embedded.
pub(super) fn is_ours(name: &str) -> bool {
    HEADERS.iter().any(|(path, _)| *path == name)
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
