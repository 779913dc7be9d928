//! The lines that events of C++ kernels carry: the user's own, and who called them.

use std::fs;
use std::path::{Path, PathBuf};

use tilewright_machine::{EventKind, Processor, RunOptions, Site};
use tilewright_metal::call_text;
use tilewright_metal::cpp::{CppKernel, CppRole, CppSource};
use tilewright_metal::{CbSpec, CompileTimeArgs, DataMovementPlace, Device, Program};
use tilewright_tile::DataFormat;

use crate::common::{Log, ORIGIN, completed};
use crate::cpp_common::workshop;

const RING: &str = r#"
#pragma once
#include "api/dataflow/dataflow_api.h"
inline void take(uint32_t cb) {
    cb_wait_front(cb, 1);
    cb_pop_front(cb, 1);
}
inline void push(uint32_t cb) {
    cb_reserve_back(cb, 1);
    cb_push_back(cb, 1);
    take(cb);
}
__attribute__((noinline)) void push_apart(uint32_t cb) {
    push(cb);
}
template <int N>
void push_many(uint32_t cb) {
    for (int i = 0; i < N; ++i) {
        push(cb);
    }
}
"#;

const DEEP: &str = r#"
#pragma once
#include <algorithm>
#include "ring.h"
inline void descend(uint32_t depth, uint32_t cb) {
    if (depth == 0) {
        push(cb);
        return;
    }
    descend(depth - 1, cb);
}
struct Filler {
    uint32_t cb;
    void fill() const { push_apart(cb); }
};
template <typename Each>
void for_two(Each each) {
    const uint32_t places[] = {0, 0};
    std::for_each(places, places + 2, each);
}
"#;

/// Writes files and gives the kernel's place.
fn write(name: &str, kernel: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-lines");
    let shared = folder.join("shared");
    fs::create_dir_all(&shared).expect("a folder for headers");
    put(&shared.join("ring.h"), RING);
    put(&shared.join("deep.h"), DEEP);
    let file = folder.join(name);
    put(&file, kernel);
    file
}

/// Writes a file as a whole: other tests, and this one with another compiler, read it meanwhile.
fn put(file: &Path, text: &str) {
    let (process, thread) = (std::process::id(), std::thread::current().id());
    let draft = file.with_extension(format!("{process}-{thread:?}"));
    fs::write(&draft, text).expect("a draft");
    fs::rename(&draft, file).expect("a file");
}

/// The call at a site as its text, with the calls that led there.
fn shown(site: Site) -> String {
    let call = |site: Site| {
        let text = fs::read_to_string(site.file).unwrap_or_else(|_| panic!("{site} is of no file"));
        let line = text.lines().nth(site.line as usize - 1).expect("a line of it");
        let end = call_text::end(line, site.column);
        let (start, count) = (site.column as usize - 1, (end - site.column) as usize);
        let name = Path::new(site.file).file_name().expect("a name").to_string_lossy();
        format!("{name}: {}", line.chars().skip(start).take(count).collect::<String>())
    };
    let calls = std::iter::once(site).chain(site.callers()).map(call);
    calls.collect::<Vec<_>>().join(" < ")
}

/// Where pages are pushed and L1 is written, by kernels on the two processors of data movement.
fn sites(kernels: &[(DataMovementPlace, &str, &str)]) -> Option<Vec<(Processor, String)>> {
    let workshop = workshop()?;
    let mut builder = Program::builder("lines");
    for id in 0..2 {
        builder.circular_buffer(ORIGIN, CbSpec::tiles(id, "cb", DataFormat::Bfloat16, 2));
    }
    for (place, name, text) in kernels {
        let mut source = CppSource::file(write(name, text));
        source.include_paths.push(source.file.with_file_name("shared"));
        let kernel = CppKernel { source, role: CppRole::DataMovement(*place) };
        builder.cpp_kernel(name, ORIGIN, kernel, CompileTimeArgs::default());
    }
    let mut device = Device::n150();
    let built = builder.build(device.architecture(), device.l1_lowest());
    let mut program = built.expect("it is right");
    program.compile(device.architecture(), &workshop, &|_, _| {}).expect("it compiles");
    let mut log = Log::default();
    let options = RunOptions::default();
    completed(&program.run(&mut device, options, &mut [&mut log]).expect("it can run"));
    let is_shown = |kind| matches!(kind, EventKind::Pushed { .. } | EventKind::L1Written { .. });
    let events = log.0.iter().filter(|event| is_shown(event.kind));
    Some(events.map(|event| (event.processor.processor, shown(event.site))).collect())
}

/// The sites of one kernel whose body is `body`.
#[track_caller]
fn check(name: &str, body: &str, expected: &[&str]) {
    let text = format!("#include \"deep.h\"\n{body}");
    let Some(sites) = sites(&[(DataMovementPlace::Reader, name, &text)]) else { return };
    let sites: Vec<&str> = sites.iter().map(|(_, site)| &**site).collect();
    assert_eq!(sites, expected);
}

#[test]
fn a_call_of_the_kernel_itself_has_no_caller() {
    let body = "void kernel_main() {\n    cb_reserve_back(0, 1);\n    cb_push_back(0, 1);\n}\n";
    check("plain.cpp", body, &["plain.cpp: cb_push_back(0, 1)"]);
}

#[test]
fn helpers_show_the_lines_that_called_them() {
    let body = r#"
void kernel_main() {
    push(0);
    push_apart(0);
    push_many<2>(0);
    Filler{0}.fill();
}
"#;
    let expected = [
        "ring.h: cb_push_back(cb, 1) < helpers.cpp: push(0)",
        "ring.h: cb_push_back(cb, 1) < ring.h: push(cb) < helpers.cpp: push_apart(0)",
        "ring.h: cb_push_back(cb, 1) < ring.h: push(cb) < helpers.cpp: push_many<2>(0)",
        "ring.h: cb_push_back(cb, 1) < ring.h: push(cb) < helpers.cpp: push_many<2>(0)",
        "ring.h: cb_push_back(cb, 1) < ring.h: push(cb) < deep.h: push_apart(cb) \
         < helpers.cpp: fill()",
    ];
    check("helpers.cpp", body, &expected);
}

#[test]
fn lambdas_macros_and_libraries_in_between_are_no_trouble() {
    let body = r#"
#define PUSH(cb) push(cb)
void kernel_main() {
    auto both = [](uint32_t cb) {
        push(cb);
    };
    both(0);
    PUSH(0);
    for_two(both);
}
"#;
    let in_lambda = "ring.h: cb_push_back(cb, 1) < lambda.cpp: push(cb)";
    let twice = format!(
        "{in_lambda} < deep.h: std::for_each(places, places + 2, each) \
        < lambda.cpp: for_two(both)"
    );
    let expected = [
        &format!("{in_lambda} < lambda.cpp: both(0)"),
        "ring.h: cb_push_back(cb, 1) < lambda.cpp: PUSH(0)",
        &twice,
        &twice,
    ];
    check("lambda.cpp", body, &expected);
}

#[test]
fn recursion_at_one_line_is_one_call() {
    let body = "void kernel_main() {\n    descend(400, 0);\n}\n";
    let expected = "ring.h: cb_push_back(cb, 1) < deep.h: push(cb) \
        < deep.h: descend(depth - 1, cb) < recursion.cpp: descend(400, 0)";
    check("recursion.cpp", body, &[expected]);
}

/// Kernels pass functions of the API around; their types are tt-metal's.
#[test]
fn functions_of_the_api_have_addresses() {
    let body = r#"
void (*const volatile reserve)(int32_t, int32_t) = cb_reserve_back;
void (*const volatile give)(int32_t, int32_t) = &cb_push_back;
template <void (*Function)(int32_t, int32_t)>
void apply(uint32_t cb) {
    Function(cb, 1);
}
void kernel_main() {
    reserve(0, 1);
    give(0, 1);
    take(0);
    reserve(0, 1);
    apply<cb_push_back>(0);
}
"#;
    let expected = [
        "pointer.cpp: give(0, 1)",
        "pointer.cpp: Function(cb, 1) < pointer.cpp: apply<cb_push_back>(0)",
    ];
    check("pointer.cpp", body, &expected);
}

#[test]
fn accesses_of_l1_show_who_called() {
    let body = r#"
static void fill(volatile uint32_t* at) {
    *at = 7;
}
void kernel_main() {
    cb_reserve_back(0, 1);
    fill(reinterpret_cast<volatile uint32_t*>(get_write_ptr(0)));
}
"#;
    let text = format!("#include \"deep.h\"\n{body}");
    let Some(sites) = sites(&[(DataMovementPlace::Reader, "access.cpp", &text)]) else { return };
    let [(_, site)] = &sites[..] else { panic!("{sites:?}") };
    let callers = site.split_once(" < ").expect("a caller").1;
    assert_eq!(callers, "access.cpp: fill(reinterpret_cast<volatile uint32_t*>(get_write_ptr(0)))");
}

#[test]
fn two_kernels_that_share_a_helper_are_told_apart() {
    let kernel = |cb: u32| format!("#include \"deep.h\"\nvoid kernel_main() {{ push({cb}); }}\n");
    let (first, second) = (kernel(0), kernel(1));
    let kernels = [
        (DataMovementPlace::Reader, "first.cpp", &*first),
        (DataMovementPlace::Writer, "second.cpp", &*second),
    ];
    let Some(mut sites) = sites(&kernels) else { return };
    sites.sort();
    let expected = [
        (Processor::Reader, "ring.h: cb_push_back(cb, 1) < first.cpp: push(0)".to_owned()),
        (Processor::Writer, "ring.h: cb_push_back(cb, 1) < second.cpp: push(1)".to_owned()),
    ];
    assert_eq!(sites, expected);
}
