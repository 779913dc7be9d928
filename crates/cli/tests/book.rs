//! Every command that README and the book show, with what it prints: fenced blocks marked
//! `console`. A line `$ tilewright …` is a command, what follows is its output. The steady part is
//! compared; `TILEWRIGHT_BLESS=1` writes it anew.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::steady::steady;
use crate::common::{has_compiler, is_bless, root, tilewright, words};

fn pages() -> Vec<PathBuf> {
    let book = root().join("docs/src");
    let mut pages: Vec<PathBuf> =
        fs::read_dir(book).expect("a book").map(|entry| entry.expect("a page").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|it| it == "md"));
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// A page with the output of its commands as it is today, and how many there are.
fn renewed(page: &str) -> (String, usize) {
    let (mut text, mut commands) = (String::new(), 0);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let typed = block.iter().filter_map(|line| line.strip_prefix("$ tilewright "));
        commands += typed.clone().count();
        let is_compiled = [".toml", ".cpp"].iter().any(|it| block[0].contains(it));
        if is_compiled && !has_compiler() {
            text.extend(block.iter().map(|line| format!("{line}\n")));
        } else {
            text.extend(typed.map(shown));
        }
        text += "```\n";
    }
    (text, commands)
}

/// A command with what it says today.
fn shown(typed: &str) -> String {
    let answer = tilewright(&words(typed));
    let said = answer.stdout.lines().chain(answer.stderr.lines());
    let said: String = said.map(|line| format!("{}\n", steady(line).trim_end())).collect();
    format!("$ tilewright {typed}\n{said}")
}

/// One test for both, because both may be written anew.
#[test]
fn commands_say_and_files_have_what_the_book_shows() {
    let (mut commands, mut places) = (0, 0);
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        assert!(
            !page.contains("{{#include"),
            "{}: code hosts show such lines as text",
            name(&path)
        );
        let (renewed, shown) = renewed(&page);
        let (renewed, taken) = taken_in(&path, &renewed);
        (commands, places) = (commands + shown, places + taken);
        if !is_bless() {
            assert_eq!(page, renewed, "{}; `cargo xtask bless` accepts it", name(&path));
        } else if page != renewed {
            fs::write(&path, &renewed).expect("a page");
        }
    }
    assert!(commands >= 12, "the book shows {commands} commands");
    assert!(places >= 10, "the book shows {places} parts of files");
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a page shows of a file: the part after a first line, between anchors, or all of it.
fn included(page: &Path, place: &str) -> Option<String> {
    let (file, part) = match place.split_once(':') {
        Some((file, part)) => (file, part.trim_end_matches(':')),
        None => (place, ""),
    };
    let text = fs::read_to_string(page.parent()?.join(file)).ok()?;
    let lines = text.lines().filter(|line| part.parse::<usize>().is_ok() || !is_anchor(line, part));
    let part: Vec<&str> = match part.parse::<usize>() {
        Ok(first) => lines.skip(first - 1).collect(),
        Err(_) if part.is_empty() => lines.collect(),
        Err(_) => {
            let (start, end) = (format!("// ANCHOR: {part}"), format!("// ANCHOR_END: {part}"));
            let after = lines.skip_while(|line| line.trim() != start).skip(1);
            after.take_while(|line| line.trim() != end).collect()
        }
    };
    Some(part.iter().map(|line| format!("{line}\n")).collect())
}

/// Whether a line begins or ends a part of a file, but not this one.
fn is_anchor(line: &str, part: &str) -> bool {
    let names = ["// ANCHOR: ", "// ANCHOR_END: "].map(|mark| line.trim().strip_prefix(mark));
    names.into_iter().flatten().any(|name| name != part)
}

/// A page with every block below a comment `include: FILE` as the file is today, and how many there
/// are. The text itself is in the page, so that it is readable wherever Markdown is shown.
fn taken_in(path: &Path, page: &str) -> (String, usize) {
    let (mut text, mut places) = (String::new(), 0);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text += &format!("{line}\n");
        let place = line.strip_prefix("<!-- include: ").and_then(|it| it.strip_suffix(" -->"));
        let Some(place) = place else { continue };
        let fence = lines.next().unwrap_or_default();
        assert!(fence.starts_with("```"), "{}: a block below `{line}`", name(path));
        let taken = included(path, place).unwrap_or_default();
        let first = taken.lines().next().unwrap_or_default();
        assert!(!first.trim().is_empty(), "{}: {place} begins with nothing", name(path));
        text += &format!("{fence}\n{taken}```\n");
        lines.by_ref().take_while(|line| *line != "```").for_each(drop);
        places += 1;
    }
    (text, places)
}

#[test]
fn every_page_is_in_the_summary_once() {
    let book = root().join("docs/src");
    let summary = fs::read_to_string(book.join("SUMMARY.md")).expect("a summary");
    for page in pages().iter().filter(|page| page.parent() == Some(&book)) {
        let name = name(page);
        let times = usize::from(name != "SUMMARY.md");
        assert_eq!(summary.matches(&format!("({name})")).count(), times, "{name} in the summary");
    }
}
