//! A subject of C++ kernels: a manifest or a capture, made once so that all that is wrong is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tilewright_manifest::{Manifest, Overrides, Ready};
use tilewright_metal::{
    API_VERSION, Architecture, Capture, ComputeSettings, Device, DeviceTensor, Prepared, Program,
    ProgramError, RunOptions,
};

pub(crate) use crate::compilation::other_compiler;

use crate::capture_file;
use crate::compilation::Compilation;
use crate::device;
use crate::lock;
use crate::manifest::{self, told};
use crate::progress::Progress;
use crate::record::{self, Failure};
use crate::references::{self, Catalogue};
use crate::request::{Described, Reference, Request, Subject};
use crate::words::{dst_bits, noc_word, sync_word};

/// Whether a name is a manifest's or a capture's and not an operation's.
pub(crate) fn is_meant(name: &str) -> bool {
    is_capture(name) || Path::new(name).extension().is_some_and(|it| it == "toml")
}

/// Whether a name is a capture's.
fn is_capture(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == capture_file::EXTENSION)
}

/// A manifest or a capture that was asked for, with its kernels compiled.
pub(crate) struct ForeignSubject {
    source: Source,
    compilation: Compilation,
    /// The device that it runs on.
    pub(crate) arch: Architecture,
    cores: u32,
    few_cores: Option<u32>,
    values: BTreeMap<String, i64>,
    first: Option<DeviceTensor>,
    settings: ComputeSettings,
    /// The tensors on a device, unless the last run has it, and the compiled programs: what every
    /// run begins with.
    device: Mutex<Option<Device>>,
    prepared: Prepared,
}

/// What programs are made of.
enum Source {
    Manifest(Box<Manifest>, Overrides),
    /// A capture, and the folder with its sources.
    Capture(Box<Capture>, PathBuf),
    /// A program as data, and what its outputs are compared with.
    Described(Arc<Described>, Option<Reference>),
}

impl Source {
    fn read(asked: &Request) -> Result<Source, Failure> {
        if let Subject::Described(described) = &asked.subject {
            return Ok(Source::Described(Arc::clone(described), asked.reference.clone()));
        }
        if is_capture(asked.name()) {
            let (capture, folder) = capture_file::read(asked)?;
            return Ok(Source::Capture(Box::new(capture), folder));
        }
        let (manifest, overrides) = manifest::read(asked)?;
        Ok(Source::Manifest(Box::new(manifest), overrides))
    }

    /// The device that it names.
    fn device(&self) -> Option<&str> {
        match self {
            Source::Manifest(manifest, _) => manifest.device(),
            Source::Capture(capture, _) => Some(&capture.architecture),
            Source::Described(..) => None,
        }
    }

    /// Puts tensors on a device and makes the programs, whose kernels are to be compiled.
    fn ready(&self, device: &mut Device) -> Result<Ready, Failure> {
        match self {
            Source::Manifest(manifest, overrides) => {
                let ready = manifest.prepare(device, overrides, &Catalogue);
                ready.map_err(|error| told(&error))
            }
            Source::Capture(capture, folder) => {
                let prepared = capture.restore(device, folder);
                let prepared =
                    prepared.map_err(|error| Failure::new(format!("{}: {error}", capture.name)))?;
                Ok(declared(prepared))
            }
            Source::Described(described, reference) => described.ready(device, reference.as_ref()),
        }
    }
}

/// Programs that declare all their tensors.
fn declared(prepared: Prepared) -> Ready {
    let declared = prepared.programs.iter().flat_map(|it| it.declarations().tensors());
    let tensors = declared.map(|it| (it.name.clone(), it.tensor)).collect();
    Ready { prepared, tensors, values: BTreeMap::new(), few_cores: None }
}

impl Described {
    /// Puts the tensors on a device and makes the program.
    fn ready(&self, device: &mut Device, reference: Option<&Reference>) -> Result<Ready, Failure> {
        let name = &self.description.name;
        let wrong = |error: ProgramError| Failure::new(format!("{name}: {error}"));
        for tensor in &self.description.tensors {
            let contents = self.contents.get(&tensor.name);
            tensor.put(device, contents.map(Vec::as_slice)).map_err(wrong)?;
        }
        let program = Program::new(self.description.clone(), device).map_err(wrong)?;
        let mut prepared = Prepared::from(program);
        if let Some(reference) = reference {
            let expected = references::expected(device, reference, self, &prepared.programs[0]);
            prepared.outputs = expected.map_err(Failure::new)?;
        }
        Ok(declared(prepared))
    }
}

impl ForeignSubject {
    /// Reads the file and compiles its kernels.
    pub(crate) fn new(asked: &Request, progress: &Progress) -> Result<ForeignSubject, Failure> {
        let source = Source::read(asked)?;
        let arch = device::architecture(asked, source.device())?;
        let mut device = Device::new(arch.clone());
        let mut made = source.ready(&mut device)?;
        let compilation = Compilation::new(asked, (&device, &mut made.prepared), progress)?;
        compilation.put_into(&mut made.prepared);
        let program = made.prepared.programs.first();
        let config = program.and_then(|program| {
            program.cores().iter().find_map(|core| program.compute_config(core))
        });
        Ok(ForeignSubject {
            source,
            compilation,
            arch,
            cores: made.cores() as u32,
            few_cores: made.few_cores,
            first: made.tensors.first().map(|(_, tensor)| *tensor),
            settings: config.unwrap_or_default().settings,
            values: made.values,
            device: Mutex::new(Some(device)),
            prepared: made.prepared,
        })
    }

    /// The user's files that the kernels were compiled from.
    pub(crate) fn sources(&self) -> BTreeSet<PathBuf> {
        self.compilation.files()
    }

    /// What it calls itself.
    pub(crate) fn name(&self) -> &str {
        match &self.source {
            Source::Manifest(manifest, _) => manifest.name(),
            Source::Capture(capture, _) => &capture.name,
            Source::Described(described, _) => &described.description.name,
        }
    }

    /// The seed that is used unless the request has one.
    pub(crate) fn seed(&self) -> u64 {
        match &self.source {
            Source::Manifest(..) | Source::Described(..) => 0,
            Source::Capture(capture, _) => capture.seed,
        }
    }

    /// Who compiled its kernels.
    pub(crate) fn compiled_by(&self) -> String {
        self.compilation.compiled_by.clone()
    }

    /// How many cores run a kernel.
    pub(crate) fn cores(&self) -> u32 {
        self.cores
    }

    /// On how few cores every core would repeat its loops, if its work is ours to deal out.
    pub(crate) fn few_cores(&self) -> Option<u32> {
        self.few_cores
    }

    /// What a reader should know before trusting any verdict on it.
    pub(crate) fn notes(&self) -> Vec<String> {
        let (has_older_api, version) = match &self.source {
            Source::Manifest(manifest, _) => (manifest.has_older_api(), None),
            Source::Capture(capture, _) => (false, capture_file::other_version(capture)),
            Source::Described(..) => (false, None),
        };
        let older = if has_older_api { "; of before v0.74 where a kernel asks for it" } else { "" };
        let api = format!("C++ kernels have tt-metal's API of {API_VERSION}{older}");
        self.compilation.cache_problem.iter().cloned().chain(version).chain([api]).collect()
    }

    /// A device with its tensors, and its programs. The last run gets the device that is there.
    pub(crate) fn prepare(&self, is_last: bool) -> Result<(Device, Prepared), Failure> {
        let device = handed_out(&mut lock(&self.device), is_last, || {
            let mut device = Device::new(self.arch.clone());
            self.source.ready(&mut device).map(|_| device)
        });
        Ok((device?, self.prepared.clone()))
    }

    /// What was asked for, as far as the file says it.
    pub(crate) fn echo(&self, asked: &Request, options: RunOptions) -> record::Request {
        let (first, settings) = (self.first, self.settings);
        let values = self.values.iter().map(|(name, value)| (name.clone(), value.to_string()));
        record::Request {
            operation: asked.name().to_owned(),
            device: self.arch.name.to_owned(),
            shape: first.map_or_else(|| "-".to_owned(), |tensor| tensor.shape.to_string()),
            format: first.map_or("-", |tensor| tensor.format.name()).to_owned(),
            dst_bits: dst_bits(settings.width),
            dst_sync: sync_word(settings.sync).to_owned(),
            fidelity: settings.fidelity.name().to_owned(),
            cores: self.cores,
            threads: options.threads,
            noc: noc_word(options.noc).to_owned(),
            input: asked.input.map_or("declared", |family| family.name()).to_owned(),
            data_seed: asked.data_seed,
            choices: values.collect(),
        }
    }
}

/// The device of a run: a copy, or the device itself for the last one, because what two devices
/// share takes time when one of them changes it. One that runs after the last makes its own.
fn handed_out(
    own: &mut Option<Device>,
    is_last: bool,
    make: impl FnOnce() -> Result<Device, Failure>,
) -> Result<Device, Failure> {
    match own.take() {
        Some(device) if is_last => Ok(device),
        Some(device) => Ok(own.insert(device).copy_of_buffers()),
        None => make(),
    }
}

#[cfg(test)]
mod tests {
    use tilewright_metal::Device;
    use tilewright_metal::Storage;

    use super::handed_out;

    /// The run that is called the last one may not be: what is stuck is run again.
    #[test]
    fn every_run_begins_with_the_same_inputs() {
        let mut device = Device::n150();
        let input = device.allocate(Storage::Dram, 1, 64).expect("room");
        let made = |mut device: Device| {
            input.write(&mut device, &[7; 64]).expect("the buffer");
            Ok(device)
        };
        let mut own = made(device.copy_of_buffers()).ok();
        for is_last in [false, true, false, true] {
            let given = handed_out(&mut own, is_last, || made(device.copy_of_buffers()));
            let mut given = given.expect("a device");
            assert_eq!(input.read(&mut given).expect("the buffer"), [7; 64]);
            input.write(&mut given, &[9; 64]).expect("the buffer");
        }
    }
}
