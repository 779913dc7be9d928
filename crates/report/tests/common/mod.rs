//! Text against what is stored beside the tests. `TILEWRIGHT_BLESS=1` writes it anew.

use std::env;
use std::fs;
use std::path::Path;

/// Demands that the text is the one stored under a name.
#[track_caller]
pub fn check(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected");
    let path = folder.join(format!("{name}.txt"));
    let text = without_cycles(text);
    if env::var_os("TILEWRIGHT_BLESS").is_some_and(|it| it == "1") {
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(&path, &text).expect("a text");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name}; `cargo xtask bless` accepts it");
}

/// Cycles change with every better figure for a latency.
fn without_cycles(text: &str) -> String {
    let line = |line: &str| match line.split_once("= cycle ") {
        Some((start, _)) => format!("{start}= cycle _\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}
