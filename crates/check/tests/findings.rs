//! Findings of small programs that do not complete, as no tool explains them.

use std::env;

use crate::common::Rig;
use crate::small::{CORES, check, draw, watch};
use tilewright_check::Finding;
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{CbSpec, ComputeConfig, RunOptions};
use tilewright_tile::DataFormat::Bfloat16;

/// Two cores with `cb_in`, a ring of two pages, and these kernels.
fn run(reader: fn(&DataMovement<'_>), compute: fn(&Compute<'_>)) -> Vec<Finding> {
    let mut rig = Rig::new();
    let builder = &mut rig.builder;
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    rig.reader(CORES, reader);
    rig.compute(CORES, ComputeConfig::default(), compute);
    watch(&mut rig, "none", RunOptions::default()).report.findings()
}

fn draw_all(findings: &[Finding]) -> String {
    findings.iter().map(draw).collect()
}

#[test]
fn a_deadlock_shows_every_wait_with_its_line() {
    let found = run(
        |k| {
            k.cb_reserve_back(0, 2);
            k.cb_push_back(0, 2);
            k.cb_reserve_back(0, 1);
        },
        |k| {
            k.compute_kernel_hw_startup(0, 0, 0);
            k.cb_wait_front(0, 3);
        },
    );
    check("deadlock", &draw_all(&found));
}

#[test]
fn a_missing_startup_says_what_to_call() {
    let found = run(|_| {}, |k| k.copy_tile(0, 0, 0));
    check("missing-startup", &draw_all(&found));
}

#[test]
fn a_panic_is_a_finding() {
    let found = run(|_| panic!("seven is not eight"), |_| {});
    check("kernel-panic", &draw_all(&found));
}

/// Calls itself until `depth` is used up, with a frame of half a KiB a time.
fn recurse(depth: u32) -> u32 {
    let frame = std::hint::black_box([depth; 128]);
    if depth == 0 { frame[7] } else { recurse(depth - 1) + frame[8] }
}

#[test]
fn a_full_stack_ends_the_run_and_not_the_process() {
    let found = run(
        |k| {
            k.cb_reserve_back(0, 1);
            std::hint::black_box(recurse(1 << 20));
        },
        |_| {},
    );
    check("kernel-crash-stack", &draw_all(&found));
    // The machine is as good as before, and a deep kernel that fits is no finding.
    for _ in 0..3 {
        assert_eq!(run(|_| _ = recurse(1 << 20), |_| {})[0].id.name(), "kernel-crash");
        assert!(run(|_| assert_eq!(recurse(150), 150 * 151 / 2), |_| {}).is_empty());
    }
}

/// Makes a call at each depth: it is a call that notices.
fn recurse_calling(k: &DataMovement<'_>, depth: u32) -> u32 {
    let frame = std::hint::black_box([depth; 128]);
    let at = k.get_write_ptr(0);
    k.write_l1(at, 16, |bytes| bytes.fill(0));
    if depth == 0 { frame[7] } else { recurse_calling(k, depth - 1) + frame[8] }
}

#[test]
fn a_call_with_a_full_stack_ends_the_run_at_its_line() {
    let found = run(|k| _ = recurse_calling(k, 1 << 20), |_| {});
    assert_eq!(found[0].id.name(), "kernel-crash");
    assert!(found[0].marks[0].site.line > 0, "{found:#?}");
    assert!(run(|k| _ = recurse_calling(k, 150), |_| {}).is_empty());
}

/// Where the core cannot be had back, the process ends with the kernel's name.
#[test]
fn a_full_stack_with_memory_lent_is_told_before_the_process_ends() {
    const INSIDE: &str = "TILEWRIGHT_TEST_OVERFLOW";
    if env::var_os(INSIDE).is_some() {
        let recursing = |k: &DataMovement<'_>| {
            k.write_l1(k.get_write_ptr(0), 16, |bytes| bytes[0] = recurse(1 << 20) as u8);
        };
        run(recursing, |_| {});
        return;
    }
    let name = "findings::a_full_stack_with_memory_lent_is_told_before_the_process_ends";
    let mut own = std::process::Command::new(env::current_exe().expect("this test"));
    let ended = own.args(["--exact", name, "--nocapture"]).env(INSIDE, "1").output();
    let ended = ended.expect("a process");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success(), "it went on");
    let text = "the kernel of reader runs out of its stack of 256 KiB, with bytes of L1 lent to it";
    assert!(said.contains(text), "{said}");
}
