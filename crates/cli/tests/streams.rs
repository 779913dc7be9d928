//! Readers that have gone away, closed and full outputs: never a panic.
#![cfg(target_os = "linux")]

use crate::common;
use std::process::{Command, Stdio};
use tilewright_testing::skip;

use crate::common::command;

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

/// What a command shows on a terminal so wide.
fn on_a_terminal(columns: u32, typed: &str) -> String {
    let program = env!("CARGO_BIN_EXE_tilewright");
    let line = format!("stty cols {columns} rows 50 && {}", typed.replace("tilewright", program));
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .current_dir(common::root())
        .stdin(Stdio::null())
        .output()
        .expect("`script` starts");
    assert!(output.status.success(), "`{typed}` on a terminal: {output:?}");
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

/// A text without its colour codes.
fn seen(text: &str) -> String {
    let parts = text.split("\u{1b}[").enumerate();
    let part = |(index, part): (usize, &'_ str)| match index {
        0 => part.to_owned(),
        _ => part.split_once('m').map_or_else(String::new, |(_, rest)| rest.to_owned()),
    };
    parts.map(part).collect()
}

#[test]
fn terminals_get_colour_and_lines_that_fit() {
    if Command::new("script").arg("--version").output().is_err() {
        skip!("there is no `script` to make a terminal with");
        return;
    }
    let run = "tilewright run softmax --shape 64x96 --threads 1";
    let coloured = on_a_terminal(60, run);
    assert!(coloured.contains("\u{1b}[") && coloured.contains("pass"), "{coloured}");
    let plain = on_a_terminal(60, &format!("NO_COLOR=1 {run}"));
    assert!(!plain.contains('\u{1b}') && plain.contains("pass"), "{plain}");
    for typed in [run, "tilewright list", "tilewright explain", "tilewright --help"] {
        let text = seen(&on_a_terminal(60, typed));
        let long = text.lines().find(|line| line.chars().count() > 60);
        assert_eq!(long, None, "`{typed}` on 60 columns");
        assert!(text.lines().count() > 5, "{text}");
    }
}
