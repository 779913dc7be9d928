//! C++ kernels in programs: declared with the others, compiled before the first run.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_machine::{Architecture, CoreCoord, KernelEntry, NocId, Processor};

use super::entry::CppEntry;
use super::error::CppError;
use super::object::{Code, Instance};
use super::unit::{CppSource, Unit, UnitParts};
use super::workshop::{Progress, Workshop};
use crate::core_set::CoreSet;
use crate::formats::FormatTable;
use crate::kernel::{Arguments, CompileTimeArgs, ComputeConfig, DataMovementPlace};
use crate::program::{KernelDeclaration, KernelId, Program, ProgramBuilder, Role};

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

impl CppRole {
    pub(crate) fn processors(&self) -> &'static [Processor] {
        match self {
            CppRole::DataMovement(DataMovementPlace::Reader) => &[Processor::Reader],
            CppRole::DataMovement(DataMovementPlace::Writer) => &[Processor::Writer],
            CppRole::Compute(_) => &[Processor::Unpack, Processor::Math, Processor::Pack],
        }
    }

    fn noc(&self) -> NocId {
        match self {
            CppRole::DataMovement(place) => place.noc(),
            CppRole::Compute(_) => NocId::Zero,
        }
    }
}

impl ProgramBuilder {
    /// A C++ kernel. Its program must be compiled before it runs.
    pub fn cpp_kernel(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        kernel: CppKernel,
        args: CompileTimeArgs,
    ) -> KernelId {
        self.add(name, cores.into(), args, Role::Cpp(kernel))
    }
}

/// The code of a program's C++ kernels: by kernel, core and processor.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    objects: BTreeMap<(usize, CoreCoord, Processor), Arc<Code>>,
}

impl Program {
    /// Whether any of its kernels is in C++.
    pub fn has_cpp_kernels(&self) -> bool {
        self.kernels.iter().any(|kernel| matches!(kernel.role, Role::Cpp(_)))
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
        for (index, kernel) in self.kernels.iter().enumerate() {
            let Role::Cpp(cpp) = &kernel.role else { continue };
            for core in kernel.cores.iter() {
                for processor in cpp.role.processors() {
                    let unit = self.unit(arch, kernel, cpp, core, *processor);
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
        kernel: &KernelDeclaration,
        cpp: &CppKernel,
        core: CoreCoord,
        processor: Processor,
    ) -> Unit {
        let config = self.compute_config(core).unwrap_or_default();
        let formats = self.formats(core, &config);
        let parts = UnitParts {
            kernel: &kernel.name,
            source: &cpp.source,
            processor,
            noc: cpp.role.noc(),
            args: &kernel.compile_time,
            config: &config,
            buffers: self.placed_buffers(core),
        };
        Unit::new(arch, &parts, &formats)
    }

    /// What a C++ kernel runs on each of its processors of a core.
    pub(crate) fn cpp_entries(
        &self,
        index: usize,
        cpp: &CppKernel,
        core: CoreCoord,
        arguments: &Arguments,
        formats: &Arc<FormatTable>,
        slots: &Arc<[(u32, CoreCoord)]>,
    ) -> Result<Vec<(Processor, KernelEntry)>, CppError> {
        let mut entries = Vec::new();
        for processor in cpp.role.processors() {
            let code = self.compiled.objects.get(&(index, core, *processor));
            let code = code.ok_or_else(|| {
                let name = &self.kernels[index].name;
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
