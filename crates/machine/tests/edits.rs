//! Runs with one call changed: the change happens at its place, and only there.

use crate::common::{Log, ORIGIN, Rig};
use tilewright_machine::{Change, DstTile, Edit, EventKind, RunOptions};
use tilewright_metal::ComputeConfig;

fn pushes(change: Option<Change>) -> Vec<u32> {
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, 0, 8);
    rig.reader(ORIGIN, |ctx| {
        ctx.cb_push_back(0, 2);
        ctx.cb_push_back(0, 3);
    });
    let program = rig.builder.build(rig.device.machine().architecture(), 1 << 20).expect("fits");
    let mut log = Log::default();
    program.run(&mut rig.device, RunOptions::USUAL, &mut [&mut log]).expect("stacks");
    let is_push = |kind: &EventKind| matches!(kind, EventKind::Pushed { .. });
    let site = log.0[log.first("a push", is_push)].site;
    let mut log = Log::default();
    let edit = change.map(|change| Edit { site, change });
    let options = RunOptions { edit, ..RunOptions::USUAL };
    program.run(&mut rig.device, options, &mut [&mut log]).expect("stacks");
    let pages = |kind: &EventKind| match kind {
        EventKind::Pushed { pages, .. } => Some(*pages),
        _ => None,
    };
    log.0.iter().filter_map(|event| pages(&event.kind)).collect()
}

#[test]
fn a_call_is_left_out_or_counts_otherwise() {
    assert_eq!(pushes(None), [2, 3]);
    assert_eq!(pushes(Some(Change::Skip)), [3]);
    assert_eq!(pushes(Some(Change::Pages(2))), [4, 3]);
    assert_eq!(pushes(Some(Change::Pages(-3))), [0, 3]);
    assert_eq!(pushes(Some(Change::Dst(1))), [2, 3], "no index here");
}

/// The first values of two tiles of Dst, of which the first is squared in place.
fn squares(change: Option<Change>) -> [f32; 2] {
    let mut rig = Rig::new();
    rig.tiles(ORIGIN, 0, 1);
    rig.compute(ORIGIN, ComputeConfig::default(), |ctx| {
        ctx.compute_kernel_hw_startup(0, 0, 0);
        ctx.tile_regs_acquire();
        ctx.fill_tile_init();
        ctx.fill_tile(0, 2.0);
        ctx.fill_tile(1, 3.0);
        ctx.square_tile_init();
        ctx.square_tile(0);
    });
    let program = rig.builder.build(rig.device.machine().architecture(), 1 << 20).expect("fits");
    let mut log = Log::default();
    program.run(&mut rig.device, RunOptions::USUAL, &mut [&mut log]).expect("stacks");
    let is_vector = |kind: &EventKind| matches!(kind, EventKind::Vectored { .. });
    let last = log.0.iter().rev().find(|event| is_vector(&event.kind)).expect("a square");
    let edit = change.map(|change| Edit { site: last.site, change });
    let options = RunOptions { edit, ..RunOptions::USUAL };
    program.run(&mut rig.device, options, &mut []).expect("stacks");
    let dst = rig.device.machine().core(ORIGIN).expect("a core").dst();
    [0, 1].map(|tile| f32::from_bits(dst.raw(DstTile(tile))[0]))
}

#[test]
fn a_function_in_place_works_on_the_tile_that_is_named() {
    assert_eq!(squares(None), [4.0, 3.0]);
    assert_eq!(squares(Some(Change::Dst(1))), [2.0, 9.0]);
}
