//! Transfers: when bytes land, what barriers wait for, what order requests keep, and where they
//! may go.

use crate::common::{Notes, ORIGIN, Rig, SCRATCH, completed, late, reason, scratch_of, seed};
use tilewright_machine::{
    Barrier, Channel, DramAddress, EventKind, L1Address, NocAddress, NocId, Processor, RunOptions,
    StopReason, Target,
};
use tilewright_metal::api::DataMovement;
use tilewright_metal::{
    CompileTimeArgs, CoreCoord, CoreRange, DataMovementPlace, Storage, TensorAccessorArgs,
};

const NEAR: CoreCoord = CoreCoord::new(1, 0);
const FAR: CoreCoord = CoreCoord::new(5, 6);

fn byte_at(ctx: &DataMovement<'_>, offset: u32) -> u32 {
    ctx.read_l1(SCRATCH + offset, 1, |bytes| u32::from(bytes[0]))
}

fn fill(ctx: &DataMovement<'_>, offset: u32, bytes: u32, value: u8) {
    ctx.write_l1(SCRATCH + offset, bytes, |place| place.fill(value));
}

/// The modes and seeds under which a right program must give the same values.
fn schedules(seeds: u64) -> impl Iterator<Item = RunOptions> {
    (0..seeds).flat_map(|number| [seed(number), late(number)])
}

#[test]
fn bytes_land_when_a_read_completes_and_not_before() {
    for options in schedules(8) {
        let (mut rig, notes) = (Rig::new(), Notes::default());
        rig.fill(FAR, 0, 64, 2);
        rig.fill(ORIGIN, 64, 64, 1);
        let said = notes.clone();
        rig.reader(ORIGIN, move |ctx| {
            ctx.noc_async_read(scratch_of(FAR, 0), SCRATCH + 64, 64);
            said.say(byte_at(ctx, 64));
            ctx.noc_async_read_barrier();
            said.say(byte_at(ctx, 64));
        });
        completed(&rig.run(options));
        assert_eq!(notes.said(), [1, 2], "{options:?}");
    }
}

/// Also for the first request of a run, before which windows are long.
#[test]
fn a_request_is_acknowledged_after_it_has_arrived() {
    for options in schedules(8) {
        let mut rig = Rig::new();
        rig.writer(ORIGIN, |ctx| {
            ctx.noc_async_write(SCRATCH, scratch_of(FAR, 0), 64);
            ctx.noc_async_write_barrier();
            ctx.noc_semaphore_inc(scratch_of(NEAR, 0), 1);
            ctx.noc_async_atomic_barrier();
        });
        let (outcome, log) = rig.log(options);
        completed(&outcome);
        let at = |core| {
            log.first(
                "an arrival",
                |kind| matches!(kind, EventKind::Arrived { core: reached, .. } if *reached == core),
            )
        };
        let acknowledged = |kind: &EventKind| matches!(kind, EventKind::WriteAcknowledged { .. });
        assert!(at(FAR) < log.first("an acknowledgement", acknowledged), "{options:?}");
        let acknowledged = |kind: &EventKind| matches!(kind, EventKind::AtomicAcknowledged { .. });
        assert!(at(NEAR) < log.first("an acknowledgement", acknowledged), "{options:?}");
    }
}

#[test]
fn idle_cores_are_read_and_written() {
    let mut rig = Rig::new();
    rig.fill(FAR, 0, 64, 9);
    rig.reader(ORIGIN, |ctx| {
        ctx.noc_async_read(scratch_of(FAR, 0), SCRATCH, 64);
        ctx.noc_async_read_barrier();
        ctx.noc_async_write(SCRATCH, scratch_of(FAR, 64), 64);
        ctx.noc_inline_dw_write(scratch_of(FAR, 128), 0x0102_0304);
        ctx.noc_semaphore_inc(scratch_of(FAR, 128), 0x10);
        ctx.noc_async_full_barrier();
    });
    completed(&rig.run(seed(3)));
    assert_eq!(rig.bytes(FAR, 64, 64), [9; 64]);
    assert_eq!(rig.word(FAR, 128), 0x0102_0314);
}

/// Which transfers a barrier waits for. Under late landing, one that waits for none of them passes
/// before any has landed.
#[track_caller]
fn check_barrier(
    issue: impl Fn(&DataMovement<'_>) + Send + Sync + 'static,
    barrier: impl Fn(&DataMovement<'_>) + Send + Sync + 'static,
    ends: impl Fn(&EventKind) -> bool,
    waits: bool,
) {
    let mut rig = Rig::new();
    rig.reader(ORIGIN, move |ctx| {
        issue(ctx);
        barrier(ctx);
    });
    let (outcome, log) = rig.log(late(1));
    completed(&outcome);
    let passed = log.first("the barrier", |kind| matches!(kind, EventKind::BarrierPassed { .. }));
    let ended = log.first("the end of the transfer", ends);
    assert_eq!(ended < passed, waits, "the barrier waits: {waits}");
}

type Call = fn(&DataMovement<'_>);
type Ends = fn(&EventKind) -> bool;

/// Each transfer with the event that ends it, and the barriers that wait for that.
const TRANSFERS: [(Call, Ends, [bool; 5]); 4] = [
    (
        |ctx| ctx.noc_async_read(scratch_of(FAR, 0), SCRATCH, 64),
        |kind| matches!(kind, EventKind::ReadLanded { .. }),
        [true, false, false, false, false],
    ),
    (
        |ctx| ctx.noc_async_write(SCRATCH, scratch_of(FAR, 0), 64),
        |kind| matches!(kind, EventKind::WriteAcknowledged { .. }),
        [false, true, false, false, false],
    ),
    (
        |ctx| ctx.noc_async_write_posted(SCRATCH, scratch_of(FAR, 0), 64),
        |kind| matches!(kind, EventKind::WriteDeparted { .. }),
        [false, false, false, true, false],
    ),
    (
        |ctx| ctx.noc_semaphore_inc(scratch_of(FAR, 0), 1),
        |kind| matches!(kind, EventKind::AtomicAcknowledged { .. }),
        [false, false, false, false, true],
    ),
];

const BARRIERS: [Call; 5] = [
    |ctx| ctx.noc_async_read_barrier(),
    |ctx| ctx.noc_async_write_barrier(),
    |ctx| ctx.noc_async_writes_flushed(),
    |ctx| ctx.noc_async_posted_writes_flushed(),
    |ctx| ctx.noc_async_atomic_barrier(),
];

#[test]
fn every_kind_of_transfer_has_a_counter_of_its_own() {
    for (issue, ends, waits) in TRANSFERS {
        for (barrier, waits) in BARRIERS.into_iter().zip(waits) {
            check_barrier(issue, barrier, ends, waits);
        }
    }
    let departed: Ends = |kind| matches!(kind, EventKind::WriteDeparted { .. });
    check_barrier(TRANSFERS[1].0, BARRIERS[2], departed, true);
    check_barrier(TRANSFERS[1].0, BARRIERS[3], departed, false);
    check_barrier(TRANSFERS[2].0, BARRIERS[1], departed, false);
}

#[test]
fn a_full_barrier_waits_for_all() {
    let mut rig = Rig::new();
    rig.reader(ORIGIN, |ctx| {
        TRANSFERS.into_iter().for_each(|(issue, ..)| issue(ctx));
        ctx.noc_async_full_barrier();
    });
    let (outcome, log) = rig.log(late(0));
    completed(&outcome);
    let last = log.0.iter().rposition(|it| matches!(it.kind, EventKind::BarrierPassed { .. }));
    for (_, ends, _) in TRANSFERS {
        assert!(log.first("the end", ends) < last.expect("a barrier"));
    }
}

/// On silicon one counter a transaction id counts reads, non-posted writes and atomics alike.
#[test]
fn a_transaction_id_counts_apart_from_others() {
    let reads: [Call; 2] = [
        |ctx| ctx.noc_async_read_with_trid(scratch_of(FAR, 0), SCRATCH, 64, 3),
        |ctx| ctx.noc_async_write_with_trid(SCRATCH, scratch_of(FAR, 64), 64, 3),
    ];
    let barriers: [(Call, bool); 6] = [
        (|ctx| ctx.noc_async_read_barrier_with_trid(3), true),
        (|ctx| ctx.noc_async_write_barrier_with_trid(3), true),
        (|ctx| ctx.noc_async_read_barrier_with_trid(2), false),
        (|ctx| ctx.noc_async_write_barrier_with_trid(4), false),
        (|ctx| ctx.noc_async_read_barrier_with_trid(19), true),
        (|ctx| ctx.noc_async_write_flushed_with_trid(2), false),
    ];
    let ends: Ends =
        |kind| matches!(kind, EventKind::ReadLanded { .. } | EventKind::WriteAcknowledged { .. });
    for issue in reads {
        for (barrier, waits) in barriers {
            check_barrier(issue, barrier, ends, waits);
        }
    }
    let departed: Ends = |kind| matches!(kind, EventKind::WriteDeparted { .. });
    check_barrier(reads[1], |ctx| ctx.noc_async_write_flushed_with_trid(3), departed, true);
    check_barrier(reads[0], |ctx| ctx.noc_async_read_barrier(), ends, true);
}

#[test]
fn a_barrier_waits_for_its_own_processor_only() {
    let mut rig = Rig::new();
    rig.writer(ORIGIN, |ctx| ctx.noc_async_read(scratch_of(FAR, 0), SCRATCH, 64));
    rig.reader(ORIGIN, |ctx| {
        fill(ctx, 64, 1024, 0);
        ctx.noc_async_full_barrier();
    });
    let (outcome, log) = rig.log(late(0));
    completed(&outcome);
    let barrier = |kind: &EventKind| {
        matches!(kind, EventKind::BarrierPassed { barrier: Barrier::Atomics, .. })
    };
    let landed = log.first("the read", |kind| matches!(kind, EventKind::ReadLanded { .. }));
    assert!(log.first("the barrier", barrier) < landed);
}

#[test]
fn a_multicast_leaves_the_sender_out_unless_loopback_is_asked_for() {
    let range = CoreRange::new(ORIGIN, CoreCoord::new(2, 1));
    for include_self in [false, true] {
        let mut rig = Rig::new();
        rig.writer(NEAR, move |ctx| {
            fill(ctx, 0, 32, 7);
            if include_self {
                ctx.noc_async_write_multicast_loopback_src(SCRATCH, range, SCRATCH + 64, 32);
            } else {
                ctx.noc_async_write_multicast(SCRATCH, range, SCRATCH + 64, 32);
            }
            ctx.noc_async_write_barrier();
        });
        completed(&rig.run(seed(2)));
        for core in rig.device.architecture().grid().cores() {
            let reached = range.contains(core) && (core != NEAR || include_self);
            let expected = if reached { [7; 32] } else { [0; 32] };
            assert_eq!(rig.bytes(core, 64, 32), expected, "{core} {include_self}");
        }
    }
}

#[test]
fn semaphores_reach_rectangles() {
    let range = CoreRange::new(ORIGIN, CoreCoord::new(1, 1));
    let mut rig = Rig::new();
    rig.writer(ORIGIN, move |ctx| {
        ctx.noc_semaphore_set(SCRATCH, 5);
        ctx.noc_semaphore_set_multicast(SCRATCH, range, SCRATCH + 16);
        ctx.noc_semaphore_set_multicast_loopback_src(SCRATCH, range, SCRATCH + 32);
        ctx.noc_semaphore_inc_multicast(range, SCRATCH + 16, 2);
        ctx.noc_async_full_barrier();
    });
    completed(&rig.run(seed(0)));
    let words = |core| (rig.word(core, 16), rig.word(core, 32));
    assert_eq!(words(ORIGIN), (0, 5));
    assert_eq!(words(CoreCoord::new(1, 1)), (7, 5));
}

/// A word and then bytes, then a word again, from one core to one place: the last stays.
#[test]
fn requests_of_one_kind_keep_their_order() {
    let mut rig = Rig::new();
    for options in schedules(64) {
        rig.fill(FAR, 0, 256, 0);
        rig.writer(ORIGIN, |ctx| {
            for round in 1..=6_u8 {
                fill(ctx, u32::from(round) * 256, 256, round);
                ctx.noc_async_write(SCRATCH + u32::from(round) * 256, scratch_of(FAR, 0), 256);
            }
            ctx.noc_inline_dw_write(scratch_of(FAR, 0), 40);
            ctx.noc_semaphore_inc(scratch_of(FAR, 0), 2);
            ctx.noc_async_read(scratch_of(FAR, 0), SCRATCH, 64);
            ctx.noc_async_full_barrier();
        });
        completed(&rig.run(options));
        assert_eq!(rig.word(FAR, 0), 42, "{options:?}");
        assert_eq!(rig.bytes(FAR, 4, 252), [6; 252], "{options:?}");
        assert_eq!(rig.word(ORIGIN, 0), 42, "a read follows the writes before it: {options:?}");
    }
}

/// Kernels signal behind their data on the same channel without a barrier between.
#[test]
fn a_multicast_flag_arrives_behind_its_data() {
    let range = CoreRange::new(ORIGIN, CoreCoord::new(3, 3));
    let mut rig = Rig::new();
    for options in schedules(64) {
        let notes = Notes::default();
        range.cores().for_each(|core| rig.fill(core, 0, 4096, 0));
        rig.writer(ORIGIN, move |ctx| {
            fill(ctx, 64, 2048, 3);
            ctx.noc_async_write_multicast(SCRATCH + 64, range, SCRATCH + 64, 2048);
            ctx.noc_semaphore_set(SCRATCH + 16, 1);
            ctx.noc_semaphore_set_multicast(SCRATCH + 16, range, SCRATCH + 16);
            ctx.noc_async_write_barrier();
        });
        let said = notes.clone();
        let receivers = range.cores().filter(|core| *core != ORIGIN);
        rig.reader(receivers.collect::<tilewright_metal::CoreSet>(), move |ctx| {
            ctx.noc_semaphore_wait(SCRATCH + 16, 1);
            said.say(byte_at(ctx, 64 + 2047));
        });
        completed(&rig.run(options));
        assert_eq!(notes.said(), [3; 15], "{options:?}");
    }
}

#[test]
fn dram_takes_one_cores_writes_in_order_and_answers_behind_them() {
    let mut rig = Rig::new();
    let page = rig.device.allocate(Storage::Dram, 2048, 1).expect("room");
    let to = page.page(0).expect("a page");
    for options in schedules(64) {
        page.fill(&mut rig.device, 0).expect("a page");
        rig.writer(ORIGIN, move |ctx| {
            for round in 1..=6_u8 {
                fill(ctx, u32::from(round) * 2048, 2048, round);
                ctx.noc_async_write(SCRATCH + u32::from(round) * 2048, to, 2048);
            }
            ctx.noc_async_read(to, SCRATCH, 2048);
            ctx.noc_async_full_barrier();
        });
        completed(&rig.run(options));
        assert_eq!(page.read_page(&mut rig.device, 0).expect("a page"), [6; 2048], "{options:?}");
        assert_eq!(rig.bytes(ORIGIN, 0, 2048), [6; 2048], "{options:?}");
    }
}

#[test]
fn late_landing_shows_a_missing_read_barrier() {
    let run = |options, has_barrier: bool| {
        let mut rig = Rig::new();
        rig.fill(FAR, 0, 64, 2);
        rig.reader(ORIGIN, move |ctx| {
            ctx.noc_async_read(scratch_of(FAR, 0), SCRATCH, 64);
            if has_barrier {
                ctx.noc_async_read_barrier();
            }
            fill(ctx, 4096, 8192, 0); // A while of other work, enough for a read to land in.
            let seen = byte_at(ctx, 0);
            fill(ctx, 64, 1, seen as u8);
        });
        completed(&rig.run(options));
        rig.bytes(ORIGIN, 64, 1)[0]
    };
    assert_eq!(run(seed(0), true), 2);
    assert_eq!(run(seed(0), false), 2, "usual timing hides the fault");
    assert_eq!(run(late(0), true), 2);
    assert_eq!(run(late(0), false), 0, "late landing shows it");
}

#[test]
fn late_landing_shows_a_missing_flush() {
    let run = |options, is_flushed: bool| {
        let mut rig = Rig::new();
        rig.writer(ORIGIN, move |ctx| {
            fill(ctx, 0, 64, 1);
            ctx.noc_async_write(SCRATCH, scratch_of(FAR, 0), 64);
            if is_flushed {
                ctx.noc_async_writes_flushed();
            }
            fill(ctx, 4096, 8192, 0);
            fill(ctx, 0, 64, 2);
            ctx.noc_async_write_barrier();
        });
        completed(&rig.run(options));
        rig.bytes(FAR, 0, 1)[0]
    };
    assert_eq!([run(seed(0), true), run(seed(0), false)], [1, 1], "usual timing hides the fault");
    assert_eq!([run(late(0), true), run(late(0), false)], [1, 2], "late landing shows it");
}

/// The credit goes to another place than the data, so nothing but a barrier orders them.
#[test]
fn late_landing_shows_a_credit_before_its_data() {
    let run = |options, has_barrier: bool| {
        let mut rig = Rig::new();
        let page = rig.device.allocate(Storage::Dram, 2048, 1).expect("room");
        page.fill(&mut rig.device, 1).expect("a page");
        let place = page.page(0).expect("a page");
        rig.writer(ORIGIN, move |ctx| {
            fill(ctx, 0, 2048, 2);
            ctx.noc_async_write(SCRATCH, place, 2048);
            if has_barrier {
                ctx.noc_async_write_barrier();
            }
            ctx.noc_semaphore_inc(scratch_of(FAR, 4096), 1);
        });
        rig.reader(FAR, move |ctx| {
            ctx.noc_semaphore_wait(SCRATCH + 4096, 1);
            ctx.noc_async_read(place, SCRATCH, 2048);
            ctx.noc_async_read_barrier();
        });
        completed(&rig.run(options));
        rig.bytes(FAR, 0, 1)[0]
    };
    assert_eq!([run(seed(0), true), run(late(0), true)], [2, 2]);
    assert_eq!(run(late(0), false), 1, "late landing shows it");
}

/// What a transfer between an L1 address and another ends with.
#[track_caller]
fn check_addresses(
    is_read: bool,
    local: u32,
    remote: NocAddress,
    bytes: u32,
) -> Option<StopReason> {
    let mut rig = Rig::new();
    rig.device.allocate(Storage::Dram, 2048, 12).expect("room");
    rig.reader(ORIGIN, move |ctx| {
        if is_read {
            ctx.noc_async_read(remote, L1Address(local), bytes);
        } else {
            ctx.noc_async_write(L1Address(local), remote, bytes);
        }
        ctx.noc_async_full_barrier();
    });
    let outcome = rig.run(seed(0));
    match outcome.ending {
        tilewright_metal::Ending::Completed => None,
        _ => Some(reason(&outcome).clone()),
    }
}

#[test]
fn alignment_is_a_congruence_of_both_addresses() {
    let dram = |offset| NocAddress::Dram(DramAddress { bank: 3, offset });
    let l1 = |address| NocAddress::L1 { core: FAR, address: L1Address(address) };
    let base = SCRATCH.0;
    for (is_read, local, remote, modulus) in [
        (true, base, dram(1024), None),
        (true, base + 5, dram(1024 + 5), None),
        (true, base + 37, dram(1024 + 5), None),
        (true, base + 16, dram(1024), Some(32)),
        (true, base, dram(1024 + 16), Some(32)),
        (false, base + 16, dram(1024), None),
        (false, base + 8, dram(1024), Some(16)),
        (false, base + 8, dram(1024 + 24), None),
        (true, base + 16, l1(base), None),
        (true, base + 4, l1(base), Some(16)),
        (false, base + 4, l1(base + 20), None),
        (false, base + 1, l1(base), Some(16)),
    ] {
        let expected = modulus.map(|alignment| StopReason::Misaligned {
            local: L1Address(local),
            remote,
            alignment,
        });
        let found = check_addresses(is_read, local, remote, 64);
        assert_eq!(found, expected, "read: {is_read}, {local:#x} and {remote:?}");
    }
}

#[test]
fn places_that_do_not_exist_end_the_run() {
    let l1_bytes = 1464 * 1024;
    let l1 = |core, address| NocAddress::L1 { core, address: L1Address(address) };
    let dram = |bank, offset| NocAddress::Dram(DramAddress { bank, offset });
    let base = SCRATCH.0;
    for remote in [
        l1(CoreCoord::new(8, 0), base),
        l1(CoreCoord::new(0, 255), base),
        l1(FAR, l1_bytes - 32),
        l1(FAR, u32::MAX - 15),
        dram(12, 1024),
        dram(0, 1 << 30),
        dram(0, u64::MAX - 31),
    ] {
        for is_read in [true, false] {
            let expected = StopReason::NoSuchPlace { at: remote, bytes: 64 };
            assert_eq!(check_addresses(is_read, base, remote, 64), Some(expected));
        }
    }
    let at = L1Address(l1_bytes - 32);
    let expected = StopReason::OutsideL1 { at, bytes: 64, l1_bytes };
    assert_eq!(check_addresses(true, at.0, l1(FAR, base), 64), Some(expected.clone()));
    assert_eq!(check_addresses(false, at.0, l1(FAR, base), 64), Some(expected));
}

#[test]
fn nothing_is_a_legal_amount_to_transfer() {
    let last = NocAddress::L1 { core: FAR, address: L1Address(1464 * 1024) };
    for is_read in [true, false] {
        assert_eq!(check_addresses(is_read, SCRATCH.0, scratch_of(FAR, 0), 0), None);
        assert_eq!(check_addresses(is_read, SCRATCH.0, last, 0), None);
        let dram = NocAddress::Dram(DramAddress { bank: 0, offset: 1024 });
        assert_eq!(check_addresses(is_read, SCRATCH.0, dram, 0), None);
    }
}

#[test]
fn requests_that_silicon_does_not_define_are_refused_by_name() {
    let cases: [(Call, &str); 4] = [
        (
            |ctx| {
                let dram = NocAddress::Dram(DramAddress { bank: 0, offset: 0 });
                ctx.noc_semaphore_inc(dram, 1);
            },
            "an atomic on DRAM",
        ),
        (
            |ctx| ctx.noc_semaphore_inc(scratch_of(FAR, 2), 1),
            "an atomic to address 0x80002, no multiple of 4",
        ),
        (
            |ctx| ctx.noc_inline_dw_write(scratch_of(FAR, 7), 1),
            "an inline write to address 0x80007, no multiple of 4",
        ),
        (
            |ctx| {
                let range = CoreRange::new(FAR, ORIGIN);
                ctx.noc_async_write_multicast(SCRATCH, range, SCRATCH, 64);
            },
            "a multicast to (5,6)-(0,0), which would go round the grid's edge",
        ),
    ];
    for (call, why) in cases {
        let mut rig = Rig::new();
        rig.device.allocate(Storage::Dram, 2048, 12).expect("room");
        rig.reader(ORIGIN, call);
        let outcome = rig.run(seed(0));
        assert_eq!(reason(&outcome), &StopReason::NotModelled(why.to_owned()));
    }
    let mut rig = Rig::new();
    let range = CoreRange::new(ORIGIN, CoreCoord::new(8, 0));
    rig.reader(ORIGIN, move |ctx| ctx.noc_semaphore_inc_multicast(range, SCRATCH, 1));
    let outcome = rig.run(seed(0));
    let at = NocAddress::L1 { core: CoreCoord::new(8, 0), address: SCRATCH };
    assert_eq!(reason(&outcome), &StopReason::NoSuchPlace { at, bytes: 0 });
}

#[test]
fn tensors_in_l1_are_reached_through_accessors() {
    let mut rig = Rig::new();
    let (pages, bytes) = (130, 96);
    let from = rig.device.allocate(Storage::L1, bytes, pages).expect("room");
    let to = rig.device.allocate(Storage::L1, bytes, pages).expect("room");
    let data: Vec<u8> = (0..pages * bytes).map(|byte| (byte / 7) as u8).collect();
    from.write(&mut rig.device, &data).expect("as many");
    let mut words = TensorAccessorArgs::new(&from).words().to_vec();
    TensorAccessorArgs::new(&to).append_to(&mut words);
    let args = CompileTimeArgs::positional(&words);
    let (a, b) = (from.address_word(), to.address_word());
    rig.builder.data_movement("copy", NEAR, DataMovementPlace::Reader, args, move |ctx| {
        let (from, next) = ctx.tensor_accessor(0, a);
        let (to, _) = ctx.tensor_accessor(next, b);
        for page in 0..pages {
            ctx.noc_async_read_page(page, &from, SCRATCH);
            ctx.noc_async_read_barrier();
            ctx.noc_async_write_page(page, &to, SCRATCH);
            ctx.noc_async_writes_flushed();
        }
        ctx.noc_async_write_barrier();
    });
    completed(&rig.run(seed(1)));
    assert!(to.read(&mut rig.device).expect("pages") == data);
}

#[test]
fn a_huge_page_index_ends_the_run_at_its_line() {
    let mut rig = Rig::new();
    let tensor = rig.device.allocate(Storage::Dram, 2048, 4).expect("room");
    let args = CompileTimeArgs::positional(&TensorAccessorArgs::new(&tensor).words());
    let base = tensor.address_word();
    rig.builder.data_movement("huge", ORIGIN, DataMovementPlace::Reader, args, move |ctx| {
        let (tensor, _) = ctx.tensor_accessor(0, base);
        ctx.noc_async_read_page(1_000_000, &tensor, SCRATCH);
    });
    let outcome = rig.run(seed(0));
    assert!(matches!(reason(&outcome), StopReason::NoSuchPlace { .. }), "{:?}", outcome.ending);
}

#[test]
fn transfers_say_all_that_a_checker_needs() {
    let range = CoreRange::new(ORIGIN, NEAR);
    let mut rig = Rig::new();
    rig.writer(ORIGIN, move |ctx| {
        ctx.noc_async_write_with_trid(SCRATCH, scratch_of(FAR, 0), 32, 5);
        ctx.noc_async_write_multicast_loopback_src(SCRATCH, range, SCRATCH + 64, 16);
        ctx.noc_inline_dw_write(scratch_of(FAR, 0), 1);
        ctx.noc_async_full_barrier();
    });
    let (outcome, log) = rig.log(seed(4));
    completed(&outcome);
    let issued: Vec<_> = log
        .0
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::WriteIssued { id, channel, from, to, .. } => Some((id, channel, from, to)),
            _ => None,
        })
        .collect();
    let channel = |transaction| Channel { noc: NocId::One, transaction };
    let loopback = Target::Cores { range, address: SCRATCH + 64, include_self: true };
    let word = Target::One(scratch_of(FAR, 0));
    assert_eq!((issued[0].1, issued[0].2), (channel(5), Some(SCRATCH)));
    assert_eq!((issued[1].1, issued[1].3), (channel(0), loopback));
    assert_eq!((issued[2].2, issued[2].3), (None, word));
    let mut arrived: Vec<_> = log
        .0
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Arrived { id, core, .. } => Some((id, core)),
            _ => None,
        })
        .collect();
    arrived.sort_unstable();
    let (first, second, third) = (issued[0].0, issued[1].0, issued[2].0);
    assert_eq!(arrived, [(first, FAR), (second, ORIGIN), (second, NEAR), (third, FAR)]);
    assert!(log.0.iter().all(|event| event.processor.processor == Processor::Writer));
}
