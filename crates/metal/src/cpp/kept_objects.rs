//! Objects in the cache: found by what their sources contain, wherever these lie.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compiler::ENVIRONMENT;
use super::dependencies::{self, Files, Search};
use super::digest::{self, Digest128};
use super::elf::Elf;
use super::error::CppError;
use super::headers::{self, KERNEL_HEADERS};
use super::lines::{SHIM_PREFIX, UNIT_FOLDER, is_users};
use super::object::Code;
use super::roots::{ROOT_PREFIX, Roots};
use super::unit::Unit;
use super::workshop::{Made, Workshop};

/// In place of a list of files: the object belongs to the place of its sources.
const IS_BOUND: &str = "/tilewright/bound";

/// What an object is looked for by, besides the files that it was made from.
struct Wanted<'a> {
    unit: &'a Unit,
    /// Where its headers are looked for.
    searched: &'a [PathBuf],
    /// What decides it, but for headers.
    key: String,
    /// Folders that it calls by numbers.
    roots: Roots,
}

impl Workshop {
    /// The object of a unit, from the cache if nothing it depends on has changed.
    pub(super) fn object(&self, unit: &Unit, files: &Files) -> Result<Arc<Code>, CppError> {
        let file = match unit.source.text {
            Some(_) => unit.source.file.clone(),
            None => self.user_file(unit)?,
        };
        let searched = &self.searched(unit, &file);
        let place = self.place_key(unit);
        let bound = Wanted { unit, searched, key: place.clone(), roots: Roots::default() };
        let shared = self.shared(unit, &file, searched, files);
        let known = shared.as_ref().and_then(|shared| self.kept(shared, files));
        if let Some(code) = known.or_else(|| self.kept(&bound, files)) {
            self.recent.keep(place, &code, searched);
            return Ok(code);
        }
        if let Some(shared) = shared
            && !self.is_bound(&shared)
        {
            let made = self.make(unit, &shared.roots)?;
            if !tells_its_place(&made, &shared.roots) {
                return Ok(self.keep(&shared, made));
            }
            self.cache.write(&listed(&shared.key), IS_BOUND.as_bytes());
        }
        let made = self.make(unit, &bound.roots)?;
        Ok(self.keep(&bound, made))
    }

    /// An object in the cache.
    fn kept(&self, wanted: &Wanted<'_>, files: &Files) -> Option<Arc<Code>> {
        let names = dependencies::decode(&self.cache.read(&listed(&wanted.key))?);
        let used: Vec<PathBuf> = names.iter().map(|name| wanted.roots.file(name)).collect();
        let bytes = self.cache.read(&self.entry(wanted, &used, files)?)?;
        Some(code(wanted, bytes, used))
    }

    /// Whether an object was found to tell the place of its sources.
    fn is_bound(&self, wanted: &Wanted<'_>) -> bool {
        self.cache.read(&listed(&wanted.key)).is_some_and(|list| list == IS_BOUND.as_bytes())
    }

    /// Keeps an object.
    fn keep(&self, wanted: &Wanted<'_>, made: Made) -> Arc<Code> {
        let Made { bytes, files, is_outdated } = made;
        // Files are read again: what was known of them may be older than the object.
        let entry = self.entry(wanted, &files, &Files::default());
        if let Some(entry) = entry.filter(|_| !is_outdated) {
            self.cache.write(&entry, &bytes);
            let names: Vec<PathBuf> = files.iter().map(|file| wanted.roots.shown(file)).collect();
            self.cache.write(&listed(&wanted.key), &dependencies::encode(&names));
        }
        code(wanted, bytes, files)
    }

    /// What the object with these dependencies is kept under; nothing if they do not tell its
    /// contents.
    fn entry(&self, wanted: &Wanted<'_>, used: &[PathBuf], files: &Files) -> Option<String> {
        if wanted.unit.source.text.is_none() && !used.contains(&self.user_file(wanted.unit).ok()?) {
            return None;
        }
        let mut digest = Digest128::new();
        digest.add(wanted.key.as_bytes());
        let (folders, roots) = (wanted.searched, &wanted.roots);
        let search = Search { folders, roots, headers: KERNEL_HEADERS };
        digest.add(files.fingerprint(used, &search)?.as_bytes());
        Some(format!("{}.code", digest.hex()))
    }

    /// What decides an object that tells the place of its sources, but for the contents of files.
    pub(super) fn place_key(&self, unit: &Unit) -> String {
        let mut digest = self.key(unit);
        let paths = std::iter::once(&unit.source.file).chain(&unit.source.include_paths);
        // Where a process is started decides nothing but what relative paths mean.
        let folder = paths.clone().any(|path| path.is_relative()).then_some(&self.folder);
        for path in paths.chain(folder) {
            digest.add(path.as_os_str().as_encoded_bytes());
        }
        digest.hex()
    }

    /// How an object is looked for whose sources may lie elsewhere; nothing if the kernel's own
    /// contents do not decide it.
    fn shared<'a>(
        &self,
        unit: &'a Unit,
        file: &Path,
        searched: &'a [PathBuf],
        files: &Files,
    ) -> Option<Wanted<'a>> {
        let mut digest = self.key(unit);
        if unit.source.text.is_some() {
            // Reports call it so, and so may the kernel.
            digest.add(file.as_os_str().as_encoded_bytes());
        } else {
            digest.add(file.file_name()?.as_encoded_bytes());
            digest.add(files.digest(file)?.as_bytes());
        }
        let roots = Roots::of(searched);
        digest.add(&roots.count().to_le_bytes());
        Some(Wanted { unit, searched, key: digest.hex(), roots })
    }

    /// What decides an object, but for files and their places.
    fn key(&self, unit: &Unit) -> Digest128 {
        let mut digest = Digest128::new();
        for piece in [
            &self.compiler.fingerprint(),
            headers::fingerprint(),
            SHIM_PREFIX,
            UNIT_FOLDER,
            &unit.text,
            &unit.prelude,
            &unit.descriptors,
            unit.source.text.as_deref().unwrap_or_default(),
        ] {
            digest.add(piece.as_bytes());
        }
        for name in ENVIRONMENT {
            digest.add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
        }
        digest
    }
}

/// Whether the code itself tells a folder's name, as by `__FILE__`, or a header of the user lies in
/// none of its folders.
fn tells_its_place(made: &Made, roots: &Roots) -> bool {
    let mut elsewhere = made.files.iter().filter(|file| roots.shown(file) == **file);
    elsewhere.any(|file| is_users(&file.to_string_lossy()))
        || Elf::parse(&made.bytes).is_none_or(|elf| elf.has_text(ROOT_PREFIX))
}

/// Where the list of files is kept that an object was made from.
fn listed(key: &str) -> String {
    format!("{key}.deps")
}

fn code(wanted: &Wanted<'_>, bytes: Vec<u8>, files: Vec<PathBuf>) -> Arc<Code> {
    let file = wanted.unit.source.file.display().to_string();
    let digest = digest::of(&bytes);
    Arc::new(Code { file, digest, bytes, files, roots: wanted.roots.clone() })
}
