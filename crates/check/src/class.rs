//! Kinds of events in a few classes, so that a checker only sees those that it handles.

use tilewright_machine::{EventKind, Setting};

/// A class of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Pages reserved, pushed, waited for, popped.
    Ring,
    /// Waits that begin.
    Wait,
    /// Start-up and sections of Dst.
    Section,
    /// The unpackers' formats.
    UnpackFormat,
    /// The matrix unit's formats.
    AluFormat,
    /// What unpack, the matrix unit and the vector unit are set to do.
    Operation,
    /// How pack is set.
    PackSetting,
    /// Operands on their way to the source registers.
    Unpack,
    /// The matrix unit.
    Matrix,
    /// The vector unit.
    Vector,
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
    pub(crate) const ALL: [Class; 14] = [
        Class::Ring,
        Class::Wait,
        Class::Section,
        Class::UnpackFormat,
        Class::AluFormat,
        Class::Operation,
        Class::PackSetting,
        Class::Unpack,
        Class::Matrix,
        Class::Vector,
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
            | EventKind::PointerMoved { .. } => Class::Ring,
            EventKind::Blocked(_) => Class::Wait,
            EventKind::StartedUp
            | EventKind::StartupRepeated
            | EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | EventKind::DstReleased => Class::Section,
            EventKind::Configured(setting) => Class::of_setting(setting),
            EventKind::Unpacked { .. } | EventKind::Zeros { .. } => Class::Unpack,
            EventKind::Computed { .. } => Class::Matrix,
            EventKind::Vectored { .. } => Class::Vector,
            EventKind::Packed { .. } => Class::Pack,
            EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadIssued { .. }
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

    /// Whether such events say who uses which ring or word, and how.
    pub(crate) fn is_of_rings(self) -> bool {
        match self {
            Class::Ring
            | Class::Wait
            | Class::Unpack
            | Class::Pack
            | Class::Network
            | Class::Word => true,
            Class::Section
            | Class::UnpackFormat
            | Class::AluFormat
            | Class::Operation
            | Class::PackSetting
            | Class::Matrix
            | Class::Vector
            | Class::Kernel => false,
        }
    }

    fn of_setting(setting: &Setting) -> Class {
        match setting {
            Setting::UnpackFormats(..) => Class::UnpackFormat,
            Setting::AluFormat(..) => Class::AluFormat,
            Setting::Unpack(_) | Setting::Math(_) | Setting::Vector(_) => Class::Operation,
            Setting::PackFormats(_)
            | Setting::Pack(_)
            | Setting::Relu
            | Setting::Mask(_)
            | Setting::Accumulate => Class::PackSetting,
        }
    }
}
