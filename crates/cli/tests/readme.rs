//! README: its one screen and its finding; and where each figure of the book's page of measured
//! figures comes from.
//!
//! What its commands print is held by `book.rs`.

use std::fs;

use crate::common::root;

/// Lines that a browser shows before anybody scrolls, about.
const SCREEN_LINES: usize = 48;

/// Lines of the whole README.
const README_LINES: usize = 64;

/// The page of the book that has the figures.
const MEASURED: &str = "docs/src/measured.md";

/// What measures processor time beside another build.
const PROCESSOR_TIME: &str = "crates/ops/benches/processor_time.rs";

/// Each figure that was measured or counted, and the file that measures or counts it; for what
/// commands take, or tell of themselves, that is the page, which names them.
const FIGURES: [(&str, &str); 58] = [
    ("4,050 of 4,050", "crates/golden/tests/golden.rs"),
    ("errors of 1000 and 988", "crates/report/tests/repro.rs"),
    ("scores 0.54", "crates/run/tests/grade.rs"),
    ("0.01 it scores 0.98", "crates/run/tests/grade.rs"),
    ("two virtual cores", "crates/ops/benches/machine.rs"),
    ("3x1x273x8462 in 0.15 s", MEASURED),
    ("1.3 s with inputs, reference and judgement", MEASURED),
    ("LayerNorm forward of 1024x1024", MEASURED),
    ("55,000 to 95,000 input tiles a second", MEASURED),
    ("a tenth of memcpy's speed", "crates/ops/benches/machine.rs"),
    ("one thread, 64 simulated cores", PROCESSOR_TIME),
    ("beside commit 48933a6", PROCESSOR_TIME),
    ("| LayerNorm forward 8192x1024 | 10.8 | 6.9 | 1.56x | 10.3 | 6.7 | 1.53x |", PROCESSOR_TIME),
    ("backward 3x1x273x8462 | 11.9 | 9.6 | 1.23x | 12.3 | 9.6 | 1.28x |", PROCESSOR_TIME),
    ("| softmax 1024x1024 | 31.0 | 9.3 | 3.35x | 20.8 | 8.3 | 2.52x |", PROCESSOR_TIME),
    ("| elementwise 2048x2048 | 2.5 | 1.7 | 1.49x | 2.2 | 1.6 | 1.35x |", PROCESSOR_TIME),
    ("| copy 2048x2048 | 2.7 | 2.4 | 1.16x | 2.8 | 2.5 | 1.14x |", PROCESSOR_TIME),
    ("rows 2048x2048 | 3.8 | 2.0 | 1.92x | 3.3 | 1.7 | 1.88x |", PROCESSOR_TIME),
    ("an input tile | 193 | 71 | 2.72x | 147 | 52 | 2.84x |", PROCESSOR_TIME),
    ("with LoFi | 85 | 39 | 2.18x | 68 | 31 | 2.24x |", PROCESSOR_TIME),
    ("for 1,024 tiles as for 32,768: 6.7, 6.7 and 6.6 us", PROCESSOR_TIME),
    ("of 2048x1024 6.4 us on one core and 8.1 on 64", PROCESSOR_TIME),
    ("60.1 -> 41.6 thousand", PROCESSOR_TIME),
    ("softmax of 1024x1024 197 -> 66 thousand", PROCESSOR_TIME),
    ("matmul of 512x512 1,507 -> 739 thousand", PROCESSOR_TIME),
    ("of a tile in a 32-bit Dst", "crates/tile/benches/tile.rs"),
    ("`rsqrt_tile` 2.4 us (7.1 before)", "crates/tile/benches/tile.rs"),
    ("`recip_tile` 2.3 (10.4)", "crates/tile/benches/tile.rs"),
    ("`exp_tile` 4.2 (13.9)", "crates/tile/benches/tile.rs"),
    ("`log_tile` 4.2 (12.1)", "crates/tile/benches/tile.rs"),
    ("`sigmoid_tile` 6.6 (22.9)", "crates/tile/benches/tile.rs"),
    ("`gelu_tile` 10.7 (26.1)", "crates/tile/benches/tile.rs"),
    ("LayerNorm forward of 32x1024 from start to prompt in 0.04 s", MEASURED),
    ("`run matmul --shape 512x512` in 0.95 to 1.0 s of processor time", MEASURED),
    ("`run layernorm-fw --shape 8192x1024` in 1.0 to 1.3 s and 160 MB, 20 KB an", MEASURED),
    ("`run layernorm-bw --shape 3x1x273x8462` in 1.7 to 1.9 s and 191 MB", MEASURED),
    ("in parts 1.8 to 2.1 s and 462 MB, 2.5 to 2.8 s and 337 MB", MEASURED),
    ("4.1 us a tile if it repeats (7.6 us before)", "crates/tile/benches/tile.rs"),
    ("17 us the first time", "crates/tile/benches/tile.rs"),
    ("12 us with any exponents", "crates/tile/benches/tile.rs"),
    ("takes some 8 to 9 minutes on two otherwise idle cores, 3 of them compilation", MEASURED),
    ("3.8 s with the binary, 14.9 s with the wheel, 113 s with a clone", ".ci/first-finding"),
    ("3.6 to 3.9 s cold, 0.06 s warm", MEASURED),
    ("A suite of 100 small Python cases", MEASURED),
    ("warm, in 3 s; one such case alone in some 15 ms", MEASURED),
    ("rows of 1024 values", MEASURED),
    ("matmul 512x512, tile products", MEASURED),
    ("| 40 to 83 | 36 to 39 |", MEASURED),
    ("| 1,200 to 1,700 | 18 to 20 (in fp32 1,340) |", MEASURED),
    ("commit 48933a6 | 82 to 93 | 45 |", MEASURED),
    ("| 25 to 30 | 224 to 338 |", MEASURED),
    ("54 to 68 thousand tiles", MEASURED),
    ("2.5 to 3.4 times as long", "crates/report/benches/checks.rs"),
    ("3 ms on 64 cores", "crates/report/benches/checks.rs"),
    ("1,596 single changes", "crates/check/tests/mutations/mod.rs"),
    ("1,406 are found by a tool", "crates/check/tests/mutations/mod.rs"),
    ("45 by a bound", "crates/check/tests/mutations/mod.rs"),
    ("other 145 change nothing", "crates/check/tests/mutations/explained.rs"),
];

/// A page in one line, with single spaces.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("README.md")
}

/// The lines of the first block with this mark that has this in its first line.
fn block<'a>(page: &'a str, mark: &str, first: &str) -> Vec<&'a str> {
    let start = format!("```{mark}\n{first}");
    let at = page.find(&start).unwrap_or_else(|| panic!("README has no block {start}"));
    page[at..].lines().skip(1).take_while(|line| *line != "```").collect()
}

/// A line of a finding without its gutter, and a place without line and column: what is stored has
/// no numbers of lines.
fn unnumbered(line: &str) -> &str {
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit() || " _".contains(c));
    match text.starts_with("-->") {
        true => text.split(".rs:").next().unwrap_or(text),
        false => text,
    }
}

#[test]
fn the_finding_is_what_is_said() {
    let page = readme();
    let shown = block(&page, "text", "error[circular-wait]");
    let path = root().join("crates/check/tests/expected/circular-wait.txt");
    let said = fs::read_to_string(path).expect("the finding");
    let mut rest = said.lines().map(unnumbered);
    for line in &shown {
        let wanted = unnumbered(line);
        assert!(rest.any(|said| said == wanted), "`{line}` is not said, or not in this order");
    }
    assert!(shown.len() >= 10, "{} lines", shown.len());
}

#[test]
fn the_kernel_is_the_one_that_was_run() {
    let page = readme();
    let shown = block(&page, "rust", "fn reader");
    let source = fs::read_to_string(root().join("crates/check/tests/watched.rs")).expect("a test");
    let calls = shown.iter().map(|line| line.split("//").next().unwrap_or_default().trim());
    let calls: Vec<&str> = calls.filter(|line| line.starts_with("k.")).collect();
    assert!(calls.len() >= 3, "{calls:?}");
    for call in calls {
        assert!(source.contains(call), "`{call}` is not in the test that yields the finding");
    }
}

#[test]
fn what_it_is_and_a_finding_fit_on_the_first_screen() {
    let page = readme();
    let line_of = |text: &str| page.lines().position(|line| line.contains(text));
    for text in ["cargo run --release", "cargo test", "fn reader", "error[circular-wait]", "= help"]
    {
        let line = line_of(text);
        assert!(line.is_some_and(|line| line < SCREEN_LINES), "`{text}` is in line {line:?}");
    }
    let lines = page.lines().count();
    assert!(lines <= README_LINES, "README has {lines} lines: details belong in the book");
}

#[test]
fn every_figure_is_measured_somewhere() {
    let page = fs::read_to_string(root().join(MEASURED)).expect("a page of the book");
    let page = flat(&page);
    for (figure, place) in FIGURES {
        assert!(page.contains(figure), "{MEASURED} no longer has `{figure}`; change it here");
        assert!(root().join(place).is_file(), "{place}, for `{figure}`");
    }
    let mut left = page;
    for (figure, _) in FIGURES {
        left = left.replace(figure, "");
    }
    let digits: Vec<&str> =
        left.split(' ').filter(|word| word.starts_with(|it: char| it.is_ascii_digit())).collect();
    assert!(digits.is_empty(), "no place measures {digits:?}");
}
