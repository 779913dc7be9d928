//! Findings and runs as a terminal shows them, against texts in a crate's `tests/expected`.
//!
//! Cycles and the lines of the tests themselves are left out of what is stored: both change
//! without a change of what is said.

use std::path::Path;

use crate::stored;

/// Demands that the text is the one stored under a name in the crate of this folder, whatever the
/// lines of the tests are.
#[track_caller]
pub fn check(crate_folder: &str, name: &str, text: &str) {
    check_with_lines(crate_folder, name, &without_line_numbers(text));
}

/// The same with the numbers of lines.
#[track_caller]
pub fn check_with_lines(crate_folder: &str, name: &str, text: &str) {
    let folder = Path::new(crate_folder).join("tests/expected");
    stored(&folder.join(format!("{name}.txt")), &without_cycles(text));
}

/// Cycles change with every better figure for a latency.
fn without_cycles(text: &str) -> String {
    let line = |line: &str| match line.split_once("= cycle ") {
        Some((start, _)) => format!("{start}= cycle _\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Lines of the tests themselves change with every test above them. What they say is shown, so that
/// a wrong line is seen all the same.
fn without_line_numbers(text: &str) -> String {
    let mut is_rust = false;
    let mut all = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let rest = line.trim_start();
        if rest.starts_with("-->") || rest.starts_with(":::") {
            is_rust = rest.contains(".rs:");
        }
        // A title names lines of the file that the next line names.
        let place = lines.peek().and_then(|next| next.trim_start().strip_prefix("--> "));
        let is_title = place.is_some_and(|place| place.contains(".rs:"));
        let line = if is_rust { in_rust(rest, line) } else { line.to_owned() };
        all += &format!("{}\n", unnumbered(&line, is_title));
    }
    all
}

/// A line of a snippet, with a gutter of two columns whatever the numbers in it.
fn in_rust(rest: &str, line: &str) -> String {
    let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (digits, after) = rest.split_at(number);
    if !digits.is_empty() && after.starts_with(" |") {
        return format!("__{after}");
    }
    if let Some((place, column)) = rest.strip_prefix("--> ").and_then(|it| it.rsplit_once(':')) {
        return format!("  --> {}:__:{column}", place.rsplit_once(':').map_or(place, |it| it.0));
    }
    if let Some((place, column)) = rest.strip_prefix("::: ").and_then(|it| it.rsplit_once(':')) {
        return format!("  ::: {}:__:{column}", place.rsplit_once(':').map_or(place, |it| it.0));
    }
    match rest.chars().next() {
        Some('|' | '=') => format!("   {rest}"),
        _ => line.to_owned(),
    }
}

/// `line 24 of races.rs` without the number, and `line 24` in a title.
fn unnumbered(line: &str, is_title: bool) -> String {
    let mut parts = line.split("line ");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let names_rust = part[end..].split_whitespace().nth(1).is_some_and(|it| it.contains(".rs"));
        let is_of_rust = part[end..].starts_with(" of ") && names_rust;
        let is_place = end > 0 && (is_title || is_of_rust);
        all += &if is_place { format!("line __{}", &part[end..]) } else { format!("line {part}") };
    }
    all
}
