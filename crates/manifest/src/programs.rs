//! The programs of a manifest: the one that it is, or the several that it lists.

use super::at::At;
use super::document::{Document, Program};
use super::names;
use super::problem::{Problem, Problems};

/// A program and what reports call it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) program: Program,
}

/// Takes the programs out of a manifest with a name, in the order in which they stand.
pub(super) fn take(document: &mut Document, name: &str, problems: &mut Problems) -> Vec<Part> {
    if document.programs.is_empty() {
        if document.kernels.is_empty() {
            let problem = Problem::new(0..0, "the manifest has no `kernels`");
            problems.add(problem.help("kernels: its kernels; or [programs], each with its own"));
        }
        return vec![Part { name: name.to_owned(), program: alone(document) }];
    }
    beside(document, problems);
    let mut listed: Vec<_> = std::mem::take(&mut document.programs).into_iter().collect();
    listed.sort_by_key(|(key, _)| key.span.start);
    let part = |(key, mut program): (At<String>, Program)| {
        problems.keep(names::check(&key));
        program.cores = program.cores.or_else(|| document.cores.clone());
        Part { name: key.value, program }
    };
    listed.into_iter().map(part).collect()
}

/// What stands in the manifest itself, as its program.
fn alone(document: &mut Document) -> Program {
    Program {
        cores: document.cores.clone(),
        split: document.split.take(),
        buffers: std::mem::take(&mut document.buffers),
        semaphores: std::mem::take(&mut document.semaphores),
        kernels: std::mem::take(&mut document.kernels),
        reference: document.reference.take(),
    }
}

/// What each of several programs has for itself cannot be the manifest's besides.
fn beside(document: &Document, problems: &mut Problems) {
    let of_one = [
        ("split", document.split.as_ref().map(|it| &it.span)),
        ("buffers", document.buffers.keys().map(|key| &key.span).min_by_key(|it| it.start)),
        ("semaphores", document.semaphores.keys().map(|key| &key.span).min_by_key(|it| it.start)),
        ("kernels", document.kernels.keys().map(|key| &key.span).min_by_key(|it| it.start)),
        ("reference", document.reference.as_ref().map(|it| &it.span)),
    ];
    for (what, span) in of_one {
        if let Some(span) = span {
            let message = format!("`{what}` stands beside [programs]");
            let help = "each of several programs has its own: [programs.NAME]";
            problems.add(Problem::new(span.clone(), message).help(help));
        }
    }
}
