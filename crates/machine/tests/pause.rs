//! A run that is asked to stop at a cycle: it is the same run up to there, whatever the threads.

use crate::common::{Log, ORIGIN, Rig, completed, seed};
use tilewright_machine::{Activity, Cycle, Ending, Event, Outcome, RunOptions};
use tilewright_metal::{ComputeConfig, CoreCoord, CoreRange};

const IN: u8 = 0;
const OUT: u8 = 16;
const CORES: CoreRange = CoreRange::new(ORIGIN, CoreCoord::new(2, 1));
const TILES: u32 = 12;

/// Tiles go through every core, and a count of them from each core to its neighbour.
fn program() -> Rig {
    let mut rig = Rig::new();
    rig.tiles(CORES, IN, 2);
    rig.tiles(CORES, OUT, 2);
    let counter = rig.builder.semaphore(CORES, 0).0;
    rig.reader(CORES, move |ctx| {
        let next = CoreCoord::new((ctx.core().x + 1) % 3, ctx.core().y);
        let counter = ctx.get_noc_addr(next, ctx.get_semaphore(counter));
        for _ in 0..TILES {
            ctx.cb_reserve_back(IN, 1);
            ctx.cb_push_back(IN, 1);
            ctx.noc_semaphore_inc(counter, 1);
        }
        ctx.noc_async_atomic_barrier();
    });
    rig.compute(CORES, ComputeConfig::default(), |ctx| {
        ctx.compute_kernel_hw_startup(IN, IN, OUT);
        ctx.copy_tile_init(IN);
        for _ in 0..TILES {
            ctx.cb_wait_front(IN, 1);
            ctx.tile_regs_acquire();
            ctx.copy_tile(IN, 0, 0);
            ctx.tile_regs_commit();
            ctx.cb_pop_front(IN, 1);
            ctx.cb_reserve_back(OUT, 1);
            ctx.tile_regs_wait();
            ctx.pack_tile(0, OUT);
            ctx.tile_regs_release();
            ctx.cb_push_back(OUT, 1);
        }
    });
    rig.writer(CORES, move |ctx| {
        let counter = ctx.get_semaphore(counter);
        for tile in 1..=TILES {
            ctx.noc_semaphore_wait_min(counter, tile);
            ctx.cb_wait_front(OUT, 1);
            ctx.cb_pop_front(OUT, 1);
        }
    });
    rig
}

fn watched(options: RunOptions) -> (Outcome, Vec<Event>) {
    let (outcome, log): (_, Log) = program().log(options);
    (outcome, log.0)
}

#[test]
fn a_paused_run_is_the_beginning_of_the_whole_one() {
    for number in [0, 5] {
        let (whole, events) = watched(seed(number));
        completed(&whole);
        for percent in [1, 10, 33, 50, 77, 99] {
            let last = Cycle(whole.cycles.0 * percent / 100);
            let beginning: Vec<Event> =
                events.iter().copied().filter(|event| event.cycle <= last).collect();
            for threads in [1, 2] {
                let options = RunOptions { threads, stop_at: Some(last), ..seed(number) };
                let (paused, seen) = watched(options);
                assert_eq!(paused.ending, Ending::Paused(last));
                assert!(seen == beginning, "seed {number}, {percent} %, {threads} threads");
            }
        }
    }
}

#[test]
fn a_run_that_ends_before_is_not_paused() {
    let (whole, events) = watched(seed(5));
    let stop_at = Some(whole.cycles);
    let (again, seen) = watched(RunOptions { stop_at, ..seed(5) });
    assert_eq!((again, seen), (whole, events));
}

#[test]
fn a_paused_run_says_where_everybody_is() {
    let stop_at = Some(Cycle(1_500));
    let outcome = program().run(RunOptions { stop_at, ..seed(0) });
    let core = &outcome.cores[0];
    assert!(core.processors.iter().all(|it| it.site.file.ends_with("pause.rs")), "{core:#?}");
    assert!(core.processors.iter().any(|it| matches!(it.activity, Activity::Blocked(_))));
    assert_eq!((core.buffers.len(), core.dst.limit), (2, 2));
    assert!(core.buffers[0].pushed > 0 && core.buffers[0].pushed < u64::from(TILES));
}
