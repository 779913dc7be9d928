//! The calls of a kernel that led to an instruction: its own address, and those that the functions
//! on the kernel's stack return to.
//!
//! Kernels keep frame pointers, so that a function's frame begins with that of its caller and the
//! address it returns to. What libraries leave there is only followed within the kernel's stack.

#![allow(unsafe_code, reason = "reads the stack of the kernel that is being executed")]

use std::ops::Range;

/// Calls that are kept: of a deeper stack the innermost, and some of the outermost.
const KEPT: usize = 32;
const INNERMOST: usize = 24;
/// Bytes of what a frame begins with.
const FRAME_BYTES: usize = 16;

/// `tw_site`: the address behind an instruction, and the frame pointer of its function.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct RawSite {
    pub(super) pc: usize,
    pub(super) frame: usize,
}

/// Addresses behind the calls, the innermost first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    addresses: [usize; KEPT],
    count: usize,
}

impl Calls {
    /// None yet.
    pub(super) const NONE: Calls = Calls { addresses: [0; KEPT], count: 0 };

    /// Adds one that is further out.
    pub(super) fn add(&mut self, address: usize) {
        if self.count == KEPT {
            self.addresses[INNERMOST..].rotate_left(1);
            self.count -= 1;
        }
        self.addresses[self.count] = address;
        self.count += 1;
    }

    /// The innermost first.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.addresses.into_iter().take(self.count)
    }

    /// A number that tells these calls from others.
    pub(super) fn fingerprint(&self) -> u64 {
        self.iter().fold(0, fold)
    }
}

/// Where the stack is now: above are the frames of whoever called.
#[inline(always)]
pub(super) fn here() -> usize {
    let marker = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&marker)).addr()
}

/// A number that tells an instruction and the calls that led there from others.
#[inline]
pub(super) fn fingerprint(at: RawSite, stack: Range<usize>) -> u64 {
    let mut fingerprint = 0;
    walk(at, stack, |address| fingerprint = fold(fingerprint, address));
    fingerprint
}

/// An instruction and the calls that led there.
pub(super) fn calls(at: RawSite, stack: Range<usize>) -> Calls {
    let mut calls = Calls::NONE;
    walk(at, stack, |address| calls.add(address));
    calls
}

fn fold(fingerprint: u64, address: usize) -> u64 {
    (fingerprint.rotate_left(23) ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Shows every address, from the innermost. A caller's frame lies above that of who it called.
#[inline(always)]
fn walk(at: RawSite, stack: Range<usize>, mut show: impl FnMut(usize)) {
    show(at.pc);
    let Some(last) = stack.end.checked_sub(FRAME_BYTES) else { return };
    let (mut frame, mut lowest) = (at.frame, stack.start);
    // Each is above the one before, so that this ends.
    while frame >= lowest && frame <= last && frame.is_multiple_of(8) {
        let words = std::ptr::with_exposed_provenance::<usize>(frame);
        // SAFETY: two words of the stack that the kernel is executed on.
        let (outer, address) = unsafe { (*words, *words.add(1)) };
        show(address);
        (frame, lowest) = (outer, frame + FRAME_BYTES);
    }
}

#[cfg(test)]
mod tests {
    use super::{Calls, INNERMOST, KEPT, RawSite, calls, fingerprint};

    /// Frames in memory: each with the next one's place and an address.
    fn check(frames: &[(usize, usize)], expected: &[usize]) {
        let words: Vec<[usize; 2]> = frames.iter().map(|(_, back)| [0, *back]).collect();
        let mut words = words;
        let base = words.as_ptr().expose_provenance();
        for (word, (next, _)) in words.iter_mut().zip(frames) {
            word[0] = base + 16 * next;
        }
        let (at, stack) = (RawSite { pc: 7, frame: base }, base..base + 16 * frames.len());
        let found = calls(at, stack.clone());
        assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        if frames.len() < KEPT {
            assert_eq!(fingerprint(at, stack), found.fingerprint());
        }
    }

    #[test]
    fn frames_are_followed_upwards_within_the_stack() {
        check(&[(1, 8), (2, 9), (9, 10)], &[7, 8, 9, 10]);
        check(&[(1, 8), (0, 9), (2, 10)], &[7, 8, 9]);
    }

    #[test]
    fn the_outermost_calls_of_a_deep_stack_are_kept() {
        let deep: Vec<(usize, usize)> = (1..1000).map(|next| (next, next)).collect();
        let inner = [7].into_iter().chain(1..INNERMOST);
        let expected: Vec<usize> = inner.chain(1000 - (KEPT - INNERMOST)..1000).collect();
        check(&deep, &expected);
        assert_eq!(Calls::NONE.iter().count(), 0);
    }
}
