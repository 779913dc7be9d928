//! Host programs that are wrong, end early or do not end: each is told, at its line.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::common::{Answer, command, has_compiler};
use crate::host::{BEFORE, WITH_KERNEL, check_ended, exec, json, small};

/// A device with a buffer of one page.
const WITH_BUFFER: &str = "auto device = distributed::MeshDevice::create_unit_mesh(0);\n\
    auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{.size = \
    64}, {.page_size = 64}, device.get());\n\
    std::vector<uint32_t> words(16);";

#[test]
fn a_kernel_file_that_is_not_there_is_refused_where_it_is_named() {
    let body = "Program program = CreateProgram();\nCreateKernel(program, \"kernels/nowhere.cpp\", \
                CoreCoord{0, 0}, DataMovementConfig{});";
    let expected = ("host-error", "no kernel file `kernels/nowhere.cpp`", 2);
    check_ended("no_kernel", body, expected);
}

#[test]
fn memory_of_a_closed_device_is_refused() {
    let read = "EnqueueReadMeshBuffer(device->mesh_command_queue(), words, buffer, true);";
    let body = format!("{WITH_BUFFER}\ndevice->close();\n{read}");
    check_ended("closed_queue", &body, ("host-error", "the device is closed", 5));
    let body = format!(
        "{WITH_BUFFER}\nauto& queue = device->mesh_command_queue();\ndevice->close();\n\
         EnqueueReadMeshBuffer(queue, words, buffer, true);"
    );
    check_ended("closed_buffer", &body, ("host-error", "belongs to a device that is closed", 6));
    let body = format!("{WITH_BUFFER}\nbuffer->deallocate();\n{read}");
    check_ended("freed_buffer", &body, ("host-error", "has been deallocated", 5));
}

#[test]
fn programs_that_cannot_be_launched_are_refused() {
    let launch = "distributed::MeshWorkload workload;\n\
        workload.add_program(distributed::MeshCoordinateRange(device->shape()), \
        std::move(program));\n\
        EnqueueMeshWorkload(device->mesh_command_queue(), workload, true);";
    let ring = "CreateCircularBuffer(program, CoreCoord{0, 0}, CircularBufferConfig(1 << 21, {{0, \
                tt::DataFormat::Float16_b}}).set_page_size(0, 2048));";
    let body = format!("{WITH_KERNEL}\n{ring}\n{launch}");
    check_ended("ring_too_large", &body, ("host-error", "L1", 8));
    let moved =
        "Program other = std::move(program);\nCreateSemaphore(program, CoreRange({0, 0}), 0);";
    let body = format!("{WITH_KERNEL}\n{moved}");
    check_ended("moved_program", &body, ("host-error", "moved away", 6));
    let few = "std::vector<uint32_t> few(8);\n\
               EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, few);";
    let body = format!("{WITH_BUFFER}\n{few}");
    check_ended("short_source", &body, ("host-error", "too small", 5));
}

#[test]
fn ends_of_every_kind_are_told() {
    check_ended("abort", "std::abort();", ("host-crash", "SIGABRT", 1));
    let divides = "volatile int zero = 0;\nvolatile int result = 7 / zero;";
    check_ended("division", divides, ("host-crash", "SIGFPE", 2));
    let file = small("exits", "std::exit(4);");
    let Some((record, code)) = json(&["--json", &file]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some("fail"), 1), "{record}");
    assert!(record["notes"].to_string().contains("ended with status 4"), "{record}");
}

/// Both processes end as they should: the child without devices, the parent with its results.
#[test]
fn a_forked_process_has_no_devices() {
    let body = format!(
        "{WITH_BUFFER}\nif (fork() == 0) {{\n\
         try {{ EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, words); }}\n\
         catch (const std::exception&) {{ return 3; }}\nreturn 0;\n}}\n\
         int status = 0;\nwait(&status);\n\
         EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, words);\n\
         return WEXITSTATUS(status) == 3 ? 0 : 1;"
    );
    let file = small("forks", &body);
    let text = fs::read_to_string(&file).expect("a file");
    fs::write(&file, format!("#include <sys/wait.h>\n#include <unistd.h>\n{text}")).expect("room");
    let Some((record, code)) = json(&["--json", &file]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some("unjudged"), 0), "{record}");
}

/// Ends that come from outside, or in the middle of a launch.
#[test]
fn ends_in_the_middle_are_told() {
    let file = small("killed", "kill(getpid(), SIGKILL);");
    let text = fs::read_to_string(&file).expect("a file");
    fs::write(&file, format!("#include <signal.h>\n#include <unistd.h>\n{text}")).expect("room");
    let Some((record, code)) = json(&["--json", &file]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some("fail"), 1), "{record}");
    assert!(record["findings"][0]["title"].to_string().contains("SIGKILL"), "{record}");
    let body = format!(
        "{WITH_KERNEL}\nstd::thread([] {{ _exit(6); }}).detach();\n\
         for (;;) {{ detail::LaunchProgram(device.get(), program); }}"
    );
    let file = small("exits_in_launch", &body);
    let text = fs::read_to_string(&file).expect("a file");
    let before = "#include <unistd.h>\n#include <thread>\n#include <tt-metalium/tt_metal.hpp>\n";
    fs::write(&file, format!("{before}{text}")).expect("room");
    let Some((record, code)) = json(&["--json", &file]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some("fail"), 1), "{record}");
    assert!(record["notes"].to_string().contains("ended with status 6"), "{record}");
}

#[test]
fn a_host_program_that_does_not_end_is_a_hang() {
    let file = small("endless", "while (true) { asm volatile(\"\"); }");
    let Some((record, code)) = json(&["--json", "--timeout", "1", &file]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some("hang"), 1), "{record}");
    assert!(record["notes"].to_string().contains("--timeout"), "{record}");
}

/// Everything in a folder with spaces, kernels and headers of the program among it.
#[test]
fn paths_with_spaces_are_paths() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a host program");
    fs::create_dir_all(folder.join("the kernels")).expect("a folder");
    fs::write(folder.join("names.h"), "#define KERNEL \"the kernels/none.cpp\"\n").expect("a file");
    fs::write(folder.join("the kernels/none.cpp"), "void kernel_main() {}\n").expect("a file");
    let text = "#include \"names.h\"\n#include <tt-metalium/distributed.hpp>\n\
        using namespace tt::tt_metal;\nint main() {\n\
        auto device = distributed::MeshDevice::create_unit_mesh(0);\nProgram program;\n\
        CreateKernel(program, KERNEL, CoreCoord{0, 0}, DataMovementConfig{});\n\
        distributed::MeshWorkload workload;\n\
        workload.add_program(distributed::MeshCoordinateRange(device->shape()), \
        std::move(program));\n\
        EnqueueMeshWorkload(device->mesh_command_queue(), workload, true);\n}\n";
    fs::write(folder.join("the program.cpp"), text).expect("a file");
    let file = folder.join("the program.cpp").display().to_string();
    let Some((record, code)) = json(&["--json", &file]) else { return };
    assert_eq!((record["verdict"].as_str(), code), (Some("unjudged"), 0), "{record}");
}

#[test]
fn without_a_compiler_it_says_what_is_missing() {
    if !has_compiler() {
        return;
    }
    let file = small("no_compiler", "");
    let mut alone = command();
    alone.env("PATH", "").env_remove("CXX").args(["exec", &file]);
    let answer = Answer::of(alone);
    assert_eq!(answer.code, 2, "{}", answer.stdout);
    assert!(answer.stderr.contains("no g++ or clang++ on PATH"), "{}", answer.stderr);
    let Some(answer) = exec(&["--cxx", "/nowhere/g++", &file]) else { return };
    assert_eq!(answer.code, 2, "{}", answer.stdout);
    assert!(answer.stderr.contains("/nowhere/g++"), "{}", answer.stderr);
}

/// A finding without a program behind it would not be at a line of ours.
#[test]
fn lines_are_counted_from_the_program() {
    assert_eq!(BEFORE, 4);
}
