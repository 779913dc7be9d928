//! Kinds of events in a few classes, so that a checker is only asked about those it looks at.

use tilewright_machine::EventKind;

/// A class of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Pages reserved, pushed, waited for, popped; waits that begin.
    Ring,
    /// Start-up and sections of Dst.
    Section,
    /// Configuration.
    Setting,
    /// Operands on their way to the source registers.
    Unpack,
    /// The matrix unit and the vector unit.
    Math,
    /// Tiles on their way to L1.
    Pack,
    /// Transfers and barriers.
    Network,
    /// Words of L1, semaphores among them.
    Word,
    /// Kernels that begin and end, and what they say.
    Kernel,
}

impl Class {
    pub(crate) const ALL: [Class; 9] = [
        Class::Ring,
        Class::Section,
        Class::Setting,
        Class::Unpack,
        Class::Math,
        Class::Pack,
        Class::Network,
        Class::Word,
        Class::Kernel,
    ];

    pub(crate) fn of(kind: &EventKind) -> Class {
        match kind {
            EventKind::Reserved { .. }
            | EventKind::Pushed { .. }
            | EventKind::Waited { .. }
            | EventKind::Popped { .. }
            | EventKind::Blocked(_) => Class::Ring,
            EventKind::StartedUp
            | EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | EventKind::DstReleased => Class::Section,
            EventKind::Configured(_) => Class::Setting,
            EventKind::Unpacked { .. } | EventKind::Zeros { .. } => Class::Unpack,
            EventKind::Computed { .. } | EventKind::Vectored { .. } => Class::Math,
            EventKind::Packed { .. } => Class::Pack,
            EventKind::ReadIssued { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteIssued { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | EventKind::BarrierPassed { .. } => Class::Network,
            EventKind::SemaphoreSet { .. }
            | EventKind::SemaphoreWaited { .. }
            | EventKind::L1Read { .. }
            | EventKind::L1Written { .. } => Class::Word,
            EventKind::KernelStarted
            | EventKind::KernelFinished
            | EventKind::Printed { .. }
            | EventKind::Waypoint { .. }
            | EventKind::Zone { .. } => Class::Kernel,
        }
    }
}
