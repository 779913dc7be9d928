//! Runs are functions of program, seed and mode alone: not of host threads nor of who watches.
//! Values are the same for every seed, and every event names the line that caused it.

use std::sync::{Arc, Mutex};

use crate::common::{Log, Notes, ORIGIN, Rig, SCRATCH, completed, late, scratch_of, seed};
use tilewright_machine::{Event, EventKind, EventOrder, Observer, Outcome, Processor, RunOptions};
use tilewright_metal::api::DataMovement;
use tilewright_metal::{ComputeConfig, CoreCoord, CoreRange, Storage};

const ROUNDS: u32 = 3;
const BLOCK: u32 = 1024;

/// One core of each row sends a block to its row in each round when all have asked for it; each
/// adds up what it gets, then a token goes round all cores and picks the sums up.
struct Relay {
    columns: u8,
    rows: u8,
    /// Counts requests on the sender, rounds on receivers, and the token.
    semaphores: [u32; 3],
}

impl Relay {
    fn sender(&self, ctx: &DataMovement<'_>) {
        let row = ctx.core().y;
        let last = CoreCoord::new(self.columns - 1, row);
        let range = CoreRange::new(CoreCoord::new(0, row), last);
        let [asked, sent, _] = self.semaphores.map(|id| ctx.get_semaphore(id));
        for round in 1..=ROUNDS {
            ctx.noc_semaphore_wait(asked, u32::from(self.columns));
            ctx.noc_semaphore_set(asked, 0);
            let value = (round * 16 + u32::from(row)) as u8;
            ctx.write_l1(SCRATCH, BLOCK, |block| block.fill(value));
            ctx.noc_async_write_multicast_loopback_src(SCRATCH, range, SCRATCH + BLOCK, BLOCK);
            ctx.noc_semaphore_set(SCRATCH + 2 * BLOCK, round);
            ctx.noc_semaphore_set_multicast_loopback_src(SCRATCH + 2 * BLOCK, range, sent);
            ctx.noc_async_writes_flushed();
        }
        ctx.noc_async_write_barrier();
    }

    fn receiver(&self, ctx: &DataMovement<'_>) {
        let core = ctx.core();
        let [asked, sent, token] = self.semaphores.map(|id| ctx.get_semaphore(id));
        let sender = ctx.get_noc_addr(CoreCoord::new(0, core.y), asked);
        let mut sum = 0;
        for round in 1..=ROUNDS {
            ctx.noc_semaphore_inc(sender, 1);
            ctx.noc_semaphore_wait_min(sent, round);
            let last = SCRATCH + (2 * BLOCK - 1);
            sum += ctx.read_l1(last, 1, |bytes| u32::from(bytes[0]));
        }
        ctx.noc_async_atomic_barrier();
        self.pass(ctx, token, sum);
    }

    /// Waits for the token, adds to the total that came with it, and hands both on.
    fn pass(&self, ctx: &DataMovement<'_>, token: tilewright_metal::L1Address, sum: u32) {
        let core = ctx.core();
        let total = SCRATCH + 3 * BLOCK;
        let mut so_far = 0;
        if core != ORIGIN {
            ctx.noc_semaphore_wait(token, 1);
            so_far = ctx.read_l1(total, 4, |word| u32::from_le_bytes(word.try_into().unwrap()));
        }
        let next = match (core.x + 1 == self.columns, core.y + 1 == self.rows) {
            (false, _) => CoreCoord::new(core.x + 1, core.y),
            (true, false) => CoreCoord::new(0, core.y + 1),
            (true, true) => ORIGIN,
        };
        let value = (so_far + sum).to_le_bytes();
        ctx.write_l1(total, 4, |word| word.copy_from_slice(&value));
        let to = if next == ORIGIN { 4 * BLOCK } else { 3 * BLOCK };
        ctx.noc_async_write(total, scratch_of(next, to), 4);
        ctx.noc_semaphore_inc(ctx.get_noc_addr(next, token), 1);
        ctx.noc_async_full_barrier();
    }

    /// What the token has picked up at its end.
    fn total(&self) -> u32 {
        let row = |row: u32| (1..=ROUNDS).map(|round| round * 16 + row).sum::<u32>();
        (0..u32::from(self.rows)).map(row).sum::<u32>() * u32::from(self.columns)
    }
}

fn relay(rig: &mut Rig, columns: u8, rows: u8) -> u32 {
    let cores = CoreRange::new(ORIGIN, CoreCoord::new(columns - 1, rows - 1));
    let semaphores = [0; 3].map(|first| rig.builder.semaphore(cores, first).0);
    let relay = Arc::new(Relay { columns, rows, semaphores });
    let (total, sender) = (relay.total(), Arc::clone(&relay));
    let senders = CoreRange::new(ORIGIN, CoreCoord::new(0, rows - 1));
    rig.writer(senders, move |ctx| sender.sender(ctx));
    rig.reader(cores, move |ctx| relay.receiver(ctx));
    total
}

#[test]
fn hand_shakes_over_many_cores_hold_under_every_seed() {
    let mut rig = Rig::new();
    let mut digests = std::collections::BTreeSet::new();
    for number in 0..64 {
        for options in [seed(number), late(number)] {
            let total = relay(&mut rig, 4, 4);
            rig.fill(ORIGIN, 0, 8 * BLOCK, 0);
            let outcome = rig.run(options);
            completed(&outcome);
            assert_eq!(rig.word(ORIGIN, 4 * BLOCK), total, "{options:?}");
            digests.insert(outcome.digest.0);
        }
    }
    assert_eq!(digests.len(), 128, "every seed has a schedule of its own");
}

/// The chip's memory after the relay on all cores, which may be said to be apart, wrongly.
fn relay_on_all(options: RunOptions, is_apart: bool, observed: bool) -> (Outcome, Vec<u8>, usize) {
    let mut rig = Rig::new();
    let options = RunOptions { are_cores_apart: is_apart, ..options };
    let total = relay(&mut rig, 8, 8);
    let (outcome, events) = if observed {
        let (outcome, log) = rig.log(options);
        (outcome, log.0.len())
    } else {
        (rig.run(options), 0)
    };
    completed(&outcome);
    assert_eq!(rig.word(ORIGIN, 4 * BLOCK), total);
    let grid = rig.device.architecture().grid();
    let memory = grid.cores().flat_map(|core| rig.bytes(core, 0, 5 * BLOCK)).collect();
    (outcome, memory, events)
}

#[test]
fn threads_and_observers_change_nothing() {
    let all = [seed(0), seed(11), late(5)];
    for (options, is_apart) in all.into_iter().flat_map(|it| [(it, false), (it, true)]) {
        let first = relay_on_all(options, is_apart, false);
        assert_eq!(first, relay_on_all(options, is_apart, false), "the same seed twice");
        for threads in [1, 2, 8] {
            let again = relay_on_all(RunOptions { threads, ..options }, is_apart, true);
            assert_eq!((&again.0, &again.1), (&first.0, &first.1), "{threads} threads");
            assert!(again.2 > 3000, "{} events", again.2);
        }
    }
}

/// The first window is short, and others grow with the run: what is sent early is hardly late.
#[test]
fn what_cores_send_although_they_were_said_to_be_apart_is_hardly_late() {
    let cycles = |is_apart| relay_on_all(seed(0), is_apart, false).0.cycles.0;
    assert!(cycles(true) <= 2 * cycles(false), "{} {}", cycles(true), cycles(false));
}

/// A core that others only send to works on alone far beyond the window; what arrives meanwhile
/// arrives after what it has done.
#[test]
fn what_is_sent_to_a_core_that_has_gone_on_comes_after_what_it_did() {
    let far = CoreCoord::new(5, 6);
    for threads in [1, 2] {
        let mut rig = Rig::new();
        rig.writer(ORIGIN, move |ctx| {
            ctx.noc_semaphore_inc(scratch_of(far, 0), 1);
            ctx.noc_async_atomic_barrier();
        });
        rig.writer(far, |ctx| {
            for _ in 0..2000 {
                ctx.write_l1(SCRATCH + 64, 64, |place| place.fill(1));
            }
        });
        let apart = RunOptions { are_cores_apart: true, threads, ..seed(0) };
        let (outcome, log) = rig.log(apart);
        completed(&outcome);
        let cycles: Vec<_> = log.0.iter().map(|event| event.cycle).collect();
        assert!(cycles.is_sorted(), "{threads} threads: {cycles:?}");
        let arrived = log.0.iter().position(|it| matches!(it.kind, EventKind::Arrived { .. }));
        let worked = |it: &Event| it.processor.core == far && it.cycle.0 > 4096;
        assert!(log.0[..arrived.expect("one")].iter().any(worked), "{threads} threads");
        assert_eq!(rig.word(far, 0), 1);
    }
}

/// A digest of its own: whoever watches sees the same events in the same order.
struct Order(Arc<Mutex<Vec<Event>>>);

impl Observer for Order {
    fn event(&mut self, event: &Event) {
        self.0.lock().expect("not poisoned").push(*event);
    }
}

/// Sees core after core.
struct ByCore(Vec<Event>);

impl Observer for ByCore {
    fn event(&mut self, event: &Event) {
        self.0.push(*event);
    }

    fn order(&self) -> EventOrder {
        EventOrder::CoreByCore
    }
}

/// A relay over two rows, watched.
fn watched(options: RunOptions, observers: &mut [&mut dyn Observer]) {
    let mut rig = Rig::new();
    relay(&mut rig, 8, 2);
    rig.build().run(&mut rig.device, options, observers).expect("stacks");
}

#[test]
fn core_after_core_is_the_same_run_with_causes_before_effects() {
    for threads in [1, 2, 5] {
        let (mut time, mut by_core) = (Log::default(), ByCore(Vec::new()));
        let options = RunOptions { threads, ..seed(3) };
        watched(options, &mut [&mut time, &mut by_core]);
        // What arrives on a core is told there, in the name of who sent it.
        let place = |event: &Event| match event.kind {
            EventKind::Arrived { core, .. } => core,
            _ => event.processor.core,
        };
        for core in CoreRange::new(ORIGIN, CoreCoord::new(7, 1)).cores() {
            let of_core = |events: &[Event]| -> Vec<Event> {
                events.iter().filter(|event| place(event) == core).copied().collect()
            };
            assert!(of_core(&time.0) == of_core(&by_core.0), "{core}, {threads} threads");
        }
        assert!(time.0 != by_core.0, "cores take turns");
        let mut alone = ByCore(Vec::new());
        watched(options, &mut [&mut alone]);
        assert!(alone.0 == by_core.0, "shown at once or at the end of a window, {threads} threads");
        let sent = |event: &Event| match event.kind {
            EventKind::WriteIssued { id, .. } | EventKind::AtomicIssued { id, .. } => {
                Some((event.processor.core, id))
            }
            _ => None,
        };
        let mut under_way = std::collections::BTreeSet::new();
        for event in &by_core.0 {
            under_way.extend(sent(event));
            if let EventKind::Arrived { id, .. } = event.kind {
                assert!(under_way.contains(&(event.processor.core, id)), "{event:?}");
            }
        }
    }
}

/// Gives up after some events.
struct Weary(u32);

impl Observer for Weary {
    fn event(&mut self, _: &Event) {
        self.0 -= 1;
        assert!(self.0 > 0, "weary");
    }
}

#[test]
fn a_panic_of_an_observer_comes_through() {
    for threads in [1, 2, 3] {
        let options = RunOptions { threads, ..seed(3) };
        let run = || watched(options, &mut [&mut Weary(100)]);
        let panic = std::panic::catch_unwind(run).expect_err("it gives up");
        assert_eq!(panic.downcast_ref(), Some(&"weary"), "{threads} threads");
    }
}

#[test]
fn observers_see_the_same_events_in_the_same_order() {
    let run = |threads| {
        let mut rig = Rig::new();
        relay(&mut rig, 8, 2);
        rig.log(RunOptions { threads, ..seed(3) }).1.0
    };
    let first = run(1);
    assert!(first.is_sorted_by_key(|event| event.cycle));
    for threads in [2, 5, 16] {
        assert!(run(threads) == first, "{threads} threads");
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut observers = [Order(Arc::clone(&seen)), Order(Arc::clone(&seen))];
    let [a, b] = &mut observers;
    watched(seed(3), &mut [a, b]);
    assert_eq!(seen.lock().expect("not poisoned").len(), 2 * first.len());
}

/// Writes of many cores to one page of DRAM and increments of one word: all arrive, in an order
/// that only the seed decides.
#[test]
fn cores_that_write_to_one_place_have_one_order() {
    let run = |threads, number| {
        let mut rig = Rig::new();
        let page = rig.device.allocate(Storage::Dram, 64, 1).expect("room");
        let to = page.page(0).expect("a page");
        let grid = rig.device.architecture().grid();
        rig.writer(grid, move |ctx| {
            let core = ctx.core();
            let number = core.y * 8 + core.x;
            ctx.write_l1(SCRATCH, 64, |bytes| bytes.fill(number));
            ctx.noc_async_write(SCRATCH, to, 64);
            ctx.noc_semaphore_inc(scratch_of(CoreCoord::new(7, 7), 64), 1);
            ctx.noc_async_full_barrier();
        });
        completed(&rig.run(RunOptions { threads, ..seed(number) }));
        assert_eq!(rig.word(CoreCoord::new(7, 7), 64), 64);
        page.read_page(&mut rig.device, 0).expect("a page")
    };
    let mut winners = std::collections::BTreeSet::new();
    for number in 0..8 {
        let last = run(1, number);
        assert!(last.iter().all(|byte| *byte == last[0]), "a page of one writer");
        assert_eq!(run(3, number), last);
        winners.insert(last[0]);
    }
    assert!(winners.len() > 1, "a race, so seeds differ: {winners:?}");
}

/// The names of events with the lines that caused them, in order, blocking apart.
fn lines(log: &Log, processor: Processor) -> Vec<(String, u32)> {
    let of = log.0.iter().filter(|event| event.processor.processor == processor);
    let told = of.filter(|event| event.site.line > 0);
    told.filter(|event| !matches!(event.kind, EventKind::Blocked(_)))
        .map(|event| {
            assert!(event.site.file.ends_with("tests/determinism.rs"), "{}", event.site);
            let name = format!("{:?}", event.kind);
            let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
            (name[..end].to_owned(), event.site.line)
        })
        .collect()
}

#[track_caller]
fn check_lines(found: &[(String, u32)], lines: &[u32], expected: &[(&str, usize)]) {
    let expected: Vec<_> =
        expected.iter().map(|(name, place)| ((*name).to_owned(), lines[*place])).collect();
    assert_eq!(found, expected);
}

#[test]
fn events_of_data_movement_name_the_kernels_line() {
    let (mut rig, notes) = (Rig::new(), Notes::default());
    rig.tiles(ORIGIN, 0, 2);
    let far = CoreCoord::new(2, 2);
    let said = notes.clone();
    rig.reader(ORIGIN, move |ctx| {
        said.say(line!() + 1);
        ctx.cb_reserve_back(0, 1);
        said.say(line!() + 1);
        ctx.noc_async_read(scratch_of(far, 0), SCRATCH, 32);
        said.say(line!() + 1);
        ctx.noc_async_read_barrier();
        said.say(line!() + 1);
        ctx.cb_push_back(0, 1);
        said.say(line!() + 1);
        ctx.cb_wait_front(0, 1);
        said.say(line!() + 1);
        ctx.cb_pop_front(0, 1);
        said.say(line!() + 1);
        ctx.noc_async_write(SCRATCH, scratch_of(far, 64), 32);
        said.say(line!() + 1);
        ctx.noc_async_write_barrier();
        said.say(line!() + 1);
        ctx.noc_semaphore_inc(scratch_of(far, 128), 1);
        said.say(line!() + 1);
        ctx.noc_async_atomic_barrier();
        said.say(line!() + 1);
        ctx.noc_semaphore_set(SCRATCH, 4);
        said.say(line!() + 1);
        ctx.noc_semaphore_wait(SCRATCH, 4);
        said.say(line!() + 1);
        ctx.write_l1(SCRATCH, 4, |_| ());
        said.say(line!() + 1);
        ctx.read_l1(SCRATCH, 4, |_| ());
    });
    let (outcome, log) = rig.log(seed(0));
    completed(&outcome);
    let expected = [
        ("Reserved", 0),
        ("ReadIssued", 1),
        ("ReadLanded", 1),
        ("BarrierPassed", 2),
        ("Pushed", 3),
        ("Waited", 4),
        ("Popped", 5),
        ("WriteIssued", 6),
        ("WriteDeparted", 6),
        ("Arrived", 6),
        ("WriteAcknowledged", 6),
        ("BarrierPassed", 7),
        ("AtomicIssued", 8),
        ("Arrived", 8),
        ("AtomicAcknowledged", 8),
        ("BarrierPassed", 9),
        ("SemaphoreSet", 10),
        ("SemaphoreWaited", 11),
        ("L1Written", 12),
        ("L1Read", 13),
    ];
    check_lines(&lines(&log, Processor::Reader), &notes.said(), &expected);
}

#[test]
fn events_of_compute_name_the_kernels_line() {
    let (mut rig, notes) = (Rig::new(), Notes::default());
    rig.tiles(ORIGIN, 0, 1);
    rig.tiles(ORIGIN, 16, 1);
    let said = notes.clone();
    rig.compute(ORIGIN, ComputeConfig::default(), move |ctx| {
        said.say(line!() + 1);
        ctx.compute_kernel_hw_startup(0, 0, 16);
        said.say(line!() + 1);
        ctx.copy_tile_init(0);
        said.say(line!() + 1);
        ctx.tile_regs_acquire();
        said.say(line!() + 1);
        ctx.copy_tile(0, 0, 0);
        said.say(line!() + 1);
        ctx.square_tile_init();
        said.say(line!() + 1);
        ctx.square_tile(0);
        said.say(line!() + 1);
        ctx.tile_regs_commit();
        said.say(line!() + 1);
        ctx.tile_regs_wait();
        said.say(line!() + 1);
        ctx.pack_tile(0, 16);
        said.say(line!() + 1);
        ctx.tile_regs_release();
    });
    let (outcome, log) = rig.log(seed(0));
    completed(&outcome);
    let mut said = notes.said();
    said.sort_unstable();
    said.dedup();
    let both = |name| [(name, 0); 2];
    let unpack = [("StartedUp", 0), ("Configured", 1), ("Zeros", 3), ("Unpacked", 3)];
    let unpack = [&both("Configured")[..], &unpack];
    check_lines(&lines(&log, Processor::Unpack), &said, &unpack.concat());
    let math = [
        ("StartedUp", 0),
        ("Configured", 1),
        ("DstAcquired", 2),
        ("Computed", 3),
        ("Configured", 4),
        ("Vectored", 5),
        ("DstCommitted", 6),
    ];
    check_lines(&lines(&log, Processor::Math), &said, &[&both("Configured")[..], &math].concat());
    let pack = [("StartedUp", 0), ("DstWaited", 7), ("Packed", 8), ("DstReleased", 9)];
    check_lines(&lines(&log, Processor::Pack), &said, &[&both("Configured")[..], &pack].concat());
}
