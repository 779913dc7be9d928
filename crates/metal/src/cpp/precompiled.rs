//! Precompiled headers: the standard library's for every kernel, and for surveys all of the text
//! before kernels, which is the same for a thousand of them.
//!
//! If a header cannot be precompiled, it is included as it is.

use std::collections::BTreeMap;
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
/// How a header is called; compilers look for the precompiled one beside it.
const NAME: &str = "before.h";
const COMPILED: &str = "before.h.gch";

/// What our headers and those of operations include of the standard library. Reading it takes more
/// than half of a kernel's compilation.
const STANDARD: &str = "#include <algorithm>\n#include <array>\n#include <bit>\n\
    #include <cstddef>\n#include <cstdint>\n#include <cstring>\n#include <limits>\n\
    #include <optional>\n#include <string_view>\n#include <tuple>\n#include <type_traits>\n\
    #include <utility>\n";

/// The folder of a cache with the standard library's headers, precompiled for kernels. Nothing for
/// compilers that refuse what they do not find just as it was.
pub(super) fn standard(compiler: &Compiler, cache: &Path) -> Result<Option<PathBuf>, CppError> {
    if !compiler.falls_back() {
        return Ok(None);
    }
    let known = format!("{}{STANDARD}", compiler.fingerprint());
    let folder = cache.join(format!("standard-{}", digest::of(known.as_bytes())));
    if folder.join(COMPILED).is_file() {
        mark_used(&folder);
        return Ok(Some(folder));
    }
    let build_folder = BuildFolder::new(cache)?;
    build_folder.write(NAME, STANDARD)?;
    let flags = compiler.kernel_flags();
    let output = compiler.run(&build_folder.path, flags.chain(precompile()))?;
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

/// Headers by what is in them; their folders go with this.
#[derive(Default)]
pub(super) struct Precompiled {
    made: Mutex<BTreeMap<String, BuildFolder>>,
}

impl Precompiled {
    /// The header with a unit's text, precompiled if there is room for it.
    pub(super) fn of(
        &self,
        unit: &Unit,
        compiler: &Compiler,
        cache: &Path,
        flags: &[String],
    ) -> Result<PathBuf, CppError> {
        let mut digest = Digest128::new();
        digest.add(unit.text.as_bytes());
        digest.add(unit.descriptors.as_bytes());
        let key = digest.hex();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(build_folder) = made.get(&key) {
            return Ok(build_folder.path.join(NAME));
        }
        let build_folder = BuildFolder::new(cache)?;
        build_folder.write(NAME, &unit.text)?;
        build_folder.write("chlkc_descriptors.h", &unit.descriptors)?;
        let header = build_folder.path.join(NAME);
        if made.len() < KEPT_MAX {
            let mut args = flags.to_vec();
            args.push("-I.".to_owned());
            args.extend(precompile().map(str::to_owned));
            // If it fails, so does every unit that includes the header, with a message.
            compiler.run(&build_folder.path, args)?;
        }
        made.insert(key, build_folder);
        Ok(header)
    }
}
