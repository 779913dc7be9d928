//! Every kind of finding that gives advice, with a small program that has it and the same program
//! with the advice followed, which has no finding. A kind that is in none of the lists fails.

use std::fs;
use std::path::Path;

use crate::common::Rig;
use crate::small::{
    CORES, Computing, Movement, Setup, drain, fill, idle, no_compute, pack, usual, watch, wide,
};
use tilewright_check::{FindingId, Report};
use tilewright_machine::DramAddress;
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{CbSpec, Device, NocAddress, RunOptions};
use tilewright_run::try_remedies;
use tilewright_tile::DataFormat::Bfloat16;

/// A program: its buffers and its three kernels.
type Whole = (Setup, Movement, Computing, Movement);

/// A kind, how its advice begins, the program that has it, and the program that follows it.
type Proof = (FindingId, &'static str, Whole, Whole);

/// Kinds whose advice is followed in a test of another file, and that test.
const ELSEWHERE: [(FindingId, &str, &str); 19] = [
    (FindingId::OutOfBounds, "endings.rs", "memory_that_is_not_there"),
    (FindingId::DataBeforeCredit, "races.rs", "data_sent_before_the_receiver_has_given_credit"),
    (FindingId::ConflictingAccess, "races.rs", "two_processors_that_write_the_same_bytes"),
    (FindingId::UninitialisedPage, "followed.rs", "a_page_that_nobody_has_written"),
    (FindingId::StaleLap, "followed.rs", "a_page_of_an_earlier_lap"),
    (
        FindingId::UninitialisedL1,
        "followed.rs",
        "memory_behind_the_buffers_that_nobody_has_written",
    ),
    (FindingId::UninitialisedDst, "followed.rs", "a_tile_of_dst_that_nobody_has_written"),
    (FindingId::PaddingInOutput, "followed.rs", "the_padding_of_an_input"),
    (FindingId::UnwrittenOutput, "followed.rs", "a_page_of_an_output_that_nobody_writes"),
    (FindingId::UninitialisedBranch, "followed.rs", "a_kernel_that_reads_what_nobody_has_written"),
    (FindingId::UninitialisedSemaphore, "followed.rs", "a_semaphore_without_a_first_value"),
    (FindingId::LostContribution, "followed.rs", "a_sum_that_leaves_a_tile_out"),
    (FindingId::OutsideTensor, "followed.rs", "a_page_beyond_the_last"),
    (FindingId::UnpackFormat, "watched_format.rs", "an_unpacker_set_for_another_format"),
    (
        FindingId::AluFormat,
        "watched_format.rs",
        "a_matrix_unit_set_for_the_sources_the_wrong_way_round",
    ),
    (FindingId::L1Budget, "watched_memory.rs", "buffers_that_fit_exactly"),
    // The right twin of each program does what the advice says.
    (FindingId::LostUpdate, "many_seeds.rs", "small_programs_that_are_right_stay_silent"),
    (FindingId::SkippableWait, "many_seeds.rs", "small_programs_that_are_right_stay_silent"),
    (FindingId::RepeatedStartup, "many_seeds.rs", "small_programs_that_are_right_stay_silent"),
];

/// Kinds whose advice is nothing that a program could do, and why.
const UNTESTED: [(FindingId, &str); 15] = [
    (FindingId::KernelPanic, "shows the panic's own message"),
    (FindingId::KernelCrash, "says what ended the process; a full stack is the kernel's recursion"),
    (FindingId::HostCrash, "says what ended the host program, which is no kernel"),
    (FindingId::HostError, "has the host program's own message, or that of the call it made"),
    (FindingId::AssertFailed, "shows the kernel's own condition"),
    (FindingId::NotModelled, "the program may be right"),
    (FindingId::Misaligned, "gives both addresses and their modulus, and no action"),
    (FindingId::Deadlock, "lists the waits, for a run without the tool sync"),
    (FindingId::CycleLimit, "the limit is the caller's"),
    (FindingId::Livelock, "points to what is polled; who should change it is not known"),
    (FindingId::EndlessLoop, "points to the loop"),
    (FindingId::UnstableOutput, "points to two runs to compare"),
    (FindingId::BeyondBound, "points to a drawing of the errors"),
    (FindingId::OutputPadding, "the values are judged by others, outside of the run"),
    (FindingId::NoSuchArgument, "arguments are the host's, and any number may be right"),
];

const TILE: u32 = 2048;

fn dram(page: u64) -> NocAddress {
    NocAddress::Dram(DramAddress { bank: 5, offset: page * u64::from(TILE) })
}

fn start(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(0, 0, 16);
    k.copy_tile_init(0);
    k.cb_wait_front(0, 2);
    k.tile_regs_acquire();
}

fn two(k: &DataMovement<'_>) {
    fill(k, 0, 2);
}

fn out(k: &DataMovement<'_>) {
    drain(k, 16, 1);
}

fn push(k: &DataMovement<'_>, cb: u8, pages: u32) {
    for _ in 0..pages {
        k.cb_reserve_back(cb, 1);
        k.cb_push_back(cb, 1);
    }
}

/// A compute kernel between a reader of two tiles and a writer of one.
const fn compute(kernel: Computing) -> Whole {
    (usual, two, kernel, out)
}

/// A reader and a writer.
const fn movement(reader: Movement, writer: Movement) -> Whole {
    (usual, reader, no_compute, writer)
}

fn proofs() -> Vec<Proof> {
    [inits(), formats(), sections(), tiles(), rings(), turns(), races()].concat()
}

fn inits() -> Vec<Proof> {
    let copied: Computing = |k| {
        start(k);
        k.copy_tile(0, 0, 0);
        pack(k, 16);
    };
    vec![
        (
            FindingId::MissingStartup,
            "call `compute_kernel_hw_startup(INPUT, INPUT, OUTPUT)` before any other compute",
            compute(|k| {
                k.copy_tile_init(0);
                k.cb_wait_front(0, 2);
                k.tile_regs_acquire();
                k.copy_tile(0, 0, 0);
                pack(k, 16);
            }),
            compute(copied),
        ),
        (
            FindingId::MissingInit,
            "call `copy_tile_init(",
            compute(|k| {
                k.compute_kernel_hw_startup(0, 0, 16);
                k.cb_wait_front(0, 2);
                k.tile_regs_acquire();
                k.copy_tile(0, 0, 0);
                pack(k, 16);
            }),
            compute(copied),
        ),
        (
            FindingId::WrongInit,
            "call `add_init(cb_in, cb_in)` before line",
            compute(|k| {
                start(k);
                k.mul_init(0, 0);
                k.add_tiles(0, 0, 0, 0, 0);
                pack(k, 16);
            }),
            compute(|k| {
                start(k);
                k.mul_init(0, 0);
                k.add_init(0, 0);
                k.add_tiles(0, 0, 0, 0, 0);
                pack(k, 16);
            }),
        ),
    ]
}

fn formats() -> Vec<Proof> {
    vec![(
        FindingId::PackFormat,
        "call `pack_reconfig_data_format` for `cb_sum` before (2)",
        (
            usual,
            two,
            |k| {
                start(k);
                k.copy_tile(0, 0, 0);
                pack(k, 17);
            },
            |k| drain(k, 17, 1),
        ),
        (
            usual,
            two,
            |k| {
                start(k);
                k.copy_tile(0, 0, 0);
                k.pack_reconfig_data_format(17);
                pack(k, 17);
            },
            |k| drain(k, 17, 1),
        ),
    )]
}

fn sections() -> Vec<Proof> {
    let right: Computing = |k| {
        start(k);
        k.copy_tile(0, 0, 0);
        pack(k, 16);
    };
    vec![
        (
            FindingId::DstOutsideSection,
            "call `tile_regs_acquire()` before line",
            compute(|k| {
                k.compute_kernel_hw_startup(0, 0, 16);
                k.copy_tile_init(0);
                k.cb_wait_front(0, 2);
                k.copy_tile(0, 0, 0);
                pack(k, 16);
            }),
            compute(right),
        ),
        (
            FindingId::UnreleasedSection,
            "call `tile_regs_release()` after line",
            compute(|k| {
                start(k);
                k.copy_tile(0, 0, 0);
                k.tile_regs_commit();
                k.cb_reserve_back(16, 1);
                k.tile_regs_wait();
                k.pack_tile(0, 16);
                k.cb_push_back(16, 1);
            }),
            compute(right),
        ),
        (
            FindingId::NestedAcquire,
            "leave `tile_regs_acquire` at (2) and its `tile_regs_commit` out",
            (
                usual,
                two,
                |k| {
                    start(k);
                    k.copy_tile(0, 0, 0);
                    k.tile_regs_acquire();
                    k.copy_tile(0, 1, 0);
                    pack(k, 16);
                    k.copy_tile(0, 1, 0);
                    pack(k, 16);
                },
                |k| drain(k, 16, 2),
            ),
            compute(right),
        ),
    ]
}

fn tiles() -> Vec<Proof> {
    let right: Computing = |k| {
        start(k);
        k.copy_tile(0, 0, 0);
        pack(k, 16);
    };
    vec![
        (
            FindingId::DstCapacity,
            "use at most 4 tiles of Dst between acquire and commit",
            compute(|k| {
                start(k);
                k.copy_tile(0, 0, 4);
                k.copy_tile(0, 0, 0);
                pack(k, 16);
            }),
            compute(right),
        ),
        (
            FindingId::LostOnRelease,
            "pack tile 1 before (2), or leave (1) out",
            compute(|k| {
                start(k);
                k.copy_tile(0, 0, 0);
                k.copy_tile(0, 1, 1);
                pack(k, 16);
            }),
            compute(right),
        ),
        (
            FindingId::StaleAccumulation,
            "fill the tile with zero between (2) and (3)",
            compute(|k| stale(k, false)),
            compute(|k| stale(k, true)),
        ),
    ]
}

fn stale(k: &Compute<'_>, is_filled: bool) {
    start(k);
    k.copy_tile(0, 0, 0);
    k.copy_tile(0, 1, 1);
    k.sub_binary_tile_init();
    k.sub_binary_tile(0, 1, 0);
    if is_filled {
        k.fill_tile_init();
        k.fill_tile(1, 0.0);
    }
    k.mul_init(0, 0);
    k.mul_tiles(0, 0, 0, 1, 1);
    k.sub_binary_tile(0, 1, 0);
    pack(k, 16);
}

/// `cb_in` (0) with so many pages, and nothing else.
const ODD: Setup = |builder| {
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 3));
};
const EVEN: Setup = |builder| {
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 4));
};
const PAIRS: Setup = |builder| {
    builder.circular_buffer(CORES, CbSpec::pages(0, "cb_in", Bfloat16, 2 * TILE, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 2));
};

fn blocks(k: &DataMovement<'_>) {
    for _ in 0..2 {
        k.cb_reserve_back(0, 2);
        k.write_l1(k.get_write_ptr(0), 2 * TILE, |bytes| bytes.fill(0));
        k.cb_push_back(0, 2);
    }
}

fn rings() -> Vec<Proof> {
    let copied: Computing = |k| {
        start(k);
        k.copy_tile(0, 0, 0);
        pack(k, 16);
    };
    let read: Movement = |k| {
        k.cb_wait_front(0, 1);
        k.read_l1(k.get_read_ptr(0) + TILE, TILE, |_| {});
        k.cb_wait_front(0, 2);
        k.cb_pop_front(0, 2);
    };
    vec![
        (
            FindingId::NoSuchBuffer,
            "declare the buffer on this core, or use one that is there",
            movement(|k| push(k, 5, 1), idle),
            movement(|k| push(k, 0, 1), |k| drain(k, 0, 1)),
        ),
        (
            FindingId::StraddlesEnd,
            "give `cb_in` a whole number of the blocks used at a time",
            (ODD, blocks, no_compute, |k| drain(k, 0, 4)),
            (EVEN, blocks, no_compute, |k| drain(k, 0, 4)),
        ),
        (
            FindingId::PageSize,
            "give `cb_in` pages of 2048 bytes",
            (PAIRS, two, copied, out),
            (usual, two, copied, out),
        ),
        (
            FindingId::OverReserve,
            "reserve 2 or fewer pages of `cb_in` at a time at line",
            movement(|k| k.cb_reserve_back(0, 3), idle),
            movement(|k| k.cb_reserve_back(0, 2), idle),
        ),
        (
            FindingId::OverPush,
            "push 1 page at line",
            movement(
                |k| {
                    k.cb_reserve_back(0, 1);
                    k.cb_push_back(0, 2);
                },
                |k| drain(k, 0, 1),
            ),
            movement(|k| push(k, 0, 1), |k| drain(k, 0, 1)),
        ),
        (
            FindingId::OverPop,
            "pop 1 page at line",
            movement(two, |k| {
                k.cb_wait_front(0, 1);
                k.cb_pop_front(0, 2);
            }),
            movement(two, |k| drain(k, 0, 2)),
        ),
        (
            FindingId::OutsideWindow,
            "call `cb_wait_front` for 2 pages of `cb_in` before line",
            movement(two, read),
            movement(two, |k| {
                k.cb_wait_front(0, 2);
                k.read_l1(k.get_read_ptr(0) + TILE, TILE, |_| {});
                k.cb_pop_front(0, 2);
            }),
        ),
    ]
}

fn turns() -> Vec<Proof> {
    let late: Movement = |k| {
        push(k, 0, 1);
        push(k, 16, 3);
        push(k, 0, 1);
    };
    let early: Movement = |k| {
        push(k, 0, 2);
        push(k, 16, 3);
    };
    let both: Movement = |k| {
        drain(k, 0, 2);
        drain(k, 16, 3);
    };
    vec![
        (
            FindingId::CircularWait,
            "let one of (1) and (2) go on first: do there what the others wait for",
            movement(late, both),
            movement(early, both),
        ),
        (
            FindingId::StarvedWait,
            "push 1 more to `cb_in`, or wait once less at line",
            movement(|k| push(k, 0, 1), |k| drain(k, 0, 2)),
            movement(|k| push(k, 0, 2), |k| drain(k, 0, 2)),
        ),
        (
            FindingId::LeftoverPages,
            "wait for and pop all that is pushed to `cb_in`",
            movement(|k| push(k, 0, 2), |k| drain(k, 0, 1)),
            movement(|k| push(k, 0, 2), |k| drain(k, 0, 2)),
        ),
        (
            FindingId::MissingPush,
            "call `cb_push_back` for 1 page of `cb_in` after line",
            movement(
                |k| {
                    for _ in 0..3 {
                        k.cb_reserve_back(0, 1);
                        k.write_l1(k.get_write_ptr(0), TILE, |bytes| bytes.fill(0));
                    }
                },
                |k| drain(k, 0, 3),
            ),
            movement(|k| fill(k, 0, 3), |k| drain(k, 0, 3)),
        ),
        (
            FindingId::MissingPop,
            "call `cb_pop_front` for 1 page of `cb_in` after line",
            movement(
                |k| fill(k, 0, 3),
                |k| {
                    for _ in 0..3 {
                        k.cb_wait_front(0, 1);
                        k.read_l1(k.get_read_ptr(0), TILE, |_| {});
                    }
                },
            ),
            movement(|k| fill(k, 0, 3), |k| drain(k, 0, 3)),
        ),
    ]
}

fn bring(k: &DataMovement<'_>, is_awaited: bool, is_read: bool) {
    k.cb_reserve_back(0, 1);
    k.noc_async_read(dram(0), k.get_write_ptr(0), TILE);
    if is_awaited {
        k.noc_async_read_barrier();
    }
    if is_read {
        k.read_l1(k.get_write_ptr(0), TILE, |_| {});
        k.noc_async_read_barrier();
    }
    k.cb_push_back(0, 1);
}

fn send(k: &DataMovement<'_>, is_awaited: bool, is_flushed: bool) {
    k.cb_wait_front(0, 1);
    k.noc_async_write(k.get_read_ptr(0), dram(1 + u64::from(k.core().x)), TILE);
    if is_flushed {
        k.noc_async_writes_flushed();
    }
    if is_awaited {
        k.noc_async_write_barrier();
    }
    k.cb_pop_front(0, 1);
}

fn races() -> Vec<Proof> {
    let one: Movement = |k| fill(k, 0, 1);
    vec![
        (
            FindingId::UnawaitedRead,
            "call `noc_async_read_barrier()` before (2)",
            movement(|k| bring(k, false, false), |k| drain(k, 0, 1)),
            movement(|k| bring(k, true, false), |k| drain(k, 0, 1)),
        ),
        (
            FindingId::ReadBeforeLanding,
            "call `noc_async_read_barrier()` before (2)",
            movement(|k| bring(k, false, true), |k| drain(k, 0, 1)),
            movement(|k| bring(k, true, true), |k| drain(k, 0, 1)),
        ),
        (
            FindingId::OverwrittenInFlight,
            "call `noc_async_write_barrier()` before (2)",
            movement(one, |k| send(k, false, false)),
            movement(one, |k| send(k, true, false)),
        ),
        (
            FindingId::UnflushedAtExit,
            "call `noc_async_write_barrier()`",
            movement(one, |k| send(k, false, true)),
            movement(one, |k| send(k, true, true)),
        ),
    ]
}

/// What all tools find.
fn found((setup, reader, compute, writer): Whole) -> Report {
    let mut rig = wide(setup, reader, compute, writer);
    rig.device.machine_mut().dram_mut().grow(1 << 16);
    watch(&mut rig, "all", RunOptions::default()).report
}

#[test]
fn advice_that_is_followed_mends_the_program() {
    let mut failures: Vec<String> = Vec::new();
    for (id, advice, wrong, right) in proofs() {
        let (before, after) = (found(wrong).findings(), found(right).findings());
        let help = before.first().and_then(|first| first.help.clone()).unwrap_or_default();
        let is_first = before.first().is_some_and(|first| first.id == id);
        if !is_first || !help.starts_with(advice) {
            failures.push(format!("{id}: {help}: {before:#?}"));
        }
        if !after.is_empty() {
            failures.push(format!("{id}: with the advice followed: {after:#?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_kind_has_a_proof_of_its_advice_or_a_reason() {
    let pairs = include_str!("../faults/pairs.rs");
    let proven: Vec<FindingId> = proofs().iter().map(|(id, ..)| *id).collect();
    for id in FindingId::ALL.iter().copied() {
        let elsewhere = ELSEWHERE.iter().filter(|(other, ..)| *other == id).count();
        let untested = UNTESTED.iter().filter(|(other, _)| *other == id).count();
        let here = usize::from(proven.contains(&id));
        // The right twin of a pair does what the advice says.
        let pair = usize::from(pairs.contains(&format!("id: \"{id}\"")));
        let known = here + elsewhere + untested;
        assert!(known == 1 || (known, pair) == (0, 1), "{id}: a proof of its advice, or a reason");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for (id, file, test) in ELSEWHERE {
        let text = fs::read_to_string(folder.join(file)).expect("a test");
        assert!(text.contains(&format!("fn {test}()")), "{id}: {file} has no test {test}");
    }
}

/// More pages are advised if the program completes with them, and only then.
#[test]
fn more_pages_are_advised_once_they_have_helped() {
    let run = |reader: Movement, writer: Movement| {
        let mut report = found(movement(reader, writer));
        let mut rig = Rig::new();
        usual(&mut rig.builder);
        rig.reader(CORES, reader);
        rig.writer(CORES, writer);
        let program = rig.build();
        try_remedies(&mut report, &program, rig.device.architecture(), |larger| {
            let mut device = Device::n150();
            larger.run(&mut device, RunOptions::default(), &mut []).ok()
        });
        report.findings().remove(0)
    };
    let late: Movement = |k| {
        push(k, 0, 1);
        push(k, 16, 3);
        push(k, 0, 1);
    };
    let helped = run(late, |k| {
        drain(k, 0, 2);
        drain(k, 16, 3);
    });
    let advice = "give `cb_out` 4 pages: the program completes with them";
    assert_eq!(helped.help.as_deref(), Some(advice), "{helped:#?}");
    assert_eq!(helped.blame.to_string(), "host program bug");
    let forever: Movement = |k| push(k, 0, 3);
    let not = run(forever, |k| {
        k.cb_wait_front(0, 1);
        k.noc_semaphore_wait(k.get_read_ptr(0), 1);
    });
    assert!(!not.help.as_deref().unwrap_or_default().contains("give"), "{not:#?}");
    // More room only puts off that a page is pushed too many.
    let more = run(|k| push(k, 0, 4), |k| drain(k, 0, 1));
    assert!(!more.help.as_deref().unwrap_or_default().contains("give"), "{more:#?}");
    let asked = run(|k| push(k, 0, 3), |k| k.cb_wait_front(0, 3));
    let advice = "give `cb_in` 3 pages: the program completes with them";
    assert_eq!(asked.help.as_deref(), Some(advice), "{asked:#?}");
}
