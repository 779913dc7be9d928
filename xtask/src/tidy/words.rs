//! Rules for any text: no unfinished business, no path of one machine.

use super::Complaint;

/// Pieces are joined so that this file does not hold what it forbids.
const UNFINISHED: [&str; 8] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("dbg", "!"),
    concat!("todo", "!"),
    concat!("unimplemented", "!"),
    concat!("#[", "ignore"),
    concat!("#[", "should_panic"),
];

/// First folders of paths that exist on one machine only.
const LOCAL_FOLDERS: [&str; 7] = ["home", "root", "tmp", "var/tmp", "work", "Users", "private"];

pub fn check(file: &str, text: &str) -> Vec<Complaint> {
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if is_ours(file) {
            all.extend(check_unfinished(file, index + 1, line));
        }
        all.extend(check_path(file, index + 1, line));
    }
    all
}

/// C++ outside `crates/` is kernels as their authors wrote them.
fn is_ours(file: &str) -> bool {
    let is_cpp = [".cpp", ".hpp", ".h"].iter().any(|end| file.ends_with(end));
    !is_cpp || file.starts_with("crates/")
}

fn check_unfinished(file: &str, line_number: usize, line: &str) -> Option<Complaint> {
    let found = UNFINISHED.iter().find(|marker| has_word(line, marker))?;
    let right = "finished code; what is left to do goes to an issue";
    Some(Complaint::new(file, line_number, format!("`{found}`"), right))
}

/// Whether `word` stands in the line, and not as a part of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    let is_letter = |it: char| it.is_alphanumeric() || it == '_';
    line.match_indices(word).any(|(at, _)| {
        let after = &line[at + word.len()..];
        let runs_in = word.starts_with(is_letter) && line[..at].ends_with(is_letter);
        let runs_on = word.ends_with(is_letter) && after.starts_with(is_letter);
        !runs_in && !runs_on
    })
}

fn check_path(file: &str, line_number: usize, line: &str) -> Option<Complaint> {
    let folder = LOCAL_FOLDERS.iter().find(|folder| has_root(line, &format!("/{folder}/")))?;
    let right = "a path from the root of the repository, or one given at run time";
    Some(Complaint::new(file, line_number, format!("a path of one machine, `/{folder}/…`"), right))
}

/// Whether a path starts with `root` here, rather than running through it.
fn has_root(line: &str, root: &str) -> bool {
    let goes_on = |it: char| it.is_alphanumeric() || "._-~*}>)".contains(it);
    line.match_indices(root).any(|(at, _)| {
        let before = &line[..at];
        before.ends_with("file://") || !before.ends_with(|it| goes_on(it) || it == '/')
    })
}

#[cfg(test)]
mod tests {
    use super::{LOCAL_FOLDERS, UNFINISHED, check};

    #[track_caller]
    fn complaints(file: &str, text: &str) -> usize {
        check(file, text).len()
    }

    #[test]
    fn each_marker_is_found_as_a_word() {
        for marker in UNFINISHED {
            assert_eq!(complaints("a.rs", &format!("fn f() {{}} // {marker}\n")), 1, "{marker}");
            assert_eq!(complaints("a.toml", &format!("{marker}\n")), 1, "{marker}");
            assert_eq!(
                complaints("a.rs", &format!("x{marker}(\n")),
                usize::from(marker.starts_with('#'))
            );
        }
        assert_eq!(complaints("a.rs", &format!("{}S {}_LIST\n", UNFINISHED[0], UNFINISHED[1])), 0);
    }

    #[test]
    fn foreign_kernels_keep_their_words() {
        let text = format!("// {}: faster\n", UNFINISHED[0]);
        assert_eq!(complaints("tests/ui/fail/a/reader.cpp", &text), 0);
        assert_eq!(complaints("crates/metal/shim/api/dataflow/a.h", &text), 1);
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        for folder in LOCAL_FOLDERS {
            for before in ["", " ", "\"", "(", "=", ":", "file://"] {
                let text = format!("{before}/{folder}/x\n");
                assert_eq!(complaints("a.md", &text), 1, "{text}");
            }
        }
    }

    #[test]
    fn other_paths_pass() {
        for folder in LOCAL_FOLDERS {
            for before in ["https://a.example", "docs", "..", "~", "https://a.example/b"] {
                let text = format!("{before}/{folder}/x\n");
                assert_eq!(complaints("a.md", &text), 0, "{text}");
            }
        }
        assert_eq!(complaints("run.sh", "#!/usr/bin/env bash\ncat /dev/null /proc/meminfo\n"), 0);
    }

    #[test]
    fn the_line_is_named() {
        let found = check("a.rs", &format!("\n\n// {}\n", UNFINISHED[2]));
        assert_eq!(found[0].line, 3);
    }
}
