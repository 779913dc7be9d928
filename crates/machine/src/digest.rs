//! Fingerprints of runs: equal runs have equal digests.
//!
//! What happens often is packed into few words before it is mixed in; everything else is hashed
//! field by field. Source positions stay out: moving a line changes no run.

use std::hash::{Hash, Hasher};

use crate::config::{MathOperation, UnpackOperation};
use crate::dst::DstUse;
use crate::event::EventKind;
use crate::processor::Processor;
use crate::tensix::CbTile;
use crate::units::{CbId, Cycle, L1Address};

/// A running fingerprint of a core's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub u64);

impl Digest {
    pub(crate) const EMPTY: Digest = Digest(0x51_7c_c1_b7_27_22_0a_95);

    /// Adds an event of a processor. Inlined, so that it need not ask what kind of event it is.
    #[inline(always)]
    pub(crate) fn add(&mut self, cycle: Cycle, processor: Processor, kind: &EventKind) {
        let mut mixer = Mixer(cycle.0);
        mix(&mut mixer, u64::from(processor as u8), kind);
        self.mix(mixer.0);
    }

    /// Adds a whole core's digest, or that of the program that ran next.
    pub fn merge(&mut self, other: Digest) {
        self.mix(other.0);
    }

    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Mixes in what a processor did. The first word has the processor in its lowest byte and the kind
/// in the next, zero for kinds that are not packed.
#[inline(always)]
fn mix(mixer: &mut Mixer, processor: u64, kind: &EventKind) {
    let first = |kind: u64, rest: u64| processor | kind << 8 | rest << 16;
    match *kind {
        EventKind::Reserved { cb, pages } => mixer.word(first(1, ring(cb, pages))),
        EventKind::Pushed { cb, pages } => mixer.word(first(2, ring(cb, pages))),
        EventKind::Waited { cb, pages } => mixer.word(first(3, ring(cb, pages))),
        EventKind::Popped { cb, pages } => mixer.word(first(4, ring(cb, pages))),
        EventKind::DstAcquired => mixer.word(first(5, 0)),
        EventKind::DstCommitted => mixer.word(first(6, 0)),
        EventKind::DstWaited => mixer.word(first(7, 0)),
        EventKind::DstReleased => mixer.word(first(8, 0)),
        EventKind::Unpacked { a, b, bytes, tiles, configured, called } => {
            mixer.word(first(9, given(tiles) | given([a, b]) << 2));
            let place = |at: Option<L1Address>| u64::from(at.unwrap_or_default().0);
            mixer.word(place(a) | place(b) << 32);
            mixer.word(u64::from(bytes[0]) | u64::from(bytes[1]) << 32);
            mixer.word(tiles[0].map_or(0, tile_word));
            mixer.word(tiles[1].map_or(0, tile_word));
            mixer.word(unpack_word(configured));
            mixer.word(unpack_word(called));
        }
        EventKind::Computed { dst, configured, called } => {
            mixer.word(first(10, dst_word(dst)));
            mixer.word(u64::from(math_word(configured)) | u64::from(math_word(called)) << 32);
        }
        EventKind::Vectored { operation, reads, writes } => {
            mixer.word(first(11, given(reads) | given([writes, None]) << 2));
            mixer.word(reads[0].map_or(0, dst_word));
            mixer.word(reads[1].map_or(0, dst_word));
            mixer.word(writes.map_or(0, dst_word));
            operation.hash(mixer);
        }
        EventKind::Packed { dst, tile, to, bytes } => {
            mixer.word(first(12, dst_word(dst)));
            mixer.word(tile_word(tile));
            mixer.word(u64::from(to.0) | u64::from(bytes) << 32);
        }
        EventKind::ReadLanded { id } => mixer.word(first(13, id.0)),
        EventKind::WriteDeparted { id } => mixer.word(first(14, id.0)),
        EventKind::WriteAcknowledged { id } => mixer.word(first(15, id.0)),
        EventKind::KernelStarted
        | EventKind::KernelFinished
        | EventKind::Blocked(_)
        | EventKind::StartedUp
        | EventKind::Configured(_)
        | EventKind::Zeros { .. }
        | EventKind::PageAddressed { .. }
        | EventKind::ReadIssued { .. }
        | EventKind::WriteIssued { .. }
        | EventKind::AtomicIssued { .. }
        | EventKind::AtomicAcknowledged { .. }
        | EventKind::Arrived { .. }
        | EventKind::BarrierPassed { .. }
        | EventKind::SemaphoreSet { .. }
        | EventKind::SemaphoreWaited { .. }
        | EventKind::L1Read { .. }
        | EventKind::L1Written { .. }
        | EventKind::Printed { .. }
        | EventKind::Waypoint { .. }
        | EventKind::Zone { .. }
        | EventKind::StartupRepeated
        | EventKind::PointerMoved { .. }
        | EventKind::CoresMiscounted { .. } => {
            mixer.word(first(0, 0));
            kind.hash(mixer);
        }
    }
}

/// Which of two are there, a bit each.
#[inline(always)]
fn given<T>(of: [Option<T>; 2]) -> u64 {
    u64::from(of[0].is_some()) | u64::from(of[1].is_some()) << 1
}

#[inline(always)]
fn ring(cb: CbId, pages: u32) -> u64 {
    u64::from(cb.0) | u64::from(pages) << 8
}

#[inline(always)]
fn tile_word(tile: CbTile) -> u64 {
    u64::from(tile.cb.0) | u64::from(tile.index) << 8
}

#[inline(always)]
fn dst_word(used: DstUse) -> u64 {
    u64::from(used.index) << 8 | u64::from(used.tile.0)
}

#[inline(always)]
fn unpack_word(operation: UnpackOperation) -> u64 {
    match operation {
        UnpackOperation::One { to, transpose } => {
            1 | (to as u64) << 8 | u64::from(transpose.code()) << 16
        }
        UnpackOperation::Both => 2,
        UnpackOperation::Tilize { row_tiles } => 3 | u64::from(row_tiles) << 8,
    }
}

#[inline(always)]
fn math_word(operation: MathOperation) -> u32 {
    match operation {
        MathOperation::Copy => 1,
        MathOperation::Move => 6,
        MathOperation::Broadcast { broadcast, from } => {
            2 | (broadcast as u32) << 4 | (from as u32) << 8
        }
        MathOperation::Elementwise { op, broadcast, accumulate, reuse } => {
            let reuse = reuse.map_or(0, |source| source as u32 + 1);
            3 | (op as u32) << 4
                | (broadcast as u32) << 8
                | u32::from(accumulate) << 12
                | reuse << 16
        }
        MathOperation::Matmul { transpose, fidelity } => {
            let fidelity = fidelity.map_or(0, |fidelity| fidelity as u32 + 1);
            4 | u32::from(transpose) << 4 | fidelity << 8
        }
        MathOperation::Reduce { pool, dim } => 5 | (pool as u32) << 4 | (dim as u32) << 8,
    }
}

/// One event's words, each multiplied, xored into what is rotated for it. The products do not wait
/// for each other; fast, the same on every host, and good enough to tell runs apart.
struct Mixer(u64);

impl Mixer {
    #[inline(always)]
    fn word(&mut self, word: u64) {
        self.0 = self.0.rotate_left(23) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.word(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.word(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.word(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.word(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.word(value as u64);
    }
}
