//! The device as the host sees it: memories that persist, and programs launched on cores.

use std::sync::Arc;

use crate::architecture::Architecture;
use crate::core::Core;
use crate::event::Observer;
use crate::grid::CoreCoord;
use crate::memory::Dram;
use crate::run::{self, CoreLaunch, Outcome, RunOptions};

/// One chip. L1, DRAM, Dst and its semaphore keep their contents from program to program.
pub struct Machine {
    arch: Arc<Architecture>,
    /// Boxed: a core is large, and every run moves it.
    cores: Vec<Box<Core>>,
    dram: Dram,
}

impl Machine {
    /// A chip after boot.
    pub fn new(arch: Architecture) -> Machine {
        let arch = Arc::new(arch);
        let dram = Dram::new(usize::from(arch.dram_banks));
        Machine { cores: cores(&arch), arch, dram }
    }

    /// Another chip after boot, with the same contents of L1 and DRAM.
    pub fn copy_of_memories(&self) -> Machine {
        let mut cores = cores(&self.arch);
        for (core, original) in cores.iter_mut().zip(&self.cores) {
            core.l1 = original.l1.copy();
        }
        Machine { arch: Arc::clone(&self.arch), cores, dram: self.dram.copy() }
    }

    /// The chip's table.
    pub fn architecture(&self) -> &Architecture {
        &self.arch
    }

    /// Its DRAM.
    pub fn dram(&self) -> &Dram {
        &self.dram
    }

    /// Its DRAM, for the host to write to.
    pub fn dram_mut(&mut self) -> &mut Dram {
        &mut self.dram
    }

    /// One of its cores.
    pub fn core(&self, core: CoreCoord) -> Option<&Core> {
        self.arch.has_core(core).then(|| &*self.cores[self.arch.core_index(core)])
    }

    /// One of its cores, for the host to write to.
    pub fn core_mut(&mut self, core: CoreCoord) -> Option<&mut Core> {
        self.arch.has_core(core).then(|| &mut *self.cores[self.arch.core_index(core)])
    }

    /// Runs a program to its end. Fails only if the host has no memory for kernels' stacks.
    pub fn run(
        &mut self,
        launches: &[CoreLaunch],
        options: RunOptions,
        observers: &mut [&mut dyn Observer],
    ) -> std::io::Result<Outcome> {
        let shared = run::settings(&options, !observers.is_empty(), self.dram.bank_bytes());
        let mut kernels: Vec<_> = self.cores.iter().map(|_| Default::default()).collect();
        for core in &mut self.cores {
            core.idle(shared);
        }
        for launch in launches {
            let index = self.arch.core_index(launch.core);
            let core = &mut self.cores[index];
            core.launch(&launch.buffers, &launch.semaphores, launch.settings);
            kernels[index] = launch.kernels.clone();
        }
        let placed = std::mem::take(&mut self.cores).into_iter().zip(kernels).collect();
        let (outcome, cores) = run::run(&self.arch, &self.dram, placed, options, observers)?;
        self.cores = cores;
        Ok(outcome)
    }
}

/// All cores as after boot.
fn cores(arch: &Arc<Architecture>) -> Vec<Box<Core>> {
    arch.grid().cores().map(|core| Box::new(Core::new(arch, core))).collect()
}
