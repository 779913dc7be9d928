//! A core's L1 where a kernel with raw pointers can reach it: below 4 GiB, so that an address fits
//! into 32 bits, at a multiple of 2 MiB, so that its lower 21 bits are the offset.
//!
//! What lies behind the end of L1 in a slot is guarded: accessing it faults on the host.

#![allow(unsafe_code, reason = "maps memory at fixed addresses")]

use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a slot. A power of two, and more than any L1.
pub const SLOT_BYTES: usize = 2 << 20;

/// Slots are looked for from here, above where programs and their heaps usually lie.
const LOWEST: usize = 0x1000_0000;
const HIGHEST: usize = 0xffe0_0000;

/// Where the next slot is looked for first: below it, there is probably no room.
static NEXT: AtomicUsize = AtomicUsize::new(LOWEST);

/// Mapped memory of one core.
pub(crate) struct Slot {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a slot owns its memory as a `Box` would.
unsafe impl Send for Slot {}
// SAFETY: through a shared reference it is only read.
unsafe impl Sync for Slot {}

impl Slot {
    /// Maps a slot whose first `bytes` bytes are zero and accessible.
    pub(crate) fn new(bytes: usize) -> io::Result<Slot> {
        assert!(bytes <= SLOT_BYTES, "a slot holds any L1");
        let flags = libc::MAP_PRIVATE
            | libc::MAP_ANONYMOUS
            | libc::MAP_NORESERVE
            | libc::MAP_FIXED_NOREPLACE;
        let first = NEXT.load(Ordering::Relaxed);
        let places = (first..=HIGHEST).step_by(SLOT_BYTES);
        for wanted in places.chain((LOWEST..first).step_by(SLOT_BYTES)) {
            let at = ptr::without_provenance_mut(wanted);
            // SAFETY: a new mapping that replaces none.
            let found = unsafe { libc::mmap(at, SLOT_BYTES, libc::PROT_NONE, flags, -1, 0) };
            if found == libc::MAP_FAILED {
                continue;
            }
            // A kernel that does not know the flag may map elsewhere.
            if found.addr() != wanted {
                // SAFETY: the mapping just made, which nobody knows of.
                unsafe { libc::munmap(found, SLOT_BYTES) };
                continue;
            }
            let base = NonNull::new(found.cast::<u8>()).expect("a mapping is not at 0");
            let slot = Slot { base, bytes };
            // SAFETY: within the mapping just made.
            let opened =
                unsafe { libc::mprotect(found, bytes, libc::PROT_READ | libc::PROT_WRITE) };
            NEXT.store(wanted + SLOT_BYTES, Ordering::Relaxed);
            return if opened == 0 { Ok(slot) } else { Err(io::Error::last_os_error()) };
        }
        Err(io::Error::other("no room for a core's L1 below 4 GiB"))
    }

    /// The first byte's address.
    pub(crate) fn base(&self) -> u32 {
        self.base.addr().get() as u32
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: mapped and readable as long as the slot lives; kernels that write through raw
        // pointers run only while nobody holds a reference.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.bytes) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the reference is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.bytes) }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: the slot's own mapping, which nobody can reach any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), SLOT_BYTES) };
        NEXT.fetch_min(self.base.addr().get(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{SLOT_BYTES, Slot};

    #[test]
    fn slots_lie_below_4_gib_at_multiples_of_their_size() {
        let mut slots: Vec<Slot> = (0..3).map(|_| Slot::new(1 << 20).expect("room")).collect();
        let bases: Vec<u32> = slots.iter().map(Slot::base).collect();
        assert!(bases.iter().all(|base| (*base as usize).is_multiple_of(SLOT_BYTES)));
        assert!(bases[0] != bases[1] && bases[1] != bases[2] && bases[0] != bases[2]);
        slots[0].bytes_mut()[7] = 9;
        assert_eq!((slots[0].bytes()[7], slots[1].bytes()[7]), (9, 0));
    }
}
