//! The five processors of a core: who they are, and why one cannot step.

use std::fmt;

use crate::noc::NocId;
use crate::units::{CbId, L1Address};
use crate::{CoreCoord, Cycle, Site};

/// One of a core's five RISC-V processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Processor {
    /// Data movement 1 (NCRISC). Names the place, even when its kernel writes.
    Reader,
    /// Compute: moves tiles from L1 to SrcA and SrcB.
    Unpack,
    /// Compute: combines SrcA, SrcB and Dst.
    Math,
    /// Compute: moves tiles from Dst to L1.
    Pack,
    /// Data movement 0 (BRISC).
    Writer,
}

impl Processor {
    /// All five, in the order in which reports list them.
    pub const ALL: [Processor; 5] =
        [Processor::Reader, Processor::Unpack, Processor::Math, Processor::Pack, Processor::Writer];

    /// The word that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Processor::Reader => "reader",
            Processor::Unpack => "unpack",
            Processor::Math => "math",
            Processor::Pack => "pack",
            Processor::Writer => "writer",
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A processor of a particular core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessorId {
    /// The core.
    pub core: CoreCoord,
    /// The processor on it.
    pub processor: Processor,
}

/// The transfers a barrier waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    /// Reads whose bytes have not all landed.
    Reads,
    /// Non-posted writes not yet acknowledged.
    Writes,
    /// Non-posted writes whose bytes have not all left this core.
    WritesDeparted,
    /// Posted writes whose bytes have not all left this core.
    PostedWritesDeparted,
    /// Atomics not yet acknowledged.
    Atomics,
}

/// What ends a wait on a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SemaphoreTest {
    /// The word has exactly this value; one that has gone past it never ends the wait.
    Equal(u32),
    /// The word has at least this value.
    AtLeast(u32),
}

impl SemaphoreTest {
    /// Whether a word with this value ends the wait.
    pub fn holds(self, value: u32) -> bool {
        match self {
            SemaphoreTest::Equal(wanted) => value == wanted,
            SemaphoreTest::AtLeast(wanted) => value >= wanted,
        }
    }
}

/// The register file an operand goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceId {
    /// SrcA.
    A,
    /// SrcB.
    B,
}

/// Why a processor cannot step. Every variant names what would wake it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Waiting {
    /// A producer waits for free pages.
    ForSpace {
        /// The buffer.
        cb: CbId,
        /// How many pages it asked for.
        asked: u32,
    },
    /// A consumer waits for pages.
    ForPages {
        /// The buffer.
        cb: CbId,
        /// How many pages it asked for.
        asked: u32,
    },
    /// A barrier waits for this processor's own transfers.
    ForTransfers {
        /// The network.
        noc: NocId,
        /// Which of them.
        barrier: Barrier,
        /// Only those with this transaction id, if any.
        transaction: Option<u8>,
    },
    /// A word in L1 must reach a value.
    ForSemaphore {
        /// Where the word is.
        address: L1Address,
        /// What it must be.
        until: SemaphoreTest,
    },
    /// Math waits for a section of Dst that pack has released.
    ForDstSection,
    /// Pack waits for a section of Dst that math has committed.
    ForDstCommit,
    /// Start-up on math waits until pack has drained every committed section.
    ForDstDrained,
    /// Unpack waits for a bank that math has finished with.
    ForFreeBank(SourceId),
    /// Math waits for a bank that unpack has filled.
    ForFullBank(SourceId),
}

/// What has changed that others may have waited for, a bit each: so that only those are asked again
/// whose wait it may have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes(u64);

impl Changes {
    pub(crate) const NONE: Changes = Changes(0);
    /// Math gave a section of Dst to pack.
    pub(crate) const COMMITTED: Changes = Changes(1);
    /// Pack gave a section of Dst back, or start-up began anew.
    pub(crate) const RELEASED: Changes = Changes(2);
    /// A word of L1 was set.
    pub(crate) const MEMORY: Changes = Changes(4);
    /// A transfer did something.
    pub(crate) const TRANSFERS: Changes = Changes(8);
    pub(crate) const ALL: Changes = Changes(u64::MAX);

    /// A bank of a source was filled.
    pub(crate) fn filled(source: SourceId) -> Changes {
        Changes(16 << source as u8)
    }

    /// A bank of a source was drained.
    pub(crate) fn drained(source: SourceId) -> Changes {
        Changes(64 << source as u8)
    }

    /// Pages of a ring were pushed or popped. Rings that are 32 apart share a bit.
    pub(crate) fn ring(cb: CbId) -> Changes {
        Changes(1 << (32 + cb.0 % 32))
    }

    pub(crate) fn has_any_of(self, others: Changes) -> bool {
        self.0 & others.0 != 0
    }

    pub(crate) fn with(self, others: Changes) -> Changes {
        Changes(self.0 | others.0)
    }

    /// Those of the others that are among these.
    pub(crate) fn of(self, others: Changes) -> Changes {
        Changes(self.0 & others.0)
    }
}

impl Waiting {
    /// What may end the wait.
    pub(crate) fn ended_by(self) -> Changes {
        match self {
            Waiting::ForSpace { cb, .. } | Waiting::ForPages { cb, .. } => Changes::ring(cb),
            Waiting::ForTransfers { .. } => Changes::TRANSFERS,
            // Packers and kernels with raw pointers write to L1 without notification.
            Waiting::ForSemaphore { .. } => Changes::ALL,
            Waiting::ForDstSection | Waiting::ForDstDrained => Changes::RELEASED,
            Waiting::ForDstCommit => Changes::COMMITTED,
            Waiting::ForFreeBank(source) => Changes::drained(source),
            Waiting::ForFullBank(source) => Changes::filled(source),
        }
    }
}

/// What a processor is doing when a run ends or is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// No kernel was placed on it.
    Idle,
    /// It could take a step.
    Ready,
    /// It cannot step before something else does.
    Blocked(Waiting),
    /// Its kernel has returned.
    Finished,
}

/// A processor's state as data, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorState {
    /// Which processor.
    pub id: ProcessorId,
    /// Its clock.
    pub cycle: Cycle,
    /// What it does.
    pub activity: Activity,
    /// The last call its kernel made.
    pub site: Site,
    /// What the word holds that it waits for, if it waits for one.
    pub word: Option<u32>,
}
