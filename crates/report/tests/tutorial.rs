//! What the tutorial's program says, as the book shows it. `TILEWRIGHT_BLESS=1` writes it anew.

use crate::common;

#[allow(dead_code, reason = "an example has a main function")]
#[path = "../examples/tutorial.rs"]
mod program;

use std::env;
use std::path::Path;

#[test]
fn the_tutorial_shows_what_is_said() {
    env::set_current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("the root");
    for (name, mistake) in program::Mistake::ALL {
        let text = program::run(mistake).replace("tests/../examples", "examples");
        common::check_with_lines(&format!("tutorial-{name}"), &text);
    }
}
