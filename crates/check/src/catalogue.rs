//! Every kind of finding, in one list. What is declared of a kind is in its own file.

use crate::declaration::Declaration;
use crate::{dst, ending_manual, format, host_program, init, memory, race, sync, value};

/// Makes the kinds of findings from the list of the types that declare them.
macro_rules! findings {
    ($($(#[$doc:meta])* $module:ident :: $id:ident,)*) => {
        /// What kind of finding it is. Its name reads well after "allow".
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingId {
            $($(#[$doc])* $id,)*
        }

        impl FindingId {
            /// Every kind.
            pub const ALL: &[FindingId] = &[$(FindingId::$id),*];

            /// What is declared of the kind.
            pub(crate) fn declaration(self) -> &'static Declaration {
                match self {
                    $(FindingId::$id => &$module::$id::DECLARATION,)*
                }
            }
        }
    };
}

findings! {
    /// A kernel panicked.
    ending_manual::KernelPanic,
    /// An operation came before `compute_kernel_hw_startup`.
    ending_manual::MissingStartup,
    /// An operation came before its init call.
    ending_manual::MissingInit,
    /// An access to memory that is not there.
    ending_manual::OutOfBounds,
    /// A transfer whose two addresses do not agree modulo what the network needs.
    ending_manual::Misaligned,
    /// A circular buffer that the program does not have on the core.
    ending_manual::NoSuchBuffer,
    /// An argument that the kernel was not given.
    ending_manual::NoSuchArgument,
    /// Something real that the simulator lacks.
    ending_manual::NotModelled,
    /// More simulated time than the run was given.
    ending_manual::CycleLimit,
    /// Calls without end that change nothing, while nothing else does.
    ending_manual::Livelock,
    /// A kernel that does not come back and makes no call.
    ending_manual::EndlessLoop,
    /// Outputs whose bits depend on the schedule.
    ending_manual::UnstableOutput,
    /// A C++ kernel did what ends a process.
    ending_manual::KernelCrash,
    /// What a kernel asserts does not hold.
    ending_manual::AssertFailed,
    /// A host program did what ends a process.
    host_program::HostCrash,
    /// A host program does not catch an exception.
    host_program::HostError,
    /// No processor can make progress.
    ending_manual::Deadlock,
    /// Processors wait for each other.
    sync::CircularWait,
    /// A wait that nothing can end.
    sync::StarvedWait,
    /// Pages that a producer fills and does not push.
    sync::MissingPush,
    /// Pages that a consumer uses and does not pop.
    sync::MissingPop,
    /// Pages that were pushed and never read.
    sync::LeftoverPages,
    /// Transfers under way when a kernel returned.
    sync::UnflushedAtExit,
    /// A multicast that counts other cores than it reaches.
    sync::MiscountedCores,
    /// A sum onto a tile whose value was used up before.
    dst::StaleAccumulation,
    /// Dst acquired inside an acquired section.
    dst::NestedAcquire,
    /// Dst used without owning a section.
    dst::DstOutsideSection,
    /// A Dst index beyond the section.
    dst::DstCapacity,
    /// A page given away while a NoC read into it is in flight.
    race::UnawaitedRead,
    /// Bytes given away or overwritten while a NoC write out of them is in flight.
    race::OverwrittenInFlight,
    /// Bytes read while a NoC read into them is in flight.
    race::ReadBeforeLanding,
    /// Data sent to a core that no credit puts in order with its use.
    race::DataBeforeCredit,
    /// Two accesses to the same bytes that nothing puts in order.
    race::ConflictingAccess,
    /// A word that is set while another processor may change it.
    race::LostUpdate,
    /// A wait for an exact value that an increment may carry the word past.
    race::SkippableWait,
    /// A wait for a word that still has the value of the wait before.
    race::RepeatedWait,
    /// An uninitialised page reaches an output.
    init::UninitialisedPage,
    /// A page from an earlier lap reaches an output.
    init::StaleLap,
    /// Uninitialised L1 outside of circular buffers reaches an output.
    init::UninitialisedL1,
    /// An uninitialised tile of Dst reaches an output.
    init::UninitialisedDst,
    /// The padding of an input reaches an output.
    init::PaddingInOutput,
    /// An unwritten page of an output.
    init::UnwrittenOutput,
    /// A kernel reads uninitialised data.
    init::UninitialisedBranch,
    /// A semaphore without a first value is used.
    sync::UninitialisedSemaphore,
    /// An input tile that must be in a result and is not.
    value::LostContribution,
    /// Elements of an output that are further off than their bounds.
    value::BeyondBound,
    /// An output whose padding is not as declared.
    value::OutputPadding,
    /// Values of Dst cleared before anybody has used them.
    dst::LostOnRelease,
    /// A section of Dst that is not released when the kernels have returned.
    dst::UnreleasedSection,
    /// A tile read by an unpacker that is set for another format.
    format::UnpackFormat,
    /// A source read by a matrix unit that is set for another format.
    format::AluFormat,
    /// A tile written by packers that are set for another format.
    format::PackFormat,
    /// An operation called while another one is initialised.
    format::WrongInit,
    /// Start-up called after operations.
    format::RepeatedStartup,
    /// A ring used as tiles whose pages are not tiles.
    format::PageSize,
    /// A transfer that leaves its tensor, or its page of it.
    memory::OutsideTensor,
    /// An access to a ring outside what was reserved or waited for.
    memory::OutsideWindow,
    /// More pages reserved than the ring has.
    memory::OverReserve,
    /// More pages pushed than were reserved.
    memory::OverPush,
    /// More pages popped than were waited for.
    memory::OverPop,
    /// Pages that run over the end of their ring.
    memory::StraddlesEnd,
    /// Buffers that do not fit in L1.
    memory::L1Budget,
}
