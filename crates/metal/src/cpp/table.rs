//! The functions that an object calls: `shim/tilewright/abi.h` in Rust, name by name.
//!
//! Each does what the Rust kernel API does with the same processor's part of a call, and no more.

use std::ffi::{c_char, c_void};

use tilewright_machine::{
    CbId, CbTile, Channel, EventKind, RingPointer, SemaphoreTest, Site, StopReason, Target,
    VectorOperation,
};

use tilewright_tile::sfpu::program::FunctionId;

use super::access;
use super::address::{absent, place, rectangle};
use super::codes::noc_flag::{INCLUDE_SELF, MULTICAST, POSTED};
use super::codes::{self, RawMath, RawUnpack, RawVector, RingPart, ZoneEdge};
use super::frame::{self, Frame, ask, call, inside, timed_call};
use super::mailbox;
use super::stack::RawSite;
use super::text;
use super::vector;
use crate::intern::intern;
use crate::kernel::ArgumentKind;

/// `TW_ABI_VERSION`.
pub(super) const VERSION: u32 = 10;
/// `TW_NONE`.
const NONE: u32 = u32::MAX;
const NO_MAILBOX: &str = "mailboxes of NCRISC";
/// From here on stands how many cores a kernel counts in a multicast.
const CORES_SHIFT: u32 = 8;

/// `tw_ring`.
#[repr(C)]
#[derive(Default)]
struct RawRing {
    base: u32,
    bytes: u32,
    page_bytes: u32,
    pages: u32,
    read_pointer: u32,
    write_pointer: u32,
    visible: u32,
    free: u32,
    packed: u32,
}

macro_rules! table {
    ($($name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)? $body:block)*) => {
        /// `tw_table`.
        #[repr(C)]
        pub(super) struct Table {
            version: u32,
            bytes: u32,
            $($name: extern "C-unwind" fn($($kind),*) $(-> $result)?,)*
        }

        /// The table that every object gets.
        pub(super) static TABLE: Table = Table {
            version: VERSION,
            bytes: size_of::<Table>() as u32,
            $($name,)*
        };

        /// The names, in order.
        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(extern "C-unwind" fn $name($($argument: $kind),*) $(-> $result)? $body)*
    };
}

table! {
    arg(at: RawSite, kind: u32, index: u32) -> u32 {
        ask(at, |it, site| argument(it, site, kind, index))
    }
    arg_address(at: RawSite, kind: u32, index: u32) -> u32 {
        ask(at, |it, site| {
            argument(it, site, kind, index);
            it.l1_base + it.args_at[usize::from(kind != 0)].0 + 4 * index
        })
    }
    core() -> u32 {
        let core = frame::current().id.core;
        u32::from(core.x) | u32::from(core.y) << 8
    }
    l1_base() -> u32 { frame::current().l1_base }
    cycle() -> u64 { inside(|it| it.context.cycle().0) }
    scratch() -> *mut c_void { frame::scratch().cast() }

    reserve_back(at: RawSite, cb: u32, pages: u32) {
        timed_call(at, |it, site| it.context.reserve_back(site, ring_id(it, site, cb), pages));
    }
    push_back(at: RawSite, cb: u32, pages: u32) {
        timed_call(at, |it, site| it.context.push_back(site, ring_id(it, site, cb), pages));
    }
    wait_front(at: RawSite, cb: u32, pages: u32) {
        timed_call(at, |it, site| it.context.wait_front(site, ring_id(it, site, cb), pages));
    }
    pop_front(at: RawSite, cb: u32, pages: u32) {
        timed_call(at, |it, site| it.context.pop_front(site, ring_id(it, site, cb), pages));
    }
    write_pointer(at: RawSite, cb: u32) -> u32 {
        ask(at, |it, site| pointer(it, site, cb, RingPointer::Write))
    }
    read_pointer(at: RawSite, cb: u32) -> u32 {
        ask(at, |it, site| pointer(it, site, cb, RingPointer::Read))
    }
    ring(at: RawSite, cb: u32, out: *mut RawRing) {
        let found = ask(at, |it, site| raw_ring(it, site, cb));
        text::store(out, found);
    }
    set_ring(at: RawSite, cb: u32, part: u32, value: u32) {
        call(at, |it, site| move_ring(it, site, (ring_id(it, site, cb), part), value));
    }

    noc_read(at: RawSite, noc: u32, trid: u32, from: u64, to: u32, bytes: u32) {
        timed_call(at, |it, site| {
            let to = it.local(site, to, bytes);
            let (channel, from) = (channel(it, site, noc, trid), it.remote(site, from));
            it.context.noc_read(site, channel, from, to, bytes);
        });
    }
    noc_write(
        at: RawSite, noc: u32, trid: u32, from: u32, to: u64, bytes: u32, flags: u32
    ) {
        call(at, |it, site| {
            let channel = channel(it, site, noc, trid);
            let from = it.local(site, from, bytes);
            let to = target(it, site, channel, to, flags);
            it.context.noc_write(site, channel, from, to, bytes, flags & POSTED != 0);
        });
    }
    noc_inline_write(at: RawSite, noc: u32, trid: u32, to: u64, value: u32, flags: u32) {
        timed_call(at, |it, site| {
            let channel = channel(it, site, noc, trid);
            if flags & MULTICAST != 0 {
                it.refuse(site, "an inline write to a rectangle of cores");
            }
            let to = it.remote(site, to);
            it.context.noc_inline_write(site, channel, to, value, flags & POSTED != 0);
        });
    }
    noc_increment(at: RawSite, noc: u32, trid: u32, to: u64, by: u32, flags: u32) {
        call(at, |it, site| {
            let channel = channel(it, site, noc, trid);
            let to = target(it, site, channel, to, flags);
            it.context.noc_increment(site, channel, to, by);
        });
    }
    noc_barrier(at: RawSite, noc: u32, barrier: u32, trid: u32) {
        timed_call(at, |it, site| {
            let (noc, barrier) = (codes::noc(noc), codes::barrier(barrier));
            let (noc, barrier) = (known(it, site, noc), known(it, site, barrier));
            it.context.noc_barrier(site, noc, barrier, transaction(trid));
        });
    }
    noc_under_way(at: RawSite, noc: u32, barrier: u32, trid: u32) -> u32 {
        ask(at, |it, site| {
            let (noc, barrier) = (codes::noc(noc), codes::barrier(barrier));
            let (noc, barrier) = (known(it, site, noc), known(it, site, barrier));
            it.context.transfers_under_way(site, noc, barrier, transaction(trid))
        })
    }

    page_addressed(at: u64, base: u32, page: u32) {
        frame::page_addressed(place(at), base, page);
    }

    semaphore_address(at: RawSite, id: u32) -> u32 {
        ask(at, |it, site| {
            let kind = ArgumentKind::Semaphore;
            let arguments = it.given.arguments;
            it.l1_base + arguments.positional(it.context, site, kind, id as usize)
        })
    }
    semaphore_set(at: RawSite, place: u32, value: u32) {
        timed_call(at, |it, site| it.context.semaphore_set(site, it.local(site, place, 4), value));
    }
    semaphore_wait(at: RawSite, place: u32, value: u32, at_least: u32) {
        timed_call(at, |it, site| {
            let until = match at_least {
                0 => SemaphoreTest::Equal(value),
                _ => SemaphoreTest::AtLeast(value),
            };
            it.context.semaphore_wait(site, it.local(site, place, 4), until);
        });
    }

    start_math(at: RawSite) { call(at, |it, site| it.context.start_math(site)); }
    start_pack(at: RawSite) { timed_call(at, |it, site| it.context.start_pack(site)); }
    start_up(at: RawSite) { call(at, |it, site| it.context.start_up(site)); }
    started_up(at: RawSite) { timed_call(at, |it, site| it.context.started_up(site)); }
    acquire(at: RawSite) { timed_call(at, |it, site| it.context.acquire(site)); }
    commit(at: RawSite) { timed_call(at, |it, site| it.context.commit(site)); }
    wait_commit(at: RawSite) { timed_call(at, |it, site| it.context.wait_commit(site)); }
    release(at: RawSite) { timed_call(at, |it, site| it.context.release(site)); }

    configure_unpack_formats(at: RawSite, source: u32, cb: u32) {
        call(at, |it, site| {
            let (source, formats) = (known(it, site, codes::source(source)), formats(it, site, cb));
            it.context.configure_unpack_formats(site, source, formats.unpack);
        });
    }
    configure_alu_format(at: RawSite, source: u32, cb: u32) {
        call(at, |it, site| {
            let (source, formats) = (known(it, site, codes::source(source)), formats(it, site, cb));
            it.context.configure_alu_format(site, source, formats.unpack.register);
        });
    }
    configure_pack_formats(at: RawSite, cb: u32) {
        call(at, |it, site| it.context.configure_pack_formats(site, formats(it, site, cb).pack));
    }
    configure_unpack(at: RawSite, op: RawUnpack) {
        call(at, |it, site| it.context.configure_unpack(site, known(it, site, op.operation())));
    }
    configure_math(at: RawSite, op: RawMath) {
        call(at, |it, site| it.context.configure_math(site, known(it, site, op.operation())));
    }
    configure_vector(at: RawSite, op: RawVector) {
        call(at, |it, site| it.context.configure_vector(site, known(it, site, op.operation())));
    }
    configure_pack(at: RawSite, block_tiles: u32, row_tiles: u32) {
        let mode = codes::pack_mode(block_tiles, row_tiles);
        call(at, |it, site| it.context.configure_pack(site, mode));
    }
    configure_relu(at: RawSite, relu: u32, threshold: u32) {
        call(at, |it, site| {
            it.context.configure_relu(site, known(it, site, codes::relu(relu, threshold)));
        });
    }
    configure_mask(at: RawSite, mask: u32) {
        call(at, |it, site| it.context.configure_mask(site, known(it, site, codes::mask(mask))));
    }
    configure_accumulate(at: RawSite, accumulate: u32) {
        call(at, |it, site| it.context.configure_accumulate(site, accumulate != 0));
    }

    unpack(at: RawSite, op: RawUnpack, a_cb: u32, a_tile: u32, b_cb: u32, b_tile: u32) {
        call(at, |it, site| {
            let op = known(it, site, op.operation());
            let operand = |cb: u32, index: u32| {
                (cb != NONE).then(|| CbTile { cb: ring_id(it, site, cb), index })
            };
            it.context.unpack(site, op, operand(a_cb, a_tile), operand(b_cb, b_tile));
        });
    }
    compute(at: RawSite, op: RawMath, dst: u32) {
        call(at, |it, site| it.context.compute(site, known(it, site, op.operation()), dst));
    }
    vector(at: RawSite, op: RawVector, x: u32, y: u32, out: u32) {
        timed_call(at, |it, site| match known(it, site, op.operation()) {
            VectorOperation::Unary(op) => it.context.unary(site, op, x),
            VectorOperation::Binary(op) => it.context.binary(site, op, x, y, out),
            VectorOperation::Masked(kind) => it.context.mask(site, kind, x, y),
            VectorOperation::CopyValues => it.context.copy_values(site, x, out),
            VectorOperation::Transpose => it.context.transpose_dst(site, x),
            VectorOperation::Sum(sum) => it.context.sum(site, sum, x),
            VectorOperation::Function(id) => it.context.function(site, id, &[x], out, &[]),
            VectorOperation::Code => it.refuse(site, "vector code that was not recorded"),
        });
    }
    function(at: RawSite, hash: u32, words: *const u32, tiles: u32, scalars: u32) {
        timed_call(at, |it, site| {
            let id = known(it, site, FunctionId::from_hash(hash));
            // Operand tiles, the result, scalars.
            let words = text::read_words(words, tiles + 1 + scalars);
            let (reads, rest) = words.split_at(tiles as usize);
            it.context.function(site, id, reads, rest[0], &rest[1..]);
        });
    }
    vector_lanes(at: RawSite, op: u32, a: u32, b: u32, c: u32, d: u32) -> u32 {
        vector::lanes(at, op, [a, b, c, d])
    }
    vector_instruction(at: RawSite, word: u32) { vector::instruction(at, word); }
    vector_control(at: RawSite, kind: u32, a: u32, b: u32) { vector::control(at, kind, a, b); }
    pack_tile(at: RawSite, dst: u32, cb: u32, page: u32) {
        call(at, |it, site| {
            let page = (page != NONE).then_some(page);
            it.context.pack_tile(site, dst, ring_id(it, site, cb), page);
        });
    }
    pack_untilize(at: RawSite, cb: u32, block: u32, first: u32) {
        call(at, |it, site| {
            it.context.pack_untilize(site, ring_id(it, site, cb), block, first);
        });
    }
    mailbox_write(at: RawSite, to: u32, value: u32) {
        call(at, |it, site| {
            if !mailbox::write(it.context, site, to, value) {
                it.refuse(site, NO_MAILBOX);
            }
        });
    }
    mailbox_read(at: RawSite, from: u32) -> u32 {
        call(at, |it, site| match mailbox::read(it.context, site, from) {
            Some(value) => value,
            None => it.refuse(site, NO_MAILBOX),
        })
    }

    print(at: RawSite, words: *const c_char, bytes: u64) {
        let words = text::read_bytes(words, bytes);
        // It takes no time, and is no sign of a kernel that does nothing.
        call(at, |it, site| it.printed.print(it.context, site, &words));
    }
    waypoint(at: RawSite, name: *const c_char) {
        let name = text::read(name);
        ask(at, |it, site| it.context.say(site, EventKind::Waypoint { name: intern(&name) }));
    }
    zone(at: RawSite, name: *const c_char, edge: u32) {
        let name = text::read(name);
        ask(at, |it, site| {
            let is_begin = known(it, site, codes::zone(edge)) == ZoneEdge::Begin;
            it.context.say(site, EventKind::Zone { name: intern(&name), is_begin });
        });
    }
    assert_failed(at: RawSite, condition: *const c_char) {
        let condition = text::read(condition);
        ask(at, |it, site| it.context.stop(site, StopReason::AssertFailed(condition)));
    }
    not_modelled(at: RawSite, what: *const c_char) {
        let what = text::read(what);
        ask(at, |it, site| it.refuse(site, &what));
    }

    tick() -> u32 { u32::from(frame::tick()) }
    stride(at: RawSite) { frame::stride(at); }
    l1_read(at: RawSite, place: *const c_void, bytes: u64) {
        access::touch(at, place.addr(), bytes, false);
    }
    l1_write(at: RawSite, place: *const c_void, bytes: u64) {
        access::touch(at, place.addr(), bytes, true);
    }
    threw(at: RawSite, what: *const c_char) {
        let what = format!("throws an exception: {}", text::read(what));
        inside(|it| it.context.stop(*it.site_of(at), StopReason::Crashed(what)));
    }
    ended(at: RawSite, how: *const c_char, code: i32) {
        let what = format!("calls `{}({code})`", text::read(how));
        inside(|it| it.context.stop(*it.site_of(at), StopReason::Crashed(what)));
    }
    is_unwinding() -> u32 { u32::from(std::thread::panicking()) }
}

fn argument(it: &Frame<'_>, site: Site, kind: u32, index: u32) -> u32 {
    let kind = known(it, site, codes::argument(kind));
    it.given.arguments.positional(it.context, site, kind, index as usize)
}

fn ring_id(it: &Frame<'_>, site: Site, cb: u32) -> CbId {
    let id = u8::try_from(cb).map(CbId);
    id.unwrap_or_else(|_| it.stop(site, StopReason::NoSuchBuffer(CbId(u8::MAX))))
}

/// A processor's pointer into a ring. Kernels may ask for that of a buffer which only some programs
/// have.
fn pointer(it: &Frame<'_>, site: Site, cb: u32, of: RingPointer) -> u32 {
    let id = ring_id(it, site, cb);
    let is_there = it.given.formats.get(id).is_some();
    if !is_there && id.0 < it.context.architecture(|arch| arch.circular_buffers) {
        return absent(id);
    }
    let at = match of {
        RingPointer::Read => it.context.read_pointer(site, id),
        RingPointer::Write => it.context.write_pointer(site, id),
    };
    it.l1_base + at.0
}

fn raw_ring(it: &Frame<'_>, site: Site, cb: u32) -> RawRing {
    let (base, processor) = (it.l1_base, it.context.processor());
    it.context.look_at_buffer(site, ring_id(it, site, cb), |buffer| {
        let config = buffer.config();
        RawRing {
            base: base + config.base.0,
            bytes: config.bytes(),
            page_bytes: config.page_bytes,
            pages: config.pages,
            read_pointer: base + buffer.read_pointer(processor).0,
            write_pointer: base + buffer.write_pointer(processor).0,
            visible: buffer.visible(),
            free: buffer.free(),
            packed: buffer.packed_pages(),
        }
    })
}

/// Sets a pointer, or how many pages are packed. An address may be a pointer or an offset.
fn move_ring(it: &Frame<'_>, site: Site, (cb, part): (CbId, u32), value: u32) {
    match known(it, site, codes::ring_part(part)) {
        RingPart::Pointer(pointer) => {
            it.context.move_pointer(site, cb, pointer, it.local(site, value, 0));
        }
        RingPart::Packed => it.context.set_packed_pages(site, cb, value),
    }
}

fn formats(it: &Frame<'_>, site: Site, cb: u32) -> crate::formats::BufferFormats {
    let id = ring_id(it, site, cb);
    let found = it.given.formats.get(id);
    found.unwrap_or_else(|| it.context.stop(site, StopReason::NoSuchBuffer(id)))
}

fn known<T>(it: &Frame<'_>, site: Site, code: Option<T>) -> T {
    code.unwrap_or_else(|| it.refuse(site, "a code that the interface does not have"))
}

fn channel(it: &Frame<'_>, site: Site, noc: u32, trid: u32) -> Channel {
    Channel { noc: known(it, site, codes::noc(noc)), transaction: trid as u8 }
}

fn transaction(trid: u32) -> Option<u8> {
    (trid != NONE).then_some(trid as u8)
}

fn target(it: &Frame<'_>, site: Site, channel: Channel, to: u64, flags: u32) -> Target {
    if flags & MULTICAST == 0 {
        return Target::One(it.remote(site, to));
    }
    let to = rectangle(to, channel.noc, flags & INCLUDE_SELF != 0);
    if let Target::Cores { address, .. } = to {
        it.refuse_absent(site, address.0);
    }
    let (counted, reached) = (flags >> CORES_SHIFT, to.cores(it.context.coord()));
    if counted != reached {
        it.context.say(site, EventKind::CoresMiscounted { counted, reached });
    }
    to
}

#[cfg(test)]
mod tests {
    use super::{NAMES, VERSION};
    use crate::cpp::access::CLOCK_AT;
    use crate::cpp::frame::SCRATCH_BYTES;
    use crate::cpp::headers::HEADERS;

    #[test]
    fn the_header_lists_the_same_functions_in_the_same_order() {
        let (_, abi) = HEADERS.iter().find(|(name, _)| *name == "tilewright/abi.h").expect("ours");
        let (_, table) = abi.split_once("struct tw_table {").expect("it declares the table");
        let (table, _) = table.split_once("\n};").expect("which ends");
        let names: Vec<&str> = table
            .split("(*")
            .skip(1)
            .map(|rest| rest.split(')').next().expect("a name ends"))
            .collect();
        assert_eq!(names, NAMES);
        assert!(abi.contains(&format!("#define TW_ABI_VERSION {VERSION}u")));
        assert!(abi.contains(&format!("#define TW_SCRATCH_BYTES {SCRATCH_BYTES}u")));
        assert!(abi.contains(&format!("#define TW_CLOCK {CLOCK_AT:#x}u")));
    }
}
