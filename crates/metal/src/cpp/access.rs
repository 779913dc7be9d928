//! Raw accesses of a C++ kernel, as instrumented code shows them: to its core's L1, where the wall
//! clock lies too, or to where it must not reach.

use tilewright_machine::L1Address;

use super::address::{OFFSET_MASK, absent_buffer};
use super::frame::{Frame, current_at, inside};
use super::stack::RawSite;

/// `TW_CLOCK`: where kernels read the wall clock, between mailboxes and zeroes.
pub(super) const CLOCK_AT: u32 = 0x7e00;
/// A raw access. What is not L1 is the kernel's own business.
pub(super) fn touch(at: RawSite, place: usize, bytes: u64, is_write: bool) {
    let frame = current_at(at);
    let Ok(address) = u32::try_from(place) else { return };
    let (base, offset) = (address & !OFFSET_MASK, L1Address(address & OFFSET_MASK));
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    if base == frame.l1_base && is_clock(offset) && !is_write {
        inside(|frame| frame.show_clock(at));
    } else if base == frame.l1_base {
        inside(|frame| {
            let (site, blocks) = (*frame.site_of(at), frame.count());
            frame.context.touch_l1(site, offset, bytes, is_write, blocks);
        });
    } else if absent_buffer(address).is_some() {
        inside(|frame| frame.refuse_absent(*frame.site_of(at), address));
    } else if let Some(owner) = frame.owner(base) {
        inside(|frame| {
            frame.context.refuse_foreign_l1(*frame.site_of(at), owner, offset, bytes);
        });
    }
}

fn is_clock(offset: L1Address) -> bool {
    (CLOCK_AT..CLOCK_AT + 8).contains(&offset.0)
}

impl Frame<'_> {
    /// Puts the time where the kernel is about to read it: the wall clock's two registers.
    fn show_clock(&self, at: RawSite) {
        let cycle = self.context.cycle().0;
        let words = [cycle as u32, (cycle >> 32) as u32];
        self.context.place_words(*self.site_of(at), L1Address(CLOCK_AT), &words);
    }
}
