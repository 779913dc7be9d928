//! Programs that never end, that depend on the schedule, or that are stopped: what is said of them,
//! drawn for a terminal.

use std::collections::BTreeSet;

use crate::common::Rig;
use crate::small::{CORES, Movement, check, draw_with, watch};
use tilewright_check::pause::{self, Pause};
use tilewright_check::{Finding, FindingId, MergedSchedules, Sighting, ending};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, ComputeConfig, CoreCoord, Cycle, Ending, L1Address, Processor, ProcessorId, RunOptions,
    Site, Turn,
};
use tilewright_tile::DataFormat::Bfloat16;

const WORD: L1Address = L1Address(0x8_0000);

/// Two cores with `cb_in` (0), a ring of two pages, and these kernels.
fn run(
    reader: Movement,
    writer: Movement,
    options: RunOptions,
) -> (Vec<Sighting>, Ending, Option<Pause>) {
    let mut rig = Rig::new();
    let builder = &mut rig.builder;
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    rig.reader(CORES, reader);
    rig.writer(CORES, writer);
    let watched = watch(&mut rig, "sync,dst", options);
    let pause = pause::pause(&watched.program, &watched.outcome);
    (watched.report.sightings, watched.outcome.ending, pause)
}

fn draw(finding: &Finding) -> String {
    draw_with(finding, "tilewright replay small --seed 7 --stop-at 18_432")
}

fn word(ctx: &DataMovement<'_>) -> u32 {
    ctx.read_l1(WORD, 4, |word| u32::from_le_bytes(word.try_into().expect("four bytes")))
}

fn dawdle(ctx: &DataMovement<'_>) {
    for _ in 0..200 {
        word(ctx);
    }
}

fn poll(ctx: &DataMovement<'_>) {
    while word(ctx) == 0 {}
}

#[test]
fn a_poll_in_vain_is_a_livelock() {
    let options = RunOptions { step_budget: 1_000, ..RunOptions::USUAL };
    let (found, ..) = run(poll, |ctx| ctx.cb_wait_front(0, 1), options);
    assert_eq!(found.len(), 1, "{found:#?}");
    let mut finding = found[0].finding.clone();
    assert_eq!((finding.id, finding.count), (FindingId::Livelock, 2));
    let proof = finding.facts[0].strip_prefix("proof: 1_").expect("a proof with its calls");
    finding.facts[0] = format!("proof: 1_{}", proof.replace(|it: char| it.is_ascii_digit(), "0"));
    check("livelock", &draw(&finding));
    let (found, ..) = run(poll, |ctx| ctx.noc_semaphore_set(WORD, 1), options);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_kernel_that_does_not_come_back_is_told_with_its_last_call() {
    let processor = ProcessorId { core: CoreCoord::new(3, 1), processor: Processor::Math };
    let turn = Turn { processor, site: Site::here(), number: 9 };
    let proof = "it has not come back for 10 s of this computer's time".to_owned();
    check("endless-loop", &draw(&ending::endless_loop(&turn, proof)));
}

fn racing_writer(ctx: &DataMovement<'_>) {
    ctx.noc_async_read_barrier();
    ctx.noc_semaphore_set(WORD + 64, 1);
    ctx.noc_semaphore_set(WORD, 1);
}

fn racing_reader(ctx: &DataMovement<'_>) {
    ctx.noc_async_read_barrier();
    assert!(word(ctx) == 1, "the word is not there yet");
}

#[test]
fn what_some_schedules_show_says_how_many() {
    let mut schedules = MergedSchedules::default();
    let (mut shown, all) = (Vec::new(), 16);
    for seed in 0..all {
        let (found, ..) =
            run(racing_reader, racing_writer, RunOptions { seed, ..RunOptions::USUAL });
        if !found.is_empty() {
            shown.push(seed);
        }
        schedules.add(seed, found, &[("y".to_owned(), seed / 10)]);
    }
    assert!((1..all as usize).contains(&shown.len()), "it depends on the schedule: {shown:?}");
    let found = schedules.findings();
    let ids: Vec<FindingId> = found.iter().map(|it| it.finding.id).collect();
    assert_eq!(ids, [FindingId::KernelPanic, FindingId::UnstableOutput]);
    assert_eq!(found[0].seeds, shown);
    let fact = format!("schedules: in {} of {all}, first with seed {}", shown.len(), shown[0]);
    assert_eq!(found[0].finding.facts.last(), Some(&fact));
    assert_eq!(found[1].seeds, (10..16).collect::<Vec<u64>>());
    check("unstable-output", &draw(&found[1].finding));
}

/// One kernel panics while others go on.
#[test]
fn a_replay_shows_the_same_finding_and_stops_there() {
    let reader: Movement = |ctx| {
        ctx.cb_reserve_back(0, 1);
        ctx.cb_push_back(0, 1);
        assert!(ctx.core().x == 1, "the first core gives up");
        dawdle(ctx);
    };
    let options = RunOptions { seed: 3, ..RunOptions::USUAL };
    let (found, ..) = run(reader, dawdle, options);
    assert_eq!(found.len(), 1, "{found:#?}");
    let stop_at = Some(found[0].cycle);
    let (again, ..) = run(reader, dawdle, RunOptions { stop_at, ..options });
    assert_eq!(found, again);
    let stop_at = Some(Cycle(20));
    let (before, ending, pause) = run(reader, dawdle, RunOptions { stop_at, ..options });
    assert_eq!((before.len(), ending), (0, Ending::Paused(Cycle(20))));
    let pause = pause.expect("it was stopped");
    assert_eq!((pause.cores.len(), pause.cores[0].processors.len()), (2, 2));
    assert_eq!(pause.cores[0].dst, None, "there is no compute kernel");
}

/// Where everybody is when nobody can move, and nothing of the kind when all have returned.
#[test]
fn a_run_that_is_stuck_shows_where() {
    let (_, ending, pause) = run(|ctx| ctx.cb_wait_front(0, 1), |_| {}, RunOptions::USUAL);
    assert_eq!(ending, Ending::Stuck);
    let pause = pause.expect("nobody moves");
    let doing = |it: &pause::PausedProcessor| it.doing.clone();
    let doing: Vec<String> = pause.cores[0].processors.iter().map(doing).collect();
    assert_eq!(doing, ["waits for 1 page in `cb_in`; 0 are there", "has returned"]);
    let (_, ending, pause) = run(|_| {}, |_| {}, RunOptions::USUAL);
    assert_eq!((ending, pause), (Ending::Completed, None));
}

fn stale(ctx: &Compute<'_>) {
    ctx.compute_kernel_hw_startup(0, 0, 16);
    ctx.cb_wait_front(0, 1);
    for _ in 0..40 {
        ctx.tile_regs_acquire();
        ctx.copy_tile_init(0);
        ctx.copy_tile(0, 0, 0);
        ctx.copy_tile(0, 0, 1);
        ctx.sub_binary_tile_init();
        ctx.sub_binary_tile(1, 0, 1);
        ctx.mul_init(0, 0);
        ctx.mul_tiles(0, 0, 0, 0, 0);
        ctx.tile_regs_commit();
        ctx.tile_regs_wait();
        ctx.tile_regs_release();
    }
}

/// What a checker noticed in the middle of a run is noticed again, and nothing after it.
#[test]
fn a_finding_in_the_middle_is_replayed() {
    let run = |stop_at| {
        let mut rig = Rig::new();
        rig.tiles(CORES, 0, 2);
        rig.tiles(CORES, 16, 2);
        rig.reader(CORES, |ctx| {
            ctx.cb_reserve_back(0, 1);
            ctx.cb_push_back(0, 1);
        });
        rig.compute(CORES, ComputeConfig::default(), stale);
        let options = RunOptions { seed: 2, stop_at, ..RunOptions::USUAL };
        let watched = watch(&mut rig, "dst", options);
        (watched.report.sightings, watched.outcome.ending)
    };
    let (found, ending) = run(None);
    assert_eq!(ending, Ending::Completed);
    let first = found.iter().map(|sighting| sighting.cycle).min().expect("a finding");
    let (again, ending) = run(Some(first));
    assert_eq!(ending, Ending::Paused(first));
    assert_eq!(again.len(), 1, "{again:#?}");
    let same = found.iter().find(|sighting| sighting.cycle == first).expect("the first");
    let told = |it: &Sighting| (it.finding.id, it.finding.title.clone(), it.site, it.cycle);
    assert_eq!(told(&again[0]), told(same));
    assert_eq!(run(Some(Cycle(first.0 - 1))).0, [], "a cycle earlier nothing is wrong");
    let places: BTreeSet<(FindingId, Site)> =
        found.iter().map(|sighting| (sighting.finding.id, sighting.site)).collect();
    assert_eq!(places.len(), found.len(), "one finding of a kind a line");
}
