//! What the tools sync and dst find in small programs, drawn for a terminal, and what they leave
//! alone.

use crate::common::Rig;
use crate::small::{CORES, Computing, Movement, idle, ids, is_alone, no_compute, watch};
use tilewright_check::Finding;
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{CbSpec, CoreCoord, RunOptions};
use tilewright_tile::DataFormat::Bfloat16;

/// Two cores with `cb_in` (0) and `cb_out` (16), rings of two pages, and a semaphore.
fn run(tools: &str, reader: Movement, compute: Computing, writer: Movement) -> Vec<Finding> {
    let mut rig = Rig::new();
    let builder = &mut rig.builder;
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 2));
    builder.semaphore(CORES, 0);
    rig.kernels(CORES, reader, compute, writer);
    watch(&mut rig, tools, RunOptions::default()).report.findings()
}

/// The program has this finding alone, drawn as stored.
#[track_caller]
fn finds(name: &str, id: &str, reader: Movement, compute: Computing, writer: Movement) {
    is_alone(&run("sync,dst", reader, compute, writer), (name, id));
}

#[track_caller]
fn silent(reader: Movement, compute: Computing, writer: Movement) {
    let found = run("sync,dst", reader, compute, writer);
    assert!(found.is_empty(), "{found:#?}");
}

fn push(k: &DataMovement<'_>, pages: u32) {
    for _ in 0..pages {
        k.cb_reserve_back(0, 1);
        k.cb_push_back(0, 1);
    }
}

fn pop(k: &DataMovement<'_>, cb: u8, pages: u32) {
    for _ in 0..pages {
        k.cb_wait_front(cb, 1);
        k.cb_pop_front(cb, 1);
    }
}

fn start(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(0, 0, 16);
    k.copy_tile_init(0);
    k.cb_wait_front(0, 2);
}

fn pack(k: &Compute<'_>) {
    k.cb_reserve_back(16, 1);
    k.tile_regs_wait();
    k.pack_tile(0, 16);
    k.tile_regs_release();
    k.cb_push_back(16, 1);
}

#[test]
fn processors_that_wait_for_each_other() {
    let compute: Computing = |k| {
        k.compute_kernel_hw_startup(0, 0, 16);
        k.cb_wait_front(0, 3);
        k.cb_pop_front(0, 3);
    };
    finds("circular-wait", "circular-wait", |k| push(k, 3), compute, idle);
    let compute: Computing = |k| {
        k.cb_wait_front(0, 2);
        k.cb_pop_front(0, 2);
        k.cb_wait_front(0, 1);
        k.cb_pop_front(0, 1);
    };
    silent(|k| push(k, 3), compute, idle);
}

#[test]
fn a_wait_whose_producer_has_finished() {
    let compute: Computing = |k| {
        k.cb_wait_front(0, 1);
        k.cb_pop_front(0, 1);
        k.cb_wait_front(0, 1);
    };
    finds("starved-wait", "starved-wait", |k| push(k, 1), compute, |k| pop(k, 16, 1));
    silent(|k| push(k, 2), compute, idle);
}

#[test]
fn pages_that_are_used_and_never_popped() {
    let forgets: Movement = |k| {
        for _ in 0..3 {
            k.cb_wait_front(0, 1);
            k.read_l1(k.get_read_ptr(0), 64, |_| {});
        }
    };
    finds("missing-pop", "missing-pop", |k| push(k, 3), no_compute, forgets);
    // Looked at once, and kept.
    silent(|k| push(k, 1), no_compute, forgets);
    let pops: Movement = |k| pop(k, 0, 3);
    silent(|k| push(k, 3), no_compute, pops);
}

#[test]
fn pages_that_are_filled_and_never_pushed() {
    let forgets: Movement = |k| {
        for _ in 0..3 {
            k.cb_reserve_back(0, 1);
            k.write_l1(k.get_write_ptr(0), 64, |bytes| bytes.fill(0));
        }
    };
    finds("missing-push", "missing-push", forgets, no_compute, |k| pop(k, 0, 3));
    // Memory that nobody waits for.
    silent(forgets, no_compute, idle);
}

#[test]
fn fewer_pages_popped_than_waited_for() {
    let writer: Movement = |k| {
        for _ in 0..3 {
            k.cb_wait_front(0, 2);
            k.cb_pop_front(0, 1);
        }
    };
    let reader: Movement = |k| {
        for _ in 0..3 {
            k.cb_reserve_back(0, 2);
            k.cb_push_back(0, 2);
        }
    };
    finds("missing-pop-some", "missing-pop", reader, no_compute, writer);
    // A window of two pages that moves on by one.
    silent(|k| push(k, 4), no_compute, writer);
}

/// The second ring has not been popped yet, and who would is stuck in the first.
#[test]
fn a_cycle_through_a_ring_that_nobody_has_popped() {
    let reader: Movement = |k| {
        push(k, 1);
        k.cb_reserve_back(16, 2);
        k.cb_push_back(16, 2);
        k.cb_reserve_back(16, 1);
        k.cb_push_back(16, 1);
        push(k, 1);
    };
    let writer: Movement = |k| {
        pop(k, 0, 2);
        pop(k, 16, 3);
    };
    finds("circular-wait-unpopped", "circular-wait", reader, no_compute, writer);
    let reader: Movement = |k| {
        push(k, 2);
        for _ in 0..3 {
            k.cb_reserve_back(16, 1);
            k.cb_push_back(16, 1);
        }
    };
    silent(reader, no_compute, writer);
}

/// Its own signal is no use to who waits.
#[test]
fn a_semaphore_that_only_the_waiting_has_set() {
    let reader: Movement = |k| {
        k.noc_semaphore_set(k.get_semaphore(0), 1);
        k.noc_semaphore_wait(k.get_semaphore(0), 2);
    };
    finds("starved-wait-signal", "starved-wait", reader, no_compute, idle);
}

#[test]
fn a_wait_that_no_schedule_can_satisfy() {
    let compute: Computing = |k| k.cb_wait_front(0, 3);
    finds("starved-wait-too-many", "starved-wait", idle, compute, idle);
}

#[test]
fn a_semaphore_that_has_gone_past_its_value() {
    let reader: Movement = |k| k.noc_semaphore_set(k.get_semaphore(0), 2);
    finds("starved-wait-gone-past", "starved-wait", reader, no_compute, |k| {
        k.noc_semaphore_wait(k.get_semaphore(0), 1);
    });
    silent(reader, no_compute, |k| k.noc_semaphore_wait_min(k.get_semaphore(0), 1));
}

#[test]
fn pages_that_nobody_has_looked_at() {
    finds("leftover-pages", "leftover-pages", |k| push(k, 2), no_compute, |k| pop(k, 0, 1));
    silent(|k| push(k, 2), no_compute, |k| k.cb_wait_front(0, 2));
}

#[test]
fn a_kernel_that_returns_before_its_write_has_arrived() {
    finds("unflushed-at-exit", "unflushed-at-exit", idle, no_compute, |k| {
        let to = k.get_noc_addr(CoreCoord::new(3, 3), k.get_write_ptr(0));
        k.noc_async_write(k.get_write_ptr(0), to, 64);
    });
    silent(idle, no_compute, |k| {
        let to = k.get_noc_addr(CoreCoord::new(3, 3), k.get_write_ptr(0));
        k.noc_async_write(k.get_write_ptr(0), to, 64);
        k.noc_async_write_barrier();
    });
}

#[test]
fn a_product_onto_a_value_that_was_used() {
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.copy_tile(0, 1, 1);
        k.sub_binary_tile_init();
        k.sub_binary_tile(0, 1, 0);
        k.mul_init(0, 0);
        k.mul_tiles(0, 0, 0, 1, 1);
        k.sub_binary_tile(0, 1, 0);
        k.tile_regs_commit();
        pack(k);
    };
    finds("stale-accumulation", "stale-accumulation", |k| push(k, 2), compute, |k| pop(k, 16, 1));
}

/// A running sum, a reloaded one, and a tile that is zeroed after its value was used.
#[test]
fn sums_that_are_meant() {
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.copy_tile(0, 1, 1);
        k.sub_binary_tile_init();
        k.sub_binary_tile(0, 1, 0);
        k.fill_tile_init();
        k.fill_tile(1, 0.0);
        k.mul_init(0, 0);
        k.mul_tiles(0, 0, 0, 1, 1);
        k.mul_tiles(0, 0, 0, 1, 1);
        k.mul_tiles(0, 0, 0, 1, 0);
        k.sub_binary_tile(0, 1, 0);
        k.tile_regs_commit();
        pack(k);
    };
    silent(|k| push(k, 2), compute, |k| pop(k, 16, 1));
}

#[test]
fn a_section_inside_a_section() {
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.tile_regs_acquire();
        k.copy_tile(0, 1, 0);
        k.tile_regs_commit();
        pack(k);
        k.copy_tile(0, 1, 0);
        k.tile_regs_commit();
        pack(k);
    };
    finds("nested-acquire", "nested-acquire", |k| push(k, 2), compute, |k| pop(k, 16, 2));
    let compute: Computing = |k| {
        start(k);
        for tile in 0..2 {
            k.tile_regs_acquire();
            k.copy_tile(0, tile, 0);
            k.tile_regs_commit();
            pack(k);
        }
    };
    silent(|k| push(k, 2), compute, |k| pop(k, 16, 2));
}

#[test]
fn math_that_goes_on_after_commit() {
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.tile_regs_commit();
        k.copy_tile(0, 1, 1);
        pack(k);
    };
    let (reader, writer): (Movement, Movement) = (|k| push(k, 2), |k| pop(k, 16, 1));
    finds("dst-outside-section", "dst-outside-section", reader, compute, writer);
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.copy_tile(0, 1, 1);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0);
        k.tile_regs_commit();
        pack(k);
    };
    silent(reader, compute, writer);
}

#[test]
fn pack_that_does_not_wait() {
    let compute: Computing = |k| {
        start(k);
        k.cb_reserve_back(16, 1);
        k.pack_tile(0, 16);
        k.cb_push_back(16, 1);
    };
    let (reader, writer): (Movement, Movement) = (|k| push(k, 2), |k| pop(k, 16, 1));
    finds("dst-outside-section-pack", "dst-outside-section", reader, compute, writer);
}

#[test]
fn an_index_beyond_the_section() {
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.copy_tile(0, 1, 8);
        k.tile_regs_commit();
        pack(k);
    };
    let (reader, writer): (Movement, Movement) = (|k| push(k, 2), |k| pop(k, 16, 1));
    finds("dst-capacity", "dst-capacity", reader, compute, writer);
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.copy_tile(0, 1, 7);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 7, 0);
        k.tile_regs_commit();
        pack(k);
    };
    silent(reader, compute, writer);
}

#[test]
fn a_value_that_is_cleared_before_it_is_used() {
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.copy_tile(0, 1, 1);
        k.tile_regs_commit();
        pack(k);
    };
    let (reader, writer): (Movement, Movement) = (|k| push(k, 2), |k| pop(k, 16, 1));
    finds("lost-on-release", "lost-on-release", reader, compute, writer);
    // A scratch tile that was read, and one that holds zero.
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.copy_tile(0, 1, 1);
        k.mul_binary_tile_init();
        k.mul_binary_tile(0, 1, 0);
        k.fill_tile_init();
        k.fill_tile(2, 0.0);
        k.tile_regs_commit();
        pack(k);
    };
    silent(reader, compute, writer);
}

#[test]
fn a_section_that_is_never_released() {
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.tile_regs_commit();
        k.cb_reserve_back(16, 1);
        k.tile_regs_wait();
        k.pack_tile(0, 16);
        k.cb_push_back(16, 1);
    };
    let (reader, writer): (Movement, Movement) = (|k| push(k, 2), |k| pop(k, 16, 1));
    finds("unreleased-section", "unreleased-section", reader, compute, writer);
    // Two committed sections, which pack drains late, and nothing left in the end.
    let compute: Computing = |k| {
        start(k);
        for tile in 0..2 {
            k.tile_regs_acquire();
            k.copy_tile(0, tile, 0);
            k.tile_regs_commit();
        }
        pack(k);
        pack(k);
    };
    silent(reader, compute, |k| pop(k, 16, 2));
}

/// Packs a committed section, whatever lies between its wait and its release.
fn pack_between(k: &Compute<'_>, before: fn(&Compute<'_>)) {
    start(k);
    k.tile_regs_acquire();
    k.copy_tile(0, 0, 0);
    k.tile_regs_commit();
    k.cb_reserve_back(16, 1);
    k.tile_regs_wait();
    before(k);
    k.pack_tile(0, 16);
    k.tile_regs_release();
    k.cb_push_back(16, 1);
}

/// The counter of committed sections goes down when one is released, not when pack waits for it.
#[test]
fn a_section_that_is_waited_for_twice() {
    let (reader, writer): (Movement, Movement) = (|k| push(k, 2), |k| pop(k, 16, 1));
    silent(reader, |k| pack_between(k, |k| k.tile_regs_wait()), writer);
    let found = |before: Computing| run("sync,dst", reader, before, writer);
    let packed: Computing = |k| {
        pack_between(k, |k| {
            k.pack_tile(0, 16);
            k.tile_regs_wait();
        });
    };
    assert_eq!(ids(&found(packed)), ["unreleased-section"], "the first one is packed");
}

#[test]
fn a_section_that_is_never_committed() {
    let compute: Computing = |k| {
        start(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 0, 0);
        k.tile_regs_commit();
        pack(k);
        k.tile_regs_acquire();
        k.copy_tile(0, 1, 0);
    };
    let (reader, writer): (Movement, Movement) = (|k| push(k, 2), |k| pop(k, 16, 1));
    finds("unreleased-section-math", "unreleased-section", reader, compute, writer);
}

#[test]
fn tools_that_are_off_find_nothing() {
    let (reader, writer): (Movement, Movement) = (|k| push(k, 2), |k| pop(k, 0, 1));
    assert!(run("dst", reader, no_compute, writer).is_empty());
    assert!(run("none", reader, no_compute, writer).is_empty());
    let found = run("dst", idle, |k| k.cb_wait_front(0, 1), idle);
    assert_eq!(found[0].id.name(), "deadlock");
}

/// Reads, writes and atomics have barriers of their own; that of another kind is none.
#[test]
fn every_kind_of_transfer_is_missed_at_the_end() {
    let readers: [Movement; 3] = [
        |k| {
            let from = k.get_noc_addr(CoreCoord::new(3, 3), k.get_write_ptr(0));
            k.noc_async_read(from, k.get_write_ptr(0), 64);
            k.noc_async_write_barrier();
        },
        |k| {
            let to = k.get_noc_addr(CoreCoord::new(1, 0), k.get_semaphore(0));
            k.noc_semaphore_inc(to, 1);
            k.noc_async_write_barrier();
        },
        |k| {
            let to = k.get_noc_addr(CoreCoord::new(3, 3), k.get_write_ptr(0));
            k.noc_async_write(k.get_write_ptr(0), to, 64);
            k.noc_async_read_barrier();
        },
    ];
    for (reader, kind) in readers.into_iter().zip(["1 read", "1 atomic", "1 write"]) {
        let found = run("sync", reader, no_compute, idle);
        assert_eq!(found[0].id.name(), "unflushed-at-exit", "{found:#?}");
        assert!(
            found[0].title.ends_with(&format!("returns with {kind} that nobody awaits")),
            "{found:#?}"
        );
    }
    silent(
        |k| {
            let to = k.get_noc_addr(CoreCoord::new(1, 0), k.get_semaphore(0));
            k.noc_semaphore_inc(to, 1);
            k.noc_async_atomic_barrier();
        },
        no_compute,
        idle,
    );
}
