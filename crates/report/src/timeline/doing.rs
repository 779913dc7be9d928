//! What a processor does in a slice of time: a kind of work, or a wait and what for.
//!
//! Names and kinds only; who waits how long is `lane`'s business.

use tilewright_machine::{Barrier, CbId, EventKind, Waiting};

/// What a processor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doing {
    /// It works: a kind of work, and the call by its name.
    Work(Work, &'static str),
    /// It waits.
    Stall(Stall),
}

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// A call that reads or writes a few registers: reserve, push, wait, pop, Dst sections.
    Call,
    /// Start-up and configuration.
    Configure,
    /// Network commands.
    Network,
    /// Words of L1, read or written by the processor itself.
    Words,
    /// Operands to the source registers.
    Unpack,
    /// The matrix unit.
    Math,
    /// The vector unit.
    Vector,
    /// Dst to L1.
    Pack,
}

/// What a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stall {
    /// Pages of a buffer.
    Pages(CbId),
    /// Room in a buffer.
    Space(CbId),
    /// A barrier on reads.
    Reads,
    /// A barrier on acknowledged writes.
    Writes,
    /// A barrier on writes that leave L1.
    Departures,
    /// A barrier on atomics.
    Atomics,
    /// A word in L1.
    Semaphore,
    /// A section of Dst.
    DstSection,
    /// A committed section of Dst.
    DstCommit,
    /// Dst drained by pack.
    DstDrained,
    /// A free bank of SrcA or SrcB.
    FreeBank,
    /// A full bank of SrcA or SrcB.
    FullBank,
}

impl Work {
    /// Every kind.
    pub const ALL: [Work; 8] = [
        Work::Call,
        Work::Configure,
        Work::Network,
        Work::Words,
        Work::Unpack,
        Work::Math,
        Work::Vector,
        Work::Pack,
    ];

    /// The word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Work::Call => "calls",
            Work::Configure => "configure",
            Work::Network => "network commands",
            Work::Words => "words of L1",
            Work::Unpack => "unpack",
            Work::Math => "matrix unit",
            Work::Vector => "vector unit",
            Work::Pack => "pack",
        }
    }
}

impl Stall {
    /// The group that reports draw in one colour.
    pub fn group(self) -> &'static str {
        match self {
            Stall::Pages(_) => "pages",
            Stall::Space(_) => "space",
            Stall::Reads | Stall::Writes | Stall::Departures | Stall::Atomics => "barrier",
            Stall::Semaphore => "semaphore",
            Stall::DstSection | Stall::DstCommit | Stall::DstDrained => "Dst",
            Stall::FreeBank | Stall::FullBank => "operands",
        }
    }

    /// What is waited for; `name` gives a buffer's name.
    pub fn describe(self, name: impl Fn(CbId) -> String) -> String {
        match self {
            Stall::Pages(cb) => format!("pages in {}", name(cb)),
            Stall::Space(cb) => format!("space in {}", name(cb)),
            Stall::Reads => "barrier: reads".to_owned(),
            Stall::Writes => "barrier: writes".to_owned(),
            Stall::Departures => "barrier: writes departed".to_owned(),
            Stall::Atomics => "barrier: atomics".to_owned(),
            Stall::Semaphore => "semaphore".to_owned(),
            Stall::DstSection => "Dst: a free section".to_owned(),
            Stall::DstCommit => "Dst: a committed section".to_owned(),
            Stall::DstDrained => "Dst: drained".to_owned(),
            Stall::FreeBank => "operands: a free bank".to_owned(),
            Stall::FullBank => "operands: a full bank".to_owned(),
        }
    }
}

impl Doing {
    /// Whether it is a wait.
    pub fn is_stall(self) -> bool {
        matches!(self, Doing::Stall(_))
    }

    /// The call, or what is waited for; `name` gives a buffer's name.
    pub fn describe(self, name: impl Fn(CbId) -> String) -> String {
        match self {
            Doing::Work(_, call) => call.to_owned(),
            Doing::Stall(stall) => stall.describe(name),
        }
    }

    /// The kind of work, or what is waited for; `name` gives a buffer's name.
    pub fn kind(self, name: impl Fn(CbId) -> String) -> String {
        match self {
            Doing::Work(work, _) => work.name().to_owned(),
            Doing::Stall(stall) => stall.describe(name),
        }
    }
}

impl From<Waiting> for Stall {
    fn from(waiting: Waiting) -> Stall {
        match waiting {
            Waiting::ForSpace { cb, .. } => Stall::Space(cb),
            Waiting::ForPages { cb, .. } => Stall::Pages(cb),
            Waiting::ForTransfers { barrier, .. } => match barrier {
                Barrier::Reads => Stall::Reads,
                Barrier::Writes => Stall::Writes,
                Barrier::WritesDeparted | Barrier::PostedWritesDeparted => Stall::Departures,
                Barrier::Atomics => Stall::Atomics,
            },
            Waiting::ForSemaphore { .. } => Stall::Semaphore,
            Waiting::ForDstSection => Stall::DstSection,
            Waiting::ForDstCommit => Stall::DstCommit,
            Waiting::ForDstDrained => Stall::DstDrained,
            Waiting::ForFreeBank(_) => Stall::FreeBank,
            Waiting::ForFullBank(_) => Stall::FullBank,
        }
    }
}

/// The work that an event ends; none if it only tells more of another, or is at the network's
/// clock.
pub(super) fn work(kind: &EventKind) -> Option<Work> {
    match kind {
        EventKind::KernelStarted
        | EventKind::KernelFinished
        | EventKind::Blocked(_)
        | EventKind::Reserved { .. }
        | EventKind::Pushed { .. }
        | EventKind::Waited { .. }
        | EventKind::Popped { .. }
        | EventKind::PointerMoved { .. }
        | EventKind::DstAcquired
        | EventKind::DstCommitted
        | EventKind::DstWaited
        | EventKind::DstReleased
        | EventKind::BarrierPassed { .. }
        | EventKind::SemaphoreWaited { .. } => Some(Work::Call),
        EventKind::StartedUp | EventKind::StartupRepeated | EventKind::Configured(_) => {
            Some(Work::Configure)
        }
        EventKind::Unpacked { .. } => Some(Work::Unpack),
        EventKind::Computed { .. } => Some(Work::Math),
        EventKind::Vectored { .. } => Some(Work::Vector),
        EventKind::Packed { .. } => Some(Work::Pack),
        EventKind::ReadIssued { .. }
        | EventKind::WriteIssued { .. }
        | EventKind::AtomicIssued { .. } => Some(Work::Network),
        EventKind::SemaphoreSet { .. } | EventKind::L1Read { .. } | EventKind::L1Written { .. } => {
            Some(Work::Words)
        }
        EventKind::ReadLanded { .. }
        | EventKind::WriteDeparted { .. }
        | EventKind::WriteAcknowledged { .. }
        | EventKind::AtomicAcknowledged { .. }
        | EventKind::Arrived { .. }
        | EventKind::Zeros { .. }
        | EventKind::PageAddressed { .. }
        | EventKind::CoresMiscounted { .. }
        | EventKind::Printed { .. }
        | EventKind::Waypoint { .. }
        | EventKind::Zone { .. } => None,
    }
}
