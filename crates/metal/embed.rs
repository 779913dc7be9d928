//! Lists the files of a folder for `include!`, so that every one of them is embedded, and writes
//! the headers that only include others. Shared by the build scripts of the crates that bring C++
//! headers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The list of headers that only include others, beside them.
const FORWARDING: &str = "forwarding.txt";

/// A header: a file of the repository, or a text that the build writes.
pub enum Header {
    File(PathBuf),
    Text(String),
}

/// Headers by their paths.
pub type Headers = BTreeMap<String, Header>;

/// Writes the list of the files below `folder` to `headers.rs` of the build, and gives it.
pub fn embed(folder: &str) -> io::Result<Headers> {
    println!("cargo::rerun-if-changed={folder}");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let folder = root.join(folder);
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    let mut headers = Headers::new();
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&folder).expect("found below it");
        let name = name.to_string_lossy().replace('\\', "/");
        headers.insert(name, Header::File(file));
    }
    let list = folder.join(FORWARDING);
    if list.exists() {
        println!("cargo::rerun-if-changed={}", list.display());
        forward(&fs::read_to_string(list)?, &mut headers);
    }
    let mut text = String::from("&[\n");
    for (name, header) in &headers {
        let _ = match header {
            Header::File(file) => writeln!(text, "    ({name:?}, include_str!({file:?})),"),
            Header::Text(content) => writeln!(text, "    ({name:?}, {content:?}),"),
        };
    }
    text.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("headers.rs"), text)?;
    Ok(headers)
}

/// Headers and sources; a folder's own README and lists are for readers of the repository.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end != "md" && end != "txt") {
            files.push(path);
        }
    }
    Ok(())
}

/// Adds the headers of a list. Lines with `*` come last: they are about all other headers.
fn forward(list: &str, headers: &mut Headers) {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut rules: Vec<(&str, &str)> =
        lines.map(|line| line.split_once(" = ").expect("PATH = INCLUDED...")).collect();
    rules.sort_by_key(|(path, included)| (path.ends_with('*'), included.contains('*')));
    for (path, included) in rules {
        if let Some(folder) = path.strip_suffix('*') {
            for (rest, whole) in below(included, headers) {
                let header = including(&[whole]);
                headers.entry(format!("{folder}{rest}")).or_insert(header);
            }
            continue;
        }
        let each = |name: &str| match name.ends_with('*') {
            true => below(name, headers).into_iter().map(|(_, whole)| whole).collect(),
            false => vec![name.to_owned()],
        };
        let all: Vec<String> = included.split(' ').flat_map(each).collect();
        for name in &all {
            assert!(headers.contains_key(name), "{FORWARDING}: {path} includes {name}, a stranger");
        }
        let before = headers.insert(path.to_owned(), including(&all));
        assert!(before.is_none(), "{FORWARDING}: {path} is a file, too");
    }
}

/// The headers that `folder/*` stands for: their paths below the folder, and whole.
fn below(pattern: &str, headers: &Headers) -> Vec<(String, String)> {
    let folder = pattern.trim_end_matches('*');
    let rest = |name: &String| Some((name.strip_prefix(folder)?.to_owned(), name.clone()));
    headers.keys().filter_map(rest).collect()
}

/// A header that includes others.
fn including(names: &[String]) -> Header {
    let mut text = format!("// Written by the build; see {FORWARDING}.\n\n#pragma once\n\n");
    for name in names {
        let _ = writeln!(text, "#include \"{name}\"");
    }
    Header::Text(text)
}
