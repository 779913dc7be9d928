//! Findings: what is wrong, where, and whose fault it is.
//!
//! Data only. How it looks is `report`'s business.

use std::fmt;

use tilewright_machine::{ProcessorId, Site};

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Blame {
    /// The kernel's.
    KernelBug,
    /// The host program's: what it declares does not fit its kernels.
    HostBug,
    /// The program may be right; the simulator does not model what it does.
    NotModelled,
    /// The simulator's.
    SimulatorBug,
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Blame::KernelBug => "kernel bug",
            Blame::HostBug => "host program bug",
            Blame::NotModelled => "not modelled",
            Blame::SimulatorBug => "simulator bug",
        })
    }
}

/// What kind of finding it is. Its name reads well after "allow".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingId {
    /// A kernel panicked.
    KernelPanic,
    /// An operation came before `compute_kernel_hw_startup`.
    MissingStartup,
    /// An operation came before its init call.
    MissingInit,
    /// An access to memory that is not there.
    OutOfBounds,
    /// A transfer whose two addresses do not agree modulo what the network needs.
    Misaligned,
    /// A circular buffer that the program does not have on the core.
    NoSuchBuffer,
    /// An argument that the kernel was not given.
    NoSuchArgument,
    /// Something real that the simulator lacks.
    NotModelled,
    /// More simulated time than the run was given.
    CycleLimit,
    /// Calls without end that change nothing, while nothing else does.
    Livelock,
    /// A kernel that does not come back and makes no call.
    EndlessLoop,
    /// Outputs whose bits depend on the schedule.
    UnstableOutput,
    /// A C++ kernel did what ends a process.
    KernelCrash,
    /// What a kernel asserts does not hold.
    AssertFailed,
    /// Nobody can move any more.
    Deadlock,
    /// Processors wait for each other.
    CircularWait,
    /// A wait that nobody is left to end.
    StarvedWait,
    /// Pages that a producer fills and does not push.
    MissingPush,
    /// Pages that a consumer uses and does not pop.
    MissingPop,
    /// Pages that were pushed and that nobody has looked at.
    LeftoverPages,
    /// Transfers under way when a kernel returned.
    UnflushedAtExit,
    /// A sum onto a tile whose value was used up before.
    StaleAccumulation,
    /// Dst acquired inside an acquired section.
    NestedAcquire,
    /// Dst used by who does not hold a section of it.
    DstOutsideSection,
    /// A Dst index beyond the section.
    DstCapacity,
    /// A page given away while a NoC read into it is in flight.
    UnawaitedRead,
    /// Bytes given away or overwritten while a NoC write out of them is in flight.
    OverwrittenInFlight,
    /// Bytes read while a NoC read into them is in flight.
    ReadBeforeLanding,
    /// Data sent to a core that no credit puts in order with its use.
    DataBeforeCredit,
    /// Two accesses to the same bytes that nothing puts in order.
    ConflictingAccess,
    /// A word that is set while somebody else may change it.
    LostUpdate,
    /// A wait for an exact value that an increment may carry the word past.
    SkippableWait,
    /// A page that nobody has written reaches an output.
    UninitialisedPage,
    /// A page from an earlier lap reaches an output.
    StaleLap,
    /// L1 outside of circular buffers that nobody has written reaches an output.
    UninitialisedL1,
    /// A tile of Dst that nobody has written reaches an output.
    UninitialisedDst,
    /// The padding of an input reaches an output.
    PaddingInOutput,
    /// A page of an output that nobody has written.
    UnwrittenOutput,
    /// A kernel reads what nobody has written.
    UninitialisedBranch,
    /// A semaphore without a first value is used.
    UninitialisedSemaphore,
    /// An input tile that must be in a result and is not.
    LostContribution,
    /// Elements of an output that are further off than their bounds.
    BeyondBound,
    /// An output whose padding is not as declared.
    OutputPadding,
    /// Values of Dst cleared before anybody has used them.
    LostOnRelease,
    /// A section of Dst that nobody has released when the kernels returned.
    UnreleasedSection,
    /// A tile read by an unpacker that is set for another format.
    UnpackFormat,
    /// A source read by a matrix unit that is set for another format.
    AluFormat,
    /// A tile written by packers that are set for another format.
    PackFormat,
    /// An operation called while another one is initialised.
    WrongInit,
    /// Start-up called after operations.
    RepeatedStartup,
    /// A ring used as tiles whose pages are not tiles.
    PageSize,
    /// A transfer that leaves its tensor, or its page of it.
    OutsideTensor,
    /// An access to a ring outside what was reserved or waited for.
    OutsideWindow,
    /// More pages reserved than the ring has.
    OverReserve,
    /// More pages pushed than were reserved.
    OverPush,
    /// More pages popped than were waited for.
    OverPop,
    /// Pages that run over the end of their ring.
    StraddlesEnd,
    /// Buffers that do not fit in L1.
    L1Budget,
}

impl FindingId {
    /// Every kind.
    pub const ALL: [FindingId; 58] = [
        FindingId::KernelPanic,
        FindingId::MissingStartup,
        FindingId::MissingInit,
        FindingId::OutOfBounds,
        FindingId::Misaligned,
        FindingId::NoSuchBuffer,
        FindingId::NoSuchArgument,
        FindingId::NotModelled,
        FindingId::CycleLimit,
        FindingId::Livelock,
        FindingId::EndlessLoop,
        FindingId::UnstableOutput,
        FindingId::KernelCrash,
        FindingId::AssertFailed,
        FindingId::Deadlock,
        FindingId::CircularWait,
        FindingId::StarvedWait,
        FindingId::MissingPush,
        FindingId::MissingPop,
        FindingId::LeftoverPages,
        FindingId::UnflushedAtExit,
        FindingId::StaleAccumulation,
        FindingId::NestedAcquire,
        FindingId::DstOutsideSection,
        FindingId::DstCapacity,
        FindingId::UnawaitedRead,
        FindingId::OverwrittenInFlight,
        FindingId::ReadBeforeLanding,
        FindingId::DataBeforeCredit,
        FindingId::ConflictingAccess,
        FindingId::LostUpdate,
        FindingId::SkippableWait,
        FindingId::UninitialisedPage,
        FindingId::StaleLap,
        FindingId::UninitialisedL1,
        FindingId::UninitialisedDst,
        FindingId::PaddingInOutput,
        FindingId::UnwrittenOutput,
        FindingId::UninitialisedBranch,
        FindingId::UninitialisedSemaphore,
        FindingId::LostContribution,
        FindingId::BeyondBound,
        FindingId::OutputPadding,
        FindingId::LostOnRelease,
        FindingId::UnreleasedSection,
        FindingId::UnpackFormat,
        FindingId::AluFormat,
        FindingId::PackFormat,
        FindingId::WrongInit,
        FindingId::RepeatedStartup,
        FindingId::PageSize,
        FindingId::OutsideTensor,
        FindingId::OutsideWindow,
        FindingId::OverReserve,
        FindingId::OverPush,
        FindingId::OverPop,
        FindingId::StraddlesEnd,
        FindingId::L1Budget,
    ];

    /// The name that people type.
    pub fn name(self) -> &'static str {
        match self {
            FindingId::KernelPanic => "kernel-panic",
            FindingId::MissingStartup => "missing-startup",
            FindingId::MissingInit => "missing-init",
            FindingId::OutOfBounds => "out-of-bounds",
            FindingId::Misaligned => "misaligned",
            FindingId::NoSuchBuffer => "no-such-buffer",
            FindingId::NoSuchArgument => "no-such-argument",
            FindingId::NotModelled => "not-modelled",
            FindingId::CycleLimit => "cycle-limit",
            FindingId::Livelock => "livelock",
            FindingId::EndlessLoop => "endless-loop",
            FindingId::UnstableOutput => "unstable-output",
            FindingId::KernelCrash => "kernel-crash",
            FindingId::AssertFailed => "assert-failed",
            FindingId::Deadlock => "deadlock",
            FindingId::CircularWait => "circular-wait",
            FindingId::StarvedWait => "starved-wait",
            FindingId::MissingPush => "missing-push",
            FindingId::MissingPop => "missing-pop",
            FindingId::LeftoverPages => "leftover-pages",
            FindingId::UnflushedAtExit => "unflushed-at-exit",
            FindingId::StaleAccumulation => "stale-accumulation",
            FindingId::NestedAcquire => "nested-acquire",
            FindingId::DstOutsideSection => "dst-outside-section",
            FindingId::DstCapacity => "dst-capacity",
            FindingId::UnawaitedRead => "unawaited-read",
            FindingId::OverwrittenInFlight => "overwritten-in-flight",
            FindingId::ReadBeforeLanding => "read-before-landing",
            FindingId::DataBeforeCredit => "data-before-credit",
            FindingId::ConflictingAccess => "conflicting-access",
            FindingId::LostUpdate => "lost-update",
            FindingId::SkippableWait => "skippable-wait",
            FindingId::UninitialisedPage => "uninitialised-page",
            FindingId::StaleLap => "stale-lap",
            FindingId::UninitialisedL1 => "uninitialised-l1",
            FindingId::UninitialisedDst => "uninitialised-dst",
            FindingId::PaddingInOutput => "padding-in-output",
            FindingId::UnwrittenOutput => "unwritten-output",
            FindingId::UninitialisedBranch => "uninitialised-branch",
            FindingId::UninitialisedSemaphore => "uninitialised-semaphore",
            FindingId::LostContribution => "lost-contribution",
            FindingId::BeyondBound => "beyond-bound",
            FindingId::OutputPadding => "output-padding",
            FindingId::LostOnRelease => "lost-on-release",
            FindingId::UnreleasedSection => "unreleased-section",
            FindingId::UnpackFormat => "unpack-format",
            FindingId::AluFormat => "alu-format",
            FindingId::PackFormat => "pack-format",
            FindingId::WrongInit => "wrong-init",
            FindingId::RepeatedStartup => "repeated-startup",
            FindingId::PageSize => "page-size",
            FindingId::OutsideTensor => "outside-tensor",
            FindingId::OutsideWindow => "outside-window",
            FindingId::OverReserve => "over-reserve",
            FindingId::OverPush => "over-push",
            FindingId::OverPop => "over-pop",
            FindingId::StraddlesEnd => "straddles-end",
            FindingId::L1Budget => "l1-budget",
        }
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<FindingId> {
        FindingId::ALL.into_iter().find(|id| id.name() == name)
    }

    /// Whose fault such a finding is, unless what triggers it says otherwise.
    pub fn blame(self) -> Blame {
        match self {
            FindingId::KernelPanic
            | FindingId::MissingStartup
            | FindingId::MissingInit
            | FindingId::OutOfBounds
            | FindingId::Misaligned
            | FindingId::NoSuchBuffer
            | FindingId::CycleLimit
            | FindingId::Livelock
            | FindingId::EndlessLoop
            | FindingId::UnstableOutput
            | FindingId::KernelCrash
            | FindingId::AssertFailed
            | FindingId::Deadlock
            | FindingId::CircularWait
            | FindingId::StarvedWait
            | FindingId::MissingPush
            | FindingId::MissingPop
            | FindingId::LeftoverPages
            | FindingId::UnflushedAtExit
            | FindingId::StaleAccumulation
            | FindingId::NestedAcquire
            | FindingId::DstOutsideSection
            | FindingId::DstCapacity
            | FindingId::UnawaitedRead
            | FindingId::OverwrittenInFlight
            | FindingId::ReadBeforeLanding
            | FindingId::DataBeforeCredit
            | FindingId::ConflictingAccess
            | FindingId::LostUpdate
            | FindingId::SkippableWait
            | FindingId::UninitialisedPage
            | FindingId::StaleLap
            | FindingId::UninitialisedL1
            | FindingId::UninitialisedDst
            | FindingId::PaddingInOutput
            | FindingId::UnwrittenOutput
            | FindingId::UninitialisedBranch
            | FindingId::UninitialisedSemaphore
            | FindingId::LostContribution
            | FindingId::BeyondBound
            | FindingId::OutputPadding
            | FindingId::LostOnRelease
            | FindingId::UnreleasedSection
            | FindingId::UnpackFormat
            | FindingId::AluFormat
            | FindingId::PackFormat
            | FindingId::WrongInit
            | FindingId::OutsideTensor
            | FindingId::RepeatedStartup
            | FindingId::OutsideWindow
            | FindingId::OverReserve
            | FindingId::OverPush
            | FindingId::OverPop
            | FindingId::StraddlesEnd => Blame::KernelBug,
            FindingId::NoSuchArgument | FindingId::PageSize | FindingId::L1Budget => Blame::HostBug,
            FindingId::NotModelled => Blame::NotModelled,
        }
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A line of source and what it has to do with a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What happened at the line, in a few words.
    pub role: String,
    /// The line.
    pub site: Site,
    /// Who was there; nobody for lines of the host.
    pub processor: Option<ProcessorId>,
}

/// More pages that may help. They are advised once a run with them has completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The rings of which one might do with more pages.
    pub rings: Vec<u8>,
    /// The fewest pages that can do.
    pub least: Option<u32>,
}

/// What a checker knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind it is.
    pub id: FindingId,
    /// Whose fault it is.
    pub blame: Blame,
    /// What happened, and to what.
    pub title: String,
    /// Lines of source, in causal order.
    pub marks: Vec<Mark>,
    /// What else is known, the proof first.
    pub facts: Vec<String>,
    /// One action that would help.
    pub help: Option<String>,
    /// On how many cores it happened in the same way.
    pub count: usize,
    /// Titles of what was found besides and only follows from this.
    pub consequences: Vec<String>,
    /// Which program it is of, where several ran one after the other.
    pub program: Option<String>,
    /// What may help and has to be tried first.
    pub remedy: Option<Remedy>,
}

impl Finding {
    /// A finding of a kind, on one core, of which nothing is told yet.
    pub(crate) fn of(id: FindingId) -> Finding {
        Finding {
            id,
            blame: id.blame(),
            title: String::new(),
            marks: Vec::new(),
            facts: Vec::new(),
            help: None,
            count: 1,
            consequences: Vec::new(),
            program: None,
            remedy: None,
        }
    }
}

/// A line as a help names it: `line 24 of compute.cpp`.
pub(crate) fn line_of(site: Site) -> String {
    if site == Site::KERNEL {
        return "the beginning of the kernel".to_owned();
    }
    let file = site.file.rsplit('/').next().unwrap_or(site.file);
    format!("line {} of {file}", site.line)
}

#[cfg(test)]
mod tests {
    use super::FindingId;

    #[test]
    fn every_name_is_read_back() {
        for id in FindingId::ALL {
            assert_eq!(FindingId::from_name(id.name()), Some(id));
        }
        assert_eq!(FindingId::from_name("deadlocks"), None);
    }
}
