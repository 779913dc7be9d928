//! Names that are neither an operation's nor a manifest's, and what may have been meant.

use std::fs;
use std::path::Path;

use tilewright_metal::{Shape, nearest};

use crate::record::Failure;

/// The name that manifests have in a folder of their own.
const USUAL: &str = "program.toml";

/// What is wrong with a name that was meant as a manifest's; nothing if an operation's was meant.
pub(crate) fn not_a_manifest(name: &str) -> Option<Failure> {
    let path = Path::new(name);
    if path.is_dir() {
        let failure = Failure::new(format!("{name} is a folder; a manifest is a .toml file"));
        let inside = path.join(USUAL);
        let is_there = inside.is_file();
        return Some(if is_there { did_you_mean(failure, &inside) } else { failure });
    }
    if path.is_file() {
        return Some(Failure::new(format!("{name} is no manifest: its name must end in .toml")));
    }
    if name.parse::<Shape>().is_ok() {
        let failure = Failure::new(format!("{name} is a shape; an operation comes first"));
        return Some(failure.help(format!("write it as --shape {name}")));
    }
    name.contains(std::path::is_separator).then(|| absent(name))
}

/// A file that is not there, and the manifest beside it that has nearly that name.
pub(crate) fn absent(name: &str) -> Failure {
    let failure = Failure::new(format!("there is no file {name}"));
    let path = Path::new(name);
    let folder = path.parent().filter(|it| *it != Path::new("")).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let manifests: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    let asked = path.file_name().unwrap_or_default().to_string_lossy();
    match nearest(&asked, manifests.iter().map(String::as_str)) {
        Some(near) => did_you_mean(failure, &path.with_file_name(near)),
        None => failure,
    }
}

fn did_you_mean(failure: Failure, path: &Path) -> Failure {
    failure.help(format!("did you mean {}?", path.display()))
}
