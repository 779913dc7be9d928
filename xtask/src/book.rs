//! The book as web pages, by mdbook where it is installed.
//!
//! Only mdbook can say that mdbook takes the book; that its pages are listed, and its links and
//! anchors lead somewhere, `cargo xtask tidy` and the tests of the command hold without it.

use std::path::Path;
use std::process::Command;

use crate::skipped;

const MDBOOK: &str = "mdbook";
/// Where the pages go.
const FOLDER: &str = "docs/book";

/// Builds the book. Without mdbook it is counted as skipped, which is no failure on a server
/// either.
pub fn run(root: &Path) -> Result<(), String> {
    if Command::new(MDBOOK).arg("--version").output().is_err() {
        return skipped::note(root, "the book", skipped::NO_MDBOOK);
    }
    println!("+ mdbook build docs");
    let output = Command::new(MDBOOK).args(["build", "docs"]).current_dir(root).output();
    let output = output.map_err(|error| format!("mdbook: {error}"))?;
    let said = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it)).concat();
    // A page that it cannot make is a warning to mdbook.
    let is_wrong = |line: &&str| line.contains("WARN") || line.contains("ERROR");
    let wrong: Vec<&str> = said.lines().filter(is_wrong).collect();
    if !output.status.success() || !wrong.is_empty() {
        return Err(format!("mdbook: {}\n{said}", output.status));
    }
    println!("{FOLDER}/index.html");
    Ok(())
}
