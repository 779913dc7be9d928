//! What is said of runs that stop or get stuck, on small programs.

use crate::common::Rig;
use crate::small::{CORES, Computing, Movement, idle, no_compute};
use tilewright_check::ending::findings;
use tilewright_check::{Blame, Finding, FindingId};
use tilewright_machine::{Architecture, CoreCoord, DramAddress, L1Address, NocAddress, RunOptions};
use tilewright_metal::{CbSpec, CompileTimeArgs, ComputeConfig, DataMovementPlace, Device};
use tilewright_tile::DataFormat::Bfloat16;

/// Two cores side by side, each with the buffers `cb_in` (0, two pages) and `cb_out` (16, one).
fn run(reader: Movement, compute: Computing) -> Vec<Finding> {
    let arch = Architecture { grid_columns: 2, grid_rows: 1, ..Architecture::wormhole_n150() };
    let mut rig = Rig::on(Device::new(arch));
    let builder = &mut rig.builder;
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 1));
    let place = DataMovementPlace::Reader;
    builder.data_movement("reader", CORES, place, CompileTimeArgs::positional(&[7]), reader);
    rig.compute(CORES, ComputeConfig::default(), compute);
    let program = rig.build();
    let options = RunOptions { cycle_limit: 100_000, ..RunOptions::default() };
    let outcome = program.run(&mut rig.device, options, &mut []).expect("stacks");
    let found = findings(&program, &outcome);
    for finding in &found {
        let sites = finding.marks.iter().map(|mark| mark.site);
        assert!(sites.clone().count() > 0 && sites.clone().all(|site| site.line > 0));
        assert!(sites.clone().all(|site| site.file.ends_with("tests/ending.rs")));
        assert!(finding.title.len() <= 100, "{}", finding.title);
    }
    found
}

/// A finding without lines and cycles: id, count, title, marks, facts, help.
fn text(finding: &Finding) -> String {
    let mut lines = vec![format!("{} x{}: {}", finding.id, finding.count, finding.title)];
    lines.extend(finding.marks.iter().map(|mark| format!("  {}", mark.role)));
    let facts = finding.facts.iter().filter(|fact| !fact.starts_with("cycle "));
    lines.extend(facts.map(|fact| format!("  = {fact}")));
    lines.extend(finding.help.iter().map(|help| format!("  ? {help}")));
    lines.join("\n")
}

#[track_caller]
fn check(reader: Movement, compute: Computing, expected: &str) {
    let found: Vec<String> = run(reader, compute).iter().map(text).collect();
    assert_eq!(found.join("\n"), expected);
}

#[test]
fn a_run_that_completes_has_no_findings() {
    check(idle, no_compute, "");
}

#[test]
fn a_panic_on_many_cores_is_one_finding() {
    check(
        |k| assert!(k.arg(0) == 0 || k.core().x > 9, "no"),
        no_compute,
        "no-such-argument x2: the kernel of reader on core (0,0) reads an argument that it was \
         not given\n  \
         reads runtime argument 0\n  \
         = proof: it was given 0 of them\n  \
         ? give the argument on the host, or read one that is there",
    );
    check(
        |k| assert!(k.compile_time_arg(0) == 8, "seven is\nnot eight"),
        no_compute,
        "kernel-panic x2: the kernel of reader on core (0,0) panicked\n  panicked: seven is",
    );
}

#[test]
fn what_is_not_configured_is_named() {
    check(
        idle,
        |k| k.copy_tile(0, 0, 0),
        "missing-startup x2: unpack on core (0,0) needs the unpacker's formats, which nothing has \
         set\n  \
         needed here\n  \
         ? call `compute_kernel_hw_startup(INPUT, INPUT, OUTPUT)` before any other compute \
         operation",
    );
    // The line of the call below.
    let line = line!() + 5;
    check(
        idle,
        |k| {
            k.compute_kernel_hw_startup(0, 0, 16);
            k.copy_tile(0, 0, 0);
        },
        &format!(
            "missing-init x2: unpack on core (0,0) needs the unpacker's operation, which nothing \
             has set\n  \
             needed here\n  \
             ? call `copy_tile_init(cb_in)` before line {line} of ending.rs"
        ),
    );
}

#[test]
fn wrong_places_are_named() {
    check(
        |k| k.cb_push_back(5, 1),
        no_compute,
        "no-such-buffer x2: reader on core (0,0) uses buffer c_5, which the program does not have \
         there\n  \
         used here\n  \
         = proof: the buffers of core (0,0): `cb_in` (c_0), `cb_out` (c_16)\n  \
         ? declare the buffer on this core, or use one that is there",
    );
    check(
        |k| k.write_l1(L1Address(0x16_dfff), 4, |bytes| bytes.fill(1)),
        no_compute,
        "out-of-bounds x2: reader on core (0,0) reaches beyond the end of L1\n  \
         4 bytes from address 0x16dfff\n  \
         = proof: L1 ends at 0x16e000",
    );
    check(
        |k| {
            let nowhere = NocAddress::Dram(DramAddress { bank: 3, offset: 4096 });
            k.noc_async_read(nowhere, k.get_write_ptr(0), 64);
        },
        no_compute,
        "out-of-bounds x2: reader on core (0,0) transfers from or to a place that holds no \
         data\n  \
         64 bytes, 0x1000 in DRAM bank 3\n  \
         ? use addresses of a buffer that the host has allocated",
    );
    check(
        |k| {
            let core = CoreCoord::new(1, 0);
            let remote = k.get_noc_addr(core, L1Address(0x2_0008));
            k.noc_async_read(remote, L1Address(0x2_0000), 64);
        },
        no_compute,
        "misaligned x2: reader on core (0,0) transfers between addresses that differ modulo 16\n  \
         0x20000 in L1, 0x20008 in L1 of core (1,0)\n  \
         = proof: the two addresses must be equal modulo 16",
    );
}

#[test]
fn what_is_not_modelled_is_not_the_kernels_fault() {
    let reader: Movement = |k| {
        let odd = k.get_noc_addr(CoreCoord::new(0, 0), L1Address(0x2_0002));
        k.noc_inline_dw_write(odd, 1);
    };
    let found = run(reader, no_compute);
    assert_eq!(
        text(&found[0]),
        "not-modelled x2: reader on core (0,0) uses an unmodelled feature\n  \
         an inline write to address 0x20002, no multiple of 4"
    );
    assert_eq!((found[0].id, found[0].blame), (FindingId::NotModelled, Blame::NotModelled));
}

#[test]
fn a_call_that_its_init_leaves_without_meaning_is_named() {
    // The line of the call below.
    let line = line!() + 5;
    check(
        idle,
        |k| {
            k.compute_kernel_hw_startup(0, 0, 16);
            k.pack_untilize_dest(16, 0);
        },
        &format!(
            "wrong-init x2: pack on core (0,0) is set for whole tiles, called for untilize\n  \
             called here\n  \
             = the run ends here: what silicon would do is not known\n  \
             ? call `pack_untilize_dest_init<TILES>(OUTPUT)` before line {line} of ending.rs"
        ),
    );
}

#[test]
fn a_run_without_end_is_given_up() {
    check(
        |k| {
            loop {
                let _ = k.get_write_ptr(0);
                k.cb_reserve_back(0, 1);
            }
        },
        no_compute,
        "cycle-limit x2: reader on core (0,0) still ran after 100000 cycles\n  \
         was here\n  \
         ? allow more cycles if the program may need them",
    );
}

#[test]
fn a_deadlock_lists_who_waits_and_what_the_buffers_hold() {
    let found = run(
        |k| {
            for _ in 0..3 {
                k.cb_reserve_back(0, 1);
                k.cb_push_back(0, 1);
            }
        },
        |k| {
            k.compute_kernel_hw_startup(0, 0, 16);
            k.cb_wait_front(0, 4);
            k.copy_tile_init(0);
            k.tile_regs_acquire();
            k.copy_tile(0, 0, 0);
            k.tile_regs_commit();
            k.tile_regs_wait();
        },
    );
    let expected = "deadlock x2: reader, unpack, math and pack on core (0,0) wait, and nobody can \
         move\n  \
         reader waits for 1 free page in `cb_in`; 0 of 2 are free\n  \
         unpack waits for 4 pages in `cb_in`; 2 are there\n  \
         math waits for a bank of SrcA that unpack has filled\n  \
         pack waits for a section of Dst that math has committed\n  \
         `cb_in` was given 2 pages here\n  \
         = `cb_in` has 2 pages: pushed 2 by reader; nobody has popped; 2 to be read, 0 free";
    assert_eq!(found.iter().map(text).collect::<Vec<_>>(), [expected]);
    assert_eq!(found[0].blame, Blame::KernelBug);
    assert!(found[0].marks[..4].iter().all(|mark| mark.processor.is_some()));
    assert_eq!(found[0].marks[4].processor, None);
}

#[test]
fn cores_that_are_stuck_in_different_ways_are_told_apart() {
    let found = run(
        |k| {
            let pages = if k.core().x == 0 { 1 } else { 2 };
            k.cb_wait_front(16, pages);
        },
        no_compute,
    );
    let roles: Vec<&str> = found.iter().map(|finding| finding.marks[0].role.as_str()).collect();
    assert_eq!(
        roles,
        [
            "reader waits for 1 page in `cb_out`; 0 are there",
            "reader waits for 2 pages in `cb_out`; 0 are there"
        ]
    );
    assert!(found.iter().all(|finding| finding.count == 1));
    let fact = "`cb_out` has 1 page: nobody has pushed; nobody has popped; 0 to be read, 1 free";
    assert_eq!(found[0].facts[0], fact);
}
