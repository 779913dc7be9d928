//! What the tool memory finds in small programs, drawn for a terminal, and what it leaves alone;
//! which findings are consequences, and which are allowed.

use crate::small;
use crate::small::{
    CORES, Computing, Movement, Setup, check, drain, draw, fill, finds, idle, no_compute, run,
    silent, usual,
};
use tilewright_check::memory::l1_budget;
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{CbSpec, CoreCoord, Device, Program, ProgramBuilder, ProgramError};
use tilewright_tile::DataFormat::{Bfloat16, Float32};

const TILE: u32 = 2048;

/// Sends a page of `cb_in`, counted from the read pointer, to another core's unused L1.
fn send(k: &DataMovement<'_>, page: u32) {
    let from = k.get_read_ptr(0) + page * TILE;
    let to = k.get_noc_addr(CoreCoord::new(5, 5), from);
    k.noc_async_write(from, to, TILE);
    k.noc_async_write_barrier();
}

#[test]
fn a_page_that_was_not_waited_for() {
    let writer: Movement = |k| {
        k.cb_wait_front(0, 1);
        send(k, 1);
        k.cb_wait_front(0, 2);
        k.cb_pop_front(0, 2);
    };
    let reader: Movement = |k| fill(k, 0, 2);
    finds(("outside-window", "outside-window"), usual, reader, no_compute, writer);
    let writer: Movement = |k| {
        k.cb_wait_front(0, 1);
        send(k, 0);
        k.cb_wait_front(0, 2);
        send(k, 1);
        send(k, 0);
        k.cb_pop_front(0, 2);
    };
    silent(usual, reader, no_compute, writer);
}

#[test]
fn a_tile_that_unpack_has_not_waited_for() {
    let compute: Computing = |k| {
        k.compute_kernel_hw_startup(0, 0, 16);
        k.cb_wait_front(0, 1);
        k.tile_regs_acquire();
        k.copy_tile_init(0);
        k.copy_tile(0, 1, 0);
        small::pack(k, 16);
        k.cb_wait_front(0, 2);
    };
    let (reader, writer): (Movement, Movement) = (|k| fill(k, 0, 2), |k| drain(k, 16, 1));
    finds(("outside-window-unpack", "outside-window"), usual, reader, compute, writer);
}

#[test]
fn a_page_that_was_not_reserved() {
    let reader: Movement = |k| {
        k.cb_reserve_back(0, 1);
        k.write_l1(k.get_write_ptr(0), 2 * TILE, |bytes| bytes.fill(0));
        k.cb_push_back(0, 1);
    };
    let writer: Movement = |k| drain(k, 0, 1);
    finds(("outside-window-reserve", "outside-window"), usual, reader, no_compute, writer);
}

/// A page of one's own before its push, a ring that is only memory, a ring that is never pushed.
#[test]
fn memory_that_may_be_used() {
    let reader: Movement = |k| {
        k.cb_reserve_back(0, 1);
        k.write_l1(k.get_write_ptr(0), TILE, |bytes| bytes.fill(0));
        k.read_l1(k.get_write_ptr(0), TILE, |_| {});
        send(k, 0);
        k.cb_push_back(0, 1);
        k.write_l1(k.get_write_ptr(17) + TILE, TILE, |bytes| bytes.fill(0));
        k.cb_reserve_back(16, 1);
        k.write_l1(k.get_write_ptr(16), TILE, |bytes| bytes.fill(0));
        k.read_l1(k.get_write_ptr(16), TILE, |_| {});
    };
    silent(usual, reader, no_compute, |k| drain(k, 0, 1));
}

/// Pushes two pages of a ring of two, reads one of them, and reserves the first again.
fn read_pushed(k: &DataMovement<'_>, page: u32) {
    let base = k.get_write_ptr(0);
    k.cb_reserve_back(0, 2);
    k.write_l1(base, 2 * TILE, |bytes| bytes.fill(0));
    k.cb_push_back(0, 1);
    k.read_l1(base, TILE, |_| {});
    k.cb_push_back(0, 1);
    k.cb_reserve_back(0, 1);
    k.read_l1(base + page * TILE, TILE, |_| {});
    k.cb_push_back(0, 1);
    let to = k.get_noc_addr(CoreCoord::new(5, 5), base);
    k.noc_async_write(base, to, TILE);
    k.noc_async_write_barrier();
}

/// Who has pushed a page knows what is in it until it reserves it again.
#[test]
fn pages_that_were_pushed() {
    let writer: Movement = |k| drain(k, 0, 3);
    silent(usual, |k| read_pushed(k, 0), no_compute, writer);
    silent(usual, |k| read_pushed(k, 1), no_compute, writer);
    let ahead: Movement = |k| {
        fill(k, 0, 1);
        k.read_l1(k.get_write_ptr(0), TILE, |_| {});
    };
    let found = run(usual, ahead, no_compute, |k| drain(k, 0, 1)).findings();
    let ids: Vec<&str> = found.iter().map(|finding| finding.id.name()).collect();
    assert_eq!(ids, ["outside-window"], "{found:#?}");
}

/// Two indices over the same memory: a page held by one of them is enough.
#[test]
fn rings_that_share_memory() {
    let setup: Setup = |builder| {
        let ring = |id, name| CbSpec::tiles(id, name, Bfloat16, 2);
        builder.shared_circular_buffer(CORES, vec![ring(0, "cb_in"), ring(1, "cb_again")]);
    };
    let reader: Movement = |k| {
        fill(k, 0, 1);
        k.cb_reserve_back(1, 2);
        k.write_l1(k.get_write_ptr(1), 2 * TILE, |bytes| bytes.fill(0));
        k.cb_push_back(1, 2);
    };
    let writer: Movement = |k| {
        drain(k, 0, 1);
        drain(k, 1, 2);
    };
    silent(setup, reader, no_compute, writer);
}

/// A kernel may wait for pages by one of their rings and read them by another: the reader has
/// pushed them to that one before. Of another memory a later push says nothing about these pages.
#[test]
fn pages_that_were_waited_for_by_another_ring_of_their_memory() {
    fn both(builder: &mut ProgramBuilder, is_shared: bool) {
        let ring = |id, name| CbSpec::tiles(id, name, Bfloat16, 2);
        let (first, second) = (ring(0, "cb_in"), ring(1, "cb_again"));
        if is_shared {
            builder.shared_circular_buffer(CORES, vec![first, second]);
        } else {
            builder.circular_buffer(CORES, first);
            builder.circular_buffer(CORES, second);
        }
        builder.circular_buffer(CORES, ring(16, "cb_out"));
    }
    fn read<const WAITED: u8>(k: &Compute<'_>) {
        k.compute_kernel_hw_startup(0, 0, 16);
        k.cb_wait_front(WAITED, 2);
        k.cb_pop_front(WAITED, 2);
        k.tile_regs_acquire();
        k.copy_tile_init(0);
        k.copy_tile(0, 1, 0);
        small::pack(k, 16);
        if WAITED != 0 {
            k.cb_pop_front(0, 2);
        }
    }
    let reader: Movement = |k| {
        fill(k, 0, 2);
        k.cb_reserve_back(1, 2);
        k.cb_push_back(1, 2);
    };
    let writer: Movement = |k| drain(k, 16, 1);
    silent(|builder| both(builder, true), reader, read::<1>, writer);
    let found = run(|builder| both(builder, false), reader, read::<1>, writer).findings();
    let ids: Vec<&str> = found.iter().map(|finding| finding.id.name()).collect();
    assert!(ids.contains(&"outside-window"), "{found:#?}");
    let found = run(|builder| both(builder, true), reader, read::<0>, writer).findings();
    assert!(!found.is_empty(), "pages that were popped are not there");
}

#[test]
fn more_pages_pushed_than_reserved() {
    let reader: Movement = |k| {
        k.cb_reserve_back(0, 1);
        k.cb_push_back(0, 2);
    };
    let writer: Movement = |k| drain(k, 0, 2);
    finds(("over-push", "over-push"), usual, reader, no_compute, writer);
    silent(usual, |k| k.cb_push_back(0, 2), no_compute, writer);
}

#[test]
fn more_pages_popped_than_waited_for() {
    let writer: Movement = |k| {
        k.cb_wait_front(0, 1);
        k.cb_pop_front(0, 2);
    };
    let reader: Movement = |k| fill(k, 0, 2);
    finds(("over-pop", "over-pop"), usual, reader, no_compute, writer);
    let writer: Movement = |k| {
        k.cb_wait_front(0, 2);
        k.cb_pop_front(0, 1);
        k.cb_pop_front(0, 1);
    };
    silent(usual, reader, no_compute, writer);
}

/// The push that ends the wait gives both pages.
#[test]
fn pages_that_come_in_frames() {
    let reader: Movement = |k| {
        for _ in 0..3 {
            k.cb_reserve_back(0, 2);
            k.write_l1(k.get_write_ptr(0), 2 * TILE, |bytes| bytes.fill(0));
            k.cb_push_back(0, 2);
        }
    };
    let writer: Movement = |k| {
        for _ in 0..3 {
            k.cb_wait_front(0, 1);
            send(k, 1);
            k.cb_pop_front(0, 2);
        }
    };
    silent(usual, reader, no_compute, writer);
}

/// Pages that are held run on at the beginning of the ring, where a kernel may use them by address.
#[test]
fn pages_round_the_end() {
    let setup: Setup = |builder| {
        builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 3));
    };
    fn reader<const PAGE: u32>(k: &DataMovement<'_>) {
        let base = k.get_write_ptr(0);
        fill(k, 0, 2);
        k.cb_reserve_back(0, 2);
        for page in [2, PAGE] {
            k.write_l1(base + page * TILE, TILE, |bytes| bytes.fill(0));
        }
        k.cb_push_back(0, 1);
        k.cb_push_back(0, 1);
    }
    let writer: Movement = |k| {
        let base = k.get_read_ptr(0);
        drain(k, 0, 2);
        k.cb_wait_front(0, 2);
        for page in [2, 0] {
            k.read_l1(base + page * TILE, TILE, |_| {});
        }
        k.cb_pop_front(0, 1);
        k.cb_pop_front(0, 1);
    };
    silent(setup, reader::<0>, no_compute, writer);
    let found = run(setup, reader::<1>, no_compute, writer).findings();
    assert_eq!(found[0].id.name(), "outside-window", "page 1 is not held: {found:#?}");
}

/// What the producer pushed before something that was waited for is there, too.
#[test]
fn pages_that_another_wait_proves() {
    let setup: Setup = |builder| {
        builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_left", Bfloat16, 2));
        builder.circular_buffer(CORES, CbSpec::tiles(1, "cb_next", Bfloat16, 2));
    };
    let writer: Movement = |k| {
        drain(k, 1, 1);
        k.cb_pop_front(0, 1);
    };
    let before: Movement = |k| {
        fill(k, 0, 1);
        fill(k, 1, 1);
    };
    silent(setup, before, no_compute, writer);
    let after: Movement = |k| {
        fill(k, 1, 1);
        fill(k, 0, 1);
    };
    let found = run(setup, after, no_compute, writer).findings();
    assert_eq!(found[0].id.name(), "over-pop", "it may not be there yet: {found:#?}");
}

/// A ring that is filled and drained by one processor, popped or not, and one that is declared.
#[test]
fn scratch_rings() {
    let own: Movement = |k| {
        for _ in 0..2 {
            fill(k, 0, 1);
            k.read_l1(k.get_read_ptr(0), TILE, |_| {});
            k.cb_pop_front(0, 1);
        }
        fill(k, 16, 1);
        k.read_l1(k.get_read_ptr(16), TILE, |_| {});
    };
    silent(usual, own, no_compute, idle);
    let declared: Setup = |builder| {
        builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2).scratch());
    };
    let reader: Movement = |k| fill(k, 0, 1);
    silent(declared, reader, no_compute, |k| k.cb_pop_front(0, 1));
    let found = run(usual, reader, no_compute, |k| k.cb_pop_front(0, 1)).findings();
    assert_eq!(found[0].id.name(), "over-pop", "two processors take turns: {found:#?}");
}

/// Another ring lies behind the end, and is not the one to blame.
#[test]
fn a_block_that_runs_over_into_another_ring() {
    let setup: Setup = |builder| {
        builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 3));
        builder.circular_buffer(CORES, CbSpec::tiles(1, "cb_next", Bfloat16, 2));
    };
    let reader: Movement = |k| {
        drain(k, 1, 1);
        for _ in 0..2 {
            k.cb_reserve_back(0, 2);
            for page in 0..2 {
                k.write_l1(k.get_write_ptr(0) + page * TILE, TILE, |bytes| bytes.fill(0));
            }
            k.cb_push_back(0, 2);
        }
    };
    let writer: Movement = |k| {
        fill(k, 1, 1);
        drain(k, 0, 4);
    };
    let found = run(setup, reader, no_compute, writer).findings();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].id.name(), "straddles-end", "{found:#?}");
    assert!(found[0].title.ends_with("runs over the end of `cb_in`"), "{found:#?}");
}

/// The writer holds two blocks, which go round the end of their ring, and sends from a page behind
/// it that is its own.
#[test]
fn scratch_memory_behind_pages_that_go_round_the_end() {
    let setup: Setup = |builder| {
        builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
        builder.circular_buffer(CORES, CbSpec::tiles(1, "cb_scratch", Bfloat16, 1));
    };
    let reader: Movement = |k| fill(k, 0, 3);
    fn send_next(k: &DataMovement<'_>) {
        k.cb_wait_front(0, 1);
        k.cb_pop_front(0, 1);
        k.cb_wait_front(0, 2);
        let from = k.get_write_ptr(1);
        k.noc_async_write(from, k.get_noc_addr(CoreCoord::new(5, 5), from), TILE);
        k.noc_async_write_barrier();
        k.cb_pop_front(0, 1);
        k.cb_pop_front(0, 1);
    }
    let own: Movement = |k| {
        k.write_l1(k.get_write_ptr(1), TILE, |bytes| bytes.fill(0));
        send_next(k);
    };
    silent(setup, reader, no_compute, own);
    let found = run(setup, reader, no_compute, send_next).findings();
    assert_eq!(found[0].id.name(), "straddles-end", "nobody has written there: {found:#?}");
}

/// The wait that never ends is a consequence.
#[test]
fn more_pages_reserved_than_there_are() {
    let reader: Movement = |k| k.cb_reserve_back(0, 3);
    finds(("over-reserve", "over-reserve"), usual, reader, no_compute, idle);
    silent(usual, |k| k.cb_reserve_back(0, 2), no_compute, idle);
}

/// `cb_odd` (2) has three pages, and blocks have two.
const ODD: Setup = |builder| {
    builder.circular_buffer(CORES, CbSpec::tiles(2, "cb_odd", Bfloat16, 3));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 4));
};
const EVEN: Setup = |builder| {
    builder.circular_buffer(CORES, CbSpec::tiles(2, "cb_even", Bfloat16, 4));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 4));
};

fn block(k: &DataMovement<'_>, is_written: bool) {
    k.cb_reserve_back(2, 2);
    if is_written {
        k.write_l1(k.get_write_ptr(2), 2 * TILE, |bytes| bytes.fill(0));
    }
    k.cb_push_back(2, 2);
}

#[test]
fn a_block_that_runs_over_the_end() {
    let reader: Movement = |k| {
        block(k, true);
        block(k, true);
    };
    let writer: Movement = |k| drain(k, 2, 4);
    finds(("straddles-end", "straddles-end"), ODD, reader, no_compute, writer);
    silent(EVEN, reader, no_compute, writer);
}

#[test]
fn a_pointer_that_passes_the_end() {
    let reader: Movement = |k| {
        block(k, false);
        block(k, false);
    };
    let writer: Movement = |k| drain(k, 2, 4);
    finds(("straddles-end-push", "straddles-end"), ODD, reader, no_compute, writer);
}

#[test]
fn a_tile_that_unpack_reads_beyond_the_end() {
    let reader: Movement = |k| fill(k, 2, 4);
    let compute: Computing = |k| {
        k.compute_kernel_hw_startup(2, 2, 16);
        k.copy_tile_init(2);
        for _ in 0..2 {
            k.cb_wait_front(2, 2);
            k.tile_regs_acquire();
            k.copy_tile(2, 1, 0);
            small::pack(k, 16);
            k.cb_pop_front(2, 2);
        }
    };
    let writer: Movement = |k| drain(k, 16, 2);
    finds(("straddles-end-unpack", "straddles-end"), ODD, reader, compute, writer);
    silent(EVEN, reader, compute, writer);
}

/// A program of two buffers, if it fits: `cb_x` of 100 tiles, and `cb_rest` of so many bytes.
fn built(rest_bytes: u32) -> Result<(), ProgramError> {
    let device = Device::n150();
    let mut builder = Program::builder("large");
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_x", Float32, 100));
    builder.circular_buffer(CORES, CbSpec::pages(1, "cb_rest", Bfloat16, 16, rest_bytes / 16));
    let none = tilewright_metal::CompileTimeArgs::default();
    let place = tilewright_metal::DataMovementPlace::Reader;
    builder.data_movement("reader", CORES, place, none, idle);
    builder.build(device.architecture(), device.l1_lowest()).map(|_| ())
}

#[test]
fn buffers_that_do_not_fit() {
    let device = Device::n150();
    let mut builder = Program::builder("large");
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_x", Float32, 300));
    builder.circular_buffer(CORES, CbSpec::tiles(1, "cb_gamma", Bfloat16, 200));
    let none = tilewright_metal::CompileTimeArgs::default();
    let place = tilewright_metal::DataMovementPlace::Reader;
    builder.data_movement("reader", CORES, place, none, idle);
    let error = builder.build(device.architecture(), device.l1_lowest()).map(|_| ());
    let finding = l1_budget(&error.expect_err("more than there is")).expect("a finding");
    check("l1-budget", &draw(&finding));
}

#[test]
fn buffers_that_fit_exactly() {
    let device = Device::n150();
    let room = device.l1_lowest() - device.architecture().l1_base;
    let rest = room - 100 * Float32.tile_bytes() as u32;
    built(rest).expect("all of L1 and not a byte more");
    let error = built(rest + 16).expect_err("16 bytes more than there are");
    let finding = l1_budget(&error).expect("a finding");
    let more = room + 16;
    assert_eq!(finding.facts[0], format!("proof: {more} bytes asked, {room} there, 16 too many"));
}

fn pops_too_much(k: &DataMovement<'_>) {
    k.cb_wait_front(0, 1);
    k.cb_pop_front(0, 2);
}

#[test]
fn what_is_allowed_is_counted_and_not_listed() {
    let setup: Setup = |builder| {
        usual(builder);
        builder.allow("over-pop", "both pages are pushed at a time");
        builder.allow("over-push", "it may happen");
        builder.allow("kernel-panic", "never");
        builder.allow("over-popped", "a slip");
    };
    let report = run(setup, |k| fill(k, 0, 2), no_compute, pops_too_much);
    assert!(report.sightings.is_empty(), "{:#?}", report.sightings);
    let allowed: Vec<&str> = report.allowed.iter().map(|finding| finding.id.name()).collect();
    assert_eq!(allowed, ["over-pop"]);
    assert_eq!(
        report.notes,
        [
            "allow kernel-panic: it ends the run, and stays a finding",
            "allow over-popped: there is no such finding",
            "allow over-push (it may happen): nothing of this kind was found",
        ]
    );
}
