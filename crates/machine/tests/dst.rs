//! Dst between math and pack: sections, the semaphore that outlives programs, indices beyond the
//! half, and the source banks that hold unpack back.

use crate::common;
use crate::common::{ORIGIN, Rig, completed, seed};
use tilewright_machine::{Activity, EventKind, Outcome, Processor, Waiting};
use tilewright_metal::api::Compute;
use tilewright_metal::{ComputeConfig, ComputeSettings, DstSync, Ending, SourceId};
use tilewright_tile::DstWidth;
use tilewright_tile::fpu::{Pool, ReduceDim};

const IN: u8 = 0;
const OUT: u8 = 16;

fn config(width: DstWidth, sync: DstSync) -> ComputeConfig {
    let settings = ComputeSettings { width, sync, ..ComputeSettings::default() };
    ComputeConfig { settings, ..ComputeConfig::default() }
}

/// Runs a compute kernel alone with room for `pages` tiles of output.
fn run(
    rig: &mut Rig,
    config: ComputeConfig,
    pages: u32,
    kernel: impl Fn(&Compute<'_>) + Send + Sync + 'static,
) -> Outcome {
    log(rig, config, pages, kernel).0
}

fn log(
    rig: &mut Rig,
    config: ComputeConfig,
    pages: u32,
    kernel: impl Fn(&Compute<'_>) + Send + Sync + 'static,
) -> (Outcome, common::Log) {
    rig.tiles(ORIGIN, IN, 8);
    rig.tiles(ORIGIN, OUT, pages);
    rig.compute(ORIGIN, config, kernel);
    rig.log(seed(1))
}

fn default() -> ComputeConfig {
    ComputeConfig::default()
}

fn activity(outcome: &Outcome, processor: Processor) -> Activity {
    outcome.cores[0].processors[processor as usize].activity
}

/// The first value of each packed tile, as bf16 bits.
fn packed(rig: &Rig, outcome: &Outcome, tiles: u32) -> Vec<u16> {
    let base = outcome.cores[0].buffers[1].config.base;
    let core = rig.device.machine().core(ORIGIN).expect("in the grid");
    let value = |tile| {
        let bytes = core.l1().get(base + tile * 2048, 2).expect("in L1");
        u16::from_le_bytes([bytes[0], bytes[1]])
    };
    (0..tiles).map(value).collect()
}

const ONE: u16 = 0x3f80;
const TWO: u16 = 0x4000;
const THREE: u16 = 0x4040;

fn started(ctx: &Compute<'_>) {
    ctx.compute_kernel_hw_startup(IN, IN, OUT);
    ctx.fill_tile_init();
}

/// Pack cannot begin its second section; math goes on until it has filled what there is.
#[test]
fn math_is_ahead_by_two_halves_or_one_whole() {
    for (sync, commits) in [(DstSync::Half, 3), (DstSync::Full, 2)] {
        for width in [DstWidth::Bits16, DstWidth::Bits32] {
            let (outcome, log) = log(&mut Rig::new(), config(width, sync), 1, |ctx| {
                started(ctx);
                for _ in 0..6 {
                    ctx.tile_regs_acquire();
                    ctx.tile_regs_commit();
                    ctx.cb_reserve_back(OUT, 1);
                    ctx.tile_regs_wait();
                    ctx.tile_regs_release();
                    ctx.cb_push_back(OUT, 1);
                }
            });
            assert_eq!(outcome.ending, Ending::Stuck);
            let math = activity(&outcome, Processor::Math);
            assert_eq!(math, Activity::Blocked(Waiting::ForDstSection));
            let committed = log.count(|kind| matches!(kind, EventKind::DstCommitted));
            assert_eq!(committed, commits, "{sync:?} {width:?}");
        }
    }
}

#[test]
fn pack_waits_for_a_commit() {
    let outcome = run(&mut Rig::new(), default(), 1, |ctx| {
        started(ctx);
        ctx.tile_regs_wait();
    });
    assert_eq!(activity(&outcome, Processor::Pack), Activity::Blocked(Waiting::ForDstCommit));
}

/// Math is held back for good, so unpack stops when both banks are full.
#[test]
fn unpack_is_two_tiles_ahead_at_most() {
    let (outcome, log) = log(&mut Rig::new(), default(), 1, |ctx| {
        started(ctx);
        ctx.copy_tile_init(IN);
        for _ in 0..3 {
            ctx.tile_regs_acquire();
            ctx.tile_regs_commit();
        }
        for tile in 0..5 {
            ctx.copy_tile(IN, tile, 0);
        }
    });
    assert_eq!(outcome.ending, Ending::Stuck);
    let unpack = activity(&outcome, Processor::Unpack);
    assert_eq!(unpack, Activity::Blocked(Waiting::ForFreeBank(SourceId::A)));
    assert_eq!(log.count(|kind| matches!(kind, EventKind::Unpacked { .. })), 2);
}

/// A row of two tiles as 32 rows of 128 bytes: the second tile begins 64 bytes behind the first,
/// and its last byte is 31 rows and 64 bytes away.
#[test]
fn events_say_how_far_operands_reach() {
    let (_, log) = log(&mut Rig::new(), default(), 2, |ctx| {
        started(ctx);
        ctx.copy_tile_init(IN);
        ctx.tile_regs_acquire();
        ctx.copy_tile(IN, 1, 0);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        ctx.tile_regs_release();
        ctx.tilize_init(IN, 2, OUT);
        ctx.tilize_block(IN, 2, OUT);
    });
    let unpacked = log.0.iter().filter_map(|event| match event.kind {
        EventKind::Unpacked { a: Some(at), b: None, bytes, .. } => Some((at.0, bytes)),
        _ => None,
    });
    let unpacked: Vec<(u32, [u32; 2])> = unpacked.collect();
    let base = unpacked[0].0 - 2048;
    let expected = [(base + 2048, [2048, 0]), (base, [4032, 0]), (base + 64, [4032, 0])];
    assert_eq!(unpacked, expected);
}

#[test]
fn math_waits_for_an_operand() {
    let outcome = run(&mut Rig::new(), default(), 1, |ctx| {
        started(ctx);
        ctx.add_init(IN, IN);
        ctx.cb_wait_front(IN, 1);
        ctx.add_tiles(IN, IN, 0, 0, 0);
    });
    let math = activity(&outcome, Processor::Math);
    assert_eq!(math, Activity::Blocked(Waiting::ForFullBank(SourceId::A)));
}

/// Index 8 of the first half is index 0 of the second; index 16 is index 0 again.
#[test]
fn an_index_beyond_the_half_is_another_tile() {
    let mut rig = Rig::new();
    let outcome = run(&mut rig, default(), 4, |ctx| {
        started(ctx);
        ctx.tile_regs_acquire();
        ctx.fill_tile(0, 1.0);
        ctx.fill_tile(8, 2.0);
        ctx.fill_tile(17, 3.0);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        ctx.pack_tile(0, OUT);
        ctx.pack_tile(1, OUT);
        ctx.pack_tile(8, OUT);
        ctx.tile_regs_release();
        ctx.tile_regs_acquire();
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        ctx.pack_tile(0, OUT);
        ctx.tile_regs_release();
    });
    completed(&outcome);
    assert_eq!(packed(&rig, &outcome, 4), [ONE, THREE, TWO, TWO]);
}

/// In 32-bit mode index 4 is the other half's first tile for the first half, and itself for the
/// second: two bits of the row select the same storage.
#[test]
fn an_index_beyond_the_half_of_a_32_bit_dst_is_another_tile() {
    let mut rig = Rig::new();
    let outcome = run(&mut rig, config(DstWidth::Bits32, DstSync::Half), 4, |ctx| {
        started(ctx);
        ctx.tile_regs_acquire();
        ctx.fill_tile(4, 2.0);
        ctx.tile_regs_commit();
        ctx.tile_regs_acquire();
        ctx.fill_tile(5, 3.0);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        ctx.pack_tile(0, OUT);
        ctx.tile_regs_release();
        ctx.tile_regs_wait();
        ctx.pack_tile(0, OUT);
        ctx.pack_tile(1, OUT);
        ctx.tile_regs_release();
    });
    completed(&outcome);
    assert_eq!(packed(&rig, &outcome, 3), [0, TWO, THREE]);
}

#[test]
fn full_sync_has_all_tiles_in_one_section() {
    for (width, last) in [(DstWidth::Bits16, 15), (DstWidth::Bits32, 7)] {
        let mut rig = Rig::new();
        let outcome = run(&mut rig, config(width, DstSync::Full), 3, move |ctx| {
            started(ctx);
            ctx.tile_regs_acquire();
            ctx.fill_tile(0, 1.0);
            ctx.fill_tile(last, 2.0);
            ctx.tile_regs_commit();
            ctx.tile_regs_wait();
            ctx.pack_tile(0, OUT);
            ctx.pack_tile(last, OUT);
            ctx.tile_regs_release();
            ctx.tile_regs_acquire();
            ctx.tile_regs_commit();
            ctx.tile_regs_wait();
            ctx.pack_tile(last, OUT);
            ctx.tile_regs_release();
        });
        completed(&outcome);
        let expected = [ONE, TWO, 0];
        assert_eq!(packed(&rig, &outcome, 3), expected, "release clears the section: {width:?}");
    }
}

/// Acquire clears nothing: what an undrained half held is still there two sections later.
#[test]
fn acquire_clears_nothing() {
    let mut rig = Rig::new();
    let outcome = run(&mut rig, default(), 1, |ctx| {
        started(ctx);
        ctx.tile_regs_acquire();
        ctx.fill_tile(0, 3.0);
        ctx.tile_regs_acquire();
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        ctx.pack_tile(0, OUT);
        ctx.tile_regs_release();
    });
    completed(&outcome);
    assert_eq!(packed(&rig, &outcome, 1), [THREE]);
}

/// Two sections without start-up: possible only after a program whose start-up allowed two.
#[test]
fn the_semaphore_outlives_a_program() {
    let two_sections = |ctx: &Compute<'_>| {
        for _ in 0..2 {
            ctx.tile_regs_acquire();
            ctx.tile_regs_commit();
        }
    };
    let mut rig = Rig::new();
    let outcome = run(&mut rig, default(), 1, two_sections);
    let blocked = Activity::Blocked(Waiting::ForDstSection);
    assert_eq!(activity(&outcome, Processor::Math), blocked, "one section after boot");
    let mut rig = Rig::new();
    completed(&run(&mut rig, default(), 1, started));
    completed(&run(&mut rig, default(), 1, two_sections));
    let outcome = run(&mut rig, default(), 1, |ctx| ctx.tile_regs_acquire());
    let math = activity(&outcome, Processor::Math);
    assert_eq!(math, blocked, "two commits of the last program still count");
}

/// What the last program committed holds up math's start-up until pack has drained it. The launch
/// has cleared Dst, so what pack drains is zero.
#[test]
fn start_up_waits_until_dst_is_drained() {
    let mut rig = Rig::new();
    completed(&run(&mut rig, default(), 1, |ctx| {
        started(ctx);
        ctx.tile_regs_acquire();
        ctx.fill_tile(0, 3.0);
        ctx.tile_regs_commit();
    }));
    let kept = rig.device.machine().core(ORIGIN).expect("in the grid").dst();
    assert!(kept.is_defined(tilewright_machine::DstTile(0)));
    let (outcome, log) = log(&mut rig, default(), 2, |ctx| {
        started(ctx);
        ctx.tile_regs_wait();
        ctx.pack_tile(0, OUT);
        ctx.tile_regs_release();
        ctx.tile_regs_acquire();
        ctx.fill_tile(0, 2.0);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        ctx.pack_tile(0, OUT);
        ctx.tile_regs_release();
    });
    // Pack's half 0 and math's agree on the first section only: pack flipped once more.
    completed(&outcome);
    assert_eq!(packed(&rig, &outcome, 2), [0, 0]);
    let drained = |kind: &EventKind| *kind == EventKind::Blocked(Waiting::ForDstDrained);
    assert!(
        log.first("math waits", drained)
            < log.first("release", |kind| *kind == EventKind::DstReleased)
    );
    completed(&run(&mut rig, default(), 1, |ctx| {
        started(ctx);
        ctx.tile_regs_acquire();
        ctx.tile_regs_commit();
    }));
    let outcome = run(&mut rig, default(), 1, started);
    let math = activity(&outcome, Processor::Math);
    assert_eq!(math, Activity::Blocked(Waiting::ForDstDrained), "nobody drains it");
}

#[test]
fn programs_of_both_widths_follow_each_other() {
    let mut rig = Rig::new();
    for width in [DstWidth::Bits32, DstWidth::Bits16, DstWidth::Bits32, DstWidth::Bits16] {
        for sync in [DstSync::Half, DstSync::Full] {
            let outcome = run(&mut rig, config(width, sync), 2, |ctx| {
                started(ctx);
                ctx.tile_regs_acquire();
                ctx.fill_tile(1, 2.0);
                ctx.tile_regs_commit();
                ctx.tile_regs_wait();
                ctx.pack_tile(0, OUT);
                ctx.pack_tile(1, OUT);
                ctx.tile_regs_release();
            });
            completed(&outcome);
            assert_eq!(packed(&rig, &outcome, 2), [0, TWO], "{width:?} {sync:?}");
        }
    }
}

/// Faces in which a maximum keeps nothing stay undefined, and undefined rows are packed as zeros.
#[test]
fn a_maximum_leaves_other_faces_undefined() {
    for dim in [ReduceDim::Row, ReduceDim::Column] {
        let mut rig = Rig::new();
        let outcome = run(&mut rig, default(), 1, move |k| {
            k.compute_kernel_hw_startup(IN, IN, OUT);
            k.reduce_init(Pool::Max, dim, IN, IN, OUT);
            k.tile_regs_acquire();
            k.reduce_tile(Pool::Max, dim, (IN, 0), (IN, 1), 0);
            k.tile_regs_commit();
            k.reduce_uninit();
            k.tile_regs_wait();
            k.pack_tile(0, OUT);
            k.tile_regs_release();
        });
        completed(&outcome);
        let base = outcome.cores[0].buffers[1].config.base;
        let core = rig.device.machine().core(ORIGIN).expect("in the grid");
        let bytes = core.l1().get(base, 2048).expect("in L1");
        for (at, value) in bytes.as_chunks::<2>().0.iter().enumerate() {
            let (face, row, column) = (at / 256, at / 16 % 16, at % 16);
            let is_result = match dim {
                // The row of maxima from which the column is made stays.
                ReduceDim::Row => face % 2 == 0 && (column == 0 || row == 0),
                ReduceDim::Column => face < 2 && row == 0,
                ReduceDim::Scalar => unreachable!("not among those tried"),
            };
            let value = u16::from_le_bytes(*value);
            // Scalers of zero leave the lowest value of all (tt-isa-documentation, GMPOOL.md).
            assert_eq!(value >> 15 == 1, is_result, "{dim:?}, element {at}: {value:#x}");
            assert!(is_result || value == 0, "{dim:?}, element {at}: {value:#x}");
        }
    }
}
