//! A C++ kernel as something that a processor runs.

use std::io;
use std::sync::Arc;

use tilewright_machine::{Context, CoreCoord, L1Address, Machine, Processor, Site, StopReason};

use super::frame::{Frame, Surroundings};
use super::mailbox;
use super::object::Instance;
use crate::formats::FormatTable;
use crate::kernel::Arguments;

/// Bytes of L1 below the buffers in which a processor's arguments lie: half of them common ones.
const ARGUMENT_BYTES: u32 = 0x2000;

/// A kernel on one processor of one core.
pub(crate) struct CppEntry {
    pub(super) instance: Instance,
    pub(crate) arguments: Arguments,
    pub(crate) formats: Arc<FormatTable>,
    pub(crate) slots: Arc<[(u32, CoreCoord)]>,
}

impl CppEntry {
    /// Runs the kernel on the processor of `context`.
    pub(crate) fn run(&self, context: &Context<'_>) {
        let site = Site::KERNEL;
        let Some(l1_base) = context.l1_low_base() else {
            let why = "a kernel with raw pointers on a core whose L1 they cannot reach";
            context.stop(site, StopReason::NotModelled(why.to_owned()))
        };
        let given = Surroundings {
            object: self.instance.object(),
            arguments: &self.arguments,
            formats: &self.formats,
            slots: &self.slots,
        };
        let args_at = self.place_arguments(context);
        mailbox::clear(context);
        Frame::new(context, given, l1_base, args_at).run();
    }

    /// Puts the arguments into L1, where kernels may read them through pointers.
    fn place_arguments(&self, context: &Context<'_>) -> [L1Address; 2] {
        let end = context.architecture(|arch| arch.l1_base);
        let places = argument_places(end, context.processor());
        for (at, words) in places.into_iter().zip([&self.arguments.runtime, &self.arguments.common])
        {
            if words.len() * 4 > ARGUMENT_BYTES as usize / 2 {
                let why = format!("{} arguments of one kind", words.len());
                context.stop(Site::KERNEL, StopReason::NotModelled(why));
            }
            context.place_words(Site::KERNEL, at, words);
        }
        places
    }
}

/// Where a processor's runtime and common arguments lie, below the end of what buffers do not use.
pub(crate) fn argument_places(end: u32, processor: Processor) -> [L1Address; 2] {
    let runtime = L1Address(end - (processor as u32 + 1) * ARGUMENT_BYTES);
    [runtime, runtime + ARGUMENT_BYTES / 2]
}

/// Moves the L1 of cores to where pointers reach, and says where each is.
pub(crate) fn move_l1(
    machine: &mut Machine,
    cores: impl Iterator<Item = CoreCoord>,
) -> io::Result<Arc<[(u32, CoreCoord)]>> {
    let mut slots = Vec::new();
    for core in cores {
        let Some(found) = machine.core_mut(core) else { continue };
        found.move_l1_low()?;
        slots.extend(found.l1().low_base().map(|base| (base, core)));
    }
    Ok(slots.into())
}
