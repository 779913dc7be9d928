//! What the tools find in C++ kernels, drawn for a terminal with the kernels' lines.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::common::Rig;
use crate::small::{go_to_root, ids, is_alone, watch_with, workshop};
use tilewright_check::{Finding, Session, Tools};
use tilewright_metal::cpp::{CppKernel, CppRole, CppSource};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, DataMovementPlace, RunOptions,
};
use tilewright_tile::DataFormat::Bfloat16;

const KERNELS: &str = "crates/check/tests/kernels";

/// A reader and a writer in C++ on one core, watched by tools; nothing where the host has no
/// compiler.
fn watched(tools: &str, reader: &str, writer: &str) -> Option<Vec<Finding>> {
    go_to_root();
    let workshop = workshop()?;
    let core = CoreCoord::new(0, 0);
    let mut rig = Rig::new();
    rig.device.machine_mut().dram_mut().grow(1 << 16);
    let builder = &mut rig.builder;
    builder.circular_buffer(core, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    let places = [DataMovementPlace::Reader, DataMovementPlace::Writer];
    for (place, file) in places.into_iter().zip([reader, writer]) {
        let source = CppSource::file(Path::new(KERNELS).join(file));
        let kernel = CppKernel { source, role: CppRole::DataMovement(place) };
        builder.cpp_kernel(file, core, kernel, CompileTimeArgs::default());
    }
    let mut program = rig.build();
    program.compile(rig.device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    let session = Session::new(&program, &Tools::parse(tools).expect("a tool"));
    let watched = watch_with(session, &mut rig.device, program, RunOptions::default());
    Some(watched.report.findings())
}

/// The one finding of a tool, drawn.
#[track_caller]
fn finds(name: &str, (tool, id): (&str, &str), reader: &str, writer: &str) {
    let Some(found) = watched(tool, reader, writer) else { return };
    is_alone(&found, (name, id));
}

#[test]
fn a_missing_barrier() {
    finds(
        "cpp-unawaited-read",
        ("race", "unawaited-read"),
        "unawaited_reader.cpp",
        "draining_writer.cpp",
    );
}

#[test]
fn a_missing_barrier_between_helpers() {
    let reader = "helped_reader.cpp";
    finds("cpp-called-from", ("race", "unawaited-read"), reader, "draining_writer.cpp");
}

#[test]
fn a_crash() {
    finds("cpp-kernel-crash", ("race", "kernel-crash"), "null_reader.cpp", "draining_writer.cpp");
}

#[test]
fn an_assertion() {
    finds(
        "cpp-assert-failed",
        ("race", "assert-failed"),
        "asserting_reader.cpp",
        "draining_writer.cpp",
    );
}

#[test]
fn a_pointer_that_is_set_back_within_its_ring() {
    let found = watched("all", "numbering_reader.cpp", "rewinding_writer.cpp");
    let found = found.unwrap_or_default();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_pointer_that_is_set_beyond_its_ring() {
    let Some(found) = watched("memory", "numbering_reader.cpp", "straying_writer.cpp") else {
        return;
    };
    assert_eq!(ids(&found), ["outside-window"], "{found:#?}");
}

/// A kernel of this text alone on a core, with `cb_in` (0), watched by tools.
fn watched_alone(name: &str, tools: &str, role: CppRole, text: &str) -> Option<Vec<Finding>> {
    let workshop = workshop()?;
    let core = CoreCoord::new(0, 0);
    let mut rig = Rig::new();
    rig.builder.circular_buffer(core, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-alone");
    fs::create_dir_all(&folder).expect("a folder for kernels");
    let file = folder.join(format!("{name}.cpp"));
    fs::write(&file, text).expect("a file for a kernel");
    let kernel = CppKernel { source: CppSource::file(file), role };
    rig.builder.cpp_kernel("alone", core, kernel, CompileTimeArgs::default());
    let mut program = rig.build();
    program.compile(rig.device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    let session = Session::new(&program, &Tools::parse(tools).expect("tools"));
    let watched = watch_with(session, &mut rig.device, program, RunOptions::default());
    Some(watched.report.findings())
}

/// Math and pack take what unpack sends, each at its time: how much room there is for more changes
/// in no order, and in one step.
#[test]
fn words_that_go_through_mailboxes() {
    let text = "#include \"api/compute/cb_api.h\"
        #include \"api/compute/compute_kernel_hw_startup.h\"
        void kernel_main() {
            compute_kernel_hw_startup(0, 0, 0);
            for (int i = 0; i < 16; ++i) { get_tile_address(0, 0); }
        }";
    let compute = CppRole::Compute(ComputeConfig::default());
    let found = watched_alone("mailboxes", "race,sync", compute, text).unwrap_or_default();
    assert!(found.is_empty(), "{found:#?}");
}

/// Buffer 7 is not there: its address is nobody's, and a use of it is a use of the buffer.
#[test]
fn the_address_of_a_buffer_that_is_not_there() {
    let compute = CppRole::Compute(ComputeConfig::default());
    let reader = CppRole::DataMovement(DataMovementPlace::Reader);
    let (dataflow, cb_api) = ("api/dataflow/dataflow_api.h", "api/compute/cb_api.h");
    let cases = [
        (&reader, dataflow, "volatile uint32_t at = get_write_ptr(7) + get_read_ptr(7);", true),
        (&compute, cb_api, "volatile uint32_t at = get_tile_address(7, 0);", true),
        (&reader, dataflow, "*(volatile uint32_t*)(uintptr_t)(get_write_ptr(7) + 64) = 1;", false),
        (
            &reader,
            dataflow,
            "noc_async_read(get_noc_addr(get_read_ptr(0)), get_write_ptr(7), 32);",
            false,
        ),
        (
            &reader,
            dataflow,
            "noc_async_read(get_noc_addr(get_read_ptr(7)), get_write_ptr(0), 32);",
            false,
        ),
        (&reader, dataflow, "volatile uint32_t at = get_write_ptr(200);", false),
    ];
    for (number, (role, header, body, is_silent)) in cases.into_iter().enumerate() {
        let text = format!("#include \"{header}\"\nvoid kernel_main() {{ {body} }}");
        let name = format!("absent-{number}");
        let Some(found) = watched_alone(&name, "all", role.clone(), &text) else { return };
        let expected: &[&str] = if is_silent { &[] } else { &["no-such-buffer"] };
        assert_eq!(ids(&found), expected, "{body}: {found:#?}");
    }
}
