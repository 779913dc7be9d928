//! Findings: what is wrong, where, and whose fault it is.
//!
//! Data only. How it looks is `report`'s business.

use std::fmt;

use tilewright_machine::{ProcessorId, Site};

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The program's.
    KernelBug,
    /// The program may be right; the simulator does not model what it does.
    NotModelled,
    /// The simulator's.
    SimulatorBug,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::KernelBug => "kernel bug",
            Verdict::NotModelled => "not modelled",
            Verdict::SimulatorBug => "simulator bug",
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
    /// A C++ kernel did what ends a process.
    KernelCrash,
    /// A C++ kernel runs without end.
    EndlessLoop,
    /// What a kernel asserts does not hold.
    AssertFailed,
    /// Nobody can move any more.
    Deadlock,
    /// Processors wait for each other.
    CircularWait,
    /// A wait that nobody is left to end.
    StarvedWait,
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
}

impl FindingId {
    /// Every kind.
    pub const ALL: [FindingId; 21] = [
        FindingId::KernelPanic,
        FindingId::MissingStartup,
        FindingId::MissingInit,
        FindingId::OutOfBounds,
        FindingId::Misaligned,
        FindingId::NoSuchBuffer,
        FindingId::NoSuchArgument,
        FindingId::NotModelled,
        FindingId::CycleLimit,
        FindingId::KernelCrash,
        FindingId::EndlessLoop,
        FindingId::AssertFailed,
        FindingId::Deadlock,
        FindingId::CircularWait,
        FindingId::StarvedWait,
        FindingId::LeftoverPages,
        FindingId::UnflushedAtExit,
        FindingId::StaleAccumulation,
        FindingId::NestedAcquire,
        FindingId::DstOutsideSection,
        FindingId::DstCapacity,
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
            FindingId::KernelCrash => "kernel-crash",
            FindingId::EndlessLoop => "endless-loop",
            FindingId::AssertFailed => "assert-failed",
            FindingId::Deadlock => "deadlock",
            FindingId::CircularWait => "circular-wait",
            FindingId::StarvedWait => "starved-wait",
            FindingId::LeftoverPages => "leftover-pages",
            FindingId::UnflushedAtExit => "unflushed-at-exit",
            FindingId::StaleAccumulation => "stale-accumulation",
            FindingId::NestedAcquire => "nested-acquire",
            FindingId::DstOutsideSection => "dst-outside-section",
            FindingId::DstCapacity => "dst-capacity",
        }
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<FindingId> {
        FindingId::ALL.into_iter().find(|id| id.name() == name)
    }

    /// Whose fault such a finding is.
    pub fn verdict(self) -> Verdict {
        match self {
            FindingId::KernelPanic
            | FindingId::MissingStartup
            | FindingId::MissingInit
            | FindingId::OutOfBounds
            | FindingId::Misaligned
            | FindingId::NoSuchBuffer
            | FindingId::NoSuchArgument
            | FindingId::CycleLimit
            | FindingId::KernelCrash
            | FindingId::EndlessLoop
            | FindingId::AssertFailed
            | FindingId::Deadlock
            | FindingId::CircularWait
            | FindingId::StarvedWait
            | FindingId::LeftoverPages
            | FindingId::UnflushedAtExit
            | FindingId::StaleAccumulation
            | FindingId::NestedAcquire
            | FindingId::DstOutsideSection
            | FindingId::DstCapacity => Verdict::KernelBug,
            FindingId::NotModelled => Verdict::NotModelled,
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

/// What a checker knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind it is.
    pub id: FindingId,
    /// Whose fault it is.
    pub verdict: Verdict,
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
