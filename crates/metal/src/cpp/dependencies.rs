//! The files that an object was compiled from, and a fingerprint of what they hold.
//!
//! A file that cannot be read has no fingerprint, so that nothing made from it is ever reused.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::digest::{self, Digest128};
use super::headers::HeaderSet;
use super::roots::Roots;

/// Between the paths of a list: the only byte that no path contains.
const SEPARATOR: u8 = 0;
/// Components of a header's path that an `#include` may consist of.
const NAMED_COMPONENTS_MAX: usize = 8;
/// Tells whether a header exists without depending on it.
const PROBE: &[u8] = b"__has_include";
/// Reads a file without depending on it.
const INCLUDE_BINARY: &[u8] = b".incbin";

/// What a rule in the syntax of make depends on, as g++ and clang++ write it.
///
/// Both escape white space and `#` with a backslash and double `$`. Backslashes before white space
/// are doubled; others stand for themselves.
pub(super) fn parse_rule(rule: &[u8]) -> Vec<PathBuf> {
    let end = rule.windows(2).position(|pair| pair[0] == b':' && pair[1].is_ascii_whitespace());
    let mut rest = end.map_or(&[][..], |end| &rule[end + 1..]);
    let (mut names, mut name) = (Vec::new(), Vec::new());
    while let Some((first, tail)) = rest.split_first() {
        let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
        let behind = rest.get(slashes).copied();
        rest = match behind {
            Some(b'\n') if slashes % 2 == 1 => {
                name.extend_from_slice(&rest[..slashes - 1]);
                names.push(std::mem::take(&mut name));
                &rest[slashes + 1..]
            }
            Some(byte @ (b' ' | b'\t')) if slashes % 2 == 1 => {
                name.extend_from_slice(&rest[..slashes / 2]);
                name.push(byte);
                &rest[slashes + 1..]
            }
            Some(byte @ (b'#' | b':')) if slashes > 0 => {
                name.extend_from_slice(&rest[..slashes - 1]);
                name.push(byte);
                &rest[slashes + 1..]
            }
            _ if slashes > 0 => {
                name.extend_from_slice(&rest[..slashes]);
                &rest[slashes..]
            }
            Some(b'$') if tail.first() == Some(&b'$') => {
                name.push(b'$');
                &tail[1..]
            }
            Some(byte) if byte.is_ascii_whitespace() => {
                names.push(std::mem::take(&mut name));
                tail
            }
            _ => {
                name.push(*first);
                tail
            }
        };
    }
    names.push(name);
    let names = names.into_iter().filter(|name| !name.is_empty());
    names.map(|name| PathBuf::from(OsString::from_vec(name))).collect()
}

/// A list of paths as bytes.
pub(super) fn encode(files: &[PathBuf]) -> Vec<u8> {
    let names: Vec<&[u8]> = files.iter().map(|file| file.as_os_str().as_bytes()).collect();
    names.join(&SEPARATOR)
}

/// The paths of a list; nothing if there is none.
pub(super) fn decode(list: &[u8]) -> Vec<PathBuf> {
    let names = list.split(|byte| *byte == SEPARATOR).filter(|name| !name.is_empty());
    names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect()
}

/// What is known of a file.
struct Content {
    digest: String,
    /// Headers that it asks for with `__has_include`; nothing if they are not spelled out.
    probes: Option<Vec<PathBuf>>,
}

/// Where an `#include` is looked for.
pub(super) struct Search<'a> {
    /// The user's folders; beside the file that has it, too.
    pub(super) folders: &'a [PathBuf],
    /// Those of them that may lie anywhere.
    pub(super) roots: &'a Roots,
    /// Our headers.
    pub(super) headers: HeaderSet,
}

type Known<T> = Mutex<BTreeMap<PathBuf, Arc<T>>>;

/// Contents of files and folders, read once: for a single build, during which nothing changes.
#[derive(Default)]
pub(super) struct Files {
    contents: Known<Option<Content>>,
    folders: Known<BTreeSet<OsString>>,
}

impl Files {
    /// A fingerprint of files, and of other files that an `#include` could find in their place, or
    /// in the place of one of ours. Nothing if it is not certain.
    pub(super) fn fingerprint(&self, files: &[PathBuf], search: &Search<'_>) -> Option<String> {
        let Search { folders, roots, headers } = *search;
        let mut digest = Digest128::new();
        let ours = headers.files.iter().map(|(name, _)| PathBuf::from(name));
        let mut named: BTreeSet<PathBuf> = ours.collect();
        for file in files {
            let content = self.content(file);
            let content = (*content).as_ref()?;
            digest.add(roots.shown(file).as_os_str().as_bytes());
            digest.add(content.digest.as_bytes());
            named.extend(endings(file));
            // Headers of the compiler ask for others of theirs.
            if is_within(file, folders) {
                named.extend(content.probes.as_ref()?.iter().cloned());
            }
        }
        let beside = files.iter().filter(|file| is_within(file, folders));
        let beside = beside.filter_map(|file| file.parent());
        let places: BTreeSet<&Path> = folders.iter().map(PathBuf::as_path).chain(beside).collect();
        let mut others = BTreeSet::new();
        for place in places {
            let found = named.iter().filter(|name| self.is_there(place, name));
            others.extend(found.map(|name| roots.shown(&place.join(name))));
        }
        others.iter().for_each(|other| digest.add(other.as_os_str().as_bytes()));
        Some(digest.hex())
    }

    /// A fingerprint of one file.
    pub(super) fn digest(&self, file: &Path) -> Option<String> {
        (*self.content(file)).as_ref().map(|content| content.digest.clone())
    }

    fn content(&self, file: &Path) -> Arc<Option<Content>> {
        known(&self.contents, file, || {
            let bytes = fs::read(file).ok()?;
            if contains(&bytes, INCLUDE_BINARY) {
                return None;
            }
            Some(Content { digest: digest::of(&bytes), probes: probes(&bytes) })
        })
    }

    /// Whether a folder has a file; most are ruled out by the first part of their name.
    fn is_there(&self, folder: &Path, name: &Path) -> bool {
        match name.components().next() {
            Some(Component::Normal(first)) => {
                let names = known(&self.folders, folder, || {
                    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                    entries.map(|entry| entry.file_name()).collect()
                });
                names.contains(first) && folder.join(name).is_file()
            }
            Some(_) => folder.join(name).is_file(),
            None => false,
        }
    }
}

fn known<T>(all: &Known<T>, path: &Path, read: impl FnOnce() -> T) -> Arc<T> {
    let lock = || all.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = lock().get(path) {
        return Arc::clone(found);
    }
    // Two threads may read the same file, and learn the same.
    let found = Arc::new(read());
    lock().insert(path.to_owned(), Arc::clone(&found));
    found
}

/// The last component of a path, the last two, and so on: how an `#include` may spell it.
fn endings(file: &Path) -> impl Iterator<Item = PathBuf> {
    let parts: Vec<Component<'_>> = file.components().collect();
    let most = parts.len().saturating_sub(1).min(NAMED_COMPONENTS_MAX);
    (1..=most).map(move |count| parts[parts.len() - count..].iter().collect())
}

/// The headers in `__has_include("…")` and `__has_include(<…>)`.
fn probes(text: &[u8]) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(PROBE.len()).position(|window| window == PROBE) {
        rest = &rest[at + PROBE.len()..];
        let argument = rest.trim_ascii_start();
        // Without parentheses it only asks whether there is such an operator.
        let Some(argument) = argument.strip_prefix(b"(") else { continue };
        let argument = argument.trim_ascii_start();
        let close = match argument.first() {
            Some(b'"') => b'"',
            Some(b'<') => b'>',
            _ => return None,
        };
        let name = &argument[1..];
        let length = name.iter().position(|byte| *byte == close || *byte == b'\n')?;
        found.push(PathBuf::from(OsStr::from_bytes(&name[..length])));
    }
    Some(found)
}

fn is_within(file: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| file.starts_with(folder))
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::super::headers::KERNEL_HEADERS;
    use super::*;

    #[track_caller]
    fn check(rule: &str, expected: &[&str]) {
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(parse_rule(rule.as_bytes()), expected);
    }

    #[test]
    fn rules_are_read_as_compilers_write_them() {
        check("unit.o: a.h b.h\n", &["a.h", "b.h"]);
        check("unit.o: a.h \\\n  b.h \\\n c.h\n", &["a.h", "b.h", "c.h"]);
        check("unit.o: my\\ kernel.cpp b.h\n", &["my kernel.cpp", "b.h"]);
        check("unit.o: a\\#b.h a$$b.h a\\\tb.h\n", &["a#b.h", "a$b.h", "a\tb.h"]);
        check("unit.o: a\\b.h a\\\\b.h c:d.h a\\:b.h\n", &["a\\b.h", "a\\\\b.h", "c:d.h", "a:b.h"]);
        check("unit.o: a\\\\\\ b.h a\\\\#b.h\n", &["a\\ b.h", "a\\#b.h"]);
        check("unit.o: a\"b'c.h größe.h $HOME.h\n", &["a\"b'c.h", "größe.h", "$HOME.h"]);
        check("unit.o:\n", &[]);
        check("", &[]);
    }

    #[test]
    fn a_list_is_read_back() {
        let files: Vec<PathBuf> = ["/a b", "/c\nd", "/e\"\\f"].iter().map(PathBuf::from).collect();
        assert_eq!(decode(&encode(&files)), files);
        assert!(decode(b"").is_empty());
    }

    #[test]
    fn files_that_cannot_be_read_have_no_fingerprint() {
        let folder = std::env::temp_dir().join(format!("tilewright-deps-{}", std::process::id()));
        fs::create_dir_all(folder.join("other/sub")).expect("room");
        let header = folder.join("sub.h");
        let of = |files: &[PathBuf], folders: &[PathBuf]| {
            let (roots, headers) = (&Roots::default(), KERNEL_HEADERS);
            Files::default().fingerprint(files, &Search { folders, roots, headers })
        };
        let (files, folders) = ([header.clone()], [folder.join("other"), folder.clone()]);
        assert_eq!(of(&files, &folders), None, "it is not there");
        fs::write(&header, "one").expect("room");
        let first = of(&files, &folders);
        assert!(first.is_some() && first == of(&files, &folders));
        fs::write(folders[0].join("sub.h"), "two").expect("room");
        let shadowed = of(&files, &folders);
        assert!(shadowed.is_some() && shadowed != first, "another header has its name");
        fs::write(folders[0].join("dataflow_api.h"), "").expect("room");
        let instead = of(&files, &folders);
        assert!(instead.is_some() && instead != shadowed, "one of ours has its name");
        for text in ["#if __has_include(NAME)", "asm(\".incbin \\\"x\\\"\")"] {
            fs::write(&header, text).expect("room");
            assert_eq!(of(&files, &folders), None, "{text}");
        }
        fs::write(&header, "#if __has_include( <sub/x.h> )").expect("room");
        let before = of(&files, &folders);
        fs::write(folders[0].join("sub/x.h"), "").expect("room");
        assert!(before.is_some() && before != of(&files, &folders), "now it has");
        fs::remove_dir_all(&folder).expect("ours");
    }
}
