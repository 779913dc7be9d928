//! `cargo xtask tidy`: what a machine can check, no reviewer does.
//!
//! Gathers the files and prints the complaints. Each rule is a function from text to complaints,
//! in the file of its subject, and changes nothing.

mod allowed;
mod events;
mod guide;
mod layers;
mod links;
mod source;
mod suites;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

/// One thing to mend: where, what, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Complaint {
    file: String,
    line: usize,
    what: String,
    right: String,
}

impl Complaint {
    fn new(file: &str, line: usize, what: impl Into<String>, right: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into(), right: right.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}\n    right: {}", self.file, self.line, self.what, self.right)
    }
}

/// The files git knows or would add, by their path from the root with `/` between folders.
#[derive(Default)]
struct Repository {
    /// Every file, binary ones too.
    names: BTreeSet<String>,
    /// The contents of those that are text.
    texts: BTreeMap<String, String>,
}

pub fn run(root: &Path) -> Result<(), String> {
    let repository = Repository::read(root)?;
    let complaints = complaints(&repository);
    println!("+ tidy: {} files, {} complaints", repository.names.len(), complaints.len());
    for complaint in &complaints {
        println!("{complaint}");
    }
    if complaints.is_empty() { Ok(()) } else { Err("failed: cargo xtask tidy".to_owned()) }
}

fn complaints(repository: &Repository) -> Vec<Complaint> {
    let mut all = Vec::new();
    for (file, text) in &repository.texts {
        all.extend(words::check(file, text));
        if file.ends_with(".rs") {
            all.extend(source::check(file, text));
            all.extend(events::check(file, text));
            all.extend(suites::check(file, repository));
            all.extend(layers::check_source(file, text));
        }
        if file.ends_with("Cargo.toml") {
            all.extend(layers::check_manifest(file, text));
        }
        if file.ends_with("Cargo.lock") {
            all.extend(layers::check_lock(file, text));
        }
        if file.ends_with(".md") {
            all.extend(links::check(file, text, repository));
            all.extend(guide::check(file, text, repository));
        }
    }
    all.sort();
    all
}

impl Repository {
    fn read(root: &Path) -> Result<Self, String> {
        let listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = Command::new("git").args(listing).current_dir(root).output();
        let listed = listed.map_err(|error| format!("tidy asks git for the files: {error}"))?;
        if !listed.status.success() {
            return Err("tidy needs a git checkout: `git ls-files` failed".to_owned());
        }
        let mut repository = Self::default();
        for name in String::from_utf8_lossy(&listed.stdout).split_terminator('\0') {
            // A file deleted on disk and not yet in git is listed, and is gone all the same.
            let Ok(bytes) = fs::read(root.join(name)) else { continue };
            repository.add(name, bytes);
        }
        Ok(repository)
    }

    fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.names.insert(name.to_owned());
        if let Ok(text) = String::from_utf8(bytes) {
            self.texts.insert(name.to_owned(), text);
        }
    }

    /// True of a file, and of a folder that holds one.
    fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        let next = self.names.range(folder.clone()..).next();
        self.names.contains(path) || next.is_some_and(|name| name.starts_with(&folder))
    }
}

#[cfg(test)]
mod tests {
    use super::{Complaint, Repository, complaints};

    #[test]
    fn a_complaint_says_where_what_and_what_would_be_right() {
        let complaint = Complaint::new("a/b.rs", 7, "101 columns", "at most 100");
        assert_eq!(complaint.to_string(), "a/b.rs:7: 101 columns\n    right: at most 100");
    }

    #[test]
    fn a_folder_is_there_if_it_holds_a_file() {
        let mut repository = Repository::default();
        repository.add("docs/a.md", Vec::new());
        repository.add("docs-old/b.md", Vec::new());
        assert!(repository.has("docs") && repository.has("docs/a.md"));
        assert!(!repository.has("doc") && !repository.has("docs/b.md"));
    }

    /// Each rule is reached from here: one broken file of each kind, one complaint each.
    #[test]
    fn every_kind_of_file_is_checked() {
        let home = format!("/{}/me", "home");
        let mut repository = Repository::default();
        repository.add("a.sh", home.into_bytes());
        repository.add("crates/tile/Cargo.toml", b"[dependencies]\nleftpad = \"1\"\n".to_vec());
        repository.add("Cargo.lock", b"source = \"registry+https://mirror.example\"\n".to_vec());
        repository.add("README.md", b"[gone](gone.md)\n".to_vec());
        repository.add("crates/tile/src/lib.rs", b"fn f() {}\n".to_vec());
        let rest = b"//! A.\nfn f() { match it { EventKind::Zone => 1, _ => 2 } }\n";
        repository.add("crates/tile/src/rest.rs", rest.to_vec());
        repository.add("picture.png", vec![0xff, 0xfe, 0xfd]);
        let files: Vec<String> = complaints(&repository).into_iter().map(|it| it.file).collect();
        let broken = [
            "Cargo.lock",
            "README.md",
            "a.sh",
            "crates/tile/Cargo.toml",
            "crates/tile/src/lib.rs",
            "crates/tile/src/rest.rs",
        ];
        assert_eq!(files, broken);
    }
}
