//! Kernels below a folder: which files they are, what they are for, and what they include.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tilewright_metal::cpp::HEADERS;

/// What a kernel is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It runs on the three compute processors.
    Compute,
    /// It moves data.
    Dataflow,
}

/// A kernel's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub file: PathBuf,
    /// What it is for.
    pub role: Role,
}

/// Files that are looked into behind a kernel's includes, at most.
const FILES_MAX: usize = 256;

/// Every kernel below a folder but those whose paths contain one of `excluded`, by path.
pub fn find(folder: &Path, excluded: &[String]) -> io::Result<Vec<Found>> {
    let is_source = |path: &PathBuf| path.extension().is_some_and(|it| it == "cpp" || it == "cc");
    let files = files_below(folder, excluded)?.into_iter();
    Ok(files.filter(is_source).filter_map(|path| kernel(&path)).collect())
}

/// Every file below a folder but those whose paths contain one of `excluded`, by path.
pub(super) fn files_below(folder: &Path, excluded: &[String]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let shown = path.to_string_lossy();
            if excluded.iter().any(|text| shown.contains(text.as_str())) {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The kernel in a file, if there is one.
fn kernel(path: &Path) -> Option<Found> {
    let text = fs::read(path).ok()?;
    let text = stripped(&String::from_utf8_lossy(&text));
    let has_entry = text.contains("void kernel_main(") || text.contains("void MAIN");
    let is_kernel = has_entry || has_word(&text, "TT_KERNEL");
    is_kernel.then(|| Found { file: path.to_owned(), role: role(&text, path) })
}

fn role(text: &str, path: &Path) -> Role {
    const COMPUTE: [&str; 8] = [
        "tile_regs_acquire",
        "acquire_dst",
        "UNPACK",
        "MATH",
        "PACK",
        "DPRINT_MATH",
        "copy_tile",
        "compute_kernel_hw_startup",
    ];
    let includes = includes(text);
    // Helpers of compute kernels have the word in their paths.
    let is_compute_header = |name: &String| name.contains("compute");
    let is_dataflow = includes.iter().any(|name| name.contains("dataflow_api"));
    let is_below = path.components().any(|part| part.as_os_str() == "compute");
    let is_compute = (!is_dataflow && includes.iter().any(is_compute_header))
        || COMPUTE.iter().any(|word| has_word(text, word))
        || (is_below && !includes.iter().any(|name| name.contains("dataflow")));
    if is_compute { Role::Compute } else { Role::Dataflow }
}

/// Where kernels of a tt-metal checkout find their own headers: its root and `ttnn`'s folders.
pub fn include_paths(folder: &Path) -> Vec<PathBuf> {
    // `ttnn` has a folder `ttnn` of its own, which holds no kernels.
    let is_root =
        |folder: &&Path| folder.join("tt_metal").is_dir() || folder.join("ttnn/cpp").is_dir();
    let Some(root) = folder.ancestors().find(is_root) else {
        return vec![folder.to_owned()];
    };
    let all = ["", "ttnn", "ttnn/cpp", "tt-train/sources/ttml"].map(|below| root.join(below));
    all.into_iter().filter(|path| path.is_dir()).collect()
}

/// The text of a kernel and of every file of the user's behind it, without comments.
pub(super) fn texts(file: &Path, include_paths: &[PathBuf]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut seen = BTreeSet::from([file.to_owned()]);
    let mut next = vec![file.to_owned()];
    while let Some(file) = next.pop() {
        let Ok(bytes) = fs::read(&file) else { continue };
        let text = stripped(&String::from_utf8_lossy(&bytes));
        for name in includes(&text) {
            let path = resolve(&name, &file, include_paths);
            let path = path.filter(|path| seen.len() < FILES_MAX && seen.insert(path.clone()));
            next.extend(path);
        }
        texts.push(text);
    }
    texts
}

/// The user's file behind an include; none if it is one of ours, or nobody's.
fn resolve(name: &str, from: &Path, include_paths: &[PathBuf]) -> Option<PathBuf> {
    if HEADERS.iter().any(|(path, _)| *path == name) {
        return None;
    }
    let own = from.parent().map(|folder| folder.join(name));
    let theirs = include_paths.iter().map(|folder| folder.join(name));
    own.into_iter().chain(theirs).find(|path| path.is_file())?.canonicalize().ok()
}

/// The names in a text's include lines.
pub(super) fn includes(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        let rest = rest.trim_start();
        let end = if rest.starts_with('<') { '>' } else { '"' };
        rest.get(1..)?.split(end).next().map(str::to_owned)
    };
    text.lines().filter_map(name).collect()
}

/// Whether a word stands in a text by itself.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

/// A text without comments, and with strings emptied except those of includes and assembler.
pub(super) fn stripped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = &comment[comment.find('\n').unwrap_or(comment.len())..];
        } else if let Some(comment) = rest.strip_prefix("/*") {
            out.push(' ');
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if letter == '"' {
            let length = string_length(rest);
            let line = out.rsplit('\n').next().unwrap_or("");
            let is_include = line.trim_start().starts_with('#') && line.contains("include");
            let is_kept = is_include || has_word(line, "asm") || has_word(line, "__asm__");
            out.push_str(if is_kept { &rest[..length] } else { "\"\"" });
            rest = &rest[length..];
        } else {
            out.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    out
}

/// Bytes of the string that a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Role, has_word, include_paths, includes, role, stripped};

    #[test]
    fn headers_are_looked_for_from_the_root_of_a_checkout() {
        let root = std::env::temp_dir().join(format!("tilewright-find-{}", std::process::id()));
        for below in ["ttnn/ttnn", "ttnn/cpp/ttnn/kernel_lib"] {
            fs::create_dir_all(root.join(below)).expect("room");
        }
        let expected = ["", "ttnn", "ttnn/cpp"].map(|below| root.join(below));
        assert_eq!(include_paths(&root.join("ttnn")), expected);
        assert_eq!(include_paths(&root.join("ttnn/cpp/ttnn")), expected);
        fs::remove_dir_all(&root).expect("ours");
    }

    #[test]
    fn comments_and_strings_do_not_count() {
        let text = "#include \"api/x.h\" // \"no\"\nf(\"kernel_main\"); /* asm */ g('a');";
        assert_eq!(stripped(text), "#include \"api/x.h\" \nf(\"\");   g('a');");
        assert_eq!(includes(text), ["api/x.h"]);
        assert!(!has_word("my_asm asm_x", "asm") && has_word("(asm)", "asm"));
    }

    #[test]
    fn roles_are_told_by_content() {
        let at = Path::new("kernels/k.cpp");
        assert_eq!(role("#include \"api/compute/pack.h\"", at), Role::Compute);
        assert_eq!(role("#include \"ttnn/kernel/compute/common.hpp\"", at), Role::Compute);
        let both = "#include \"api/dataflow/dataflow_api.h\"\n#include \"compute_args.h\"";
        assert_eq!(role(both, at), Role::Dataflow);
        assert_eq!(role("noc_async_read(0, 0, 0);", at), Role::Dataflow);
        assert_eq!(role("void kernel_main() {}", Path::new("a/compute/k.cpp")), Role::Compute);
    }
}
