//! C++ host programs: our examples, their broken twins, and programs that fail themselves.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Answer, command, has_compiler, root};

/// Runs a host program; nothing where the host has no compiler.
pub fn exec(typed: &[&str]) -> Option<Answer> {
    if !has_compiler() {
        return None;
    }
    let mut command = command();
    command.arg("exec").args(typed);
    Some(Answer::of(command))
}

pub fn json(typed: &[&str]) -> Option<(Value, i32)> {
    let answer = exec(typed)?;
    let record = serde_json::from_str(&answer.stdout);
    Some((record.unwrap_or_else(|_| panic!("{}{}", answer.stdout, answer.stderr)), answer.code))
}

/// A program that is right, and what it prints.
#[track_caller]
fn check_right(file: &str, printed: &str) {
    let Some((record, code)) = json(&["--json", file]) else { return };
    assert_eq!(record["findings"], Value::Array(Vec::new()), "{file}");
    assert_eq!((record["verdict"].as_str(), code), (Some("pass"), 0), "{file}: {record}");
    let said = record["printed"][0]["text"].as_str();
    assert_eq!(said, Some(printed), "{file}");
}

/// A program with one mistake: the kind of finding, and the line that it is at.
#[track_caller]
fn check_broken(file: &str, verdict: &str, id: &str, (at, text): (&str, &str)) {
    let Some((record, code)) = json(&["--json", file]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some(verdict), 1), "{file}: {record}");
    let findings = record["findings"].as_array().expect("findings");
    let found = findings.iter().find(|it| it["id"] == id).unwrap_or_else(|| panic!("{record}"));
    let marks = found["marks"].as_array().expect("marks");
    let line = line_of(at, text);
    let is_it = |mark: &&Value| mark["file"] == at && mark["line"] == line;
    assert!(marks.iter().any(|mark| is_it(&mark)), "{file}: no mark at {at}:{line}: {found}");
}

/// The number of the first line with a text.
fn line_of(file: &str, text: &str) -> usize {
    let lines = fs::read_to_string(root().join(file)).expect("a file of ours");
    1 + lines.lines().position(|line| line.contains(text)).expect("the line")
}

#[test]
fn a_copy_passes_and_its_twin_is_caught() {
    check_right("examples/host/copy/copy.cpp", "12 tiles copied\n");
    let reader = "examples/host/copy/kernels/reader.cpp";
    let line = (reader, "cb_push_back(cb, 1)");
    check_broken("examples/host/copy/broken.cpp", "fail", "unawaited-read", line);
}

#[test]
fn a_sum_on_many_cores_passes_and_its_twin_is_caught() {
    check_right("examples/host/add/add.cpp", "100 tiles added on 64 cores\n");
    let compute = "examples/host/add/kernels/compute.cpp";
    let line = (compute, "cb_wait_front(cb_first, 1)");
    check_broken("examples/host/add/broken.cpp", "hang", "starved-wait", line);
}

#[test]
fn a_product_with_a_multicast_passes_and_its_twin_is_caught() {
    check_right("examples/host/matmul/matmul.cpp", "4 columns of tiles on as many cores\n");
    let sender = "examples/host/matmul/kernels/sender.cpp";
    let line = (sender, "noc_async_write_multicast(");
    check_broken("examples/host/matmul/broken.cpp", "fail", "data-before-credit", line);
}

#[test]
fn a_sum_in_shards_passes_and_its_twin_is_caught() {
    check_right("examples/host/sharded_add/sharded_add.cpp", "12 tiles added where they lie\n");
    let host = "examples/host/sharded_add/sharded_add.cpp";
    let line = (host, "MeshBuffer::create");
    check_broken("examples/host/sharded_add/broken.cpp", "fail", "unwritten-output", line);
}

/// A host program of a few lines, in a folder of its own.
pub fn small(name: &str, body: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("{name}.cpp"));
    let text = format!(
        "#include <tt-metalium/distributed.hpp>\n#include <tt-metalium/host_api.hpp>\n\
         using namespace tt::tt_metal;\nint main() {{\n{body}\n}}\n"
    );
    fs::write(&file, text).expect("a file");
    file.display().to_string()
}

/// The lines before the body of a small program.
pub const BEFORE: u64 = 4;

/// A program that ends before its time: the kind of finding, a part of its title, and its line.
#[track_caller]
pub fn check_ended(name: &str, body: &str, (id, title, line): (&str, &str, u64)) {
    let file = small(name, body);
    let Some((record, code)) = json(&["--json", &file]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some("fail"), 1), "{record}");
    let found = &record["findings"][0];
    assert_eq!(found["id"].as_str(), Some(id), "{record}");
    assert!(found["title"].as_str().is_some_and(|it| it.contains(title)), "{found}");
    let mark = &found["marks"][0];
    // A file below the folder of the command may be named from there.
    assert!(mark["file"].as_str().is_some_and(|it| file.ends_with(it)), "{found}");
    assert_eq!(mark["line"].as_u64(), Some(BEFORE + line), "{found}");
}

/// A program with a kernel on core (0,0).
pub const WITH_KERNEL: &str = "auto device = distributed::MeshDevice::create_unit_mesh(0);\n\
    Program program = CreateProgram();\n\
    auto kernel = CreateKernelFromString(program, \"void kernel_main() {}\", CoreCoord{0, 0},\n\
        DataMovementConfig{});";

#[test]
fn crashes_and_exceptions_are_told_at_their_lines() {
    let crash = "int* nowhere = nullptr;\nasm volatile(\"\" : \"+r\"(nowhere));\n*nowhere = 1;";
    check_ended("crash", crash, ("host-crash", "SIGSEGV", 3));
    let fatal = "int value = 3;\nTT_FATAL(value == 4, \"value is {}\", value);";
    check_ended("fatal", fatal, ("host-error", "value is 3", 2));
    let thrown = "throw std::runtime_error(\"on purpose\");";
    check_ended("thrown", thrown, ("host-error", "on purpose", 1));
}

#[test]
fn mistakes_of_host_programs_are_refused_at_their_lines() {
    let cases = [
        ("other_core", "SetRuntimeArgs(program, kernel, CoreCoord{1, 0}, {1});", "does not run"),
        ("other_handle", "SetRuntimeArgs(program, kernel + 1, CoreCoord{0, 0}, {1});", "handle 1"),
        (
            "outside",
            "CreateSemaphore(program, CoreRange({0, 0}, {8, 0}), 0);",
            "outside the grid of 8x8",
        ),
        (
            "closed",
            "device->close(); distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{\
             .size = 64}, {.page_size = 64}, device.get());",
            "the device is closed",
        ),
        (
            "too_large",
            "distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{.size = 64 << \
             21}, {.page_size = 2 << 20, .buffer_type = BufferType::L1}, device.get());",
            "bytes of L1",
        ),
    ];
    for (name, line, message) in cases {
        let body = format!("{WITH_KERNEL}\n{line}");
        check_ended(name, &body, ("host-error", message, 5));
    }
}

#[test]
fn names_that_are_missing_are_compile_errors() {
    let file = small("missing", "tt::tt_metal::NoSuchCall();");
    let Some(answer) = exec(&[&file]) else { return };
    assert_eq!(answer.code, 2, "{}", answer.stdout);
    assert!(answer.stderr.contains("NoSuchCall"), "{}", answer.stderr);
    assert!(answer.stderr.contains("the host program does not compile"), "{}", answer.stderr);
}

#[test]
fn status_and_arguments_are_the_programs_own() {
    let file = small("status", "return 3;");
    let Some((record, code)) = json(&["--json", &file, "x", "--", "--flag"]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some("fail"), 1));
    let notes = record["notes"].to_string();
    assert!(notes.contains("the host program ended with status 3"), "{notes}");
}

/// A program that another build system has compiled with the package starts itself again.
#[test]
fn an_installed_package_builds_programs_that_run() {
    let folder = root().join("target/tmp/an installed package");
    drop(fs::remove_dir_all(&folder));
    let Some(answer) = exec(&["--install", &folder.display().to_string()]) else { return };
    assert_eq!(answer.code, 0, "{}{}", answer.stdout, answer.stderr);
    for file in
        ["lib/cmake/tt-metalium/tt-metalium-config.cmake", "lib/pkgconfig/tilewright-host.pc"]
    {
        let text = fs::read_to_string(folder.join(file)).expect("a file of the package");
        assert!(text.contains("tilewright_host.o") && !text.contains('@'), "{file}: {text}");
    }
    let program = folder.join("program");
    let has_gxx = Command::new("g++").arg("--version").output().is_ok();
    let usual = if has_gxx { "g++" } else { "clang++" };
    let built = Command::new(std::env::var_os("CXX").unwrap_or_else(|| usual.into()))
        .current_dir(root())
        .args(["-std=gnu++20", "-Wno-narrowing", "-pthread", "examples/host/copy/copy.cpp"])
        .arg("-I")
        .arg(folder.join("include/tilewright-host"))
        .arg(folder.join("lib/tilewright_host.o"))
        .arg("-o")
        .arg(&program)
        .output()
        .expect("the compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut command = Command::new(&program);
    command.current_dir(root()).env("TILEWRIGHT", env!("CARGO_BIN_EXE_tilewright"));
    let answer = Answer::of(command);
    assert_eq!(answer.code, 0, "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.starts_with("12 tiles copied\npass "), "{}", answer.stdout);
}

/// The verification of a host program notices what its kernels get wrong.
#[test]
fn host_programs_are_graded_by_their_exit_codes() {
    if !has_compiler() {
        return;
    }
    let mut command = command();
    command.args(["grade", "examples/host/copy/copy.cpp", "--json"]);
    let answer = Answer::of(command);
    let grade: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(answer.code, 0, "{grade}{}", answer.stderr);
    assert_eq!(grade["comparison"]["own"], "its exit code");
    assert!(grade["changed"].as_u64().is_some_and(|changed| changed >= 5), "{grade}");
    assert_eq!(grade["score"], 1.0, "{grade}");
}
