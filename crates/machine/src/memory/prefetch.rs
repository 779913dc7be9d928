//! A hint to the host's caches. It changes no value and reads none.

use std::mem::MaybeUninit;

/// Bytes of one of their lines.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Asks for bytes that will be read soon.
#[allow(unsafe_code, reason = "the instruction takes a raw pointer")]
pub(super) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(LINE) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a hint, which does nothing for any address, and there are bytes at this one.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Asks for the place of bytes that will be written soon.
#[allow(unsafe_code, reason = "the instruction takes a raw pointer")]
pub(crate) fn prefetch_place(place: &[MaybeUninit<u8>]) {
    #[cfg(target_arch = "x86_64")]
    for line in place.chunks(LINE) {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a hint, which does nothing for any address, and there is memory at this one.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
