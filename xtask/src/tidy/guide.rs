//! Rules for ARCHITECTURE.md: the files that its tables name are there, and so are the names in
//! code that its words stand for; a table of steps enters each crate once.

use super::{Complaint, Repository};

const GUIDE: &str = "ARCHITECTURE.md";
const WORDS: &str = "| Word | In code |";
const STEPS: &str = "| step |";

pub fn check(file: &str, text: &str, repository: &Repository) -> Vec<Complaint> {
    if file != GUIDE {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut table = "";
    let mut crates: Vec<String> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if !line.starts_with('|') {
            table = "";
            continue;
        }
        if table.is_empty() {
            table = line;
            crates.clear();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let wrong: Vec<String> = match cells.as_slice() {
            [_, _, code, ..] if table.starts_with(WORDS) => {
                quoted(code).into_iter().filter(|name| !is_known(name, repository)).collect()
            }
            [.., places, _] if table.starts_with(STEPS) => {
                let paths = quoted(places).into_iter().flat_map(|it| expanded(&it));
                paths.filter(|path| !is_there(path, repository)).collect()
            }
            _ => Vec::new(),
        };
        let complaint = |name: String| {
            Complaint::new(file, index + 1, format!("`{name}` is not there"), "what there is now")
        };
        all.extend(wrong.into_iter().map(complaint));
        if let ([.., places, _], true) = (cells.as_slice(), table.starts_with(STEPS)) {
            let again = quoted(places).into_iter().filter(|path| enters_again(path, &mut crates));
            all.extend(again.map(|path| entered_again(file, index + 1, &path)));
        }
    }
    all
}

/// Whether a step goes back to a crate that an earlier step has left. Notes the crates in order.
fn enters_again(path: &str, crates: &mut Vec<String>) -> bool {
    let name = path.split('/').next().unwrap_or_default();
    if crates.last().is_some_and(|last| last == name) {
        return false;
    }
    let is_known = crates.iter().any(|it| it == name);
    crates.push(name.to_owned());
    is_known
}

fn entered_again(file: &str, line: usize, path: &str) -> Complaint {
    let right = "the steps in one crate beside each other";
    Complaint::new(file, line, format!("`{path}` enters a crate that was left before"), right)
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn expanded(path: &str) -> Vec<String> {
    let parts = path.split_once('{').and_then(|(start, rest)| Some((start, rest.split_once('}')?)));
    match parts {
        Some((start, (names, end))) => {
            names.split(',').map(|name| format!("{start}{name}{end}")).collect()
        }
        None => vec![path.to_owned()],
    }
}

/// Whether a crate, or a file or folder of one, has this path.
fn is_there(path: &str, repository: &Repository) -> bool {
    let path = format!("crates/{}", path.trim_end_matches('/'));
    let folder = format!("{path}/");
    repository.names.iter().any(|name| *name == path || name.starts_with(&folder))
}

/// Whether a file has this name, or each part of it stands in the code of a crate.
fn is_known(name: &str, repository: &Repository) -> bool {
    if name.contains('.') || name.contains('/') {
        let end = format!("/{}", name.trim_end_matches('/'));
        return is_there(name, repository) || repository.names.iter().any(|it| it.ends_with(&end));
    }
    name.split("::").all(|part| {
        let code = repository.texts.iter();
        let mut code =
            code.filter(|(file, _)| file.starts_with("crates/") && file.ends_with(".rs"));
        code.any(|(_, text)| has_word(text, part))
    })
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let mut repository = Repository::default();
        let code = "pub struct Cycle(u64);\nfn wait_front() {}\n";
        repository.texts.insert("crates/machine/src/units.rs".into(), code.into());
        repository.names.insert("crates/machine/src/units.rs".into());
        check(GUIDE, text, &repository).into_iter().map(|it| it.what).collect()
    }

    #[test]
    fn names_and_files_that_are_gone_are_told() {
        let words = "| Word | In code | Meaning |\n|---|---|---|\n";
        let right = format!("{words}| cycle | `Cycle`, `wait_front`, `units.rs` | `Gone` here |\n");
        assert!(complaints(&right).is_empty());
        let wrong = format!("{words}| lap | `Lap` | |\n| cycle | `Cyc` | |\n");
        assert_eq!(complaints(&wrong), ["`Lap` is not there", "`Cyc` is not there"]);
        let steps = "| step | what | where |\n|---|---|---|\n";
        let right =
            format!("{steps}| 1 | `Gone` | `machine/src/{{units,units}}.rs`, `machine/` |\n");
        assert!(complaints(&right).is_empty());
        let wrong = format!("{steps}| 1 | | `machine/src/{{units,dst}}.rs` |\n");
        assert_eq!(complaints(&wrong), ["`machine/src/dst.rs` is not there"]);
        assert!(complaints("`Lap` | `Lap`\n").is_empty());
    }

    #[test]
    fn steps_enter_each_crate_once() {
        let steps = |places: &[&str]| {
            let rows: Vec<String> = places.iter().map(|it| format!("| 1 | | {it} |\n")).collect();
            let table = format!("| step | what | where |\n|---|---|---|\n{}", rows.concat());
            let all = complaints(&(table.clone() + "\n" + &table));
            all.into_iter().filter(|it| it.contains("enters")).collect::<Vec<_>>()
        };
        assert!(steps(&["`run/src/a.rs`", "`run/b`, `tile/c`", "`tile/d`"]).is_empty());
        let what = "`run/b` enters a crate that was left before";
        assert_eq!(steps(&["`run/a`", "`tile/c`", "`run/b`"]), [what, what]);
        assert_eq!(steps(&["`run/a`, `tile/c`, `run/b`"]), [what, what]);
    }
}
