//! What is typed and what comes back, to the letter: `transcripts/*.txt`.
//!
//! A line `$ tilewright …` is a command. What follows is its standard output, then its standard
//! error with `stderr| ` before each line, then its exit code. `TILEWRIGHT_BLESS=1` writes all
//! that anew. Host time is left out, and so are cycles and digests, which change with every
//! better figure for a latency. Files that begin with `cpp-` need a compiler for kernels.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Answer, has_compiler, root, steady, tilewright, tilewright_in, words};

#[test]
fn every_transcript_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let is_bless = std::env::var_os("TILEWRIGHT_BLESS").is_some_and(|it| it == "1");
    let (mut wrong, mut files) = (Vec::new(), 0);
    for entry in fs::read_dir(&folder).expect("a folder of transcripts") {
        let path = entry.expect("an entry").path();
        let is_cpp = path.file_name().is_some_and(|it| it.to_string_lossy().starts_with("cpp-"));
        if is_cpp && !has_compiler() {
            continue;
        }
        let expected = fs::read_to_string(&path).expect("a transcript");
        files += 1;
        let typed = expected.lines().filter_map(|line| line.strip_prefix("$ tilewright"));
        let got = typed.map(transcript).collect::<Vec<_>>().join("\n");
        if is_bless {
            fs::write(&path, &got).expect("a transcript");
        } else if got != expected {
            wrong.push(format!("{}:\n{got}", path.display()));
        }
    }
    assert!(files > 0, "no transcripts");
    assert!(wrong.is_empty(), "`cargo xtask bless` accepts these:\n{}", wrong.join("\n"));
}

#[test]
fn every_example_in_the_help_runs() {
    let mut examples = 0;
    let commands = [
        "check",
        "completions",
        "corpus",
        "doctor",
        "explain",
        "list",
        "replay",
        "report",
        "repro",
        "run",
        "trace",
        "vectors",
    ];
    let commands = commands.map(|name| format!("help {name}"));
    for command in commands.iter().map(String::as_str).chain(["--help"]) {
        let help = tilewright(&words(command)).stdout;
        for line in help.lines().filter_map(|line| line.strip_prefix("  tilewright ")) {
            let typed = line.split(['|', '>']).next().unwrap_or(line).trim();
            if typed.contains(".toml") && !has_compiler() {
                continue;
            }
            let folder = folder(typed);
            let answer = tilewright_in(&folder, &words(typed));
            assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "tilewright {typed}");
            examples += 1;
        }
    }
    assert!(examples > 0, "the help has no examples");
}

/// Commands that write files do so in a folder for that; all others run in the repository.
fn folder(typed: &str) -> PathBuf {
    let writes = ["report ", "trace "].iter().any(|name| typed.trim_start().starts_with(name));
    let is_help = typed.contains("--help");
    if writes && !is_help { PathBuf::from(env!("CARGO_TARGET_TMPDIR")) } else { root() }
}

fn transcript(typed: &str) -> String {
    let Answer { stdout, stderr, code } = tilewright_in(&folder(typed), &words(typed));
    let mut text = format!("$ tilewright{typed}\n");
    text.extend(stdout.lines().map(|line| format!("{}\n", steady(line))));
    text.extend(stderr.lines().map(|line| format!("stderr| {line}").trim_end().to_owned() + "\n"));
    text + &format!("exit {code}\n")
}
