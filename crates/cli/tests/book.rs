//! Every command that README and the book show, with what it prints: fenced blocks marked
//! `console`. A line `$ tilewright …` is a command, what follows is its output. The steady part is
//! compared; `TILEWRIGHT_BLESS=1` writes it anew.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{root, steady, tilewright, words};

fn pages() -> Vec<PathBuf> {
    let book = root().join("docs/src");
    let mut pages: Vec<PathBuf> =
        fs::read_dir(book).expect("a book").map(|entry| entry.expect("a page").path()).collect();
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
        for line in lines.by_ref() {
            if line == "```" {
                text += "```\n";
                break;
            }
            let Some(typed) = line.strip_prefix("$ tilewright ") else { continue };
            let answer = tilewright(&words(typed));
            text += &format!("{line}\n");
            for said in answer.stdout.lines().chain(answer.stderr.lines()) {
                text += &format!("{}\n", steady(said).trim_end());
            }
            commands += 1;
        }
    }
    (text, commands)
}

#[test]
fn commands_of_the_book_say_what_it_shows() {
    let is_bless = std::env::var_os("TILEWRIGHT_BLESS").is_some_and(|it| it == "1");
    let mut commands = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        let (renewed, shown) = renewed(&page);
        commands += shown;
        if is_bless {
            fs::write(&path, &renewed).expect("a page");
        } else {
            assert_eq!(page, renewed, "{}; `cargo xtask bless` accepts it", name(&path));
        }
    }
    assert!(commands >= 5, "the book shows {commands} commands");
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
