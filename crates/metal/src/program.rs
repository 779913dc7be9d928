//! Programs: a description that has been checked against a chip, with addresses for its buffers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tilewright_machine::{Architecture, CbConfig, CbId, CoreCoord, Site};

use crate::cb_spec::{CbDescription, CbPlacement, CbSpec};
use crate::core_set::CoreSet;
use crate::declaration::Declarations;
use crate::description::{self, Allowance, ProgramDescription};
use crate::device::Device;
use crate::program_builder::ProgramBuilder;
use crate::program_error::ProgramError;

/// A kernel's number in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelId(pub(crate) usize);

/// A semaphore's number in its program; kernels ask for its address by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SemaphoreId(pub u32);

/// A program, checked.
#[derive(Clone)]
pub struct Program {
    pub(crate) description: Arc<ProgramDescription>,
    /// What is said of tensors, which the description names only.
    pub(crate) declarations: Declarations,
    /// Where the chip's semaphores are: the first, their distance, how many.
    semaphore_slots: [u32; 3],
    /// The part of every L1 that circular buffers may take.
    l1_room: Range<u32>,
    /// The rings of each core with their addresses.
    pub(crate) placed: BTreeMap<CoreCoord, Vec<CbConfig>>,
    /// The objects of C++ kernels, once they have been compiled.
    #[cfg(target_os = "linux")]
    pub(crate) compiled: crate::cpp::Compiled,
}

impl Program {
    /// Begins a program.
    pub fn builder(name: &str) -> ProgramBuilder {
        ProgramBuilder::new(name)
    }

    /// Checks a description against a device as it is now, and gives buffers their addresses.
    pub fn new(description: ProgramDescription, device: &Device) -> Result<Program, ProgramError> {
        Program::on(description, device.architecture(), device.l1_lowest())
    }

    /// The same for a chip; `l1_end` is the first byte of L1 that is taken by something else.
    pub fn on(
        description: ProgramDescription,
        arch: &Architecture,
        l1_end: u32,
    ) -> Result<Program, ProgramError> {
        description.check(arch)?;
        let ProgramDescription { tensors, contributions, row_sums, .. } = &description;
        let declarations = description::declarations(arch, (tensors, contributions, row_sums))?;
        let mut program = Program {
            declarations,
            description: Arc::new(description),
            semaphore_slots: [arch.semaphore_base, arch.semaphore_stride, arch.semaphores],
            l1_room: arch.l1_base..l1_end,
            placed: BTreeMap::new(),
            #[cfg(target_os = "linux")]
            compiled: crate::cpp::Compiled::default(),
        };
        program.place_all(arch, l1_end)?;
        Ok(program)
    }

    /// What it was made from.
    pub fn description(&self) -> &ProgramDescription {
        &self.description
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// Kinds of findings that its author means.
    pub fn allowances(&self) -> &[Allowance] {
        &self.description.allowances
    }

    /// Every declared circular buffer.
    pub fn circular_buffers(&self) -> &[CbDescription] {
        &self.description.circular_buffers
    }

    /// The circular buffers of a core.
    pub(crate) fn buffers_on(&self, core: CoreCoord) -> impl Iterator<Item = &CbDescription> {
        self.circular_buffers().iter().filter(move |buffer| buffer.cores.contains(core))
    }

    /// What a buffer is called on a core, and where it was declared.
    pub fn buffer(&self, core: CoreCoord, cb: CbId) -> Option<(&CbSpec, Site)> {
        let here = self.buffers_on(core);
        here.flat_map(|buffer| buffer.specs.iter().map(|spec| (spec, buffer.site)))
            .find(|(spec, _)| spec.id == cb.0)
    }

    /// The tensor in whose memory a core's ring lies, if it lies in one.
    pub fn tensor_of_ring(&self, core: CoreCoord, cb: CbId) -> Option<&str> {
        match self.placement_of_ring(core, cb)? {
            CbPlacement::Tensor { name, .. } => Some(name),
            CbPlacement::Allocated | CbPlacement::Address(_) => None,
        }
    }

    /// Where a core's ring was put.
    pub fn placement_of_ring(&self, core: CoreCoord, cb: CbId) -> Option<&CbPlacement> {
        let mut here = self.buffers_on(core);
        let is_it = |buffer: &&CbDescription| buffer.specs.iter().any(|spec| spec.id == cb.0);
        here.find(is_it).map(|buffer| &buffer.placement)
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
        let mut of_id = self.description.semaphores.iter().filter(|it| it.id == id.0);
        of_id.any(|semaphore| semaphore.cores.contains(core))
    }

    /// The cores that run a kernel.
    pub fn cores(&self) -> CoreSet {
        self.description.kernels.iter().flat_map(|kernel| kernel.cores.iter()).collect()
    }

    /// Bytes of L1 that a core's circular buffers take of the room for them.
    pub fn circular_buffer_bytes(&self, core: CoreCoord) -> u64 {
        let own = self.buffers_on(core).filter(|buffer| buffer.is_allocated());
        own.map(CbDescription::bytes).sum()
    }
}
