//! The builder of program descriptions in Rust.

use std::sync::Arc;

use tilewright_machine::{Architecture, CoreCoord, Site};

use crate::cb_spec::{CbDescription, CbPlacement, CbSpec};
use crate::core_set::CoreSet;
use crate::description::{
    Allowance, KernelConfig, KernelDescription, KernelSource, ProgramDescription, RustKernel,
    SemaphoreDescription,
};
use crate::kernel::{CompileTimeArgs, ComputeConfig, DataMovementPlace};
use crate::program::{KernelId, Program, SemaphoreId};
use crate::program_error::ProgramError;

/// Collects a program's parts. `build` says what is wrong with them.
pub struct ProgramBuilder {
    description: ProgramDescription,
}

impl ProgramBuilder {
    pub(crate) fn new(name: &str) -> ProgramBuilder {
        ProgramBuilder { description: ProgramDescription::new(name) }
    }

    /// What has been collected, to add to.
    pub fn description(&mut self) -> &mut ProgramDescription {
        &mut self.description
    }

    /// The description of the program.
    pub fn into_description(self) -> ProgramDescription {
        self.description
    }

    /// A circular buffer on cores.
    #[track_caller]
    pub fn circular_buffer(&mut self, cores: impl Into<CoreSet>, spec: CbSpec) -> &mut Self {
        self.shared_circular_buffer_at(Site::here(), cores, vec![spec])
    }

    /// A circular buffer in the memory of a declared tensor, `offset` bytes from the start of each
    /// core's shard.
    #[track_caller]
    pub fn circular_buffer_in(
        &mut self,
        cores: impl Into<CoreSet>,
        spec: CbSpec,
        tensor: &str,
        offset: u32,
    ) -> &mut Self {
        let placement = CbPlacement::Tensor { name: tensor.to_owned(), offset };
        let (cores, site) = (cores.into(), Site::here());
        self.circular_buffer_as(CbDescription { specs: vec![spec], cores, placement, site })
    }

    /// Several indices that share the same memory.
    #[track_caller]
    pub fn shared_circular_buffer(
        &mut self,
        cores: impl Into<CoreSet>,
        specs: Vec<CbSpec>,
    ) -> &mut Self {
        self.shared_circular_buffer_at(Site::here(), cores, specs)
    }

    /// Several indices that share the same memory, declared by a line that is not the caller's.
    pub fn shared_circular_buffer_at(
        &mut self,
        site: Site,
        cores: impl Into<CoreSet>,
        specs: Vec<CbSpec>,
    ) -> &mut Self {
        let (cores, placement) = (cores.into(), CbPlacement::Allocated);
        self.circular_buffer_as(CbDescription { specs, cores, placement, site })
    }

    /// A circular buffer as described.
    pub fn circular_buffer_as(&mut self, buffer: CbDescription) -> &mut Self {
        self.description.circular_buffers.push(buffer);
        self
    }

    /// Findings of this kind are meant, for a reason: a run counts them and does not list them.
    pub fn allow(&mut self, id: &str, reason: &str) -> &mut Self {
        let (id, reason) = (id.to_owned(), reason.to_owned());
        self.description.allowances.push(Allowance { id, reason });
        self
    }

    /// A semaphore with its first value, under the first number that is free.
    pub fn semaphore(&mut self, cores: impl Into<CoreSet>, initial: u32) -> SemaphoreId {
        let taken = &self.description.semaphores;
        let id = taken.iter().map(|semaphore| semaphore.id + 1).max().unwrap_or(0);
        let described = SemaphoreDescription { id, cores: cores.into(), initial };
        self.description.semaphores.push(described);
        SemaphoreId(id)
    }

    /// A data-movement kernel.
    #[track_caller]
    pub fn data_movement(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        place: DataMovementPlace,
        args: CompileTimeArgs,
        kernel: impl Fn(&crate::api::DataMovement<'_>) + Send + Sync + 'static,
    ) -> KernelId {
        self.add(name, cores.into(), RustKernel::DataMovement(Arc::new(kernel)), place.into(), args)
    }

    /// A compute kernel.
    #[track_caller]
    pub fn compute(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        config: ComputeConfig,
        args: CompileTimeArgs,
        kernel: impl Fn(&crate::api::Compute<'_>) + Send + Sync + 'static,
    ) -> KernelId {
        self.add(name, cores.into(), RustKernel::Compute(Arc::new(kernel)), config.into(), args)
    }

    #[track_caller]
    fn add(
        &mut self,
        name: &str,
        cores: CoreSet,
        kernel: RustKernel,
        config: KernelConfig,
        args: CompileTimeArgs,
    ) -> KernelId {
        let (site, source) = (Site::here(), KernelSource::Rust(kernel));
        let kernel = KernelDescription::new(name, source, cores, config).with_args(args);
        self.kernel(KernelDescription { site, ..kernel })
    }

    /// A kernel as described.
    pub fn kernel(&mut self, kernel: KernelDescription) -> KernelId {
        self.description.kernels.push(kernel);
        KernelId(self.description.kernels.len() - 1)
    }

    /// Runtime arguments of a kernel on one core.
    pub fn runtime_args(&mut self, kernel: KernelId, core: CoreCoord, args: &[u32]) -> &mut Self {
        self.description.kernels[kernel.0].runtime_args.insert(core, args.to_vec());
        self
    }

    /// Runtime arguments that all cores of a kernel share.
    pub fn common_args(&mut self, kernel: KernelId, args: &[u32]) -> &mut Self {
        self.description.kernels[kernel.0].common_runtime_args = args.to_vec();
        self
    }

    /// Checks the parts and gives buffers their addresses; `l1_end` is the first byte of L1 that
    /// is taken by something else.
    pub fn build(self, arch: &Architecture, l1_end: u32) -> Result<Program, ProgramError> {
        Program::on(self.description, arch, l1_end)
    }
}
