//! Runs with one call changed: the change happens at its place, and only there.

mod common;

use common::{Log, ORIGIN, Rig};
use tilewright_machine::{Change, Edit, EventKind, RunOptions};

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
