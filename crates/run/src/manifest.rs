//! Program manifests: read, with what a request replaces of them.

use std::fs;
use std::io;
use std::path::Path;

use tilewright_manifest::{Manifest, ManifestError, Overrides, Problem};
use tilewright_metal::{HOST_BYTES_PER_VALUE, nearest};

use crate::compilation::counted;
use crate::operation::check_cores;
use crate::record::{Failure, Place};
use crate::request::Request;
use crate::{device, memory, names};

/// Reads the manifest that a request names.
pub(crate) fn read(asked: &Request) -> Result<(Manifest, Overrides), Failure> {
    refuse_choices_of_operations(asked)?;
    let path = Path::new(asked.name());
    let text = fs::read_to_string(path).map_err(|error| unreadable(asked.name(), &error))?;
    if text.trim().is_empty() {
        return Err(Failure::new(format!("{} is empty", asked.name()))
            .help("a manifest has kernels, buffers and tensors: docs/src/manifest.md"));
    }
    let manifest = Manifest::parse(path, &text).map_err(|error| told(&error))?;
    let overrides = overrides(asked, &manifest)?;
    Ok((manifest, overrides))
}

pub(crate) fn unreadable(name: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => names::absent(name),
        _ => Failure::new(format!("{name} cannot be read: {error}")),
    }
}

/// What a manifest says itself.
fn refuse_choices_of_operations(asked: &Request) -> Result<(), Failure> {
    let given = [
        ("--shape", asked.shape.is_some(), "`shape` of its tensors"),
        ("--format", asked.format.is_some(), "`format` of its tensors and buffers"),
        ("--dst", asked.dst.is_some(), "`dst_bits` of its compute kernel"),
        ("--sync", asked.sync.is_some(), "`dst_sync` of its compute kernel"),
        ("--fidelity", asked.fidelity.is_some(), "`fidelity` of its compute kernel"),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((flag, _, place)) => {
            Err(Failure::new(format!("{flag} is for operations; a manifest says it itself"))
                .help(format!("change {place}")))
        }
    }
}

fn overrides(asked: &Request, manifest: &Manifest) -> Result<Overrides, Failure> {
    if let Some(cores) = asked.cores {
        check_cores(cores, &device::architecture(asked, manifest.device())?)?;
    }
    let mut overrides = Overrides {
        cores: asked.cores,
        family: asked.input,
        data_seed: asked.data_seed,
        values_max: memory::available_bytes().map(|bytes| bytes / HOST_BYTES_PER_VALUE),
        ..Overrides::default()
    };
    for (name, value) in &asked.set {
        if !manifest.values().any(|known| known == name) {
            let failure = Failure::new(format!("the manifest has no value `{name}`"));
            return Err(match nearest(name, manifest.values()) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help("--set replaces what [values] of the manifest declares"),
            });
        }
        let number = value
            .parse()
            .map_err(|_| Failure::new(format!("--set {name}={value}: a whole number is needed")))?;
        overrides.values.insert(name.clone(), number);
    }
    Ok(overrides)
}

/// Everything that is wrong with a manifest.
pub(crate) fn told(error: &ManifestError) -> Failure {
    let place = |problem: &Problem| {
        let (line, column) = error.place(problem);
        Place {
            file: error.file.clone(),
            line: line as u32,
            column: column as u32,
            width: error.text.get(problem.span.clone()).map_or(0, first_line_width),
            message: problem.message.clone(),
            help: problem.help.clone(),
        }
    };
    let places: Vec<Place> = error.problems.iter().map(place).collect();
    Failure::new(counted(places.len(), &format!("{} cannot be run", error.file))).places(places)
}

fn first_line_width(text: &str) -> u32 {
    text.lines().next().map_or(0, |line| line.chars().count() as u32)
}
