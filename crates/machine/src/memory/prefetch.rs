//! A hint to the host's caches. It changes no value and reads none.

use std::mem::MaybeUninit;
#[cfg(target_arch = "x86_64")]
use std::ops::Range;

/// Asks for bytes that will be read soon.
pub(super) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    each_line::<{ std::arch::x86_64::_MM_HINT_T1 }>(bytes.as_ptr_range());
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Asks for the place of bytes that will be written soon.
pub(crate) fn prefetch_place(place: &[MaybeUninit<u8>]) {
    #[cfg(target_arch = "x86_64")]
    {
        let Range { start, end } = place.as_ptr_range();
        each_line::<{ std::arch::x86_64::_MM_HINT_ET0 }>(start.cast()..end.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Gives a hint for each cache line of a range.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code, reason = "the instruction takes a raw pointer")]
fn each_line<const HINT: i32>(Range { start, end }: Range<*const u8>) {
    const LINE: usize = 64;
    for line in (start.addr() & !(LINE - 1)..end.addr()).step_by(LINE) {
        let line = start.with_addr(line).cast();
        // SAFETY: a prefetch never faults and accesses no value, whatever the address.
        unsafe { std::arch::x86_64::_mm_prefetch::<HINT>(line) };
    }
}
