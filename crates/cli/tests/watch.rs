//! `tilewright watch`: a saved file has its program checked again.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::common::{command, has_compiler, root};

/// A command that is ended with the test.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_saved_kernel_is_checked_again() {
    if !has_compiler() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watched");
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    for entry in fs::read_dir(root().join("crates/check/tests/faults/programs/share")).expect("it")
    {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    let mut command = command();
    command.current_dir(&folder).args(["watch", "program.toml"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut watching = Watching(command.spawn().expect("the command"));
    let stderr = watching.0.stderr.take().expect("its standard error");
    let stdout = watching.0.stdout.take().expect("its standard output");
    let mut remarks = BufReader::new(stderr).lines().map(|line| line.expect("a line"));
    let mut verdicts = BufReader::new(stdout).lines().map(|line| line.expect("a line"));
    assert!(remarks.next().expect("a remark").starts_with("watching "));
    assert!(verdicts.next().expect("a verdict").starts_with("unjudged program.toml"));
    let reader = folder.join("reader.cpp");
    let text = fs::read_to_string(&reader).expect("a kernel");
    fs::write(&reader, text.replace("get_tile_size(1), 3);", "get_tile_size(1), 4);"))
        .expect("room");
    assert_eq!(remarks.next().as_deref(), Some("reader.cpp has changed"));
    let found = verdicts.find(|line| line.starts_with("error[")).expect("a finding");
    assert!(found.starts_with("error[miscounted-cores]"), "{found}");
}
