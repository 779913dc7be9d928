//! Manifests with the commands that draw or stop a run: what they write, and that they survive
//! kernels that do not.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Answer, has_compiler, root, tilewright_in};

/// A folder of its own with the kernels of two programs that copy a tensor twice; none where the
/// host has no compiler.
fn folder(name: &str) -> Option<PathBuf> {
    if !has_compiler() {
        eprintln!("nothing is tested here: there is no C++ compiler");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    let kernels = root().join("crates/cli/tests/manifests/chain");
    for entry in fs::read_dir(kernels).expect("kernels") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    Some(folder)
}

fn check(folder: &Path, typed: &[&str], code: i32, said: &[&str]) -> Answer {
    let answer = tilewright_in(folder, typed);
    assert_eq!((answer.code, answer.stderr.as_str()), (code, ""), "{typed:?}: {}", answer.stdout);
    for words in said {
        assert!(answer.stdout.contains(words), "{typed:?} lacks `{words}`: {}", answer.stdout);
    }
    answer
}

#[test]
fn a_page_shows_the_cpp_lines_of_a_finding_and_its_program() {
    let Some(folder) = folder("manifest-page") else { return };
    check(&folder, &["report", "program.toml"], 0, &["program.html", " there: ", " onward: "]);
    check(&folder, &["report", "faulty.toml"], 1, &["faulty.html", "= program: onward"]);
    let page = fs::read_to_string(folder.join("faulty.html")).expect("a page");
    for words in ["reader.cpp", "noc_async_read_tile(tile, in", r#""program":"onward""#] {
        assert!(page.contains(words), "the page lacks `{words}`");
    }
}

#[test]
fn a_trace_has_every_program() {
    let Some(folder) = folder("manifest-trace") else { return };
    let typed = ["trace", "program.toml", "--jsonl", "lines.jsonl"];
    check(&folder, &typed, 0, &["program.pftrace", "lines.jsonl"]);
    assert!(fs::metadata(folder.join("program.pftrace")).expect("a trace").len() > 1000);
    let lines = fs::read_to_string(folder.join("lines.jsonl")).expect("lines");
    let programs: Vec<&str> =
        lines.lines().filter(|line| line.starts_with(r#"{"type":"program""#)).collect();
    assert!(programs.len() == 2 && programs[1].contains("onward"), "{programs:?}");
}

#[test]
fn a_replay_stops_in_the_second_program() {
    let Some(folder) = folder("manifest-replay") else { return };
    let whole = check(&folder, &["run", "program.toml", "--json"], 0, &[]).stdout;
    let run: serde_json::Value = serde_json::from_str(&whole).expect("one object");
    let first = run["programs"][0]["cycles"].as_u64().expect("cycles");
    let stop = (first + 100).to_string();
    let typed = ["replay", "program.toml", "--stop-at", &stop];
    check(&folder, &typed, 0, &["after cycle 100 of program `onward`", "reader.cpp:"]);
}

#[test]
fn every_command_survives_a_kernel_that_ends_its_process() {
    let Some(folder) = folder("manifest-crash") else { return };
    let reader = fs::read_to_string(folder.join("reader.cpp")).expect("a kernel");
    let exits = reader.replace("cb_push_back(cb_in, 1);", "std::_Exit(3);");
    fs::write(folder.join("reader.cpp"), format!("#include <cstdlib>\n{exits}")).expect("a kernel");
    for command in ["check", "run", "report", "trace", "replay"] {
        let answer = tilewright_in(&folder, &[command, "program.toml"]);
        let is_told = answer.stderr.contains("the kernels ended their process");
        assert!(is_told && answer.code == 2, "{command}, {}: {}", answer.code, answer.stderr);
    }
}
