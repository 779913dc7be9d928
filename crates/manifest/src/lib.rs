//! Programs described by a file: tensors, buffers, kernels and cores in TOML.
//!
//! A manifest is an operation whose kernels are the user's own C++ files. Every problem in it is
//! reported at once, each with its line and column. `document` has what it may contain. Nothing
//! runs here, and a reference is only a name: [`References`] says what it stands for.

mod at;
mod document;
mod evaluate;
mod expression;
mod lower;
mod names;
mod problem;
mod programs;
mod reference;
mod schema;
mod schema_check;
mod scope;
mod word;
mod words_to_metal;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
#[cfg(target_os = "linux")]
use tilewright_metal::cpp::{CppKernel, CppRole, CppSource};
use tilewright_metal::{ApiGeneration, Device, DeviceTensor, Family, Prepared, Site};
use toml::de::DeTable;

pub use lower::{AddKernel, KernelPlan};
pub use problem::{ManifestError, Problem};
pub use reference::{Asked, NoReferences, References, Signature};
pub use schema::{page, schema};

use document::{DeviceName, Document};
use problem::{Problems, place};
use programs::Part;

/// A manifest that says nothing impossible by itself. Whether its parts fit together, `prepare`
/// finds out.
#[derive(Clone, Debug)]
pub struct Manifest {
    name: String,
    /// The file as it was given; sites live as long as the process.
    file: &'static str,
    folder: PathBuf,
    text: String,
    /// What all its programs share.
    document: Document,
    programs: Vec<Part>,
}

/// What a run may replace of a manifest.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Values by name.
    pub values: BTreeMap<String, i64>,
    /// How many cores the program has.
    pub cores: Option<u32>,
    /// What inputs hold that come from a family.
    pub family: Option<Family>,
    /// The seed of inputs that do not say their own.
    pub data_seed: u64,
    /// Values that all tensors together may have, if the host's memory is known; each takes
    /// `HOST_BYTES_PER_VALUE`.
    pub values_max: Option<u64>,
}

/// A manifest's programs with their inputs on the device.
pub struct Ready {
    /// The programs and what their outputs must hold.
    pub prepared: Prepared,
    /// The tensors, in the order of the manifest.
    pub tensors: Vec<(String, DeviceTensor)>,
    /// What its values came to.
    pub values: BTreeMap<String, i64>,
    /// On how few cores every core would repeat its loops; nothing if it does, or if the manifest
    /// names cores itself.
    pub few_cores: Option<u32>,
}

impl Ready {
    /// How many cores run a kernel.
    pub fn cores(&self) -> usize {
        self.prepared.programs.iter().map(|program| program.cores().len()).max().unwrap_or(0)
    }
}

impl Manifest {
    /// Reads a manifest's text; `path` is its file, beside which its kernels are looked for.
    pub fn parse(path: &Path, text: &str) -> Result<Manifest, ManifestError> {
        let file = path.display().to_string();
        let mut problems = Problems::default();
        let (table, errors) = DeTable::parse_recoverable(text);
        // What follows the first error of a line mostly follows from it.
        let mut lines = BTreeSet::new();
        for error in &errors {
            let span = error.span().unwrap_or(0..0);
            if lines.insert(place(text, span.start).0) {
                problems.add(Problem::new(span, error.message()));
            }
        }
        if problems.is_empty() {
            schema_check::check(&table, &schema::value(), &mut problems);
        }
        problems.into_result(&file, text)?;
        // The schema holds all but the ranges of numbers.
        let document = Document::deserialize(toml::de::Deserializer::from(table));
        let mut document = document.map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            ManifestError::new(&file, text, vec![Problem::new(span, error.message())])
        })?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = document.name.clone().or(stem).unwrap_or_default();
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut problems = Problems::default();
        let programs = programs::take(&mut document, &name, &mut problems);
        problems.into_result(&file, text)?;
        Ok(Manifest { name, file: file.leak(), folder, text: text.to_owned(), document, programs })
    }

    /// What reports call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The device that it names.
    pub fn device(&self) -> Option<&'static str> {
        self.document.device.map(DeviceName::name)
    }

    /// Whether a kernel selects an older generation of tt-metal's API.
    pub fn has_older_api(&self) -> bool {
        let mut kernels = self.programs.iter().flat_map(|part| part.program.kernels.values());
        kernels.any(|kernel| ApiGeneration::from(kernel.api) != ApiGeneration::Current)
    }

    /// The names that `Overrides::values` may replace.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.document.values.keys().map(|key| key.value.as_str())
    }

    /// Puts the tensors on the device and makes the programs of the manifest's C++ kernels, which
    /// are to be compiled before they run.
    #[cfg(target_os = "linux")]
    pub fn prepare(
        &self,
        device: &mut Device,
        overrides: &Overrides,
        references: &dyn References,
    ) -> Result<Ready, ManifestError> {
        self.prepare_with(device, overrides, references, &mut |builder, plan| {
            let role = match plan.place {
                Some(place) => CppRole::DataMovement(place),
                None => CppRole::Compute(plan.config.clone()),
            };
            let (file, include_paths) = (plan.file.clone(), plan.include_paths.clone());
            let prelude = plan.prelude.clone();
            let source = CppSource { file, include_paths, prelude, ..CppSource::default() };
            let (cores, args) = (plan.cores.clone(), plan.compile_time.clone());
            builder.cpp_kernel(&plan.name, cores, CppKernel { source, role }, args)
        })
    }

    /// The same with kernels that `add_kernel` puts in, such as Rust ones.
    pub fn prepare_with(
        &self,
        device: &mut Device,
        overrides: &Overrides,
        references: &dyn References,
        add_kernel: &mut AddKernel<'_>,
    ) -> Result<Ready, ManifestError> {
        lower::prepare(self, device, (overrides, references), add_kernel)
    }

    /// The place of a byte of the text.
    fn site(&self, at: usize) -> Site {
        let (line, column) = place(&self.text, at);
        Site::new(self.file, line as u32, column as u32)
    }

    /// A problem of a program as a whole, reported at its kernels.
    fn whole(&self, part: &Part, message: &str) -> ManifestError {
        let first = part.program.kernels.keys().map(|key| key.span.clone());
        let span = first.min_by_key(|span| span.start).unwrap_or(0..0);
        ManifestError::new(self.file, &self.text, vec![Problem::new(span, message)])
    }
}
