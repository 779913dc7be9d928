//! Precompiled headers: the standard library's for kernels, surveys and host programs, and for
//! surveys of many kernels all of the text before them, which is the same for a thousand of them.
//!
//! If a header cannot be precompiled, it is included as it is.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::build_folder::{BuildFolder, at};
use super::cache::mark_used;
use super::compiler::Compiler;
use super::digest::{self, Digest128};
use super::error::CppError;
use super::unit::Unit;

/// Texts that are kept precompiled at the same time: four processors under three assumptions. One
/// takes 16 MB.
const KEPT_MAX: usize = 12;
/// Kernels behind a text before it is precompiled, which takes as long as reading it so often.
const KERNELS_MIN: usize = 10;
/// How a header is called; compilers look for the precompiled one beside it.
const NAME: &str = "before.h";
const COMPILED: &str = "before.h.gch";

/// What our headers and those of operations include of the standard library. Reading it takes more
/// than half of a kernel's compilation.
const STANDARD: &str = "#include <algorithm>\n#include <array>\n#include <bit>\n\
    #include <charconv>\n#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n\
    #include <cstring>\n#include <limits>\n#include <optional>\n#include <string_view>\n\
    #include <tuple>\n#include <type_traits>\n#include <utility>\n";

/// What our headers of host programs include of it, so that every program has it.
const HOST_STANDARD: &str = "#include <array>\n#include <bit>\n#include <cassert>\n\
    #include <cerrno>\n#include <charconv>\n#include <climits>\n#include <cmath>\n\
    #include <compare>\n#include <concepts>\n#include <cstddef>\n#include <cstdint>\n\
    #include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <exception>\n\
    #include <filesystem>\n#include <functional>\n#include <initializer_list>\n\
    #include <iterator>\n#include <limits>\n#include <map>\n#include <memory>\n#include <new>\n\
    #include <optional>\n#include <ostream>\n#include <set>\n#include <source_location>\n\
    #include <span>\n#include <sstream>\n#include <stdexcept>\n#include <string>\n\
    #include <string_view>\n#include <tuple>\n#include <type_traits>\n#include <typeinfo>\n\
    #include <unordered_map>\n#include <utility>\n#include <variant>\n#include <vector>\n";

/// The folder of a cache with the standard library's headers, precompiled for kernels. Nothing for
/// compilers that refuse what they do not find just as it was.
pub(super) fn standard(compiler: &Compiler, cache: &Path) -> Result<Option<PathBuf>, CppError> {
    let flags: Vec<&str> = compiler.kernel_flags().collect();
    library(compiler, cache, &flags, STANDARD)
}

/// The same for host programs with these flags, if a cache has it.
pub(super) fn found_for_host(
    compiler: &Compiler,
    cache: &Path,
    flags: &[&'static str],
) -> Option<PathBuf> {
    let folder = place(compiler, cache, flags, HOST_STANDARD);
    Some(folder).filter(|folder| compiler.falls_back() && is_made(folder))
}

/// Precompiles the headers of host programs, which takes longer than a program without them.
pub(super) fn make_for_host(compiler: &Compiler, cache: &Path, flags: &[&'static str]) {
    // Programs are compiled without it, too.
    drop(library(compiler, cache, flags, HOST_STANDARD));
}

/// Where headers are kept that are precompiled with some flags.
fn place(compiler: &Compiler, cache: &Path, flags: &[&'static str], text: &str) -> PathBuf {
    let known = format!("{}{}{text}", compiler.fingerprint(), flags.join("\n"));
    cache.join(format!("standard-{}", digest::of(known.as_bytes())))
}

/// Whether a folder has a precompiled header, which is then used.
fn is_made(folder: &Path) -> bool {
    let is_made = folder.join(COMPILED).is_file();
    if is_made {
        mark_used(folder);
    }
    is_made
}

/// The folder with headers of the standard library, precompiled with some flags.
fn library(
    compiler: &Compiler,
    cache: &Path,
    flags: &[&'static str],
    text: &str,
) -> Result<Option<PathBuf>, CppError> {
    if !compiler.falls_back() {
        return Ok(None);
    }
    let folder = place(compiler, cache, flags, text);
    if is_made(&folder) {
        return Ok(Some(folder));
    }
    let build_folder = BuildFolder::new(cache)?;
    build_folder.write(NAME, text)?;
    let args = flags.iter().copied().chain(precompile());
    let output = compiler.run(&build_folder.path, args)?;
    if !output.status.success() {
        return Ok(None);
    }
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    // Another process may do the same; either file is whole.
    for name in [NAME, COMPILED] {
        fs::rename(build_folder.path.join(name), folder.join(name)).map_err(at(&folder))?;
    }
    Ok(Some(folder))
}

/// The header of a folder that compilations include.
pub(super) fn header(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// The arguments by which a header becomes a precompiled one.
fn precompile() -> impl Iterator<Item = &'static str> {
    ["-x", "c++-header", NAME, "-o", COMPILED].into_iter()
}

/// What surveys include before kernels.
#[derive(Default)]
pub(super) struct Precompiled {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The standard library's headers, once they are asked for; nothing if they stay as they are.
    standard: Option<Option<PathBuf>>,
    /// Headers by what is in them; their folders go with this.
    texts: BTreeMap<String, Text>,
    /// How many of them are precompiled.
    precompiled: usize,
}

/// A text before kernels.
struct Text {
    build_folder: BuildFolder,
    kernels: usize,
    is_precompiled: bool,
}

/// The headers that a survey includes before a kernel, in their order. Only the first may be
/// precompiled.
pub(super) struct Before {
    pub(super) headers: Vec<PathBuf>,
}

impl Precompiled {
    /// The headers with a unit's text. That of a few kernels is read each time behind the standard
    /// library's, which is precompiled once for all texts.
    pub(super) fn of(
        &self,
        unit: &Unit,
        compiler: &Compiler,
        cache: &Path,
        flags: &[String],
    ) -> Result<Before, CppError> {
        let mut digest = Digest128::new();
        digest.add(unit.text.as_bytes());
        digest.add(unit.descriptors.as_bytes());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Known { standard, texts, precompiled } = &mut *known;
        let standard = match standard {
            Some(standard) => standard.clone(),
            None => {
                let flags: Vec<&str> = compiler.survey_flags().collect();
                standard.insert(library(compiler, cache, &flags, STANDARD)?).clone()
            }
        };
        let text = match texts.entry(digest.hex()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(Text::new(unit, cache, standard.is_some())?),
        };
        text.kernels += 1;
        // Compilers without a standard library of ours read all of it with each text.
        let enough = if standard.is_some() { KERNELS_MIN } else { 1 };
        if !text.is_precompiled && text.kernels >= enough && *precompiled < KEPT_MAX {
            text.precompile(compiler, flags)?;
            *precompiled += 1;
        }
        let first = standard.filter(|_| !text.is_precompiled);
        let headers = first.into_iter().chain([text.build_folder.path.clone()]);
        Ok(Before { headers: headers.map(|folder| header(&folder)).collect() })
    }
}

impl Text {
    fn new(unit: &Unit, cache: &Path, is_after_standard: bool) -> Result<Text, CppError> {
        let build_folder = BuildFolder::new(cache)?;
        let before = if is_after_standard { STANDARD } else { "" };
        build_folder.write(NAME, format!("{before}{}", unit.text))?;
        build_folder.write("chlkc_descriptors.h", &unit.descriptors)?;
        Ok(Text { build_folder, kernels: 0, is_precompiled: false })
    }

    /// Precompiles it. If that fails, so does every unit that includes the header, with a message.
    fn precompile(&mut self, compiler: &Compiler, flags: &[String]) -> Result<(), CppError> {
        let mut args = flags.to_vec();
        args.push("-I.".to_owned());
        args.extend(precompile().map(str::to_owned));
        compiler.run(&self.build_folder.path, args)?;
        self.is_precompiled = true;
        Ok(())
    }
}
