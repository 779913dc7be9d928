//! Readers that have gone away, closed and full outputs: never a panic.
#![cfg(target_os = "linux")]

mod common;

use std::process::{Command, Stdio};

use common::command;

#[test]
fn a_reader_that_has_gone_away_is_no_fault() {
    for arguments in [&["list"][..], &["--help"], &["run", "identity", "--shape", "32x32"]] {
        let mut child = command()
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
}

/// Runs `tilewright list` under a shell that redirects its output.
#[track_caller]
fn check(redirection: &str, code: i32, stderr: &str) {
    let program = env!("CARGO_BIN_EXE_tilewright");
    let line = format!("exec \"$0\" list {redirection}");
    let output = Command::new("sh").args(["-c", &line, program]).output().expect("a shell");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!((output.status.code(), said.as_str()), (Some(code), stderr), "{redirection}");
}

#[test]
fn closed_and_full_outputs_are_told_or_borne() {
    check(">&-", 0, "");
    check(">&- 2>&-", 0, "");
    let full = "error: standard output cannot be written: No space left on device (os error 28)\n";
    check("> /dev/full", 2, full);
    check("> /dev/full 2>&1", 2, "");
}
