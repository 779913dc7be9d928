//! The examples in C++ under the tools: silent as they are, and with a fault defined the finding
//! that the same fault has in Rust, at the line of C++.

#![cfg(target_os = "linux")]

use crate::patient;
use crate::small::{self, go_to_root};
use std::fs;
use std::path::Path;
use tilewright_run::Catalogue;

use tilewright_check::{Finding, FindingId, Session, Tools};
use tilewright_manifest::{Manifest, Overrides};
use tilewright_metal::cpp::{CppKernel, CppRole, CppSource, Workshop};
use tilewright_metal::{Device, RunOptions};
use tilewright_ops::layernorm::published::Faults;

/// The host's compiler, if there is one. Kernels are named from the root of the repository.
fn workshop() -> Option<Workshop> {
    go_to_root();
    small::workshop()
}

/// What the tools find in an example with values set, and a fault defined for one of its kernels.
fn findings(
    workshop: &Workshop,
    example: &str,
    values: &[(&str, i64)],
    fault: Option<(&str, &str)>,
) -> Vec<Finding> {
    let path = Path::new("examples").join(example).join("program.toml");
    let text = fs::read_to_string(&path).expect("an example");
    let manifest = Manifest::parse(&path, &text).unwrap_or_else(|error| panic!("{error}"));
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let overrides = Overrides { values, cores: Some(4), ..Overrides::default() };
    let mut device = Device::n150();
    let ready = manifest.prepare_with(&mut device, &overrides, &Catalogue, &mut |builder, plan| {
        let (file, include_paths) = (plan.file.clone(), plan.include_paths.clone());
        let source = CppSource { file, include_paths, ..CppSource::default() };
        let role = match plan.place {
            Some(place) => CppRole::DataMovement(place),
            None => CppRole::Compute(plan.config.clone()),
        };
        let mut args = plan.compile_time.clone();
        if let Some((kernel, name)) = fault
            && kernel == plan.name
        {
            args.defines.insert(name.to_owned(), "1".to_owned());
        }
        builder.cpp_kernel(&plan.name, plan.cores.clone(), CppKernel { source, role }, args)
    });
    let mut ready = ready.unwrap_or_else(|error| panic!("{error}"));
    let mut found = Vec::new();
    for program in &mut ready.prepared.programs {
        let arch = device.architecture();
        program.compile(arch, workshop, &|_, _| {}).unwrap_or_else(|error| panic!("{error}"));
        let mut session = Session::new(program, &Tools::all());
        let options = RunOptions::default();
        let outcome = program.run(&mut device, options, &mut [&mut session]).expect("it runs");
        found.extend(session.findings(program, &outcome));
    }
    found
}

/// Tails of rows and columns, on several cores.
const TAILS: [(&str, i64); 2] = [("rows", 40), ("columns", 100)];
/// Whole tiles, for sticks.
const STICKS: [(&str, i64); 2] = [("rows", 64), ("columns", 160)];
const BLOCKS: (&str, i64) = ("keeps_row", 0);

#[test]
fn no_tool_finds_anything_in_the_examples() {
    let Some(workshop) = workshop() else { return };
    let blocks = [&TAILS[..], &[BLOCKS]].concat();
    let stick_blocks = [&STICKS[..], &[BLOCKS]].concat();
    let three_passes = [&TAILS[..], &[("passes", 3)]].concat();
    let cases: [(&str, &[(&str, i64)]); 12] = [
        ("eltwise", &TAILS),
        ("matmul", &TAILS),
        ("softmax", &TAILS),
        ("softmax", &three_passes),
        ("layernorm/forward", &TAILS),
        ("layernorm/forward", &blocks),
        ("layernorm/row_major", &STICKS),
        ("layernorm/row_major", &stick_blocks),
        ("layernorm/backward_input", &TAILS),
        ("layernorm/backward_input", &blocks),
        ("layernorm/backward_parameters", &TAILS),
        ("layernorm/backward", &TAILS),
    ];
    for (example, values) in cases {
        let found = findings(&workshop, example, values, None);
        assert!(found.is_empty(), "{example} {values:?}: {found:#?}");
    }
}

/// A fault of an example, defined for one of its kernels.
struct Fault {
    example: &'static str,
    kernel: &'static str,
    define: &'static str,
    /// Every finding is of this kind.
    id: FindingId,
    /// The file and the text of the line that the first finding's mark of this number is at.
    mark: (usize, &'static str, &'static str),
}

/// Demands findings of one kind alone, the first at its line.
fn check(workshop: &Workshop, values: &[(&str, i64)], fault: &Fault) {
    let what = format!("{} {}", fault.example, fault.define);
    let found = findings(workshop, fault.example, values, Some((fault.kernel, fault.define)));
    let is_right = |finding: &Finding| finding.id == fault.id;
    assert!(!found.is_empty() && found.iter().all(is_right), "{what}: {found:#?}");
    let (mark, file, text) = fault.mark;
    let site = found[0].marks[mark].site;
    assert!(site.file.ends_with(file), "{what}: {site}");
    let source = fs::read_to_string(site.file).expect("a kernel");
    let line = source.lines().nth(site.line as usize - 1).unwrap_or_default();
    assert_eq!(line.trim(), text, "{what}");
}

#[test]
fn a_missing_read_barrier_is_found_where_pages_are_pushed() {
    let Some(workshop) = workshop() else { return };
    let barrier = |example, text| Fault {
        example,
        kernel: "reader",
        define: "FAULT_MISSING_READ_BARRIER",
        id: FindingId::UnawaitedRead,
        mark: (1, "reader.cpp", text),
    };
    check(&workshop, &TAILS, &barrier("matmul", "cb_push_back(cb_a, blocks.a_tiles());"));
    // Whole tiles: with a tail the reader itself writes what it has not awaited.
    check(&workshop, &STICKS, &barrier("softmax", "cb_push_back(cb_x, block);"));
    let text = "cb_push_back(cb_gamma, row_tiles);";
    check(&workshop, &TAILS, &barrier("layernorm/forward", text));
    let text = "cb_push_back(cb_sticks, pages);";
    check(&workshop, &STICKS, &barrier("layernorm/row_major", text));
    let text = "cb_push_back(cb_mean, 1);";
    check(&workshop, &TAILS, &barrier("layernorm/backward_input", text));
    check(&workshop, &TAILS, &barrier("layernorm/backward_parameters", text));
}

#[test]
fn a_missing_start_up_is_found_at_the_first_operation() {
    let Some(workshop) = workshop() else { return };
    let startup = |example, file, text| Fault {
        example,
        kernel: "compute",
        define: "FAULT_MISSING_STARTUP",
        id: FindingId::MissingStartup,
        mark: (0, file, text),
    };
    let text = "matmul_tiles(cb_a, cb_b, a_tile, b_tile, row * blocks.columns + column);";
    check(&workshop, &TAILS, &startup("matmul", "matmul/compute.cpp", text));
    let text = "fill_tile(tile, 0.0f);";
    for example in ["forward", "backward_input", "backward_parameters"] {
        let example = ["layernorm/", example].concat().leak();
        check(&workshop, &TAILS, &startup(example, "layernorm/row.h", text));
    }
    assert_eq!(rust(Faults { missing_startup: true, ..Faults::REPAIRED }), ["missing-startup"]);
}

#[test]
fn a_stale_accumulation_is_found_at_the_product() {
    let Some(workshop) = workshop() else { return };
    let stale = |example, text| Fault {
        example,
        kernel: "compute",
        define: "FAULT_STALE_ACCUMULATION",
        id: FindingId::StaleAccumulation,
        mark: (2, "layernorm/row.h", text),
    };
    let text = "mul_tiles_bcast_rows(factor, row, first + tile, first + tile, to + tile);";
    check(&workshop, &TAILS, &stale("layernorm/backward_input", text));
    let faults = Faults { stale_accumulation: true, ..Faults::REPAIRED };
    assert_eq!(rust(faults), ["stale-accumulation"]);
}

#[test]
fn a_dropped_tile_is_missed_in_the_row_sums() {
    let Some(workshop) = workshop() else { return };
    // Sizes with which the fault leaves nothing loaded and unused: that would be found first.
    let one_more_than_a_block = [("rows", 40), ("columns", 200)];
    let examples =
        [("layernorm/forward", one_more_than_a_block), ("layernorm/backward_input", STICKS)];
    for (example, values) in examples {
        let fault = Fault {
            example,
            kernel: "compute",
            define: "FAULT_DROPPED_LAST_TILE",
            id: FindingId::LostContribution,
            mark: (1, "layernorm/row.h", "pack_tile(each, to);"),
        };
        check(&workshop, &values, &fault);
    }
    let faults = Faults { dropped_last_tile: true, ..Faults::REPAIRED };
    assert!(rust(faults).iter().all(|id| *id == "lost-contribution"));
}

/// What is found in the published backward kernel, which is in Rust, with a fault.
fn rust(faults: Faults) -> Vec<&'static str> {
    let (mut device, program) = patient::published("40x100", faults);
    let mut session = Session::new(&program, &Tools::all());
    let options = RunOptions::default();
    let outcome = program.run(&mut device, options, &mut [&mut session]).expect("it runs");
    let found = session.findings(&program, &outcome);
    found.iter().map(|finding| finding.id.name()).collect()
}
