//! What the tool race finds in small programs, drawn for a terminal, and what it leaves alone.

use crate::common::Rig;
use crate::small::{
    CORES, Computing, Movement, check, draw, idle, ids, is_alone, no_compute, watch,
};
use tilewright_check::Finding;
use tilewright_machine::DramAddress;
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, DataMovementPlace, L1Address, NocAddress,
    NocMode, RunOptions,
};
use tilewright_tile::DataFormat::Bfloat16;

const LEFT: CoreCoord = CoreCoord::new(0, 0);
const RIGHT: CoreCoord = CoreCoord::new(1, 0);
const TILE: u32 = 2048;

/// Two cores with `cb_in` (0) and `cb_out` (16), rings of two pages, and two semaphores. The
/// first argument of the data-movement kernels is 0 on the left core and 1 on the right one.
fn run(kernels: (Movement, Computing, Movement), options: RunOptions) -> Vec<Finding> {
    let mut rig = Rig::new();
    rig.device.machine_mut().dram_mut().grow(1 << 16);
    let builder = &mut rig.builder;
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 2));
    builder.semaphore(CORES, 0);
    builder.semaphore(CORES, 0);
    let none = CompileTimeArgs::default;
    let (reader, compute, writer) = kernels;
    let places = [DataMovementPlace::Reader, DataMovementPlace::Writer];
    for (place, kernel) in places.into_iter().zip([reader, writer]) {
        let id = builder.data_movement("movement", CORES, place, none(), kernel);
        builder.runtime_args(id, LEFT, &[0]);
        builder.runtime_args(id, RIGHT, &[1]);
    }
    rig.compute(CORES, ComputeConfig::default(), compute);
    watch(&mut rig, "race", options).report.findings()
}

fn schedules() -> impl Iterator<Item = RunOptions> {
    let seeds = (0..6).map(|seed| RunOptions { seed, ..RunOptions::default() });
    let late = (0..2).map(|seed| RunOptions { seed, noc: NocMode::Late, ..RunOptions::default() });
    seeds.chain(late)
}

/// The program has this finding alone under every schedule, drawn as stored under the first.
#[track_caller]
fn finds(name: &str, id: &str, reader: Movement, compute: Computing, writer: Movement) {
    for (turn, options) in schedules().enumerate() {
        let found = run((reader, compute, writer), options);
        assert_eq!(ids(&found), [id], "{options:?}: {found:#?}");
        let drawn = draw(&found[0]);
        if turn == 0 {
            check(name, &drawn);
        }
    }
}

#[track_caller]
fn silent(reader: Movement, compute: Computing, writer: Movement) {
    for options in schedules() {
        let found = run((reader, compute, writer), options);
        assert!(found.is_empty(), "{options:?}: {found:#?}");
    }
}

/// A page of DRAM, in a bank of its own for each core.
fn dram(k: &DataMovement<'_>, page: u64) -> NocAddress {
    let offset = page * u64::from(TILE);
    NocAddress::Dram(DramAddress { bank: k.arg(0) as u8, offset })
}

/// The same page for both cores.
fn shared_dram() -> NocAddress {
    NocAddress::Dram(DramAddress { bank: 5, offset: 0 })
}

/// Copies tiles from `cb_in` to `cb_out`.
fn copy(k: &Compute<'_>, tiles: u32) {
    k.compute_kernel_hw_startup(0, 0, 16);
    k.copy_tile_init(0);
    for _ in 0..tiles {
        k.cb_wait_front(0, 1);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(0, 1);
        k.cb_reserve_back(16, 1);
        k.tile_regs_wait();
        k.pack_tile(0, 16);
        k.tile_regs_release();
        k.cb_push_back(16, 1);
    }
}

fn read_in(k: &DataMovement<'_>, tiles: u64) {
    for tile in 0..tiles {
        k.cb_reserve_back(0, 1);
        k.noc_async_read(dram(k, tile), k.get_write_ptr(0), TILE);
        k.noc_async_read_barrier();
        k.cb_push_back(0, 1);
    }
}

fn write_out(k: &DataMovement<'_>, tiles: u64) {
    for tile in 0..tiles {
        k.cb_wait_front(16, 1);
        k.noc_async_write(k.get_read_ptr(16), dram(k, 8 + tile), TILE);
        k.noc_async_write_barrier();
        k.cb_pop_front(16, 1);
    }
}

#[test]
fn a_page_pushed_before_its_read_was_awaited() {
    let reader: Movement = |k| {
        k.cb_reserve_back(0, 1);
        k.noc_async_read(dram(k, 0), k.get_write_ptr(0), TILE);
        k.cb_push_back(0, 1);
        k.noc_async_read_barrier();
    };
    finds("unawaited-read", "unawaited-read", reader, |k| copy(k, 1), |k| write_out(k, 1));
    silent(|k| read_in(k, 4), |k| copy(k, 4), |k| write_out(k, 4));
}

/// A barrier with a transaction id covers the reads with that id, and no others.
#[test]
fn a_page_pushed_after_the_barrier_of_another_transaction() {
    let reader: Movement = |k| {
        k.cb_reserve_back(0, 2);
        let to = k.get_write_ptr(0);
        k.noc_async_read_with_trid(dram(k, 0), to, TILE, 1);
        k.noc_async_read_with_trid(dram(k, 1), to + TILE, TILE, 2);
        k.noc_async_read_barrier_with_trid(1);
        k.cb_push_back(0, 2);
        k.noc_async_read_barrier_with_trid(2);
    };
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 2), |k| write_out(k, 2));
    finds("unawaited-read-transaction", "unawaited-read", reader, compute, writer);
    let reader: Movement = |k| {
        k.cb_reserve_back(0, 2);
        let to = k.get_write_ptr(0);
        k.noc_async_read_with_trid(dram(k, 0), to, TILE, 1);
        k.noc_async_read_with_trid(dram(k, 1), to + TILE, TILE, 2);
        k.noc_async_read_barrier_with_trid(1);
        k.cb_push_back(0, 1);
        k.noc_async_read_barrier_with_trid(2);
        k.cb_push_back(0, 1);
    };
    silent(reader, compute, writer);
}

#[test]
fn a_page_popped_before_its_read_was_awaited() {
    let writer: Movement = |k| {
        k.cb_wait_front(16, 1);
        k.noc_async_read(dram(k, 3), k.get_read_ptr(16), TILE);
        k.cb_pop_front(16, 1);
        k.noc_async_read_barrier();
    };
    let (reader, compute): (Movement, Computing) = (|k| read_in(k, 1), |k| copy(k, 1));
    finds("unawaited-read-pop", "unawaited-read", reader, compute, writer);
    let writer: Movement = |k| {
        k.cb_wait_front(16, 1);
        k.noc_async_read(dram(k, 3), k.get_read_ptr(16), TILE);
        k.noc_async_read_barrier();
        k.cb_pop_front(16, 1);
    };
    silent(reader, compute, writer);
}

#[test]
fn a_page_popped_before_its_write_has_left() {
    let writer: Movement = |k| {
        for tile in 0..4 {
            k.cb_wait_front(16, 1);
            k.noc_async_write(k.get_read_ptr(16), dram(k, 8 + tile), TILE);
            k.cb_pop_front(16, 1);
        }
        k.noc_async_write_barrier();
    };
    let (reader, compute): (Movement, Computing) = (|k| read_in(k, 4), |k| copy(k, 4));
    finds("overwritten-in-flight", "overwritten-in-flight", reader, compute, writer);
    let writer: Movement = |k| {
        for tile in 0..4 {
            k.cb_wait_front(16, 1);
            k.noc_async_write(k.get_read_ptr(16), dram(k, 8 + tile), TILE);
            k.noc_async_writes_flushed();
            k.cb_pop_front(16, 1);
        }
        k.noc_async_write_barrier();
    };
    silent(reader, compute, writer);
}

/// The flush of other writes says nothing of posted ones.
#[test]
fn a_page_popped_after_the_wrong_flush() {
    let writer: Movement = |k| {
        k.cb_wait_front(16, 1);
        k.noc_async_write_posted(k.get_read_ptr(16), dram(k, 8), TILE);
        k.noc_async_writes_flushed();
        k.cb_pop_front(16, 1);
        k.noc_async_posted_writes_flushed();
    };
    let (reader, compute): (Movement, Computing) = (|k| read_in(k, 1), |k| copy(k, 1));
    finds("overwritten-in-flight-posted", "overwritten-in-flight", reader, compute, writer);
}

#[test]
fn bytes_overwritten_before_their_write_has_left() {
    let writer: Movement = |k| {
        let page = k.get_write_ptr(16);
        k.write_l1(page, TILE, |bytes| bytes.fill(1));
        k.noc_async_write(page, dram(k, 8), TILE);
        k.write_l1(page, 64, |bytes| bytes.fill(2));
        k.noc_async_write_barrier();
    };
    finds("overwritten-in-flight-store", "overwritten-in-flight", idle, no_compute, writer);
    silent(idle, no_compute, |k| {
        let page = k.get_write_ptr(16);
        k.write_l1(page, TILE, |bytes| bytes.fill(1));
        k.noc_async_write(page, dram(k, 8), 64);
        k.write_l1(page + 64, 64, |bytes| bytes.fill(2));
        k.noc_async_writes_flushed();
        k.write_l1(page, 64, |bytes| bytes.fill(2));
        k.noc_async_write_barrier();
    });
}

#[test]
fn bytes_read_before_they_have_landed() {
    let reader: Movement = |k| {
        let page = k.get_write_ptr(0);
        k.noc_async_read(dram(k, 0), page, TILE);
        k.read_l1(page, 32, |_| ());
        k.noc_async_read_barrier();
    };
    finds("read-before-landing", "read-before-landing", reader, no_compute, idle);
    silent(
        |k| {
            let page = k.get_write_ptr(0);
            k.noc_async_read(dram(k, 0), page, TILE);
            k.read_l1(page + TILE, 32, |_| ());
            k.noc_async_read_barrier();
            k.read_l1(page, 32, |_| ());
        },
        no_compute,
        idle,
    );
}

/// The second tile of a block is read over the first.
#[test]
fn two_reads_into_the_same_bytes() {
    let reader: Movement = |k| {
        k.cb_reserve_back(0, 2);
        for tile in 0..2 {
            k.noc_async_read(dram(k, tile), k.get_write_ptr(0), TILE);
        }
        k.noc_async_read_barrier();
        k.cb_push_back(0, 1);
    };
    finds(
        "conflicting-access-reads",
        "conflicting-access",
        reader,
        |k| copy(k, 1),
        |k| write_out(k, 1),
    );
}

#[test]
fn bytes_sent_on_before_they_have_landed() {
    let reader: Movement = |k| {
        let page = k.get_write_ptr(0);
        k.noc_async_read(dram(k, 0), page, TILE);
        k.noc_async_write(page, dram(k, 8), TILE);
        k.noc_async_read_barrier();
        k.noc_async_write_barrier();
    };
    finds("read-before-landing-send", "read-before-landing", reader, no_compute, idle);
}

/// The left core's reader sends a tile to the right one's, which waits for it and looks at it.
fn receive(k: &DataMovement<'_>) -> bool {
    if k.arg(0) == 0 {
        return false;
    }
    k.noc_semaphore_wait_min(k.get_semaphore(0), 1);
    k.read_l1(k.get_write_ptr(0), TILE, |_| ());
    true
}

fn send(k: &DataMovement<'_>) {
    let to = k.get_noc_addr(RIGHT, k.get_write_ptr(0));
    k.noc_async_write(k.get_write_ptr(16), to, TILE);
}

#[test]
fn a_credit_that_may_overtake_its_data() {
    let reader: Movement = |k| {
        if receive(k) {
            return;
        }
        send(k);
        k.noc_semaphore_inc_multicast(RIGHT.into(), k.get_semaphore(0), 1);
        k.noc_async_write_barrier();
        k.noc_async_atomic_barrier();
    };
    finds("data-before-credit", "data-before-credit", reader, no_compute, idle);
    let same_way: Movement = |k| {
        if receive(k) {
            return;
        }
        send(k);
        k.noc_semaphore_inc(k.get_noc_addr(RIGHT, k.get_semaphore(0)), 1);
        k.noc_async_write_barrier();
        k.noc_async_atomic_barrier();
    };
    silent(same_way, no_compute, idle);
    let awaited: Movement = |k| {
        if receive(k) {
            return;
        }
        send(k);
        k.noc_async_write_barrier();
        k.noc_semaphore_inc_multicast(RIGHT.into(), k.get_semaphore(0), 1);
        k.noc_async_atomic_barrier();
    };
    silent(awaited, no_compute, idle);
}

/// The way in which tt-metal's kernels hand tiles to many cores: receivers say that a page is free,
/// the sender waits for all of them, sends the page and then the flag, both to the rectangle.
fn hand_out(k: &DataMovement<'_>, awaits: bool, flushes: bool) {
    let (free, there) = (k.get_semaphore(0), k.get_semaphore(1));
    for tile in 0..4 {
        k.cb_reserve_back(0, 1);
        let page = k.get_write_ptr(0);
        if k.arg(0) == 1 {
            k.noc_semaphore_set(there, 0);
            k.noc_semaphore_inc(k.get_noc_addr(LEFT, free), 1);
            k.noc_semaphore_wait(there, 1);
        } else {
            k.noc_async_read(dram(k, tile), page, TILE);
            k.noc_async_read_barrier();
            if awaits {
                k.noc_semaphore_wait(free, 1);
                k.noc_semaphore_set(free, 0);
            }
            k.noc_async_write_multicast(page, CORES, page, TILE);
            k.noc_semaphore_set(there, 1);
            k.noc_semaphore_set_multicast(there, CORES, there);
            if flushes {
                k.noc_async_writes_flushed();
            }
        }
        k.cb_push_back(0, 1);
    }
    k.noc_async_write_barrier();
    k.noc_async_atomic_barrier();
}

#[test]
fn tiles_handed_to_many_cores() {
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 4), |k| write_out(k, 4));
    silent(|k| hand_out(k, true, true), compute, writer);
    let found = run((|k| hand_out(k, false, true), compute, writer), RunOptions::default());
    assert!(found.iter().any(|finding| finding.id.name() == "data-before-credit"), "{found:#?}");
}

/// The left core pushes a page and multicasts it from there to the same place of both cores; it
/// writes the page again after a barrier, or only after the bytes have left.
fn bring_back(k: &DataMovement<'_>, awaits: bool) {
    if k.arg(0) == 1 {
        return;
    }
    let page = k.get_write_ptr(0);
    k.cb_reserve_back(0, 2);
    k.write_l1(page, TILE, |bytes| bytes.fill(0));
    k.cb_push_back(0, 1);
    k.noc_async_write_multicast_loopback_src(page, CORES, page, TILE);
    k.cb_push_back(0, 1);
    match awaits {
        true => k.noc_async_write_barrier(),
        false => k.noc_async_writes_flushed(),
    }
    k.cb_reserve_back(0, 1);
    k.write_l1(page, TILE, |bytes| bytes.fill(1));
    k.cb_push_back(0, 1);
    k.noc_async_write_barrier();
}

/// A multicast that includes its sender brings bytes back to where they are: readers of the page
/// need not wait for it, but who writes the page must.
#[test]
fn bytes_that_come_back_to_where_they_are() {
    let writer: Movement = |k| {
        for _ in 0..(1 - k.arg(0)) * 3 {
            k.cb_wait_front(0, 1);
            k.read_l1(k.get_read_ptr(0), TILE, |_| {});
            k.cb_pop_front(0, 1);
        }
    };
    silent(|k| bring_back(k, true), no_compute, writer);
    let found = run((|k| bring_back(k, false), no_compute, writer), RunOptions::default());
    assert!(!found.is_empty(), "the page is written before its bytes are back");
}

/// Whoever asks for the next tile has the one before, which has then left the sender's page.
#[test]
fn a_write_that_its_receiver_has_answered_has_left() {
    let (compute, writer): (Computing, Movement) = (|k| copy(k, 4), |k| write_out(k, 4));
    silent(|k| hand_out(k, true, false), compute, writer);
    let unanswered: Movement = |k| {
        for tile in 0..4 * u64::from(k.arg(0) == 0) {
            k.cb_reserve_back(0, 1);
            let page = k.get_write_ptr(0);
            k.noc_async_read(dram(k, tile), page, TILE);
            k.noc_async_read_barrier();
            k.noc_async_write(page, k.get_noc_addr(RIGHT, page), TILE);
            k.cb_push_back(0, 1);
        }
        k.noc_async_write_barrier();
    };
    let drain: Movement = |k| {
        for _ in 0..4 * u32::from(k.arg(0) == 0) {
            k.cb_wait_front(0, 1);
            k.cb_pop_front(0, 1);
        }
    };
    let found = run((unanswered, no_compute, drain), RunOptions::default());
    assert!(found.iter().any(|finding| finding.id.name() == "overwritten-in-flight"), "{found:#?}");
}

/// Two tiles for the same page, the second once the receiver has said that it is done.
fn send_two(k: &DataMovement<'_>, awaits: bool) {
    let (there, done) = (k.get_semaphore(0), k.get_semaphore(1));
    for tile in 1..=2 {
        if k.arg(0) == 0 {
            if tile == 2 && awaits {
                k.noc_semaphore_wait_min(done, 1);
            }
            send(k);
            k.noc_semaphore_inc(k.get_noc_addr(RIGHT, there), 1);
        } else {
            k.noc_semaphore_wait_min(there, tile);
            k.read_l1(k.get_write_ptr(0), TILE, |_| ());
            k.noc_semaphore_inc(k.get_noc_addr(LEFT, done), 1);
        }
    }
    k.noc_async_write_barrier();
    k.noc_async_atomic_barrier();
}

/// Which of the two is first depends on the schedule, that there is no order does not.
#[test]
fn data_sent_before_the_receiver_has_given_credit() {
    for options in schedules() {
        let found = run((|k| send_two(k, false), no_compute, idle), options);
        assert_eq!(found.len(), 1, "{options:?}: {found:#?}");
        assert_eq!(found[0].id.name(), "data-before-credit", "{options:?}: {found:#?}");
    }
    silent(|k| send_two(k, true), no_compute, idle);
}

#[test]
fn data_sent_into_a_page_in_use() {
    let reader: Movement = |k| {
        if k.arg(0) == 1 {
            return k.read_l1(k.get_write_ptr(0), TILE, |_| ());
        }
        for _ in 0..200 {
            k.noc_semaphore_set(k.get_semaphore(1), 7);
        }
        send(k);
        k.noc_async_write_barrier();
    };
    finds("data-before-credit-sent", "data-before-credit", reader, no_compute, idle);
}

#[test]
fn a_page_read_without_waiting_for_it() {
    let reader: Movement = |k| {
        k.cb_reserve_back(0, 1);
        k.write_l1(k.get_write_ptr(0), TILE, |bytes| bytes.fill(0));
        k.cb_push_back(0, 1);
    };
    let compute: Computing = |k| {
        k.compute_kernel_hw_startup(0, 0, 16);
        k.copy_tile_init(0);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.tile_regs_commit();
        k.tile_regs_wait();
        k.tile_regs_release();
    };
    for options in schedules() {
        let found = run((reader, compute, idle), options);
        assert_eq!(found.len(), 1, "{options:?}: {found:#?}");
        assert_eq!(found[0].id.name(), "conflicting-access", "{options:?}: {found:#?}");
    }
    silent(reader, |k| copy(k, 1), |k| write_out(k, 1));
}

/// Copies the first page of `cb_in` onto itself.
fn in_place(k: &Compute<'_>, times: u32) {
    k.compute_kernel_hw_startup(0, 0, 0);
    k.copy_tile_init(0);
    k.cb_wait_front(0, 1);
    for _ in 0..times {
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.tile_regs_commit();
        k.tile_regs_wait();
        k.pack_tile(0, 0);
        k.tile_regs_release();
    }
}

/// A tile goes from unpack to math to pack, which orders what they do to L1; the next tile may be
/// unpacked before the first one is packed.
#[test]
fn a_page_packed_onto_itself() {
    let reader: Movement = |k| read_in(k, 1);
    silent(reader, |k| in_place(k, 1), idle);
    for options in schedules() {
        let found = run((reader, |k| in_place(k, 2), idle), options);
        assert_eq!(found.len(), 1, "{options:?}: {found:#?}");
        assert_eq!(found[0].id.name(), "conflicting-access", "{options:?}: {found:#?}");
    }
}

/// The bytes behind the rings, which nobody declared.
fn free_bytes(k: &DataMovement<'_>) -> L1Address {
    k.get_write_ptr(16) + 4 * TILE
}

#[test]
fn two_processors_that_write_the_same_bytes() {
    let store: Movement = |k| k.write_l1(free_bytes(k), 64, |bytes| bytes.fill(1));
    let later: Movement = |k| {
        for _ in 0..100 {
            k.noc_semaphore_set(k.get_semaphore(1), 7);
        }
        k.write_l1(free_bytes(k), 64, |bytes| bytes.fill(1));
    };
    finds("conflicting-access", "conflicting-access", store, no_compute, later);
    let signalled: Movement = |k| {
        k.write_l1(free_bytes(k), 64, |bytes| bytes.fill(1));
        k.noc_semaphore_set(k.get_semaphore(0), 1);
    };
    let awaited: Movement = |k| {
        k.noc_semaphore_wait(k.get_semaphore(0), 1);
        k.write_l1(free_bytes(k), 64, |bytes| bytes.fill(1));
    };
    silent(signalled, no_compute, awaited);
}

/// The left core writes a page of DRAM and says so; the right one reads it.
#[test]
fn a_page_of_dram_read_before_its_write_is_sure_to_be_there() {
    fn read(k: &DataMovement<'_>) {
        k.noc_semaphore_wait_min(k.get_semaphore(0), 1);
        k.noc_async_read(shared_dram(), k.get_write_ptr(0), TILE);
        k.noc_async_read_barrier();
    }
    let reader: Movement = |k| {
        if k.arg(0) == 1 {
            return read(k);
        }
        k.noc_async_write(k.get_write_ptr(16), shared_dram(), TILE);
        k.noc_semaphore_inc(k.get_noc_addr(RIGHT, k.get_semaphore(0)), 1);
        k.noc_async_write_barrier();
        k.noc_async_atomic_barrier();
    };
    finds("conflicting-access-dram", "conflicting-access", reader, no_compute, idle);
    let reader: Movement = |k| {
        if k.arg(0) == 1 {
            return read(k);
        }
        k.noc_async_write(k.get_write_ptr(16), shared_dram(), TILE);
        k.noc_async_write_barrier();
        k.noc_semaphore_inc(k.get_noc_addr(RIGHT, k.get_semaphore(0)), 1);
        k.noc_async_atomic_barrier();
    };
    silent(reader, no_compute, idle);
}

/// Whichever comes second, nothing puts it after the first.
#[test]
fn two_cores_that_write_one_page_of_dram() {
    let writer: Movement = |k| {
        k.noc_async_write(k.get_write_ptr(16), shared_dram(), TILE);
        k.noc_async_write_barrier();
    };
    for options in schedules() {
        let found = run((idle, no_compute, writer), options);
        assert_eq!(found.len(), 1, "{options:?}: {found:#?}");
        assert_eq!(found[0].id.name(), "conflicting-access");
    }
    silent(idle, no_compute, |k| {
        k.noc_async_write(k.get_write_ptr(16), dram(k, 0), TILE);
        k.noc_async_write_barrier();
    });
}

fn count(k: &DataMovement<'_>, to: CoreCoord, semaphore: u32) {
    k.noc_semaphore_inc(k.get_noc_addr(to, k.get_semaphore(semaphore)), 1);
    k.noc_async_atomic_barrier();
}

/// The right core increments on and on; the left one waits for that and sets the word back.
#[test]
fn a_word_that_is_set_while_another_core_adds_to_it() {
    let reader: Movement = |k| {
        let word = k.get_semaphore(0);
        for _ in 0..3 {
            if k.arg(0) == 1 {
                count(k, LEFT, 0);
                continue;
            }
            k.noc_semaphore_wait_min(word, 1);
            let value = k.read_l1(word, 4, |it| u32::from_le_bytes(it.try_into().expect("four")));
            k.noc_semaphore_set(word, value - 1);
        }
    };
    // In which all increments come first nothing can be lost, so that one schedule must do.
    let found = run((reader, no_compute, idle), RunOptions::default());
    is_alone(&found, ("lost-update", "lost-update"));
}

/// Waiting for all increments, setting the word back and telling that is the field's own idiom.
#[test]
fn a_word_that_is_set_back_between_rounds() {
    let reader: Movement = |k| {
        for _ in 0..3 {
            if k.arg(0) == 1 {
                count(k, LEFT, 0);
                k.noc_semaphore_wait(k.get_semaphore(1), 1);
                k.noc_semaphore_set(k.get_semaphore(1), 0);
            } else {
                k.noc_semaphore_wait(k.get_semaphore(0), 1);
                k.noc_semaphore_set(k.get_semaphore(0), 0);
                count(k, RIGHT, 1);
            }
        }
    };
    silent(reader, no_compute, idle);
}

/// Whoever has waited for its own increment may set the word.
#[test]
fn a_word_that_its_own_processor_adds_to_and_sets() {
    let reader: Movement = |k| {
        let own = if k.arg(0) == 0 { LEFT } else { RIGHT };
        k.noc_semaphore_inc(k.get_noc_addr(own, k.get_semaphore(0)), 1);
        k.noc_async_read_barrier();
        k.noc_semaphore_set(k.get_semaphore(0), 7);
        k.noc_async_atomic_barrier();
    };
    finds("lost-update-own", "lost-update", reader, no_compute, idle);
    silent(
        |k| {
            count(k, if k.arg(0) == 0 { LEFT } else { RIGHT }, 0);
            k.noc_semaphore_set(k.get_semaphore(0), 7);
        },
        no_compute,
        idle,
    );
}

/// Two sets by two processors of a core, and the same with a semaphore between them.
#[test]
fn a_word_that_two_processors_set() {
    let set: Movement = |k| k.noc_semaphore_set(k.get_semaphore(0), 3);
    finds("lost-update-two", "lost-update", set, no_compute, set);
    let first: Movement = |k| {
        k.noc_semaphore_set(k.get_semaphore(0), 3);
        k.noc_semaphore_set(k.get_semaphore(1), 1);
    };
    let second: Movement = |k| {
        k.noc_semaphore_wait(k.get_semaphore(1), 1);
        k.noc_semaphore_set(k.get_semaphore(0), 4);
    };
    silent(first, no_compute, second);
}

/// A second increment that does not wait until the first was seen.
#[test]
fn a_wait_for_an_exact_value_that_may_be_skipped() {
    let left_waits: Movement = |k| {
        if k.arg(0) == 1 {
            count(k, LEFT, 0);
            k.noc_semaphore_wait_min(k.get_semaphore(1), 1);
            count(k, LEFT, 0);
        } else {
            count(k, RIGHT, 1);
            k.noc_semaphore_wait(k.get_semaphore(0), 1);
            k.noc_semaphore_wait(k.get_semaphore(0), 2);
        }
    };
    let found = run((left_waits, no_compute, idle), RunOptions::default());
    is_alone(&found, ("skippable-wait", "skippable-wait"));
    // At least the value, or a credit after the wait.
    silent(
        |k| {
            if k.arg(0) == 1 {
                count(k, LEFT, 0);
                count(k, LEFT, 0);
            } else {
                k.noc_semaphore_wait_min(k.get_semaphore(0), 1);
                k.noc_semaphore_wait_min(k.get_semaphore(0), 2);
            }
        },
        no_compute,
        idle,
    );
    silent(
        |k| {
            if k.arg(0) == 1 {
                count(k, LEFT, 0);
                k.noc_semaphore_wait_min(k.get_semaphore(1), 1);
                count(k, LEFT, 0);
            } else {
                k.noc_semaphore_wait(k.get_semaphore(0), 1);
                count(k, RIGHT, 1);
                k.noc_semaphore_wait(k.get_semaphore(0), 2);
            }
        },
        no_compute,
        idle,
    );
}
