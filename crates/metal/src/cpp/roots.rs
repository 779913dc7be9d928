//! Folders that an object does not name: the kernel's own, and those in which its headers are
//! looked for. Objects call them by numbers, so that the same sources in another place, such as a
//! copy of a project or a capture, find the object that was made from them here.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the folders are called in objects; a number and a slash follow.
pub(super) const ROOT_PREFIX: &str = "/tilewright/root";

/// The folders of a unit, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Roots(Arc<[PathBuf]>);

impl Roots {
    /// The folders in the order in which they are searched; they are spelled as compilers get them.
    pub(super) fn of(searched: &[PathBuf]) -> Roots {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in searched {
            if folder.is_absolute() && folder.parent().is_some() && !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        Roots(folders.into())
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// What a compiler is to call each of them. Where one lies in another, the inner one is last:
    /// compilers follow the longest or the last.
    pub(super) fn maps(&self) -> Vec<(OsString, String)> {
        let mut maps: Vec<_> = (0..self.0.len()).map(|it| (self.folder(it), shown(it))).collect();
        maps.sort_by_key(|(folder, _)| folder.len());
        maps
    }

    /// A file as an object calls it; unchanged if it lies in none of them.
    pub(super) fn shown(&self, file: &Path) -> PathBuf {
        let bytes = file.as_os_str().as_bytes();
        let inner = (0..self.0.len()).filter_map(|number| {
            let folder = self.folder(number);
            Some((folder.len(), number, bytes.strip_prefix(folder.as_bytes())?))
        });
        match inner.max_by_key(|(length, ..)| *length) {
            Some((_, number, rest)) => Path::new(&shown(number)).join(OsStr::from_bytes(rest)),
            None => file.to_owned(),
        }
    }

    /// The file that an object calls so.
    pub(super) fn file(&self, shown: &Path) -> PathBuf {
        self.found(shown).unwrap_or_else(|| shown.to_owned())
    }

    fn found(&self, shown: &Path) -> Option<PathBuf> {
        let rest = shown.as_os_str().as_bytes().strip_prefix(ROOT_PREFIX.as_bytes())?;
        let slash = rest.iter().position(|byte| *byte == b'/')?;
        let number: usize = std::str::from_utf8(&rest[..slash]).ok()?.parse().ok()?;
        let mut file = self.0.get(number).map(|_| self.folder(number))?.into_vec();
        file.extend_from_slice(&rest[slash + 1..]);
        Some(PathBuf::from(OsString::from_vec(file)))
    }

    /// The folder with a slash, so that no other one begins like it.
    fn folder(&self, number: usize) -> OsString {
        let mut folder = self.0[number].as_os_str().to_owned();
        if !folder.as_bytes().ends_with(b"/") {
            folder.push("/");
        }
        folder
    }
}

fn shown(number: usize) -> String {
    format!("{ROOT_PREFIX}{number}/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_innermost_folder_and_found_again_elsewhere() {
        let folders = |all: &[&str]| Roots::of(&all.iter().map(PathBuf::from).collect::<Vec<_>>());
        let here = folders(&["/a/kernels", "/a", "/a/kernels", "/b/include/", "/"]);
        let there = folders(&["/c/d/kernels", "/e", "/f"]);
        assert_eq!((here.count(), there.count()), (3, 3));
        for (file, name, elsewhere) in [
            ("/a/kernels/k.cpp", "/tilewright/root0/k.cpp", "/c/d/kernels/k.cpp"),
            ("/a/kernels2/k.cpp", "/tilewright/root1/kernels2/k.cpp", "/e/kernels2/k.cpp"),
            ("/a/kernels/../x.h", "/tilewright/root0/../x.h", "/c/d/kernels/../x.h"),
            ("/b/include/y z.h", "/tilewright/root2/y z.h", "/f/y z.h"),
            ("/usr/include/stdint.h", "/usr/include/stdint.h", "/usr/include/stdint.h"),
        ] {
            assert_eq!(here.shown(Path::new(file)), Path::new(name));
            assert_eq!(here.file(Path::new(name)), Path::new(file));
            assert_eq!(there.file(Path::new(name)), Path::new(elsewhere));
        }
        let unknown = Path::new("/tilewright/root7/k.cpp");
        assert_eq!(here.file(unknown), unknown);
        let lengths: Vec<usize> = here.maps().iter().map(|(folder, _)| folder.len()).collect();
        assert!(lengths.is_sorted());
    }
}
