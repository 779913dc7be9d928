//! C++ kernels in programs: declared with the others, compiled before the first run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use tilewright_machine::{Architecture, CoreCoord, KernelEntry, NocId, Processor, Site};

use super::entry::CppEntry;
use super::error::CppError;
use super::lines;
use super::object::{Code, Instance};
use super::unit::{CppSource, Unit, UnitParts};
use super::workshop::{Progress, Workshop};
use crate::core_set::CoreSet;
use crate::description::{KernelConfig, KernelDescription, KernelSource};
use crate::formats::FormatTable;
use crate::kernel::{Arguments, CompileTimeArgs, ComputeConfig, DataMovementPlace};
use crate::program::{KernelId, Program};
use crate::program_builder::ProgramBuilder;

/// Where a C++ kernel runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CppRole {
    /// On one of the two data-movement processors.
    DataMovement(DataMovementPlace),
    /// On the three compute processors.
    Compute(ComputeConfig),
}

/// A C++ kernel as a program declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CppKernel {
    /// Its source.
    pub source: CppSource,
    /// Where it runs.
    pub role: CppRole,
}

impl ProgramBuilder {
    /// A C++ kernel. Its program must be compiled before it runs.
    #[track_caller]
    pub fn cpp_kernel(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        kernel: CppKernel,
        args: CompileTimeArgs,
    ) -> KernelId {
        let CppKernel { source, role } = kernel;
        let config = match role {
            CppRole::DataMovement(place) => KernelConfig::from(place),
            CppRole::Compute(config) => KernelConfig::Compute(config),
        };
        let file = KernelSource::File(source.file);
        self.kernel(KernelDescription {
            include_paths: source.include_paths,
            prelude: source.prelude,
            site: Site::here(),
            ..KernelDescription::new(name, file, cores, config).with_args(args)
        })
    }
}

impl KernelDescription {
    /// What the compiler is given of a C++ kernel.
    fn cpp_source(&self) -> Option<CppSource> {
        let (file, text) = match &self.source {
            KernelSource::File(file) => (file.clone(), None),
            KernelSource::Text(source) => (source.name.clone().into(), Some(source.text.clone())),
            KernelSource::Rust(_) => return None,
        };
        let (include_paths, prelude) = (self.include_paths.clone(), self.prelude.clone());
        Some(CppSource { file, text, include_paths, prelude })
    }
}

/// The code of a program's C++ kernels: by kernel, core and processor.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    objects: BTreeMap<(usize, CoreCoord, Processor), Arc<Code>>,
}

impl Compiled {
    /// The user's files that the kernels are made from: sources and headers.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let files = self.objects.values().flat_map(|code| &code.files);
        files.filter(|file| lines::is_users(&file.to_string_lossy())).cloned().collect()
    }

    /// Whether a kernel has code that makes addresses from coordinates, by which it may reach
    /// another core.
    pub(crate) fn may_reach_cores(&self) -> bool {
        let mut looked_at = BTreeSet::new();
        let mut codes = self.objects.values().filter(|code| looked_at.insert(Arc::as_ptr(code)));
        codes.any(|code| code.may_reach_cores())
    }
}

impl Program {
    /// Whether any of its kernels is in C++.
    pub fn has_cpp_kernels(&self) -> bool {
        self.description.kernels.iter().any(|kernel| kernel.source.is_cpp())
    }

    /// Compiles its C++ kernels, or says all that is wrong with them.
    pub fn compile(
        &mut self,
        arch: &Architecture,
        workshop: &Workshop,
        progress: Progress<'_>,
    ) -> Result<(), CppError> {
        let mut units: Vec<Unit> = Vec::new();
        let mut wanted = Vec::new();
        for (index, kernel) in self.description.kernels.iter().enumerate() {
            let Some(source) = kernel.cpp_source() else { continue };
            let args = kernel.args();
            for core in kernel.cores.iter() {
                for processor in kernel.config.processors() {
                    let unit = self.unit(arch, (kernel, &source, &args), core, *processor);
                    // Cores whose rings have the same formats share an object.
                    let known = units.iter().position(|other| *other == unit);
                    let place = known.unwrap_or_else(|| {
                        units.push(unit);
                        units.len() - 1
                    });
                    wanted.push(((index, core, *processor), place));
                }
            }
        }
        let objects = workshop.build(&units, progress)?;
        let objects = wanted.into_iter().map(|(key, place)| (key, Arc::clone(&objects[place])));
        self.compiled = Compiled { objects: objects.collect() };
        Ok(())
    }

    /// The code of its C++ kernels.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// Takes the code of an equal program that has been compiled before.
    pub fn take_compiled(&mut self, compiled: &Compiled) {
        self.compiled = compiled.clone();
    }

    fn unit(
        &self,
        arch: &Architecture,
        (kernel, source, args): (&KernelDescription, &CppSource, &CompileTimeArgs),
        core: CoreCoord,
        processor: Processor,
    ) -> Unit {
        let movement = kernel.config.data_movement();
        let config = self.compute_config(core).unwrap_or_default();
        let formats = self.formats(core, &config);
        let parts = UnitParts {
            kernel: &kernel.name,
            source,
            processor,
            noc: movement.map_or(NocId::Zero, |config| config.noc),
            noc_mode: movement.map(|config| config.noc_mode).unwrap_or_default(),
            args,
            config: &config,
            buffers: self.placed_buffers(core),
        };
        Unit::new(arch, &parts, &formats)
    }

    /// What a C++ kernel runs on each of its processors of a core.
    pub(crate) fn cpp_entries(
        &self,
        index: usize,
        core: CoreCoord,
        arguments: &Arguments,
        formats: &Arc<FormatTable>,
        slots: &Arc<[(u32, CoreCoord)]>,
    ) -> Result<Vec<(Processor, KernelEntry)>, CppError> {
        let mut entries = Vec::new();
        let kernel = &self.description.kernels[index];
        for processor in kernel.config.processors() {
            let code = self.compiled.objects.get(&(index, core, *processor));
            let code = code.ok_or_else(|| {
                let name = &kernel.name;
                CppError::Load(format!("C++ kernel `{name}` has not been compiled"))
            })?;
            let entry = CppEntry {
                instance: Instance::take(code)?,
                arguments: arguments.clone(),
                formats: Arc::clone(formats),
                slots: Arc::clone(slots),
            };
            let entry: KernelEntry = Arc::new(move |context| entry.run(context));
            entries.push((*processor, entry));
        }
        Ok(entries)
    }
}
