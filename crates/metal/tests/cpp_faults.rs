//! Each way in which a C++ kernel can misbehave ends the run, or comes before it, with its line.

#![cfg(target_os = "linux")]

use crate::common;
use std::fs;
use std::path::Path;

use crate::common::{ORIGIN, completed, the_stop};
use crate::cpp_common::workshop;
use tilewright_machine::{CoreCoord, EventKind, Outcome, RunOptions, StopReason};
use tilewright_metal::cpp::{CppError, CppKernel, CppRole, CppSource, DiagnosticKind, Workshop};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreRange, CoreSet, DataMovementPlace, Device, Program,
};
use tilewright_tile::DataFormat;

/// Writes a kernel; its body begins at line 5.
fn write(name: &str, body: &str) -> CppKernel {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-faults");
    fs::create_dir_all(&folder).expect("a folder for kernels");
    let file = folder.join(format!("{name}.cpp"));
    let text = format!(
        "#include <cstdint>\n#include <stdexcept>\n#include \"api/dataflow/dataflow_api.h\"\n\
         #define L1 volatile uint32_t*{body}"
    );
    fs::write(&file, text).expect("a file for a kernel");
    let role = CppRole::DataMovement(DataMovementPlace::Reader);
    CppKernel { source: CppSource::file(file), role }
}

fn compiled(
    workshop: &Workshop,
    device: &Device,
    cores: impl Into<CoreSet>,
    kernel: CppKernel,
) -> Result<Program, CppError> {
    let mut builder = Program::builder("fault");
    let cores = cores.into();
    builder.circular_buffer(&cores, CbSpec::tiles(0, "cb", DataFormat::Bfloat16, 2));
    builder.semaphore(&cores, 0);
    builder.cpp_kernel("reader", &cores, kernel, CompileTimeArgs::default());
    let built = builder.build(device.architecture(), device.l1_lowest());
    let mut program = built.expect("it is right");
    program.compile(device.architecture(), workshop, &|_, _| {})?;
    Ok(program)
}

fn run_on(name: &str, cores: impl Into<CoreSet>, body: &str) -> Option<Outcome> {
    let workshop = workshop()?;
    let mut device = Device::n150();
    let program = compiled(&workshop, &device, cores, write(name, body)).expect("it compiles");
    Some(program.run(&mut device, RunOptions::default(), &mut []).expect("it runs"))
}

/// Runs a kernel that must stop at a line for a reason.
#[track_caller]
fn check(name: &str, body: &str, line: u32, reason: StopReason) {
    let Some(outcome) = run_on(name, ORIGIN, body) else { return };
    let stop = the_stop(&outcome);
    assert_eq!(stop.reason, reason);
    assert!(stop.site.file.ends_with(&format!("{name}.cpp")), "{}", stop.site);
    assert_eq!(stop.site.line, line, "{}", stop.site);
}

fn crashed(what: &str) -> StopReason {
    StopReason::Crashed(what.to_owned())
}

#[test]
fn a_null_pointer() {
    let body = r#"
static uint64_t no_address() { return 0; }
void kernel_main() {
    L1 at = reinterpret_cast<L1>(no_address());
    *at = 1;
}
"#;
    check("null", body, 8, crashed("uses a null pointer, at address 0x0"));
}

#[test]
fn an_offset_that_is_no_pointer() {
    let body = r#"
void kernel_main() {
    *reinterpret_cast<L1>(0x12340ull) = 1;
}
"#;
    check("offset", body, 6, crashed("uses the plain offset 0x12340 in L1 as a pointer"));
}

#[test]
fn a_write_past_the_end_of_l1() {
    let body = r#"
void kernel_main() {
    L1 at = reinterpret_cast<L1>(uint64_t{get_write_ptr(0)});
    for (uint32_t i = 0;; ++i) {
        at[i] = i;
    }
}
"#;
    let Some(outcome) = run_on("past", ORIGIN, body) else { return };
    let stop = the_stop(&outcome);
    assert!(matches!(stop.reason, StopReason::OutsideL1 { .. }), "{:?}", stop.reason);
    assert_eq!(stop.site.line, 8);
}

#[test]
fn an_endless_loop() {
    let body = r#"
void kernel_main() {
    volatile int i = 0;
    while (true) {
        i = i + 1;
    }
}
"#;
    let Some(outcome) = run_on("endless", ORIGIN, body) else { return };
    let stop = the_stop(&outcome);
    assert!(matches!(stop.reason, StopReason::EndlessLoop(_)), "{:?}", stop.reason);
    assert!((7..=8).contains(&stop.site.line), "{}", stop.site);
}

#[test]
fn an_exception() {
    let body = r#"
void kernel_main() {
    cb_reserve_back(0, 1);
    throw std::runtime_error("no");
}
"#;
    check("exception", body, 7, crashed("throws an exception: no"));
}

#[test]
fn an_exception_of_a_library() {
    let body = r#"
#include <vector>
void kernel_main() {
    std::vector<int> none;
    cb_reserve_back(0, 1);
    get_semaphore(none.at(3));
}
"#;
    let Some(outcome) = run_on("library", ORIGIN, body) else { return };
    let stop = the_stop(&outcome);
    let StopReason::Crashed(what) = &stop.reason else { panic!("{:?}", stop.reason) };
    assert!(what.starts_with("throws an exception: vector::_M_range_check"), "{what}");
    assert_eq!(stop.site.line, 8, "the last call before it");
}

#[test]
fn an_exit() {
    let body = r#"
#include <cstdlib>
void kernel_main() {
    cb_reserve_back(0, 1);
    exit(3);
}
"#;
    check("exit", body, 8, crashed("calls `exit(3)`"));
}

#[test]
fn an_abort() {
    let body = r#"
#include <cstdlib>
void kernel_main() {
    abort();
}
"#;
    check("abort", body, 7, crashed("calls `abort(0)`"));
}

#[test]
fn a_full_stack() {
    let body = r#"
int deeper(volatile int* last) {
    volatile int own[64];
    own[0] = *last + 1;
    return deeper(own) + own[0];
}
void kernel_main() {
    volatile int first = 0;
    get_semaphore(deeper(&first));
}
"#;
    let Some(outcome) = run_on("stack", ORIGIN, body) else { return };
    let stop = the_stop(&outcome);
    assert_eq!(stop.reason, crashed("runs out of its stack of 256 KiB"));
    assert!((5..=9).contains(&stop.site.line), "{}", stop.site);
}

#[test]
fn a_division_by_zero() {
    let body = r#"
void kernel_main() {
    volatile int zero = 0;
    volatile int x = 5 / zero;
}
"#;
    if cfg!(target_arch = "x86_64") {
        check("division", body, 7, crashed("divides an integer by zero"));
    }
}

#[test]
fn a_failed_assertion() {
    let body = r#"
void kernel_main() {
    uint32_t pages = 3;
    ASSERT(pages < 3);
}
"#;
    check("assertion", body, 7, StopReason::AssertFailed("pages < 3".to_owned()));
}

#[test]
fn a_pointer_to_another_core() {
    // The first core leaves its address where the second one reads it.
    let body = r#"
void kernel_main() {
    uint32_t own = get_write_ptr(0);
    uint32_t sem = get_semaphore(0);
    if (my_x[0] == 0) {
        *reinterpret_cast<L1>(uint64_t{own}) = own;
        noc_async_write(own, get_noc_addr(1, 0, own), 32);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(1, 0, sem), 1);
        noc_async_atomic_barrier();
    } else {
        noc_semaphore_wait(reinterpret_cast<L1>(uint64_t{sem}), 1);
        L1 theirs = reinterpret_cast<L1>(uint64_t{*reinterpret_cast<L1>(uint64_t{own})});
        *theirs = 7;
    }
}
"#;
    let cores = CoreRange::new(CoreCoord::new(0, 0), CoreCoord::new(1, 0));
    let Some(outcome) = run_on("foreign", cores, body) else { return };
    let stop = the_stop(&outcome);
    let StopReason::ForeignL1 { owner, bytes: 4, .. } = stop.reason else {
        panic!("{:?}", stop.reason)
    };
    assert_eq!((owner, stop.processor.core), (CoreCoord::new(0, 0), CoreCoord::new(1, 0)));
    assert_eq!(stop.site.line, 17, "{}", stop.site);
}

#[test]
fn globals_belong_to_one_core_and_begin_anew() {
    let body = r#"
uint32_t count = 5;
static uint32_t many[3];
void kernel_main() {
    count += 1 + my_x[0];
    many[1] += count;
    cb_reserve_back(0, 1);
    noc_async_read_barrier();
    L1 at = reinterpret_cast<L1>(uint64_t{get_semaphore(0)});
    *at = count * 100 + many[1];
}
"#;
    let Some(workshop) = workshop() else { return };
    let mut device = Device::n150();
    let cores = CoreRange::new(CoreCoord::new(0, 0), CoreCoord::new(3, 0));
    let program = compiled(&workshop, &device, cores, write("globals", body)).expect("right");
    for _ in 0..2 {
        let options = RunOptions { threads: 2, ..RunOptions::default() };
        completed(&program.run(&mut device, options, &mut []).expect("it runs"));
        let words: Vec<_> = cores
            .cores()
            .map(|core| {
                let at = device.architecture().semaphore_base;
                let core = device.machine().core(core).expect("in the grid");
                core.l1().word(tilewright_machine::L1Address(at)).expect("in L1")
            })
            .collect();
        assert_eq!(words, [606, 707, 808, 909]);
    }
}

#[test]
fn raw_accesses_are_events_with_their_line() {
    let body = r#"
void kernel_main() {
    L1 at = reinterpret_cast<L1>(uint64_t{get_write_ptr(0)});
    at[2] = 7;
    uint32_t seven = at[2];
    WAYPOINT("HERE");
    at[3] = seven;
}
"#;
    let Some(workshop) = workshop() else { return };
    let mut device = Device::n150();
    let program = compiled(&workshop, &device, ORIGIN, write("raw", body)).expect("it compiles");
    let mut log = common::Log::default();
    let outcome = program.run(&mut device, RunOptions::default(), &mut [&mut log]).expect("runs");
    completed(&outcome);
    let seen: Vec<(u32, &str)> = log
        .0
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::L1Written { bytes: 4, .. } => Some((event.site.line, "written")),
            EventKind::L1Read { bytes: 4, .. } => Some((event.site.line, "read")),
            EventKind::Waypoint { name } => Some((event.site.line, name)),
            _ => None,
        })
        .collect();
    assert_eq!(seen, [(7, "written"), (8, "read"), (9, "HERE"), (10, "written")]);
}

#[test]
fn atomic_accesses_are_accesses() {
    let body = r#"
void kernel_main() {
    L1 at = reinterpret_cast<L1>(uint64_t{get_semaphore(0)});
    __atomic_store_n(at, 40, __ATOMIC_RELEASE);
    __atomic_fetch_add(at, 3, __ATOMIC_RELAXED);
    __sync_synchronize();
    uint32_t expected = 43;
    constexpr auto order = __ATOMIC_SEQ_CST;
    ASSERT(__atomic_compare_exchange_n(at, &expected, 7, false, order, order));
    ASSERT(__atomic_load_n(at, __ATOMIC_ACQUIRE) == 7);
}
"#;
    let Some(outcome) = run_on("atomic", ORIGIN, body) else { return };
    completed(&outcome);
}

#[test]
fn polling_a_word_that_another_kernel_sets_comes_to_an_end() {
    let body = r#"
void kernel_main() {
    uint32_t sem = get_semaphore(0);
    if (my_x[0] == 0) {
        L1 at = reinterpret_cast<L1>(uint64_t{sem});
        while (*at != 3) {
        }
    } else {
        noc_semaphore_inc(get_noc_addr(0, 0, sem), 3);
        noc_async_atomic_barrier();
    }
}
"#;
    let cores = CoreRange::new(CoreCoord::new(0, 0), CoreCoord::new(1, 0));
    let Some(outcome) = run_on("polling", cores, body) else { return };
    completed(&outcome);
}

/// What the compiler says of a kernel.
fn complaints(name: &str, body: &str) -> Option<Vec<(u32, DiagnosticKind)>> {
    let workshop = workshop()?;
    let device = Device::n150();
    match compiled(&workshop, &device, ORIGIN, write(name, body)) {
        Err(CppError::Kernels(found)) => {
            Some(found.into_iter().map(|it| (it.line, it.kind)).collect())
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it compiles"),
    }
}

#[test]
fn missing_names_and_headers_are_told_all_at_once() {
    let body = r#"
#include "api/dataflow/no_such.h"
void kernel_main() {
    frobnicate(1);
    cb_reserve_back(0, 1);
    uint32_t x = no_such_constant;
}
void declared(int);
#include "another/none.h"

"#;
    let Some(found) = complaints("missing", body) else { return };
    let header = |name: &str| DiagnosticKind::MissingHeader(name.to_owned());
    let name = |name: &str| DiagnosticKind::MissingName(name.to_owned());
    let expected = [
        (5, header("api/dataflow/no_such.h")),
        (7, name("frobnicate")),
        (9, name("no_such_constant")),
        (12, header("another/none.h")),
    ];
    assert_eq!(found, expected);
}

/// The function of the tree is found when its header is included; what is refused is refused, then
/// as before, however many calls that are.
#[test]
fn names_of_the_kernels_tree_do_not_hide_refused_calls() {
    let Some(workshop) = workshop() else { return };
    let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-functions");
    let api = tree.join("tt_metal/hw/ckernels/wormhole_b0/metal/llk_api/llk_sfpu");
    fs::create_dir_all(&api).expect("room");
    let code = "#pragma once\nnamespace ckernel::sfpu { inline void own_exp() {} }\n";
    fs::write(api.join("ckernel_sfpu_exp.h"), code).expect("a header");
    let text = "#include \"api/compute/eltwise_unary/exp.h\"
void kernel_main() {
    MATH((ckernel::sfpu::own_exp()));
    exp_packthread_tile_init();
    exp_packthread_tile(0);
}";
    let file = tree.join("refused.cpp");
    fs::write(&file, text).expect("a file for a kernel");
    let role = CppRole::Compute(ComputeConfig::default());
    let kernel = CppKernel { source: CppSource::file(file), role };
    let Err(CppError::Kernels(found)) = compiled(&workshop, &Device::n150(), ORIGIN, kernel) else {
        panic!("it compiles")
    };
    let lines: Vec<u32> = found.iter().map(|it| it.line).collect();
    assert_eq!(lines, [4, 5], "{found:#?}");
}

#[test]
fn a_function_without_a_body() {
    let body = r#"
void declared(int);
void kernel_main() {
    declared(3);
}
"#;
    let Some(found) = complaints("bodyless", body) else { return };
    assert_eq!(found, [(7, DiagnosticKind::MissingName("declared".to_owned()))]);
}

#[test]
fn a_syntax_error() {
    let Some(found) = complaints(
        "syntax",
        r#"
void kernel_main() {
    int x = ;
}
"#,
    ) else {
        return;
    };
    assert_eq!(found, [(6, DiagnosticKind::Other)]);
}

#[test]
fn a_compiler_that_is_not_there() {
    let options = tilewright_metal::cpp::CompileOptions {
        cxx: Some("no-such-compiler".into()),
        ..Default::default()
    };
    let Err(error) = Workshop::open(&options) else { panic!("there is one") };
    let said = error.to_string();
    assert!(said.starts_with("the C++ compiler `no-such-compiler` (from --cxx) cannot be run"));
}
