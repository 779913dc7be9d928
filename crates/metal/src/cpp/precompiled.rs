//! The text before kernels, precompiled, for surveys: it is the same for a thousand of them.
//!
//! A kernel reads nothing else than it would without: if a header cannot be precompiled, it is
//! included as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::bench::Bench;
use super::compiler::Compiler;
use super::digest::Digest128;
use super::error::CppError;
use super::unit::Unit;

/// Texts that are kept precompiled at the same time: four processors under three assumptions. One
/// takes 16 MB.
const KEPT_MAX: usize = 12;
/// How a header is called; compilers look for the precompiled one beside it.
const NAME: &str = "before.h";
const COMPILED: &str = "before.h.gch";

/// Headers by what is in them; their folders go with this.
#[derive(Default)]
pub(super) struct Precompiled {
    made: Mutex<BTreeMap<String, Bench>>,
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
        if let Some(bench) = made.get(&key) {
            return Ok(bench.folder.join(NAME));
        }
        let bench = Bench::new(cache)?;
        bench.write(NAME, &unit.text)?;
        bench.write("chlkc_descriptors.h", &unit.descriptors)?;
        let header = bench.folder.join(NAME);
        if made.len() < KEPT_MAX {
            let mut args = flags.to_vec();
            args.extend(["-I.", "-x", "c++-header", NAME, "-o", COMPILED].map(str::to_owned));
            // If it fails, so does every unit that includes the header, with a message.
            compiler.run(&bench.folder, args)?;
        }
        made.insert(key, bench);
        Ok(header)
    }
}
