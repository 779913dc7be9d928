//! A hint to the host's caches. It changes no value and reads none.

#[cfg(target_arch = "x86_64")]
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a line of the host's caches.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Asks for bytes that will be read soon.
pub(super) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    each_line::<{ std::arch::x86_64::_MM_HINT_T1 }>(bytes.as_ptr_range());
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Asks for what an `Arc` holds, to be written soon, and for its counts, which lie in the line
/// before.
pub(super) fn prefetch_place<T>(place: &Arc<T>) {
    #[cfg(target_arch = "x86_64")]
    {
        let start = Arc::as_ptr(place).cast::<u8>();
        let range = start.wrapping_sub(LINE)..start.wrapping_add(size_of::<T>());
        each_line::<{ std::arch::x86_64::_MM_HINT_ET0 }>(range);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Gives a hint for each cache line of a range.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code, reason = "the instruction takes a raw pointer")]
fn each_line<const HINT: i32>(Range { start, end }: Range<*const u8>) {
    for line in (start.addr() & !(LINE - 1)..end.addr()).step_by(LINE) {
        let line = start.with_addr(line).cast();
        // SAFETY: a prefetch never faults and accesses no value, whatever the address.
        unsafe { std::arch::x86_64::_mm_prefetch::<HINT>(line) };
    }
}
