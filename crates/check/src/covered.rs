//! Which transfers a barrier waits for, and how far.
//!
//! Until a barrier of its own processor has covered it, nothing but luck says that a transfer has
//! ended. Knows calls alone: whether a transfer happens to be complete does not matter here.

use tilewright_machine::{Barrier, Channel, NocId};

/// What a processor asks of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TransferKind {
    /// Bytes from elsewhere.
    Read,
    /// Bytes to elsewhere. A posted write is not acknowledged.
    Write { posted: bool },
    /// An addition to a word elsewhere.
    Atomic,
}

/// How much of a transfer a barrier waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Covered {
    /// Its bytes have left L1.
    Departure,
    /// It has landed, or was acknowledged.
    Whole,
}

/// A barrier, from its event.
#[derive(Clone, Copy)]
pub(crate) struct Passed {
    pub(crate) noc: NocId,
    pub(crate) barrier: Barrier,
    pub(crate) transaction: Option<u8>,
}

impl Passed {
    /// How much of a transfer of the same processor it has waited for. Barriers with a transaction
    /// id read counters that kinds share (NoC/Counters.md).
    pub(crate) fn covers(self, kind: TransferKind, channel: Channel) -> Option<Covered> {
        let is_same = |id: u8| id & 15 == channel.transaction & 15;
        if self.noc != channel.noc || !self.transaction.is_none_or(is_same) {
            return None;
        }
        let is_posted = kind == TransferKind::Write { posted: true };
        let is_acknowledged = kind == TransferKind::Write { posted: false };
        let (is_covered, covered) = match (self.barrier, self.transaction) {
            (Barrier::Reads | Barrier::Writes | Barrier::Atomics, Some(_)) => {
                (!is_posted, Covered::Whole)
            }
            (Barrier::WritesDeparted | Barrier::PostedWritesDeparted, Some(_)) => {
                (is_posted || is_acknowledged, Covered::Departure)
            }
            (Barrier::Reads, None) => (kind == TransferKind::Read, Covered::Whole),
            (Barrier::Writes, None) => (is_acknowledged, Covered::Whole),
            (Barrier::Atomics, None) => (kind == TransferKind::Atomic, Covered::Whole),
            (Barrier::WritesDeparted, None) => (is_acknowledged, Covered::Departure),
            (Barrier::PostedWritesDeparted, None) => (is_posted, Covered::Departure),
        };
        is_covered.then_some(covered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransferKind::{Atomic, Read};

    const WRITE: TransferKind = TransferKind::Write { posted: false };
    const POSTED: TransferKind = TransferKind::Write { posted: true };

    #[track_caller]
    fn check(barrier: Barrier, transaction: Option<u8>, expected: [Option<Covered>; 4]) {
        let channel = Channel { noc: NocId::Zero, transaction: 3 };
        let passed = Passed { noc: NocId::Zero, barrier, transaction };
        assert_eq!(
            [Read, WRITE, POSTED, Atomic].map(|kind| passed.covers(kind, channel)),
            expected
        );
        let other = Passed { noc: NocId::One, ..passed };
        assert!(
            [Read, WRITE, POSTED, Atomic].iter().all(|it| other.covers(*it, channel).is_none())
        );
    }

    #[test]
    fn a_barrier_covers_what_its_counters_count() {
        let (whole, departure) = (Some(Covered::Whole), Some(Covered::Departure));
        check(Barrier::Reads, None, [whole, None, None, None]);
        check(Barrier::Writes, None, [None, whole, None, None]);
        check(Barrier::WritesDeparted, None, [None, departure, None, None]);
        check(Barrier::PostedWritesDeparted, None, [None, None, departure, None]);
        check(Barrier::Atomics, None, [None, None, None, whole]);
        check(Barrier::Writes, Some(3), [whole, whole, None, whole]);
        check(Barrier::WritesDeparted, Some(19), [None, departure, departure, None]);
        check(Barrier::Writes, Some(4), [None; 4]);
    }
}
