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
    ("forward of 8192x1024 at 320,000 input tiles a second", PROCESSOR_TIME),
    ("300,000 with AVX2", PROCESSOR_TIME),
    ("1.89 times as many", PROCESSOR_TIME),
    ("backward 1.91 times, of elementwise sums 1.86 times", PROCESSOR_TIME),
    ("LayerNorm forward of 32x1024 from start to prompt in 0.01 s", MEASURED),
    ("`run layernorm-bw --shape 3x1x273x8462` in 0.40 s with checks off", MEASURED),
    ("0.50 s with all (commit 48933a6: 0.55 and 0.66 s)", MEASURED),
    ("`run layernorm-fw --shape 8192x1024` in 0.32 and 0.35 s (0.58 and 0.65 s)", MEASURED),
    ("`run matmul --shape 512x512` in 0.27 s (2.69 s), 0.48 s of processor time (5.2 s)", MEASURED),
    (
        "141 MB for 8192x1024 and 418 MB for 32768x1024, 11 KB for each further tile (43 KB)",
        MEASURED,
    ),
    ("2.82 times as long on one thread and 2.83 times on two", "crates/report/benches/checks.rs"),
    ("LayerNorm backward 2.99 and 2.78 times", "crates/report/benches/checks.rs"),
    ("1.3 ms on 64 cores", "crates/report/benches/checks.rs"),
    ("1.40 times as long as the same in Rust", "crates/run/benches/languages.rs"),
    (
        "1.19 times for elementwise sums, 1.21 times for softmax and 1.01 times for matmul",
        "crates/run/benches/languages.rs",
    ),
    ("1.70, 1.43, 1.69 and 1.27 times", "crates/run/benches/languages.rs"),
    ("2.1 us a tile if it repeats", "crates/tile/benches/tile.rs"),
    ("11.3 us the first time", "crates/tile/benches/tile.rs"),
    ("5.6 us with any exponents", "crates/tile/benches/tile.rs"),
    ("of a tile in a 32-bit Dst", "crates/tile/benches/tile.rs"),
    ("`rsqrt_tile` 1.8 us", "crates/tile/benches/tile.rs"),
    ("`recip_tile` 1.6", "crates/tile/benches/tile.rs"),
    ("`exp_tile` 2.9", "crates/tile/benches/tile.rs"),
    ("`log_tile` 3.2", "crates/tile/benches/tile.rs"),
    ("`sigmoid_tile` 4.7", "crates/tile/benches/tile.rs"),
    ("`gelu_tile` 6.5", "crates/tile/benches/tile.rs"),
    ("3.8 s with the binary, 14.9 s with the wheel, 113 s with a clone", ".ci/first-finding"),
    ("3.6 to 3.9 s cold, 0.06 s warm", MEASURED),
    ("A suite of 100 small Python cases", MEASURED),
    ("warm, in 3 s there; one such case alone in some 15 ms", MEASURED),
    ("takes some 8 to 9 minutes on two otherwise idle cores, 3 of them compilation", MEASURED),
    ("one thread, 64 simulated cores", PROCESSOR_TIME),
    ("beside commit 48933a6", PROCESSOR_TIME),
    ("| LayerNorm forward 8192x1024 | 6.30 | 3.29 | 1.91x | 5.77 | 3.12 | 1.85x |", PROCESSOR_TIME),
    ("backward 3x1x273x8462 | 6.38 | 4.55 | 1.40x | 5.75 | 4.22 | 1.36x |", PROCESSOR_TIME),
    ("| softmax 1024x1024 | 20.99 | 4.98 | 4.21x | 13.89 | 4.24 | 3.27x |", PROCESSOR_TIME),
    ("| elementwise 2048x2048 | 1.94 | 0.85 | 2.27x | 1.80 | 0.79 | 2.28x |", PROCESSOR_TIME),
    ("| copy 2048x2048 | 2.14 | 1.20 | 1.78x | 2.10 | 1.17 | 1.79x |", PROCESSOR_TIME),
    ("rows 2048x2048 | 1.97 | 0.99 | 1.98x | 1.79 | 0.96 | 1.86x |", PROCESSOR_TIME),
    ("an input tile | 115 | 38 | 3.05x | 81 | 23 | 3.54x |", PROCESSOR_TIME),
    ("with LoFi | 48 | 18 | 2.66x | 38 | 13 | 2.94x |", PROCESSOR_TIME),
    ("3.7 us a tile for 1,024 tiles, 3.1 us for 8,192 and for 32,768", PROCESSOR_TIME),
    ("of 8192x1024 2.8 us on one core and 3.0 on 64", PROCESSOR_TIME),
    ("rows of 1024 values", MEASURED),
    ("matmul 512x512, tile products", MEASURED),
    ("| 270 to 320 | 350 |", MEASURED),
    ("| 3,200 | 7,700 (in fp32 1,760) |", MEASURED),
    ("commit 48933a6 | 82 to 93 | 45 |", MEASURED),
    ("| 25 to 30 | 224 to 338 |", MEASURED),
    ("54 to 68 thousand tiles", MEASURED),
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
