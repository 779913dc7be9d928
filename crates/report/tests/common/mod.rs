//! Texts against those stored beside the tests. `TILEWRIGHT_BLESS=1` writes them anew.

use tilewright_testing::drawn;

/// Demands that the text is the one stored under a name, whatever the lines of the tests are.
#[track_caller]
pub fn check(name: &str, text: &str) {
    drawn::check(env!("CARGO_MANIFEST_DIR"), name, text);
}

/// The same with the numbers of lines.
#[track_caller]
pub fn check_with_lines(name: &str, text: &str) {
    drawn::check_with_lines(env!("CARGO_MANIFEST_DIR"), name, text);
}
