//! What the tests of all crates share. Nothing that ships uses it.
//!
//! A test that needs a tool which the host lacks is skipped: `skip!` says so on the terminal,
//! although libtest hides what passing tests print, and notes it for `cargo xtask ci`, which counts
//! skipped tests and fails on a server.

pub mod bench;
pub mod drawn;
pub mod enums;

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::thread;

/// The file of skipped tests, in the folder for temporary files of tests (`target/tmp`).
pub const SKIPPED: &str = "skipped-tests.txt";

/// Says that the test that runs is skipped, and why.
#[macro_export]
macro_rules! skip {
    ($why:expr) => {
        $crate::note_skipped(env!("CARGO_TARGET_TMPDIR"), &$why.to_string())
    };
}

/// Notes a skipped test. Tests call `skip!`.
pub fn note_skipped(tmp: &str, why: &str) {
    let thread = thread::current();
    let line = format!("{}: {why}\n", thread.name().unwrap_or("a test"));
    // Not `eprintln!`, which libtest captures. A message that cannot be written is not worth a
    // failure, and neither is a note.
    let _ = write!(std::io::stderr(), "skipped: {line}");
    let file = OpenOptions::new().create(true).append(true).open(Path::new(tmp).join(SKIPPED));
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

/// Whether texts are to be stored as they are now, instead of being compared
/// (`TILEWRIGHT_BLESS=1`, which `cargo xtask bless` sets).
pub fn is_bless() -> bool {
    env::var_os("TILEWRIGHT_BLESS").is_some_and(|it| it == "1")
}

/// Demands that a text is the one stored in a file.
#[track_caller]
pub fn stored(path: &Path, text: &str) {
    if is_bless() {
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("a folder for stored texts");
        fs::write(path, text).expect("a text");
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(text, expected, "{}; `cargo xtask bless` accepts it", path.display());
}
