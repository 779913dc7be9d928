//! From a program to what the machine runs on each core.

use std::sync::Arc;

use tilewright_machine::{
    CbId, ComputeSettings, CoreCoord, CoreLaunch, KernelEntry, L1Address, NocId, Observer, Outcome,
    PackFormats, Processor, RunOptions, UnpackFormats, prepare_stacks,
};

use crate::api::{Compute, DataMovement};
use crate::buffer::Buffer;
use crate::core_set::CoreSet;
use crate::description::{KernelConfig, KernelSource, RustKernel};
use crate::device::Device;
use crate::formats::{self, BufferFormats, FormatRules, FormatTable};
#[cfg(target_os = "linux")]
use crate::interleaving::Storage;
use crate::kernel::{Arguments, CompileTimeArgs, ComputeConfig, ComputeKernel, DataMovementKernel};
use crate::program::Program;

/// The most leaves of DRAM that memory is taken for before a run: 64 MiB.
const LEAVES_MOST: usize = 1 << 15;

impl Program {
    /// Takes the host's memory for the program's rings, arguments, registers, stacks and outputs,
    /// so that the time of a run is the simulation's alone. Fails if the host has none for stacks.
    pub fn load(&self, device: &mut Device) -> std::io::Result<()> {
        // L1 is moved first: memory that is taken and then copied would be taken twice.
        self.slots(device)?;
        let cores = self.cores();
        // Outputs are mostly what nobody has written, and are mostly written by all cores alike.
        let blank = device.machine().dram().blank_leaves().min(LEAVES_MOST);
        let leaves = blank.div_ceil(cores.iter().count().max(1));
        for core in cores.iter() {
            let buffers = self.placed.get(&core).into_iter().flatten();
            let arguments = self.argument_spans(core, device.architecture().l1_base);
            let Some(core) = device.machine_mut().core_mut(core) else { continue };
            let rings = buffers.map(|buffer| (buffer.base, buffer.bytes()));
            core.populate(rings.chain(arguments), leaves);
        }
        prepare_stacks(cores.iter().count() * Processor::ALL.len())
    }

    /// Where the arguments of a core's C++ kernels will lie in its L1.
    #[cfg(target_os = "linux")]
    fn argument_spans(&self, core: CoreCoord, end: u32) -> Vec<(L1Address, u32)> {
        let kernels = self.description.kernels.iter();
        let here = kernels.filter(|it| it.source.is_cpp() && it.cores.contains(core));
        let spans = here.flat_map(|kernel| {
            let runtime = kernel.runtime_args.get(&core).map_or(0, Vec::len);
            let bytes = [runtime, kernel.common_runtime_args.len()].map(|words| 4 * words as u32);
            let processors = kernel.config.processors().iter();
            processors
                .flat_map(move |it| crate::cpp::argument_places(end, *it).into_iter().zip(bytes))
        });
        spans.collect()
    }

    /// Rust kernels are given theirs.
    #[cfg(not(target_os = "linux"))]
    fn argument_spans(&self, _core: CoreCoord, _end: u32) -> Vec<(L1Address, u32)> {
        Vec::new()
    }

    /// Runs the program on a device. Fails if the host has no memory for kernels' stacks, or if C++
    /// kernels have not been compiled; whatever kernels do wrong is in the outcome.
    pub fn run(
        &self,
        device: &mut Device,
        options: RunOptions,
        observers: &mut [&mut dyn Observer],
    ) -> std::io::Result<Outcome> {
        let arch = device.machine().architecture();
        let semaphores = self.description.semaphores.iter().map(|semaphore| semaphore.id + 1);
        let addresses: Arc<[u32]> = (0..semaphores.max().unwrap_or(0))
            .map(|id| arch.semaphore_base + id * arch.semaphore_stride)
            .collect();
        let tensors = self.declarations().tensors().map(|it| it.tensor.buffer).collect();
        let kernels = self.description.kernels.iter().map(|kernel| Given {
            compile_time: Arc::new(kernel.args()),
            common: Arc::from(&kernel.common_runtime_args[..]),
        });
        let kernels = kernels.collect();
        let shared = Shared { addresses, tensors, kernels, slots: self.slots(device)? };
        let launched: CoreSet = self.cores().iter().chain(self.semaphore_cores()).collect();
        let launches: std::io::Result<Vec<CoreLaunch>> =
            launched.iter().map(|core| self.launch(core, &shared)).collect();
        let are_cores_apart = options.are_cores_apart || self.are_cores_apart(device);
        let options = RunOptions { are_cores_apart, ..options };
        device.machine_mut().run(&launches?, options, observers)
    }

    /// Whether cores have nothing to exchange: there is neither a semaphore by which one could wait
    /// for another, nor a tensor in L1, whose pages lie on several cores, and no C++ kernel makes
    /// addresses from coordinates. What a kernel sends another core all the same arrives after a
    /// longer latency than usual, which is legal too.
    fn are_cores_apart(&self, device: &Device) -> bool {
        let is_l1_free = device.l1_lowest() == device.architecture().l1_bytes;
        self.description.semaphores.is_empty() && is_l1_free && !self.may_reach_cores()
    }

    #[cfg(target_os = "linux")]
    fn may_reach_cores(&self) -> bool {
        self.compiled.may_reach_cores()
    }

    #[cfg(not(target_os = "linux"))]
    fn may_reach_cores(&self) -> bool {
        self.description.kernels.iter().any(|kernel| kernel.source.is_cpp())
    }

    /// Moves the L1 of cores with C++ kernels to where pointers reach, and says where it is.
    #[cfg(target_os = "linux")]
    fn slots(&self, device: &mut Device) -> std::io::Result<Arc<[(u32, CoreCoord)]>> {
        let cpp = self.description.kernels.iter().filter(|kernel| kernel.source.is_cpp());
        let cores: CoreSet = cpp.flat_map(|kernel| kernel.cores.iter()).collect();
        crate::cpp::move_l1(device.machine_mut(), cores.iter())
    }

    /// Rust kernels hold no pointers.
    #[cfg(not(target_os = "linux"))]
    fn slots(&self, _device: &mut Device) -> std::io::Result<Arc<[(u32, CoreCoord)]>> {
        Ok(Arc::from([]))
    }

    /// The formats that a core's compute kernel is compiled with for one of its buffers: what
    /// unpacking makes of it, and what packing to it reads Dst as.
    pub fn buffer_formats(
        &self,
        core: CoreCoord,
        cb: CbId,
    ) -> Option<(UnpackFormats, PackFormats)> {
        let config = self.compute_config(core).unwrap_or_default();
        let formats = self.formats(core, &config).get(cb)?;
        Some((formats.unpack, formats.pack))
    }

    /// Cores whose semaphores get their first value, whether a kernel runs there or not.
    fn semaphore_cores(&self) -> impl Iterator<Item = CoreCoord> {
        self.description.semaphores.iter().flat_map(|semaphore| semaphore.cores.iter())
    }

    /// What the compute kernel of a core is compiled with, if it has one.
    pub fn compute_config(&self, core: CoreCoord) -> Option<ComputeConfig> {
        let kernels = self.description.kernels.iter();
        let mut here = kernels.filter(|kernel| kernel.cores.contains(core));
        here.find_map(|kernel| kernel.config.compute().cloned())
    }

    fn launch(&self, core: CoreCoord, shared: &Shared) -> std::io::Result<CoreLaunch> {
        let config = self.compute_config(core);
        let formats = Arc::new(self.formats(core, &config.clone().unwrap_or_default()));
        let mut kernels: [Option<KernelEntry>; 5] = Default::default();
        for (index, kernel) in self.description.kernels.iter().enumerate() {
            if kernel.cores.contains(core) {
                for (processor, entry) in self.entries(index, core, shared, &formats)? {
                    kernels[processor as usize] = Some(entry);
                }
            }
        }
        let semaphores = self.description.semaphores.iter();
        Ok(CoreLaunch {
            core,
            buffers: self.placed.get(&core).cloned().unwrap_or_default(),
            semaphores: semaphores
                .filter(|semaphore| semaphore.cores.contains(core))
                .map(|it| (L1Address(shared.addresses[it.id as usize]), it.initial))
                .collect(),
            settings: config.map_or_else(ComputeSettings::default, |config| config.settings),
            kernels,
        })
    }

    /// What a kernel runs on each of its processors of a core.
    fn entries(
        &self,
        index: usize,
        core: CoreCoord,
        shared: &Shared,
        formats: &Arc<FormatTable>,
    ) -> std::io::Result<Vec<(Processor, KernelEntry)>> {
        let kernel = &self.description.kernels[index];
        let given = &shared.kernels[index];
        let runtime = kernel.runtime_args.get(&core).map_or(&[][..], Vec::as_slice);
        let arguments = Arguments {
            compile_time: Arc::clone(&given.compile_time),
            common: Arc::clone(&given.common),
            runtime: Arc::from(runtime),
            semaphores: Arc::clone(&shared.addresses),
            tensors: Arc::clone(&shared.tensors),
        };
        match &kernel.source {
            KernelSource::Rust(RustKernel::DataMovement(code)) => {
                Ok(data_movement(code, &kernel.config, arguments, formats))
            }
            KernelSource::Rust(RustKernel::Compute(code)) => Ok(compute(code, arguments, formats)),
            #[cfg(target_os = "linux")]
            KernelSource::File(_) | KernelSource::Text(_) => {
                let arguments = shared.with_pointers(core, arguments);
                self.cpp_entries(index, core, &arguments, formats, &shared.slots)
                    .map_err(std::io::Error::other)
            }
            #[cfg(not(target_os = "linux"))]
            KernelSource::File(_) | KernelSource::Text(_) => {
                Err(std::io::Error::other("C++ kernels run on Linux only"))
            }
        }
    }

    pub(crate) fn formats(&self, core: CoreCoord, config: &ComputeConfig) -> FormatTable {
        let buffers = || self.placed.get(&core).into_iter().flatten();
        let rules = FormatRules {
            width: config.settings.width,
            bfp8_pack_precise: config.bfp8_pack_precise,
            has_half: buffers().any(|buffer| buffer.format == formats::HALF),
        };
        let mut table = FormatTable::default();
        for buffer in buffers() {
            let unpack_to_dst = config.unpack_to_dst.contains(&buffer.id.0);
            table.set(buffer.id, BufferFormats::of(buffer.format, unpack_to_dst, rules));
        }
        table
    }
}

/// What all cores of a kernel are given.
struct Given {
    compile_time: Arc<CompileTimeArgs>,
    common: Arc<[u32]>,
}

/// What all cores of a launch share.
struct Shared {
    /// Arguments, by kernel.
    kernels: Vec<Given>,
    /// Where semaphores lie, by id.
    addresses: Arc<[u32]>,
    /// Where the declared tensors are.
    tensors: Arc<[Buffer]>,
    /// Where L1 begins for pointers, on the cores that have any.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    slots: Arc<[(u32, CoreCoord)]>,
}

#[cfg(target_os = "linux")]
impl Shared {
    /// Arguments in which the addresses of tensors in L1 are pointers that a C++ kernel of the core
    /// can follow. On the network they mean the same place as before.
    fn with_pointers(&self, core: CoreCoord, arguments: Arguments) -> Arguments {
        let slot = self.slots.iter().find(|(_, owner)| *owner == core).map(|(base, _)| *base);
        let is_in_l1 = |word: u32| {
            let mut in_l1 = self.tensors.iter().filter(|it| it.storage == Storage::L1);
            in_l1.any(|tensor| tensor.address_word() == word)
        };
        let pointers = |words: &Arc<[u32]>| -> Arc<[u32]> {
            let Some(base) = slot.filter(|_| words.iter().any(|word| is_in_l1(*word))) else {
                return Arc::clone(words);
            };
            words.iter().map(|word| if is_in_l1(*word) { base + word } else { *word }).collect()
        };
        let (common, runtime) = (pointers(&arguments.common), pointers(&arguments.runtime));
        Arguments { common, runtime, ..arguments }
    }
}

fn data_movement(
    kernel: &DataMovementKernel,
    config: &KernelConfig,
    arguments: Arguments,
    formats: &Arc<FormatTable>,
) -> Vec<(Processor, KernelEntry)> {
    let noc = config.data_movement().map_or(NocId::Zero, |config| config.noc);
    let (kernel, formats) = (Arc::clone(kernel), Arc::clone(formats));
    let entry: KernelEntry = Arc::new(move |context| {
        kernel(&DataMovement::new(context, &arguments, &formats, noc));
    });
    config.processors().iter().map(|processor| (*processor, Arc::clone(&entry))).collect()
}

fn compute(
    kernel: &ComputeKernel,
    arguments: Arguments,
    formats: &Arc<FormatTable>,
) -> Vec<(Processor, KernelEntry)> {
    let (kernel, formats) = (Arc::clone(kernel), Arc::clone(formats));
    let entry: KernelEntry = Arc::new(move |context| {
        kernel(&Compute::new(context, &arguments, &formats));
    });
    [Processor::Unpack, Processor::Math, Processor::Pack]
        .map(|processor| (processor, Arc::clone(&entry)))
        .to_vec()
}
