//! Kinds of events in a few classes, so that a checker only sees those that it handles.

use tilewright_machine::EventKind;

/// The pattern of all events of some classes, for a match that looks at none of them.
///
/// A match over events has no `_ =>`: it names what it looks at, the other events of the same
/// classes, and with this the classes that it does not look at. A new event has to be put into a
/// class here, and then does not compile in a match that tells the events of that class apart.
///
/// ```
/// use tilewright_check::of_class;
/// use tilewright_machine::EventKind;
///
/// fn pages_pushed(kind: &EventKind) -> u32 {
///     match kind {
///         EventKind::Pushed { pages, .. } => *pages,
///         EventKind::Reserved { .. }
///         | EventKind::Waited { .. }
///         | EventKind::Popped { .. }
///         | EventKind::PointerMoved { .. } => 0,
///         of_class!(Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting) => 0,
///         of_class!(Unpack, Matrix, Vector, Pack, Network, Word, Kernel) => 0,
///     }
/// }
/// # assert_eq!(pages_pushed(&EventKind::KernelStarted), 0);
/// ```
#[macro_export]
macro_rules! of_class {
    (Ring) => {
        $crate::EventKind::Reserved { .. }
            | $crate::EventKind::Pushed { .. }
            | $crate::EventKind::Waited { .. }
            | $crate::EventKind::Popped { .. }
            | $crate::EventKind::PointerMoved { .. }
    };
    (Wait) => {
        $crate::EventKind::Blocked(_)
    };
    (Section) => {
        $crate::EventKind::StartedUp
            | $crate::EventKind::StartupRepeated
            | $crate::EventKind::DstAcquired
            | $crate::EventKind::DstCommitted
            | $crate::EventKind::DstWaited
            | $crate::EventKind::DstReleased
    };
    (UnpackFormat) => {
        $crate::EventKind::Configured($crate::Setting::UnpackFormats(..))
    };
    (AluFormat) => {
        $crate::EventKind::Configured($crate::Setting::AluFormat(..))
    };
    (Operation) => {
        $crate::EventKind::Configured(
            $crate::Setting::Unpack(_)
                | $crate::Setting::Math(_)
                | $crate::Setting::Vector(_),
        )
    };
    (PackSetting) => {
        $crate::EventKind::Configured(
            $crate::Setting::PackFormats(_)
                | $crate::Setting::Pack(_)
                | $crate::Setting::Relu
                | $crate::Setting::Mask(_)
                | $crate::Setting::Accumulate,
        )
    };
    (Unpack) => {
        $crate::EventKind::Unpacked { .. }
            | $crate::EventKind::Zeros { .. }
    };
    (Matrix) => {
        $crate::EventKind::Computed { .. }
    };
    (Vector) => {
        $crate::EventKind::Vectored { .. }
    };
    (Pack) => {
        $crate::EventKind::Packed { .. }
    };
    (Network) => {
        $crate::EventKind::PageAddressed { .. }
            | $crate::EventKind::CoresMiscounted { .. }
            | $crate::EventKind::ReadIssued { .. }
            | $crate::EventKind::ReadLanded { .. }
            | $crate::EventKind::WriteIssued { .. }
            | $crate::EventKind::WriteDeparted { .. }
            | $crate::EventKind::WriteAcknowledged { .. }
            | $crate::EventKind::AtomicIssued { .. }
            | $crate::EventKind::AtomicAcknowledged { .. }
            | $crate::EventKind::Arrived { .. }
            | $crate::EventKind::BarrierPassed { .. }
    };
    (Word) => {
        $crate::EventKind::SemaphoreSet { .. }
            | $crate::EventKind::SemaphoreWaited { .. }
            | $crate::EventKind::L1Read { .. }
            | $crate::EventKind::L1Written { .. }
    };
    (Kernel) => {
        $crate::EventKind::KernelStarted
            | $crate::EventKind::KernelFinished
            | $crate::EventKind::Printed { .. }
            | $crate::EventKind::Waypoint { .. }
            | $crate::EventKind::Zone { .. }
    };
    ($first:ident, $($more:ident),+ $(,)?) => {
        $crate::of_class!($first) $(| $crate::of_class!($more))+
    };
}

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
            of_class!(Ring) => Class::Ring,
            of_class!(Wait) => Class::Wait,
            of_class!(Section) => Class::Section,
            of_class!(UnpackFormat) => Class::UnpackFormat,
            of_class!(AluFormat) => Class::AluFormat,
            of_class!(Operation) => Class::Operation,
            of_class!(PackSetting) => Class::PackSetting,
            of_class!(Unpack) => Class::Unpack,
            of_class!(Matrix) => Class::Matrix,
            of_class!(Vector) => Class::Vector,
            of_class!(Pack) => Class::Pack,
            of_class!(Network) => Class::Network,
            of_class!(Word) => Class::Word,
            of_class!(Kernel) => Class::Kernel,
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
}
