//! What is said of the ways in which kernels end that no language holds back.

use crate::common::{ORIGIN, Rig};
use crate::small::idle;
use tilewright_check::ending::findings;
use tilewright_check::{Blame, FindingId};
use tilewright_machine::{
    CoreCoord, Cycle, Ending, L1Address, Outcome, Processor, ProcessorId, Site, Stop, StopReason,
};
use tilewright_metal::RunOptions;

/// The finding of a run that stopped for a reason: its id, title, role and help.
#[track_caller]
fn check(reason: StopReason, id: FindingId, title: &str, role: &str) {
    let mut rig = Rig::new();
    rig.reader(ORIGIN, idle);
    let program = rig.build();
    let outcome = program.run(&mut rig.device, RunOptions::default(), &mut []).expect("stacks");
    let site = Site::new("reader.cpp", 7, 5);
    let processor = ProcessorId { core: ORIGIN, processor: Processor::Reader };
    let stop = Stop { processor, cycle: Cycle(12), site, reason };
    let outcome = Outcome { ending: Ending::Stopped(vec![stop]), ..outcome };
    let found = findings(&program, &outcome);
    let [finding] = &found[..] else { panic!("not one: {found:?}") };
    assert_eq!((finding.id, finding.blame), (id, Blame::KernelBug));
    assert_eq!(finding.title, title);
    assert_eq!((finding.marks[0].role.as_str(), finding.marks[0].site), (role, site));
}

#[test]
fn a_crash() {
    let what = "uses a null pointer, at address 0x0";
    let title = "the kernel of reader on core (0,0) crashed";
    check(StopReason::Crashed(what.to_owned()), FindingId::KernelCrash, title, what);
}

#[test]
fn an_endless_loop() {
    let title = "the kernel of reader on core (0,0) does not terminate";
    check(StopReason::EndlessLoop(1 << 26), FindingId::EndlessLoop, title, "was here");
}

#[test]
fn a_failed_assertion() {
    let title = "an assertion of reader on core (0,0) does not hold";
    let reason = StopReason::AssertFailed("tiles < 8".to_owned());
    check(reason, FindingId::AssertFailed, title, "asserts `tiles < 8`");
}

#[test]
fn a_pointer_to_another_core() {
    let (owner, at) = (CoreCoord::new(1, 2), L1Address(0x400));
    let title = "reader on core (0,0) uses a pointer to another core's L1";
    let role = "4 bytes at 0x400 of core (1,2)";
    let reason = StopReason::ForeignL1 { owner, at, bytes: 4 };
    check(reason, FindingId::OutOfBounds, title, role);
}
