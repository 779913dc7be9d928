//! Programs: buffers, semaphores and kernels placed on cores, checked before anything runs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tilewright_machine::{Architecture, CbConfig, CbId, CoreCoord, L1Address, Site};

use crate::cb_spec::{CbDeclaration, CbSpec};
use crate::core_set::CoreSet;
use crate::declaration::Declarations;
use crate::kernel::{
    CompileTimeArgs, ComputeConfig, ComputeKernel, DataMovementKernel, DataMovementPlace,
};
use crate::program_error::{L1Share, ProgramError};

/// A kind of finding that the program's author means, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The finding's id, as reports show it.
    pub id: String,
    /// Why it is meant.
    pub reason: String,
}

/// A kernel's number in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelId(pub(crate) usize);

/// A semaphore's number in its program; kernels ask for its address by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SemaphoreId(pub u32);

#[derive(Clone)]
pub(crate) enum Role {
    DataMovement {
        kernel: DataMovementKernel,
        place: DataMovementPlace,
    },
    Compute {
        kernel: ComputeKernel,
        config: ComputeConfig,
    },
    #[cfg(all(feature = "cpp", target_os = "linux"))]
    Cpp(crate::cpp::CppKernel),
}

impl Role {
    /// The word for where a kernel runs, as errors have it.
    pub(crate) fn place(&self) -> &'static str {
        let data_movement = |place: &DataMovementPlace| match place {
            DataMovementPlace::Reader => "reader",
            DataMovementPlace::Writer => "writer",
        };
        match self {
            Role::DataMovement { place, .. } => data_movement(place),
            Role::Compute { .. } => "compute",
            #[cfg(all(feature = "cpp", target_os = "linux"))]
            Role::Cpp(kernel) => match &kernel.role {
                crate::cpp::CppRole::DataMovement(place) => data_movement(place),
                crate::cpp::CppRole::Compute(_) => "compute",
            },
        }
    }

    /// What a compute kernel is compiled with.
    pub(crate) fn compute_config(&self) -> Option<&ComputeConfig> {
        match self {
            Role::DataMovement { .. } => None,
            Role::Compute { config, .. } => Some(config),
            #[cfg(all(feature = "cpp", target_os = "linux"))]
            Role::Cpp(kernel) => match &kernel.role {
                crate::cpp::CppRole::DataMovement(_) => None,
                crate::cpp::CppRole::Compute(config) => Some(config),
            },
        }
    }
}

#[derive(Clone)]
pub(crate) struct KernelDeclaration {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) cores: CoreSet,
    pub(crate) compile_time: Arc<CompileTimeArgs>,
    pub(crate) common: Arc<[u32]>,
    pub(crate) runtime: BTreeMap<CoreCoord, Arc<[u32]>>,
}

#[derive(Clone)]
pub(crate) struct SemaphoreDeclaration {
    pub(crate) cores: CoreSet,
    pub(crate) initial: u32,
}

/// A program, checked.
#[derive(Clone)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) buffers: Vec<CbDeclaration>,
    pub(crate) kernels: Vec<KernelDeclaration>,
    pub(crate) semaphores: Vec<SemaphoreDeclaration>,
    pub(crate) declarations: Declarations,
    pub(crate) are_cores_apart: bool,
    /// Where the chip's semaphores are: the first, their distance, how many.
    semaphore_slots: [u32; 3],
    /// The part of every L1 that circular buffers may take.
    l1_room: Range<u32>,
    allowances: Vec<Allowance>,
    /// The rings of each core with their addresses.
    pub(crate) placed: BTreeMap<CoreCoord, Vec<CbConfig>>,
    /// The objects of C++ kernels, once they have been compiled.
    #[cfg(all(feature = "cpp", target_os = "linux"))]
    pub(crate) compiled: crate::cpp::Compiled,
}

impl Program {
    /// Begins a program.
    pub fn builder(name: &str) -> ProgramBuilder {
        ProgramBuilder {
            program: Program {
                name: name.to_owned(),
                buffers: Vec::new(),
                kernels: Vec::new(),
                semaphores: Vec::new(),
                declarations: Declarations::default(),
                are_cores_apart: false,
                semaphore_slots: [0; 3],
                l1_room: 0..0,
                allowances: Vec::new(),
                placed: BTreeMap::new(),
                #[cfg(all(feature = "cpp", target_os = "linux"))]
                compiled: crate::cpp::Compiled::default(),
            },
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Kinds of findings that its author means.
    pub fn allowances(&self) -> &[Allowance] {
        &self.allowances
    }

    /// Every declared circular buffer.
    pub fn circular_buffers(&self) -> &[CbDeclaration] {
        &self.buffers
    }

    /// What a buffer is called on a core, and where it was declared.
    pub fn buffer(&self, core: CoreCoord, cb: CbId) -> Option<(&CbSpec, Site)> {
        let here = self.buffers.iter().filter(|buffer| buffer.cores.contains(core));
        here.flat_map(|buffer| buffer.specs.iter().map(|spec| (spec, buffer.site)))
            .find(|(spec, _)| spec.id == cb.0)
    }

    /// The rings of a core where they lie in L1, in the order of their declaration.
    pub fn placed_buffers(&self, core: CoreCoord) -> &[CbConfig] {
        self.placed.get(&core).map_or(&[], Vec::as_slice)
    }

    /// Where each semaphore lies in L1, declared or not.
    pub fn semaphore_slots(&self) -> impl Iterator<Item = (SemaphoreId, Range<u32>)> {
        let [base, stride, most] = self.semaphore_slots;
        (0..most).map(move |id| {
            let at = base + id * stride;
            (SemaphoreId(id), at..at + stride)
        })
    }

    /// The part of every L1 that circular buffers may take: what the chip keeps is below, and what
    /// the host had allocated when the program was built is above.
    pub fn l1_room(&self) -> Range<u32> {
        self.l1_room.clone()
    }

    /// Whether the program gives a semaphore its first value on a core.
    pub fn has_semaphore(&self, core: CoreCoord, id: SemaphoreId) -> bool {
        self.semaphores.get(id.0 as usize).is_some_and(|semaphore| semaphore.cores.contains(core))
    }

    /// The cores that run a kernel.
    pub fn cores(&self) -> CoreSet {
        self.kernels.iter().flat_map(|kernel| kernel.cores.iter()).collect()
    }

    /// Bytes of L1 that circular buffers take on a core.
    pub fn circular_buffer_bytes(&self, core: CoreCoord) -> u64 {
        let here = self.buffers.iter().filter(|buffer| buffer.cores.contains(core));
        here.map(CbDeclaration::bytes).sum()
    }
}

/// Collects a program's parts. `build` says what is wrong with them.
pub struct ProgramBuilder {
    program: Program,
}

impl ProgramBuilder {
    pub(crate) fn declarations(&mut self) -> &mut Declarations {
        &mut self.program.declarations
    }

    /// Says that no core sends another one anything, so that each can run alone for long.
    pub fn cores_apart(&mut self) -> &mut Self {
        self.program.are_cores_apart = true;
        self
    }

    /// A circular buffer on cores.
    #[track_caller]
    pub fn circular_buffer(&mut self, cores: impl Into<CoreSet>, spec: CbSpec) -> &mut Self {
        self.declare(Site::here(), cores.into(), vec![spec])
    }

    /// Several indices that share the same memory.
    #[track_caller]
    pub fn shared_circular_buffer(
        &mut self,
        cores: impl Into<CoreSet>,
        specs: Vec<CbSpec>,
    ) -> &mut Self {
        self.declare(Site::here(), cores.into(), specs)
    }

    /// Several indices that share the same memory, declared by a line that is not the caller's.
    pub fn shared_circular_buffer_at(
        &mut self,
        site: Site,
        cores: impl Into<CoreSet>,
        specs: Vec<CbSpec>,
    ) -> &mut Self {
        self.declare(site, cores.into(), specs)
    }

    fn declare(&mut self, site: Site, cores: CoreSet, specs: Vec<CbSpec>) -> &mut Self {
        self.program.buffers.push(CbDeclaration { specs, cores, site });
        self
    }

    /// Findings of this kind are meant, for a reason: a run counts them and does not list them.
    pub fn allow(&mut self, id: &str, reason: &str) -> &mut Self {
        let (id, reason) = (id.to_owned(), reason.to_owned());
        self.program.allowances.push(Allowance { id, reason });
        self
    }

    /// A semaphore with its first value.
    pub fn semaphore(&mut self, cores: impl Into<CoreSet>, initial: u32) -> SemaphoreId {
        self.program.semaphores.push(SemaphoreDeclaration { cores: cores.into(), initial });
        SemaphoreId(self.program.semaphores.len() as u32 - 1)
    }

    /// A data-movement kernel.
    pub fn data_movement(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        place: DataMovementPlace,
        args: CompileTimeArgs,
        kernel: impl Fn(&crate::api::DataMovement<'_>) + Send + Sync + 'static,
    ) -> KernelId {
        let role = Role::DataMovement { kernel: Arc::new(kernel), place };
        self.add(name, cores.into(), args, role)
    }

    /// A compute kernel.
    pub fn compute(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        config: ComputeConfig,
        args: CompileTimeArgs,
        kernel: impl Fn(&crate::api::Compute<'_>) + Send + Sync + 'static,
    ) -> KernelId {
        let role = Role::Compute { kernel: Arc::new(kernel), config };
        self.add(name, cores.into(), args, role)
    }

    pub(crate) fn add(
        &mut self,
        name: &str,
        cores: CoreSet,
        args: CompileTimeArgs,
        role: Role,
    ) -> KernelId {
        self.program.kernels.push(KernelDeclaration {
            name: name.to_owned(),
            role,
            cores,
            compile_time: Arc::new(args),
            common: Arc::from([]),
            runtime: BTreeMap::new(),
        });
        KernelId(self.program.kernels.len() - 1)
    }

    /// Runtime arguments of a kernel on one core.
    pub fn runtime_args(&mut self, kernel: KernelId, core: CoreCoord, args: &[u32]) -> &mut Self {
        self.program.kernels[kernel.0].runtime.insert(core, Arc::from(args));
        self
    }

    /// Runtime arguments that all cores of a kernel share.
    pub fn common_args(&mut self, kernel: KernelId, args: &[u32]) -> &mut Self {
        self.program.kernels[kernel.0].common = Arc::from(args);
        self
    }

    /// Checks the parts and gives buffers their addresses; `l1_end` is the first byte of L1 that
    /// is taken by something else.
    pub fn build(self, arch: &Architecture, l1_end: u32) -> Result<Program, ProgramError> {
        let mut program = self.program;
        program.check_kernels(arch)?;
        program.semaphore_slots = [arch.semaphore_base, arch.semaphore_stride, arch.semaphores];
        program.l1_room = arch.l1_base..l1_end;
        program.check_semaphores(arch)?;
        program.check_buffers(arch)?;
        program.declarations.check()?;
        program.place_all(arch, l1_end)?;
        Ok(program)
    }
}

impl Program {
    fn check_kernels(&self, arch: &Architecture) -> Result<(), ProgramError> {
        let mut taken: BTreeMap<(CoreCoord, &str), &str> = BTreeMap::new();
        for kernel in &self.kernels {
            if kernel.cores.is_empty() {
                return Err(ProgramError::NoCores { kernel: kernel.name.clone() });
            }
            let place = kernel.role.place();
            for core in kernel.cores.iter().chain(kernel.runtime.keys().copied()) {
                check_core(arch, core, &kernel.name)?;
            }
            for core in kernel.cores.iter() {
                if let Some(first) = taken.insert((core, place), &kernel.name) {
                    let kernels = [first.to_owned(), kernel.name.clone()];
                    return Err(ProgramError::TwoKernels { core, place, kernels });
                }
            }
            if let Some(core) = kernel.runtime.keys().find(|core| !kernel.cores.contains(**core)) {
                let kernel = kernel.name.clone();
                return Err(ProgramError::ArgsElsewhere { kernel, core: *core });
            }
        }
        if self.kernels.is_empty() { Err(ProgramError::NoKernels) } else { Ok(()) }
    }

    fn check_semaphores(&self, arch: &Architecture) -> Result<(), ProgramError> {
        let (asked, most) = (self.semaphores.len() as u32, arch.semaphores);
        if asked > most {
            return Err(ProgramError::TooManySemaphores { asked, most });
        }
        for core in self.semaphores.iter().flat_map(|semaphore| semaphore.cores.iter()) {
            check_core(arch, core, "a semaphore")?;
        }
        Ok(())
    }

    fn check_buffers(&self, arch: &Architecture) -> Result<(), ProgramError> {
        let mut taken: BTreeMap<(CoreCoord, u8), Site> = BTreeMap::new();
        for buffer in &self.buffers {
            for spec in &buffer.specs {
                check_spec(arch, spec, buffer.site)?;
                for core in buffer.cores.iter() {
                    check_core(arch, core, &spec.name)?;
                    if let Some(first) = taken.insert((core, spec.id), buffer.site) {
                        let (id, second) = (spec.id, buffer.site);
                        return Err(ProgramError::SameBuffer { id, core, first, second });
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives a core's buffers their addresses, one after the other and aligned for reads from
    /// DRAM, as tt-metal does.
    /// Gives the buffers of all cores their addresses.
    pub(crate) fn place_all(
        &mut self,
        arch: &Architecture,
        l1_end: u32,
    ) -> Result<(), ProgramError> {
        for core in self.cores().iter() {
            let placed = self.place(arch, core, l1_end)?;
            self.placed.insert(core, placed);
        }
        Ok(())
    }

    fn place(
        &self,
        arch: &Architecture,
        core: CoreCoord,
        l1_end: u32,
    ) -> Result<Vec<CbConfig>, ProgramError> {
        let (asked, room) = (self.circular_buffer_bytes(core), l1_end.saturating_sub(arch.l1_base));
        let mut end = u64::from(arch.l1_base);
        let mut placed = Vec::new();
        for buffer in self.buffers.iter().filter(|buffer| buffer.cores.contains(core)) {
            let base = end.next_multiple_of(u64::from(arch.dram_read_alignment));
            for spec in &buffer.specs {
                let (id, format) = (CbId(spec.id), spec.format);
                let (page_bytes, pages) = (spec.page_bytes, spec.pages);
                // A base that does not fit is never used: its end is found to be too high below.
                placed.push(CbConfig {
                    id,
                    base: L1Address(base as u32),
                    page_bytes,
                    pages,
                    format,
                });
            }
            end = base + buffer.bytes();
        }
        if end > u64::from(l1_end) {
            let here = self.buffers.iter().filter(|buffer| buffer.cores.contains(core));
            let share = |(spec, site): (&CbSpec, Site)| L1Share {
                name: spec.name.clone(),
                pages: spec.pages,
                page_bytes: spec.page_bytes,
                site,
            };
            let specs = here.flat_map(|it| it.specs.iter().map(|spec| (spec, it.site)));
            let buffers = specs.map(share).collect();
            return Err(ProgramError::TooMuchL1 { core, asked, room, buffers });
        }
        Ok(placed)
    }
}

fn check_core(arch: &Architecture, core: CoreCoord, what: &str) -> Result<(), ProgramError> {
    if arch.has_core(core) {
        return Ok(());
    }
    let what = what.to_owned();
    Err(ProgramError::OutsideGrid { what, core, columns: arch.grid_columns, rows: arch.grid_rows })
}

/// Pages are counted in units of 16 bytes on compute, and counters are 16 bits wide.
fn check_spec(arch: &Architecture, spec: &CbSpec, site: Site) -> Result<(), ProgramError> {
    let name = spec.name.clone();
    if spec.id >= arch.circular_buffers {
        let most = arch.circular_buffers;
        return Err(ProgramError::NoSuchIndex { name, id: spec.id, most, site });
    }
    let is_right = (1..=0xffff).contains(&spec.pages)
        && spec.page_bytes > 0
        && spec.page_bytes.is_multiple_of(16);
    if !is_right {
        let (pages, page_bytes) = (spec.pages, spec.page_bytes);
        return Err(ProgramError::BadPages { name, pages, page_bytes, site });
    }
    Ok(())
}
