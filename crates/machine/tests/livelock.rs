//! Kernels that never end: those that poll are stopped with what they look at, those that only
//! take their time are left alone, and one that makes no call can be seen from outside.

use crate::common;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{ORIGIN, Rig, SCRATCH, completed, late, seed, the_stop};
use tilewright_machine::{
    Architecture, Ending, L1Address, Polled, Processor, RunOptions, Stop, StopReason, Watch,
};
use tilewright_metal::api::DataMovement;
use tilewright_metal::{CoreCoord, CoreRange};

const IN: u8 = 0;
const BUDGET: u64 = 5_000;
const PAIR: CoreRange = CoreRange::new(ORIGIN, CoreCoord::new(1, 0));

fn options(number: u64) -> RunOptions {
    RunOptions { step_budget: BUDGET, ..seed(number) }
}

fn word(ctx: &DataMovement<'_>, at: L1Address) -> u32 {
    ctx.read_l1(at, 4, |word| u32::from_le_bytes(word.try_into().expect("four bytes")))
}

fn poll(ctx: &DataMovement<'_>, at: L1Address) {
    while word(ctx, at) == 0 {}
}

#[track_caller]
fn livelock(stop: &Stop) -> (u64, Option<Polled>) {
    match stop.reason {
        StopReason::Livelock { calls, polled } => (calls, polled),
        _ => panic!("{stop:?}"),
    }
}

#[test]
fn a_word_that_nobody_will_write_is_named() {
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, IN, 2);
    rig.fill(ORIGIN, 0, 4, 0);
    rig.reader(ORIGIN, |ctx| poll(ctx, SCRATCH));
    rig.writer(ORIGIN, |ctx| ctx.cb_wait_front(IN, 1));
    let outcome = rig.run(options(3));
    let stop = the_stop(&outcome);
    assert_eq!(stop.processor.processor, Processor::Reader);
    assert!(stop.site.file.ends_with("livelock.rs"), "{stop:?}");
    let (calls, polled) = livelock(stop);
    assert!((BUDGET..2 * BUDGET).contains(&calls), "{calls}");
    assert_eq!(polled, Some(Polled { at: SCRATCH, bytes: 4, word: Some(0) }));
}

#[test]
fn any_call_that_changes_nothing_counts() {
    let endless: [fn(&DataMovement<'_>); 3] = [
        |ctx| loop {
            ctx.get_write_ptr(IN);
        },
        |ctx| loop {
            ctx.noc_async_read_barrier();
        },
        |ctx| loop {
            ctx.cb_reserve_back(IN, 1);
        },
    ];
    for kernel in endless {
        let mut rig = Rig::new();
        rig.tiles(ORIGIN, IN, 2);
        rig.reader(ORIGIN, kernel);
        let outcome = rig.run(options(1));
        let (calls, polled) = livelock(the_stop(&outcome));
        assert!(calls > BUDGET && polled.is_none());
    }
}

#[test]
fn the_stop_is_the_same_on_any_number_of_threads() {
    let run = |threads| {
        let mut rig = Rig::new();
        rig.fill(ORIGIN, 0, 4, 0);
        rig.fill(CoreCoord::new(1, 0), 0, 4, 0);
        rig.reader(PAIR, |ctx| poll(ctx, SCRATCH));
        rig.run(RunOptions { threads, ..options(0) })
    };
    let first = run(1);
    let Ending::Stopped(stops) = &first.ending else { panic!("{:?}", first.ending) };
    assert_eq!(stops.len(), 2, "each core polls in vain");
    assert_eq!(run(2), first);
}

/// The other core writes the word long after the budget's calls, and works until then.
#[test]
fn who_waits_for_a_core_that_works_is_left_alone() {
    let mut rig = Rig::new();
    rig.fill(ORIGIN, 0, 8, 0);
    rig.tiles(PAIR, IN, 2);
    rig.reader(ORIGIN, |ctx| poll(ctx, SCRATCH));
    rig.reader(CoreCoord::new(1, 0), |ctx| {
        for _ in 0..20_000 {
            ctx.cb_reserve_back(IN, 1);
            ctx.cb_push_back(IN, 1);
            ctx.cb_pop_front(IN, 1);
        }
        ctx.noc_semaphore_inc(common::scratch_of(ORIGIN, 0), 1);
        ctx.noc_async_atomic_barrier();
    });
    completed(&rig.run(options(2)));
}

/// Late transfers take far longer than the budget's calls; they are under way meanwhile.
#[test]
fn who_waits_for_a_transfer_is_left_alone() {
    let mut rig = Rig::new();
    rig.fill(ORIGIN, 0, 8, 0);
    rig.fill(ORIGIN, 64, 8, 1);
    rig.reader(ORIGIN, |ctx| poll(ctx, SCRATCH));
    rig.writer(ORIGIN, |ctx| {
        ctx.noc_async_write(SCRATCH + 64, common::scratch_of(ORIGIN, 0), 4);
        ctx.noc_async_write_barrier();
    });
    completed(&rig.run(RunOptions { step_budget: BUDGET, ..late(0) }));
}

#[test]
fn who_gives_up_in_time_is_left_alone() {
    let mut rig = Rig::new();
    rig.fill(ORIGIN, 0, 4, 0);
    rig.reader(ORIGIN, |ctx| {
        for _ in 0..BUDGET - 100 {
            word(ctx, SCRATCH);
        }
    });
    completed(&rig.run(options(0)));
}

#[test]
fn a_kernel_without_calls_is_seen_from_outside() {
    static LET_GO: AtomicBool = AtomicBool::new(false);
    let watch: &'static Watch = Box::leak(Box::new(Watch::new(&Architecture::wormhole_n150())));
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, IN, 2);
    let line = Arc::new(std::sync::Mutex::new(0));
    let told = Arc::clone(&line);
    rig.writer(ORIGIN, move |ctx| {
        *told.lock().expect("nobody panics") = line!() + 1;
        ctx.cb_reserve_back(IN, 1);
        while !LET_GO.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
    });
    let running = std::thread::spawn(move || rig.run(RunOptions { watch: Some(watch), ..seed(4) }));
    let in_loop = || watch.turns().into_iter().find(|turn| turn.site.line > 0);
    let turn = loop {
        if let Some(turn) = in_loop() {
            break turn;
        }
        std::thread::yield_now();
    };
    assert_eq!((turn.processor.core, turn.processor.processor), (ORIGIN, Processor::Writer));
    assert_eq!(turn.site.line, *line.lock().expect("nobody panics"));
    LET_GO.store(true, Ordering::Relaxed);
    completed(&running.join().expect("the run ends"));
    assert_eq!(watch.turns(), []);
}
