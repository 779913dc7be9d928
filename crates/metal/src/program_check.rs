//! What a description must be before it can run, and where its buffers go.

use std::collections::BTreeMap;

use tilewright_machine::{Architecture, CbConfig, CbId, CoreCoord, L1Address, Processor, Site};

use crate::cb_spec::{CbDescription, CbPlacement, CbSpec};
use crate::description::{
    DataMovementConfig, KernelDescription, KernelSource, NocSharing, ProgramDescription, RustKernel,
};
use crate::interleaving::Storage;
use crate::program::Program;
use crate::program_error::{L1Share, ProgramError};

impl ProgramDescription {
    /// Finds what no chip of this architecture can run.
    pub(crate) fn check(&self, arch: &Architecture) -> Result<(), ProgramError> {
        self.check_kernels(arch)?;
        self.check_networks()?;
        self.check_semaphores(arch)?;
        self.check_buffers(arch)
    }

    fn check_kernels(&self, arch: &Architecture) -> Result<(), ProgramError> {
        let mut taken: BTreeMap<(CoreCoord, &str), &str> = BTreeMap::new();
        for kernel in &self.kernels {
            check_kernel(arch, kernel)?;
            let place = kernel.config.place();
            for core in kernel.cores.iter() {
                if let Some(first) = taken.insert((core, place), &kernel.name) {
                    let kernels = [first.to_owned(), kernel.name.clone()];
                    return Err(ProgramError::TwoKernels { core, place, kernels });
                }
            }
        }
        if self.kernels.is_empty() { Err(ProgramError::NoKernels) } else { Ok(()) }
    }

    /// Two processors that believe they have a network to themselves lose count of its transfers.
    fn check_networks(&self) -> Result<(), ProgramError> {
        let mut taken: BTreeMap<CoreCoord, (&str, DataMovementConfig)> = BTreeMap::new();
        for kernel in &self.kernels {
            let Some(config) = kernel.config.data_movement() else { continue };
            for core in kernel.cores.iter() {
                let Some((first, other)) = taken.insert(core, (&kernel.name, config)) else {
                    continue;
                };
                let kernels = [first.to_owned(), kernel.name.clone()];
                if other.noc_mode != config.noc_mode {
                    return Err(ProgramError::MixedNocModes { core, kernels });
                }
                if config.noc_mode == NocSharing::Dedicated && other.noc == config.noc {
                    return Err(ProgramError::SameNoc { core, kernels });
                }
            }
        }
        Ok(())
    }

    fn check_semaphores(&self, arch: &Architecture) -> Result<(), ProgramError> {
        let mut taken: BTreeMap<(u32, CoreCoord), ()> = BTreeMap::new();
        for semaphore in &self.semaphores {
            let (id, most) = (semaphore.id, arch.semaphores);
            if id >= most {
                return Err(ProgramError::NoSuchSemaphore { id, most });
            }
            for core in semaphore.cores.iter() {
                check_core(arch, core, "a semaphore")?;
                if taken.insert((id, core), ()).is_some() {
                    return Err(ProgramError::SameSemaphore { id, core });
                }
            }
        }
        Ok(())
    }

    /// Bytes that pages of a buffer are multiples of: compute processors count them in units.
    fn page_unit(&self, buffer: &CbDescription) -> u32 {
        let is_met = |kernel: &KernelDescription| {
            kernel.config.compute().is_some()
                && kernel.cores.iter().any(|core| buffer.cores.contains(core))
        };
        if self.kernels.iter().any(is_met) { COMPUTE_UNIT_BYTES } else { WORD_BYTES }
    }

    fn check_buffers(&self, arch: &Architecture) -> Result<(), ProgramError> {
        let mut taken: BTreeMap<(CoreCoord, u8), Site> = BTreeMap::new();
        for buffer in &self.circular_buffers {
            for spec in &buffer.specs {
                check_spec(arch, spec, (self.page_unit(buffer), buffer.site))?;
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
}

fn check_kernel(arch: &Architecture, kernel: &KernelDescription) -> Result<(), ProgramError> {
    let name = || kernel.name.clone();
    if kernel.cores.is_empty() {
        return Err(ProgramError::NoCores { kernel: name() });
    }
    for core in kernel.cores.iter().chain(kernel.runtime_args.keys().copied()) {
        check_core(arch, core, &kernel.name)?;
    }
    if let Some(core) = kernel.runtime_args.keys().find(|core| !kernel.cores.contains(**core)) {
        return Err(ProgramError::ArgsElsewhere { kernel: name(), core: *core });
    }
    let is_compute = kernel.config.compute().is_some();
    let fits = match &kernel.source {
        KernelSource::File(_) | KernelSource::Text(_) => true,
        KernelSource::Rust(RustKernel::DataMovement(_)) => !is_compute,
        KernelSource::Rust(RustKernel::Compute(_)) => is_compute,
    };
    if fits { Ok(()) } else { Err(ProgramError::WrongConfig { kernel: name() }) }
}

impl Program {
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

    /// Gives a core's buffers their addresses, one after the other and aligned for reads from
    /// DRAM, as tt-metal does.
    fn place(
        &self,
        arch: &Architecture,
        core: CoreCoord,
        l1_end: u32,
    ) -> Result<Vec<CbConfig>, ProgramError> {
        let mut end = u64::from(arch.l1_base);
        let mut placed = Vec::new();
        for buffer in self.buffers_on(core) {
            let base = match &buffer.placement {
                CbPlacement::Allocated => {
                    let base = end.next_multiple_of(u64::from(arch.dram_read_alignment));
                    end = base + buffer.bytes();
                    base
                }
                CbPlacement::Address(at) => u64::from(*at),
                CbPlacement::Tensor { name, offset } => {
                    self.place_in_tensor(core, buffer, (name, *offset))?
                }
            };
            if !buffer.is_allocated() {
                check_inside(arch, buffer, base)?;
            }
            let config = |spec: &CbSpec| CbConfig {
                id: CbId(spec.id),
                // A base that does not fit is never used: its end is found to be too high below.
                base: L1Address(base as u32),
                page_bytes: spec.page_bytes,
                pages: spec.pages,
                format: spec.format,
            };
            placed.extend(buffer.specs.iter().map(config));
        }
        if end > u64::from(l1_end) { Err(self.too_much(arch, core, l1_end)) } else { Ok(placed) }
    }

    /// Where a buffer begins that lies in a core's part of a tensor.
    fn place_in_tensor(
        &self,
        core: CoreCoord,
        buffer: &CbDescription,
        (name, offset): (&str, u32),
    ) -> Result<u64, ProgramError> {
        let (site, tensor) = (buffer.site, name.to_owned());
        let Some(found) = self.declarations.tensors().find(|tensor| tensor.name == *name) else {
            return Err(ProgramError::NoSuchTensor { name: tensor, site });
        };
        let memory = &found.tensor.buffer;
        let refused = |why: String| {
            Err(ProgramError::NotInTensor {
                buffer: buffer.names(),
                tensor: tensor.clone(),
                why,
                site,
            })
        };
        if memory.storage != Storage::L1 || memory.sharding().is_none() {
            return refused("the tensor is not sharded in L1".to_owned());
        }
        let Some(room) = memory.shard_bytes(core) else {
            return refused(format!("core {core} has no shard of it"));
        };
        let end = u64::from(offset) + buffer.bytes();
        if end > room {
            return refused(format!("it ends {end} bytes after the start of a shard of {room}"));
        }
        Ok(memory.address + u64::from(offset))
    }

    fn too_much(&self, arch: &Architecture, core: CoreCoord, l1_end: u32) -> ProgramError {
        let (asked, room) = (self.circular_buffer_bytes(core), l1_end.saturating_sub(arch.l1_base));
        let own = self.buffers_on(core).filter(|buffer| buffer.is_allocated());
        let specs = own.flat_map(|it| it.specs.iter().map(|spec| (spec, it.site)));
        let share = |(spec, site): (&CbSpec, Site)| L1Share {
            name: spec.name.clone(),
            pages: spec.pages,
            page_bytes: spec.page_bytes,
            site,
        };
        ProgramError::TooMuchL1 { core, asked, room, buffers: specs.map(share).collect() }
    }

    /// The name of the kernel that a processor runs, if it runs one. A compute kernel is the same
    /// one on three processors.
    pub fn kernel_name(&self, core: CoreCoord, processor: Processor) -> Option<&str> {
        let here = self.description.kernels.iter().filter(|kernel| kernel.cores.contains(core));
        let mut running = here.filter(|it| it.config.processors().contains(&processor));
        running.next().map(|kernel| kernel.name.as_str())
    }

    /// How many semaphores a core has.
    pub fn semaphores_on(&self, core: CoreCoord) -> usize {
        self.description.semaphores.iter().filter(|it| it.cores.contains(core)).count()
    }
}

/// A buffer that the program does not place lies in L1, where the engine can address it.
fn check_inside(
    arch: &Architecture,
    buffer: &CbDescription,
    base: u64,
) -> Result<(), ProgramError> {
    let end = base + buffer.bytes();
    let is_right = base >= u64::from(arch.l1_base)
        && end <= u64::from(arch.l1_bytes)
        && base.is_multiple_of(16);
    if is_right {
        return Ok(());
    }
    let (name, site) = (buffer.names(), buffer.site);
    let room = arch.l1_base..arch.l1_bytes;
    Err(ProgramError::BadAddress { name, at: base, end, room, site })
}

fn check_core(arch: &Architecture, core: CoreCoord, what: &str) -> Result<(), ProgramError> {
    if arch.has_core(core) {
        return Ok(());
    }
    let what = what.to_owned();
    Err(ProgramError::OutsideGrid { what, core, columns: arch.grid_columns, rows: arch.grid_rows })
}

/// Bytes of the unit in which compute processors count pages, and of a word.
const COMPUTE_UNIT_BYTES: u32 = 16;
const WORD_BYTES: u32 = 4;

/// Pages are whole units, and counters are 16 bits wide.
fn check_spec(
    arch: &Architecture,
    spec: &CbSpec,
    (unit, site): (u32, Site),
) -> Result<(), ProgramError> {
    let name = spec.name.clone();
    if spec.id >= arch.circular_buffers {
        let most = arch.circular_buffers;
        return Err(ProgramError::NoSuchIndex { name, id: spec.id, most, site });
    }
    if let Some([rows, columns]) = spec.tile.filter(|tile| *tile != [32, 32]) {
        return Err(ProgramError::TileShape { name, rows, columns, site });
    }
    let is_right = (1..=0xffff).contains(&spec.pages)
        && spec.page_bytes > 0
        && spec.page_bytes.is_multiple_of(unit);
    if !is_right {
        let (pages, page_bytes) = (spec.pages, spec.page_bytes);
        return Err(ProgramError::BadPages { name, pages, page_bytes, site });
    }
    Ok(())
}
