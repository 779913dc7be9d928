//! Which kernel runs where, for those who report on a program. Changes nothing.

use tilewright_machine::{CoreCoord, Processor};

use crate::kernel::DataMovementPlace;
use crate::program::{Program, Role};

impl Program {
    /// The name of the kernel that a processor runs, if it runs one. A compute kernel is the same
    /// one on three processors.
    pub fn kernel_name(&self, core: CoreCoord, processor: Processor) -> Option<&str> {
        let runs_there = |role: &Role| match role {
            Role::DataMovement { place: DataMovementPlace::Reader, .. } => {
                processor == Processor::Reader
            }
            Role::DataMovement { place: DataMovementPlace::Writer, .. } => {
                processor == Processor::Writer
            }
            Role::Compute { .. } => {
                matches!(processor, Processor::Unpack | Processor::Math | Processor::Pack)
            }
        };
        let here = self.kernels.iter().filter(|kernel| kernel.cores.contains(core));
        here.filter(|kernel| runs_there(&kernel.role)).map(|kernel| kernel.name.as_str()).next()
    }

    /// How many semaphores a core has.
    pub fn semaphores_on(&self, core: CoreCoord) -> usize {
        self.semaphores.iter().filter(|semaphore| semaphore.cores.contains(core)).count()
    }
}
