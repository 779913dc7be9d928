//! How runs end: stuck at once with every wait state, stopped by a fault or a panic with its line,
//! or given up at a limit. The process goes on, and says nothing by itself.

use crate::common;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{Notes, ORIGIN, Rig, SCRATCH, completed, late, reason, seed, the_stop};
use tilewright_machine::{
    Activity, Called, CbId, Ending, L1Address, PackMode, Processor, RunOptions, SemaphoreTest,
    SourceId, StopReason, UnpackOperation, Unset, VectorOperation, Waiting, Watch,
};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{CompileTimeArgs, ComputeConfig, CoreCoord, DataMovementPlace};
use tilewright_tile::Transpose;
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::sfpu::Unary;

type ComputeCall = fn(&Compute<'_>);

const IN: u8 = 0;
const OUT: u8 = 16;

/// The line after the one that calls this.
#[track_caller]
fn next_line() -> u32 {
    std::panic::Location::caller().line() + 1
}

/// Reader and unpack wait for each other: 8 pages asked of a ring of 4.
fn deadlock(rig: &mut Rig, cores: tilewright_metal::CoreSet) {
    rig.tiles(&cores, IN, 4);
    rig.tiles(&cores, OUT, 4);
    rig.reader(&cores, |ctx| {
        ctx.cb_reserve_back(IN, 3);
        ctx.cb_push_back(IN, 3);
        ctx.cb_reserve_back(IN, 3);
    });
    rig.compute(&cores, ComputeConfig::default(), |ctx| {
        ctx.compute_kernel_hw_startup(IN, IN, OUT);
        ctx.copy_tile_init(IN);
        ctx.cb_wait_front(IN, 8);
        ctx.tile_regs_acquire();
        ctx.copy_tile(IN, 0, 0);
        ctx.tile_regs_commit();
        ctx.cb_reserve_back(OUT, 1);
        ctx.tile_regs_wait();
        ctx.pack_tile(0, OUT);
        ctx.tile_regs_release();
        ctx.cb_push_back(OUT, 1);
    });
    rig.writer(&cores, |ctx| ctx.cb_wait_front(OUT, 1));
}

#[test]
fn a_deadlock_ends_at_once_with_every_wait_state_and_ledger() {
    let mut rig = Rig::new();
    deadlock(&mut rig, ORIGIN.into());
    let outcome = rig.run(seed(0));
    assert!(outcome.cycles.0 < 1000, "no time passes once nothing can move");
    assert_eq!(outcome.ending, Ending::Stuck);
    let state = &outcome.cores[0];
    let activities: Vec<Activity> = state.processors.iter().map(|it| it.activity).collect();
    let expected = [
        Waiting::ForSpace { cb: CbId(IN), asked: 3 },
        Waiting::ForPages { cb: CbId(IN), asked: 8 },
        Waiting::ForFullBank(SourceId::A),
        Waiting::ForDstCommit,
        Waiting::ForPages { cb: CbId(OUT), asked: 1 },
    ];
    assert_eq!(activities, expected.map(Activity::Blocked));
    assert!(state.processors.iter().all(|it| it.site.file.ends_with("endings.rs")));
    let ledger = &state.buffers[0];
    assert_eq!((ledger.pushed, ledger.popped, ledger.visible, ledger.free), (3, 0, 3, 1));
    assert_eq!(ledger.pushed_by[Processor::Reader as usize], 3);
    assert!(outcome.cores[1].processors.iter().all(|it| it.activity == Activity::Idle));
}

#[test]
fn a_deadlock_of_all_cores_ends_as_fast() {
    let mut rig = Rig::new();
    let grid = rig.device.architecture().grid();
    for threads in [1, 2] {
        deadlock(&mut rig, grid.into());
        let outcome = rig.run(RunOptions { threads, ..seed(1) });
        assert!(outcome.cycles.0 < 1000);
        assert_eq!(outcome.ending, Ending::Stuck);
        let blocked = |activity: &Activity| matches!(activity, Activity::Blocked(_));
        let all = outcome.cores.iter().flat_map(|core| &core.processors);
        assert_eq!(all.filter(|it| blocked(&it.activity)).count(), 5 * 64);
    }
}

#[test]
fn an_equality_that_was_overshot_never_ends() {
    let run = |until: fn(&DataMovement<'_>)| {
        let mut rig = Rig::new();
        rig.fill(ORIGIN, 0, 4, 0);
        rig.writer(ORIGIN, |ctx| {
            ctx.noc_semaphore_inc(common::scratch_of(ORIGIN, 0), 2);
            ctx.noc_semaphore_inc(common::scratch_of(ORIGIN, 0), 2);
        });
        rig.reader(ORIGIN, until);
        rig.run(seed(0))
    };
    completed(&run(|ctx| ctx.noc_semaphore_wait_min(SCRATCH, 3)));
    completed(&run(|ctx| ctx.noc_semaphore_wait(SCRATCH, 4)));
    let outcome = run(|ctx| ctx.noc_semaphore_wait(SCRATCH, 3));
    assert_eq!(outcome.ending, Ending::Stuck);
    let waiting = Waiting::ForSemaphore { address: SCRATCH, until: SemaphoreTest::Equal(3) };
    assert_eq!(outcome.cores[0].processors[0].activity, Activity::Blocked(waiting));
}

struct Counted(Arc<AtomicU32>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_panic_ends_the_run_with_its_message_and_line() {
    for threads in [1, 3] {
        let (mut rig, dropped) = (Rig::new(), Arc::new(AtomicU32::new(0)));
        let grid = rig.device.architecture().grid();
        let counter = Arc::clone(&dropped);
        rig.reader(grid, move |ctx| {
            let _kept = Counted(Arc::clone(&counter));
            ctx.noc_semaphore_wait(SCRATCH, 1);
        });
        static LINE: AtomicU32 = AtomicU32::new(0);
        let culprit = CoreCoord::new(3, 2);
        rig.writer(culprit, |ctx| {
            ctx.noc_semaphore_set(SCRATCH + 16, 1);
            LINE.store(next_line(), Ordering::Relaxed);
            panic!("no more {}", "tiles");
        });
        // In the nominal schedule all have started by then.
        let watch = Box::leak(Box::new(Watch::new(rig.device.architecture())));
        let outcome = rig.run(RunOptions { threads, watch: Some(watch), ..seed(0) });
        assert!(watch.turns().is_empty(), "no kernel runs any more");
        let stop = the_stop(&outcome);
        assert_eq!(stop.processor.core, culprit);
        assert_eq!(stop.processor.processor, Processor::Writer);
        let StopReason::Panic(panic) = &stop.reason else { panic!("{:?}", stop.reason) };
        assert_eq!(panic.message, "no more tiles");
        let site = panic.site.expect("a place");
        assert!(site.file.ends_with("endings.rs"), "{site}");
        assert_eq!(site.line, LINE.load(Ordering::Relaxed));
        assert_eq!(stop.site, site);
        assert_eq!(dropped.load(Ordering::Relaxed), 64, "the others' destructors ran");
        rig.reader(grid, |ctx| ctx.noc_semaphore_set(SCRATCH, 5));
        completed(&rig.run(seed(0)));
    }
}

#[test]
fn a_panic_prints_nothing() {
    let test = "endings::a_panic_ends_the_run_with_its_message_and_line";
    let tests = std::env::current_exe().expect("this file's own program");
    let output = std::process::Command::new(tests)
        .args(["--exact", test, "--nocapture"])
        .output()
        .expect("it can be run");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn panics_of_the_language_and_of_odd_payloads_are_told_apart() {
    let message = |kernel: fn(&DataMovement<'_>)| {
        let mut rig = Rig::new();
        rig.reader(ORIGIN, kernel);
        match reason(&rig.run(seed(0))) {
            StopReason::Panic(panic) => (panic.message.clone(), panic.site.map(|it| it.line)),
            other => panic!("{other:?}"),
        }
    };
    let (text, line) = message(|ctx| {
        let list = [1, 2];
        let index = ctx.read_l1(SCRATCH, 1, |bytes| usize::from(bytes[0])) + 2;
        let _ = list[index];
    });
    assert_eq!(text, "index out of bounds: the len is 2 but the index is 2");
    assert!(line.is_some());
    let (text, _) = message(|_| std::panic::panic_any(17_u8));
    assert_eq!(text, "a panic without a message");
    let (text, _) = message(|ctx| ctx.read_l1(SCRATCH, 1, |_| panic!("inside a reading")));
    assert_eq!(text, "inside a reading");
}

/// A guard that makes calls when it is dropped, as scoped pages would.
struct Guard<'a>(&'a DataMovement<'a>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.cb_push_back(IN, 1);
        self.0.cb_reserve_back(IN, 100);
        self.0.noc_semaphore_set(SCRATCH, 9);
    }
}

#[test]
fn calls_in_destructors_end_with_the_run() {
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, IN, 2);
    rig.reader(ORIGIN, |ctx| {
        let _guard = Guard(ctx);
        ctx.noc_semaphore_wait(SCRATCH + 16, 1);
    });
    let outcome = rig.run(seed(3));
    assert_eq!(outcome.ending, Ending::Stuck);
    assert_eq!(outcome.cores[0].buffers[0].pushed, 0, "the state is that of the deadlock");
    let activity = outcome.cores[0].processors[0].activity;
    assert!(matches!(activity, Activity::Blocked(Waiting::ForSemaphore { .. })), "{activity:?}");
    rig.tiles(ORIGIN, IN, 2);
    rig.reader(ORIGIN, |ctx| {
        let _guard = Guard(ctx);
        panic!("while guarded");
    });
    assert!(matches!(reason(&rig.run(seed(3))), StopReason::Panic(_)));
}

#[test]
fn several_stops_come_with_the_earliest_first() {
    let mut rig = Rig::new();
    let grid = rig.device.architecture().grid();
    rig.reader(grid, |ctx| {
        let core = ctx.core();
        ctx.write_l1(SCRATCH, 16 + 4 * u32::from(core.y), |_| ());
        ctx.cb_wait_front(31, 1);
    });
    let outcome = rig.run(seed(0));
    let Ending::Stopped(stops) = &outcome.ending else { panic!("{:?}", outcome.ending) };
    assert!(stops.is_sorted_by_key(|stop| (stop.cycle, stop.processor)));
    assert_eq!(stops.len(), 64, "all cores reach it within a window");
    assert!(stops.iter().all(|stop| stop.reason == StopReason::NoSuchBuffer(CbId(31))));
}

#[test]
fn a_run_is_given_up_at_its_limit() {
    let mut rig = Rig::new();
    rig.reader(ORIGIN, |ctx| while ctx.read_l1(SCRATCH, 4, |word| word[0]) == 0 {});
    let outcome = rig.run(RunOptions { cycle_limit: 100_000, ..seed(2) });
    assert_eq!(reason(&outcome), &StopReason::CycleLimit(100_000));
    assert!((100_000..101_000).contains(&outcome.cycles.0), "{}", outcome.cycles);
    rig.reader(ORIGIN, |ctx| {
        ctx.noc_async_read(common::scratch_of(CoreCoord::new(1, 1), 0), SCRATCH, 16);
        ctx.noc_async_read_barrier();
    });
    let outcome = rig.run(RunOptions { cycle_limit: 100_000, ..late(0) });
    assert_eq!(reason(&outcome), &StopReason::CycleLimit(100_000), "late landing takes longer");
}

#[test]
fn a_kernel_that_only_configures_itself_is_given_up_too() {
    let mut rig = Rig::new();
    rig.compute(ORIGIN, ComputeConfig::default(), |ctx| {
        loop {
            ctx.pack_reconfig_l1_acc(true);
            ctx.fill_tile_init();
            ctx.tilize_uninit(IN, IN);
        }
    });
    let outcome = rig.run(RunOptions { cycle_limit: 500_000, ..seed(1) });
    assert_eq!(reason(&outcome), &StopReason::CycleLimit(500_000));
}

/// A fault of a data-movement kernel: the reason, and that the line is the kernel's.
#[track_caller]
fn check_fault(kernel: impl Fn(&DataMovement<'_>) + Send + Sync + 'static, expected: &StopReason) {
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, IN, 2);
    let args = CompileTimeArgs {
        named: [("tiles".to_owned(), 4)].into(),
        ..CompileTimeArgs::positional(&[7])
    };
    rig.builder.data_movement("fault", ORIGIN, DataMovementPlace::Reader, args, kernel);
    let outcome = rig.run(seed(0));
    let stop = the_stop(&outcome);
    assert_eq!(&stop.reason, expected);
    assert!(stop.site.file.ends_with("tests/endings.rs"), "{}", stop.site);
}

fn no_argument(name: &str, given: &str) -> StopReason {
    StopReason::NoSuchArgument { name: name.to_owned(), given: given.to_owned() }
}

#[test]
fn unknown_arguments_end_the_run_at_the_kernels_line() {
    check_fault(|ctx| _ = ctx.arg(0), &no_argument("runtime argument 0", "0 of them"));
    check_fault(
        |ctx| _ = ctx.common_arg(2),
        &no_argument("common runtime argument 2", "0 of them"),
    );
    check_fault(
        |ctx| _ = ctx.compile_time_arg(1),
        &no_argument("compile-time argument 1", "1 of them"),
    );
    check_fault(|ctx| _ = ctx.get_semaphore(3), &no_argument("semaphore 3", "0 of them"));
    let expected = no_argument("compile-time argument `tile`", "named arguments: tiles");
    check_fault(|ctx| _ = ctx.named_arg("tile"), &expected);
}

#[test]
fn unknown_buffers_end_the_run_at_the_kernels_line() {
    let calls: [fn(&DataMovement<'_>); 8] = [
        |ctx| ctx.cb_reserve_back(5, 1),
        |ctx| ctx.cb_push_back(5, 1),
        |ctx| ctx.cb_wait_front(5, 1),
        |ctx| ctx.cb_pop_front(5, 1),
        |ctx| _ = ctx.get_write_ptr(5),
        |ctx| _ = ctx.get_read_ptr(5),
        |ctx| _ = ctx.get_tile_size(5),
        |ctx| _ = ctx.get_dataformat(5),
    ];
    for call in calls {
        check_fault(call, &StopReason::NoSuchBuffer(CbId(5)));
    }
    check_fault(|ctx| ctx.cb_push_back(255, 1), &StopReason::NoSuchBuffer(CbId(255)));
}

#[test]
fn l1_ends_where_it_ends() {
    let l1_bytes = 1464 * 1024;
    let outside = |at, bytes| StopReason::OutsideL1 { at: L1Address(at), bytes, l1_bytes };
    check_fault(|ctx| ctx.read_l1(L1Address(1464 * 1024), 1, |_| ()), &outside(l1_bytes, 1));
    check_fault(|ctx| ctx.write_l1(L1Address(u32::MAX), 2, |_| ()), &outside(u32::MAX, 2));
    check_fault(|ctx| ctx.read_l1(L1Address(0), u32::MAX, |_| ()), &outside(0, u32::MAX));
    let end = L1Address(1464 * 1024 - 3);
    check_fault(move |ctx| ctx.noc_semaphore_set(end, 1), &outside(end.0, 4));
    check_fault(move |ctx| ctx.noc_semaphore_wait(end, 1), &outside(end.0, 4));
}

/// A fault of a compute kernel on one of its processors.
#[track_caller]
fn check_compute(
    kernel: impl Fn(&Compute<'_>) + Send + Sync + 'static,
    processor: Processor,
    expected: &StopReason,
) {
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, IN, 2);
    rig.tiles(ORIGIN, OUT, 2);
    rig.compute(ORIGIN, ComputeConfig::default(), kernel);
    let outcome = rig.run(seed(0));
    let Ending::Stopped(stops) = &outcome.ending else { panic!("{:?}", outcome.ending) };
    assert_eq!((stops[0].processor.processor, &stops[0].reason), (processor, expected));
    assert!(stops[0].site.file.ends_with("tests/endings.rs"), "{}", stops[0].site);
}

#[test]
fn nothing_is_configured_before_start_up() {
    let unset = StopReason::Unconfigured;
    let formats = unset(Unset::UnpackFormats);
    check_compute(|ctx| ctx.copy_tile(IN, 0, 0), Processor::Unpack, &formats);
    let reconfigured = |ctx: &Compute<'_>| {
        ctx.reconfig_data_format(IN, IN);
        ctx.copy_tile_init(IN);
        ctx.copy_tile(IN, 0, 0);
    };
    check_compute(reconfigured, Processor::Unpack, &formats);
    let vector = |ctx: &Compute<'_>| {
        ctx.fill_tile_init();
        ctx.fill_tile(0, 1.0);
    };
    check_compute(vector, Processor::Math, &unset(Unset::AluFormats));
    let pack = |ctx: &Compute<'_>| {
        ctx.pack_reconfig_data_format(OUT);
        ctx.pack_tile(0, OUT);
    };
    check_compute(pack, Processor::Pack, &unset(Unset::PackFormats));
}

#[test]
fn an_operation_needs_an_init() {
    let started = |ctx: &Compute<'_>| ctx.compute_kernel_hw_startup(IN, IN, OUT);
    let unset = StopReason::Uninitialised;
    let copy = move |ctx: &Compute<'_>| {
        started(ctx);
        ctx.copy_tile(IN, 0, 0);
    };
    let one = UnpackOperation::One { to: SourceId::A, transpose: Transpose::None };
    let called = Called::Unpack(one, [Some(CbId(IN)), None]);
    check_compute(copy, Processor::Unpack, &unset(called));
    let vector = move |ctx: &Compute<'_>| {
        started(ctx);
        ctx.fill_tile(0, 1.0);
    };
    let fill = VectorOperation::Unary(Unary::Fill(1.0_f32.to_bits()));
    check_compute(vector, Processor::Math, &unset(Called::Vector(fill)));
}

#[test]
fn calls_that_their_init_leaves_without_meaning_end_the_run() {
    let started = |ctx: &Compute<'_>| ctx.compute_kernel_hw_startup(IN, IN, OUT);
    let untilize = move |ctx: &Compute<'_>| {
        started(ctx);
        ctx.pack_untilize_dest(OUT, 0);
    };
    let tiles = StopReason::OtherPack { configured: PackMode::Tile };
    check_compute(untilize, Processor::Pack, &tiles);
    let pack = move |ctx: &Compute<'_>| {
        started(ctx);
        ctx.pack_untilize_dest_init(1, 1, OUT);
        ctx.pack_tile(0, OUT);
    };
    let rows = PackMode::Untilize { block_tiles: 1, row_tiles: 1 };
    check_compute(pack, Processor::Pack, &StopReason::OtherPack { configured: rows });
    let operands = move |ctx: &Compute<'_>| {
        started(ctx);
        ctx.binary_tiles_init(Elementwise::Add, false);
        ctx.copy_tile(IN, 0, 0);
    };
    let called = UnpackOperation::One { to: SourceId::A, transpose: Transpose::None };
    let reason = StopReason::OtherUnpack { configured: UnpackOperation::Both, called };
    check_compute(operands, Processor::Unpack, &reason);
}

#[test]
fn unbounded_indices_reach_the_end_of_l1_and_no_further() {
    let kernels: [(ComputeCall, Processor); 4] = [
        (|ctx| ctx.copy_tile(IN, 1 << 12, 0), Processor::Unpack),
        (|ctx| ctx.pack_tile_at(u32::MAX, OUT, 1 << 12), Processor::Pack),
        (
            |ctx| {
                ctx.tilize_init(IN, u32::MAX, OUT);
                ctx.tilize_block(IN, 1, OUT);
            },
            Processor::Unpack,
        ),
        (
            |ctx| {
                ctx.pack_untilize_dest_init(1, u32::MAX, OUT);
                ctx.pack_untilize_dest(OUT, u32::MAX);
            },
            Processor::Pack,
        ),
    ];
    for (kernel, processor) in kernels {
        let mut rig = Rig::new();
        rig.tiles(ORIGIN, IN, 2);
        rig.tiles(ORIGIN, OUT, 2);
        rig.compute(ORIGIN, ComputeConfig::default(), move |ctx| {
            ctx.compute_kernel_hw_startup(IN, IN, OUT);
            ctx.copy_tile_init(IN);
            if processor == Processor::Pack {
                ctx.tile_regs_commit();
                ctx.tile_regs_wait();
            }
            kernel(ctx);
        });
        let outcome = rig.run(seed(0));
        assert!(matches!(reason(&outcome), StopReason::OutsideL1 { .. }), "{:?}", outcome.ending);
        assert_eq!(the_stop(&outcome).processor.processor, processor);
    }
}

#[test]
fn semaphores_begin_with_their_value_on_cores_without_a_kernel_too() {
    let (mut rig, notes) = (Rig::new(), Notes::default());
    let idle = CoreCoord::new(4, 4);
    let semaphore = rig.builder.semaphore(idle, 6);
    let said = notes.clone();
    rig.reader(ORIGIN, move |ctx| {
        let at = ctx.get_semaphore(semaphore.0);
        ctx.noc_async_read(ctx.get_noc_addr(idle, at), SCRATCH, 4);
        ctx.noc_async_read_barrier();
        said.say(ctx.read_l1(SCRATCH, 1, |bytes| u32::from(bytes[0])));
    });
    completed(&rig.run(seed(0)));
    assert_eq!(notes.said(), [6]);
}
