//! The project's own chores, in the project's own language: `cargo xtask <chore>`.
//!
//! Reads arguments and picks a chore. What each does is in the file of its name.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its user")]

mod book;
mod cargo;
mod ci;
mod dist;
mod fuzz;
mod instructions;
mod many_seeds;
mod pictures;
mod python;
mod skipped;
mod tidy;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <chore>

  ci [--skip-tests]   all that must hold before a change lands
  clang               tests of C++ kernels, compiled with clang++
  tidy                what no compiler checks: sizes, words, dependencies, links
  book                the book as web pages in docs/book, by mdbook
  dist                the binary, manual page, completions and checksums in target/dist-files
  bless [ARGS]        run the tests and accept their output as expected; ARGS go to `cargo test`
  fuzz [--cases N] [--seed N] [--first N] [--binary FILE]
                      malformed manifests, tensors and arguments: every one gets an answer
  instructions [--binary FILE]
                      instructions that commands execute, against limits; needs valgrind
  many-seeds A..B     the programs that must hold under every schedule, under seeds A to B-1
  pictures [--binary FILE]
                      the screenshots of README and the book, by Chromium
  python              the Python package: built and tested in a virtual environment below target";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = workspace_root().and_then(|root| match words.as_slice() {
        ["ci"] => ci::run(&root, ci::Tests::Run),
        ["ci", "--skip-tests"] => ci::run(&root, ci::Tests::Skip),
        ["clang"] => ci::clang(&root),
        ["tidy"] => tidy::run(&root),
        ["bless", rest @ ..] => ci::bless(&root, rest),
        ["fuzz", rest @ ..] => fuzz::run(&root, fuzz::Plan::parse(rest)?),
        ["instructions"] => instructions::run(&root, None),
        ["instructions", "--binary", binary] => {
            instructions::run(&root, Some(PathBuf::from(binary)))
        }
        ["many-seeds", seeds] => many_seeds::run(&root, seeds.parse()?),
        ["book"] => book::run(&root),
        ["dist"] => dist::run(&root),
        ["pictures"] => pictures::run(&root, &root.join("target/debug/tilewright")),
        ["pictures", "--binary", binary] => pictures::run(&root, &PathBuf::from(binary)),
        ["python"] => python::run(&root),
        _ => Err(USAGE.to_owned()),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The folder above this crate, as cargo tells it when it runs us.
fn workspace_root() -> Result<PathBuf, String> {
    let own = env::var_os("CARGO_MANIFEST_DIR").ok_or("start this as `cargo xtask`")?;
    let root = PathBuf::from(own).parent().map(PathBuf::from);
    root.ok_or_else(|| "xtask must lie inside the workspace".to_owned())
}
