//! Rules for Markdown: a link to a file or heading of this repository leads there.
//!
//! Links to the world are not followed: tidy needs no network.

use super::{Complaint, Repository};

pub fn check(file: &str, text: &str, repository: &Repository) -> Vec<Complaint> {
    let mut all = Vec::new();
    for (line, target) in links(text) {
        let found = broken(file, text, &target, repository);
        all.extend(found.map(|(what, right)| Complaint::new(file, line, what, right)));
    }
    all
}

/// What is wrong with a link, and what would be right.
fn broken(
    file: &str,
    text: &str,
    target: &str,
    repository: &Repository,
) -> Option<(String, &'static str)> {
    if ["http://", "https://", "mailto:"].iter().any(|start| target.starts_with(start)) {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = match resolve(file, path) {
        Some(path) if path.is_empty() || repository.has(&path) => path,
        _ => return Some((format!("`{target}` leads nowhere"), "a path from this file")),
    };
    let page = if path == file { Some(text) } else { repository.texts.get(&path).map(|it| &**it) };
    let is_missing = |page| !anchors(page).iter().any(|anchor| anchor == heading);
    let is_lost = !heading.is_empty() && path.ends_with(".md") && page.is_some_and(is_missing);
    is_lost.then(|| (format!("`{target}` names no heading"), "a heading of that page"))
}

/// A path from the root, for a link in `file`; none if it leaves the repository.
fn resolve(file: &str, link: &str) -> Option<String> {
    if link.is_empty() {
        return Some(file.to_owned());
    }
    let mut folders: Vec<&str> = file.split('/').collect();
    folders.pop();
    for step in link.trim_end_matches('/').split('/') {
        match step {
            "." => {}
            // An empty first step is a path from the root of some machine.
            "" => return None,
            ".." => {
                folders.pop()?;
            }
            name => folders.push(name),
        }
    }
    Some(folders.join("/"))
}

/// Targets of `[text](target)` and `[name]: target`, with their lines; code is left out.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        for (at, opening) in line.match_indices("](") {
            let rest = &line[at + opening.len()..];
            all.extend(closing(rest).map(|end| (number, target(&rest[..end]))));
        }
        let definition = line.trim_start().strip_prefix('[').and_then(|it| it.split_once("]: "));
        if let Some((_, rest)) = definition.filter(|(name, _)| !name.starts_with('^')) {
            all.push((number, target(rest)));
        }
    }
    all
}

/// Numbered lines outside fenced code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    numbered.filter(move |(_, line)| {
        let line = line.trim_start();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The line with its code spans emptied.
fn without_code(line: &str) -> String {
    let pieces: Vec<&str> = line.split('`').collect();
    let is_closed = |index: usize| index + 1 < pieces.len();
    let keep = |(index, piece): (usize, &&str)| {
        if index % 2 == 1 && is_closed(index) { String::new() } else { (*piece).to_owned() }
    };
    pieces.iter().enumerate().map(keep).collect::<Vec<_>>().join("`")
}

/// Where the parenthesis that encloses `rest` closes.
fn closing(rest: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The address in what stands between the parentheses, without a title.
fn target(inside: &str) -> String {
    let inside = inside.trim();
    let address = inside.strip_prefix('<').and_then(|it| it.split_once('>')).map(|it| it.0);
    address.or_else(|| inside.split_whitespace().next()).unwrap_or("").to_owned()
}

/// The anchors that code hosts make of a page's headings.
fn anchors(page: &str) -> Vec<String> {
    let headings = prose(page).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.strip_prefix(' ')).flatten()
    });
    headings.map(anchor).collect()
}

fn anchor(title: &str) -> String {
    let letters = title.trim().chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then(|| letter.to_ascii_lowercase()),
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::Repository;

    #[track_caller]
    fn complains(text: &str, expected: &[(usize, &str)]) {
        let mut repository = Repository::default();
        for name in ["README.md", "docs/guide.md", "docs/other.md", "tests/golden/a.zst"] {
            repository.add(name, b"# Title\n\n## The `words`, again\n".to_vec());
        }
        let found = check("docs/guide.md", text, &repository);
        let found: Vec<(usize, &str)> = found.iter().map(|it| (it.line, &*it.what)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn good_links_pass() {
        complains("[a](other.md), [b](../README.md \"title\"), [c](../tests/golden/)\n", &[]);
        complains("[a](https://a.example/gone.md) [b](mailto:a@b.example)\n", &[]);
        complains("[a][b]\n\n[b]: ./other.md\n[^1]: a note\n", &[]);
    }

    #[test]
    fn broken_links_are_named_with_their_line() {
        complains("text\n[a](gone.md)\n", &[(2, "`gone.md` leads nowhere")]);
        complains("[a](other.md) [b](gone.md)\n", &[(1, "`gone.md` leads nowhere")]);
        complains("[a](README.md)\n", &[(1, "`README.md` leads nowhere")]);
        complains("[a](../../README.md)\n", &[(1, "`../../README.md` leads nowhere")]);
        complains("[a](/README.md)\n", &[(1, "`/README.md` leads nowhere")]);
        complains("[b]: gone.md\n", &[(1, "`gone.md` leads nowhere")]);
        complains("![picture](gone(1).png)\n", &[(1, "`gone(1).png` leads nowhere")]);
    }

    #[test]
    fn headings_are_looked_up() {
        complains("[a](other.md#the-words-again) [b](#here)\n\n# Here\n", &[]);
        complains("[a](other.md#gone)\n", &[(1, "`other.md#gone` names no heading")]);
        complains("[a](#gone)\n", &[(1, "`#gone` names no heading")]);
    }

    #[test]
    fn code_is_not_linked() {
        complains("`[a](gone.md)` and\n```text\n[a](gone.md)\n```\n", &[]);
        complains("```\n```\n[a](gone.md)\n", &[(3, "`gone.md` leads nowhere")]);
    }
}
