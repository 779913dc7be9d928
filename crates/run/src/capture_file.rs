//! Captures as files: made of a request, and read for one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tilewright_metal::cpp::Cache;
use tilewright_metal::{Capture, fingerprint};

use crate::ask::Ask;
use crate::guard::Guard;
use crate::manifest::unreadable;
use crate::names;
use crate::progress::{FrontEnd, Progress};
use crate::record::Failure;
use crate::request::{Request, Subject};

/// What the name of a capture ends in.
pub(crate) const EXTENSION: &str = "cap";

/// Compiles the kernels of a request and captures what it would run.
pub fn capture(request: &Request, front: &Arc<dyn FrontEnd>) -> Result<Capture, Failure> {
    captured(request, front).map(|(capture, _)| capture)
}

/// The same, and the command that makes the run again.
pub(crate) fn captured(
    request: &Request,
    front: &Arc<dyn FrontEnd>,
) -> Result<(Capture, String), Failure> {
    if !request.is_foreign() {
        return Err(names::not_a_manifest(request.name()).unwrap_or_else(|| {
            Failure::new(format!("`{}` cannot be captured: it is no manifest", request.name()))
                .help("a capture is made of C++ kernels; give the manifest's .toml file")
        }));
    }
    let _guard = Guard::hold()
        .map_err(|error| Failure::new(format!("no process could be started: {error}")))?;
    let resolved = Request { subject: resolved(request)?, ..request.clone() };
    let ask = Ask::new(&resolved, &Progress::new(front))?;
    let (mut device, prepared) = ask.prepare()?;
    let capture = Capture::new(&ask.own_name(), &prepared, &mut device, ask.options.seed);
    let capture = capture
        .map_err(|error| Failure::new(format!("{} cannot be captured: {error}", request.name())))?;
    let named = Ask::new(request, &Progress::new(front))?;
    Ok((capture, named.replay("run", named.options.seed)))
}

/// The subject by a path without links, as the compiler tells the headers of kernels.
fn resolved(request: &Request) -> Result<Subject, Failure> {
    match &request.subject {
        Subject::Named(name) => {
            let path = fs::canonicalize(name).map_err(|error| unreadable(name, &error))?;
            Ok(Subject::Named(path.display().to_string()))
        }
        Subject::Own(_) | Subject::Described(_) => Ok(request.subject.clone()),
    }
}

/// Reads the capture that a request names, and puts its sources into a folder of the cache.
pub(crate) fn read(asked: &Request) -> Result<(Capture, PathBuf), Failure> {
    refuse_what_a_capture_has(asked)?;
    let name = asked.name();
    let bytes = fs::read(name).map_err(|error| unreadable(name, &error))?;
    let wrong = |error: &dyn std::fmt::Display| Failure::new(format!("{name}: {error}"));
    let capture = Capture::from_bytes(&bytes).map_err(|error| {
        wrong(&error).help("`tilewright capture MANIFEST -o FILE.cap` makes a capture")
    })?;
    let folder = folder(&bytes);
    capture.extract(&folder).map_err(|error| {
        wrong(&error).help("sources are kept in the cache; XDG_CACHE_HOME names another folder")
    })?;
    Ok((capture, folder))
}

/// A note if another version made the capture.
pub(crate) fn other_version(capture: &Capture) -> Option<String> {
    let (here, there) = (env!("CARGO_PKG_VERSION"), &capture.version);
    (here != there).then(|| {
        format!("captured by version {there}, run by {here}: cycles and digest may differ")
    })
}

/// How the name of a folder with a capture's sources begins.
const FOLDER: &str = "capture-";

/// A source file without the folder that its capture was put into.
pub(crate) fn original(file: &str) -> &str {
    let folder = Cache::new(None).folder().join(FOLDER);
    let inside = file.strip_prefix(&*folder.to_string_lossy()).and_then(|it| it.split_once('/'));
    inside.map_or(file, |(_, rest)| rest)
}

/// The same file has the same folder, so that its kernels are compiled once.
fn folder(bytes: &[u8]) -> PathBuf {
    let name = format!("{FOLDER}{:016x}", fingerprint(bytes));
    Cache::new(None).folder().join(Path::new(&name))
}

/// What a capture has decided when it was made.
fn refuse_what_a_capture_has(asked: &Request) -> Result<(), Failure> {
    let given = [
        ("--shape", asked.shape.is_some()),
        ("--format", asked.format.is_some()),
        ("--dst", asked.dst.is_some()),
        ("--sync", asked.sync.is_some()),
        ("--fidelity", asked.fidelity.is_some()),
        ("--cores", asked.cores.is_some()),
        ("--input", asked.input.is_some()),
        ("--data-seed", asked.data_seed != 0),
        ("--set", !asked.set.is_empty()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((flag, _)) => Err(Failure::new(format!("{flag} cannot change a capture"))
            .help("give it to `tilewright capture`, and run the capture that it writes")),
    }
}
