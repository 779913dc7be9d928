//! Rings of pages as silicon has them: shared counters of 16 bits, pointers of each processor's
//! own, and nobody who stops a page from running over the end.

use crate::common::{Notes, ORIGIN, Rig, SCRATCH, completed, seed};
use tilewright_machine::{Activity, CbId, Ending, EventKind, L1Address, Processor, Waiting};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, DataMovementPlace, Program, ProgramError, Storage,
};
use tilewright_tile::DataFormat;

const IN: u8 = 0;
const OUT: u8 = 16;
const TILE: u32 = 2048;

#[test]
fn counters_are_shared_and_pointers_are_not() {
    let (mut rig, notes) = (Rig::new(), Notes::default());
    rig.tiles(ORIGIN, IN, 4);
    let said = notes.clone();
    rig.reader(ORIGIN, move |ctx| {
        let base = ctx.get_write_ptr(IN);
        ctx.cb_reserve_back(IN, 3);
        ctx.cb_push_back(IN, 3);
        said.say(ctx.get_write_ptr(IN).0 - base.0);
        said.say(ctx.get_read_ptr(IN).0 - base.0);
        ctx.noc_semaphore_set(SCRATCH, base.0);
    });
    let said = notes.clone();
    rig.writer(ORIGIN, move |ctx| {
        ctx.noc_semaphore_wait_min(SCRATCH, 1);
        let base = ctx.read_l1(SCRATCH, 4, |word| u32::from_le_bytes(word.try_into().unwrap()));
        ctx.cb_wait_front(IN, 3);
        ctx.cb_pop_front(IN, 2);
        said.say(ctx.get_write_ptr(IN).0 - base);
        said.say(ctx.get_read_ptr(IN).0 - base);
    });
    let outcome = rig.run(seed(0));
    completed(&outcome);
    assert_eq!(notes.said(), [3 * TILE, 0, 0, 2 * TILE]);
    let ledger = &outcome.cores[0].buffers[0];
    assert_eq!((ledger.visible, ledger.free), (1, 3));
    assert_eq!(ledger.pushed_by, [3, 0, 0, 0, 0]);
    assert_eq!(ledger.popped_by, [0, 0, 0, 0, 2]);
}

/// Pushing three pages twice into a ring of four: data movement runs on, pack comes back.
#[test]
fn a_pointer_wraps_at_the_end_or_past_it_by_processor() {
    let (mut rig, notes) = (Rig::new(), Notes::default());
    rig.tiles(ORIGIN, IN, 4);
    rig.tiles(ORIGIN, OUT, 4);
    let said = notes.clone();
    rig.reader(ORIGIN, move |ctx| {
        let base = ctx.get_write_ptr(IN).0;
        for pages in [3, 3, 2, 4] {
            ctx.cb_push_back(IN, pages);
            said.say((ctx.get_write_ptr(IN).0 - base) / TILE);
        }
    });
    rig.compute(ORIGIN, ComputeConfig::default(), |ctx| {
        ctx.compute_kernel_hw_startup(IN, IN, OUT);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        for pages in [3, 3, 2, 4] {
            ctx.pack_tile(0, OUT);
            ctx.pack_tile(0, OUT);
            ctx.cb_push_back(OUT, pages);
        }
    });
    let (outcome, log) = rig.log(seed(0));
    completed(&outcome);
    assert_eq!(notes.said(), [3, 6, 8, 12], "never on the end, so never back");
    let base = outcome.cores[0].buffers[1].config.base.0;
    let packed = log.0.iter().filter_map(|event| match event.kind {
        EventKind::Packed { to, .. } => Some((to.0 - base) / TILE),
        _ => None,
    });
    let expected = [0, 1, 3, 4, 2, 3, 0, 1];
    assert_eq!(packed.collect::<Vec<_>>(), expected, "page 4 lies behind the ring");
}

#[test]
fn a_pointer_that_lands_on_the_end_comes_back() {
    let (mut rig, notes) = (Rig::new(), Notes::default());
    rig.tiles(ORIGIN, IN, 4);
    let said = notes.clone();
    rig.reader(ORIGIN, move |ctx| {
        let base = ctx.get_write_ptr(IN).0;
        for pages in [3, 1, 4, 2] {
            ctx.cb_push_back(IN, pages);
            ctx.cb_pop_front(IN, pages);
            said.say((ctx.get_write_ptr(IN).0 - base) / TILE);
            said.say((ctx.get_read_ptr(IN).0 - base) / TILE);
        }
    });
    completed(&rig.run(seed(0)));
    assert_eq!(notes.said(), [3, 3, 0, 0, 0, 0, 2, 2]);
}

#[test]
fn counters_wrap_at_sixteen_bits() {
    let mut rig = Rig::new();
    rig.builder
        .circular_buffer(ORIGIN, CbSpec::pages(IN, "cb_small", DataFormat::Bfloat16, 16, 1024));
    rig.reader(ORIGIN, |ctx| {
        for _ in 0..200 {
            ctx.cb_reserve_back(IN, 512);
            ctx.cb_push_back(IN, 512);
        }
    });
    rig.writer(ORIGIN, |ctx| {
        for _ in 0..200 {
            ctx.cb_wait_front(IN, 512);
            ctx.cb_pop_front(IN, 512);
        }
    });
    let outcome = rig.run(seed(5));
    completed(&outcome);
    let ledger = &outcome.cores[0].buffers[0];
    assert_eq!((ledger.pushed, ledger.popped), (102_400, 102_400));
    assert_eq!((ledger.visible, ledger.free), (0, 1024));
}

/// On silicon the free count is a 16-bit difference: pushing more than was free makes it huge.
#[test]
fn pushing_more_than_was_reserved_wraps_the_free_count() {
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, IN, 2);
    rig.reader(ORIGIN, |ctx| {
        ctx.cb_push_back(IN, 3);
        ctx.cb_reserve_back(IN, 60_000);
    });
    let outcome = rig.run(seed(0));
    completed(&outcome);
    assert_eq!(
        (outcome.cores[0].buffers[0].visible, outcome.cores[0].buffers[0].free),
        (3, 0xffff)
    );
    rig.tiles(ORIGIN, IN, 2);
    rig.reader(ORIGIN, |ctx| {
        ctx.cb_pop_front(IN, 1);
        ctx.cb_wait_front(IN, 60_000);
        ctx.cb_reserve_back(IN, 4);
    });
    let outcome = rig.run(seed(0));
    assert_eq!(outcome.ending, Ending::Stuck, "popping nothing leaves 3 pages free, not 4");
    let waiting = Waiting::ForSpace { cb: CbId(IN), asked: 4 };
    assert_eq!(outcome.cores[0].processors[0].activity, Activity::Blocked(waiting));
    assert_eq!(
        (outcome.cores[0].buffers[0].visible, outcome.cores[0].buffers[0].free),
        (0xffff, 3)
    );
}

#[test]
fn no_pages_are_always_there() {
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, IN, 2);
    rig.reader(ORIGIN, |ctx| {
        ctx.cb_wait_front(IN, 0);
        ctx.cb_push_back(IN, 2);
        ctx.cb_reserve_back(IN, 0);
    });
    completed(&rig.run(seed(0)));
}

#[test]
fn indices_that_share_memory_have_counters_of_their_own() {
    let (mut rig, notes) = (Rig::new(), Notes::default());
    let spec = |id, pages| CbSpec::tiles(id, "cb_shared", DataFormat::Bfloat16, pages);
    rig.builder.shared_circular_buffer(ORIGIN, vec![spec(1, 4), spec(2, 2)]);
    rig.tiles(ORIGIN, OUT, 1);
    let said = notes.clone();
    rig.reader(ORIGIN, move |ctx| {
        let [first, second, behind] = [1, 2, OUT].map(|cb| ctx.get_write_ptr(cb));
        assert_eq!(first, second);
        assert_eq!(behind.0 - first.0, 4 * TILE, "behind the larger of the two");
        ctx.write_l1(first, 1, |bytes| bytes.fill(0x5a));
        ctx.cb_push_back(1, 1);
        said.say(ctx.read_l1(ctx.get_read_ptr(2), 1, |bytes| u32::from(bytes[0])));
    });
    let outcome = rig.run(seed(0));
    completed(&outcome);
    assert_eq!(notes.said(), [0x5a]);
    let visible: Vec<u32> = outcome.cores[0].buffers.iter().map(|it| it.visible).collect();
    assert_eq!(visible, [1, 0, 0]);
}

/// A ring behind one of odd size still begins where DRAM can be read to.
#[test]
fn rings_begin_where_dram_can_be_read_to() {
    let mut rig = Rig::new();
    let page = rig.device.allocate(Storage::Dram, 64, 1).expect("room");
    page.fill(&mut rig.device, 0x77).expect("a page");
    let from = page.page(0).expect("a page");
    let odd = CbSpec::pages(1, "cb_odd", DataFormat::Bfloat16, 48, 1);
    rig.builder.circular_buffer(ORIGIN, odd);
    rig.tiles(ORIGIN, IN, 1);
    rig.reader(ORIGIN, move |ctx| {
        ctx.noc_async_read(from, ctx.get_write_ptr(IN), 64);
        ctx.noc_async_read_barrier();
    });
    let outcome = rig.run(seed(0));
    completed(&outcome);
    assert_eq!(outcome.cores[0].buffers[0].config.base.0 % 32, 0);
}

#[test]
fn there_are_32_rings() {
    let mut rig = Rig::new();
    for id in 0..32 {
        rig.tiles(ORIGIN, id, 1);
    }
    rig.reader(ORIGIN, |ctx| (0..32).for_each(|cb| ctx.cb_push_back(cb, 1)));
    let outcome = rig.run(seed(0));
    completed(&outcome);
    assert!(outcome.cores[0].buffers.iter().all(|ledger| ledger.visible == 1));
    let mut builder = Program::builder("one more");
    builder.circular_buffer(ORIGIN, CbSpec::tiles(32, "cb_32", DataFormat::Bfloat16, 1));
    let (place, args) = (DataMovementPlace::Reader, CompileTimeArgs::default());
    builder.data_movement("reader", ORIGIN, place, args, |_| ());
    let built = builder.build(rig.device.architecture(), rig.device.l1_lowest());
    assert!(matches!(built.err(), Some(ProgramError::NoSuchIndex { id: 32, most: 32, .. })));
}

/// A launch empties rings and leaves L1 as it was.
#[test]
fn a_launch_empties_rings_and_keeps_l1() {
    let (mut rig, notes) = (Rig::new(), Notes::default());
    let program = |rig: &mut Rig| {
        rig.tiles(ORIGIN, IN, 2);
        let said = notes.clone();
        rig.reader(ORIGIN, move |ctx| {
            let at: L1Address = ctx.get_write_ptr(IN);
            said.say(ctx.read_l1(at, 1, |bytes| u32::from(bytes[0])));
            ctx.cb_reserve_back(IN, 2);
            ctx.write_l1(at, 1, |bytes| bytes[0] += 1);
            ctx.cb_push_back(IN, 1);
        });
    };
    for _ in 0..3 {
        program(&mut rig);
        let outcome = rig.run(seed(0));
        completed(&outcome);
        assert_eq!(outcome.cores[0].buffers[0].pushed_by[Processor::Reader as usize], 1);
    }
    assert_eq!(notes.said(), [0, 1, 2]);
}
