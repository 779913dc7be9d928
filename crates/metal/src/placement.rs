//! Which kernel runs where, for those who report on a program. Changes nothing.

use tilewright_machine::{CoreCoord, Processor};

use crate::program::Program;

impl Program {
    /// The name of the kernel that a processor runs, if it runs one. A compute kernel is the same
    /// one on three processors.
    pub fn kernel_name(&self, core: CoreCoord, processor: Processor) -> Option<&str> {
        let place = match processor {
            Processor::Reader => "reader",
            Processor::Writer => "writer",
            Processor::Unpack | Processor::Math | Processor::Pack => "compute",
        };
        let here = self.kernels.iter().filter(|kernel| kernel.cores.contains(core));
        here.filter(|kernel| kernel.role.place() == place).map(|kernel| kernel.name.as_str()).next()
    }

    /// How many semaphores a core has.
    pub fn semaphores_on(&self, core: CoreCoord) -> usize {
        self.semaphores.iter().filter(|semaphore| semaphore.cores.contains(core)).count()
    }
}
