//! A capture: programs, the tensors they meet and the sources of their kernels in one file, to run
//! elsewhere as they ran here.
//!
//! The file is a safetensors file. Its entries are the bytes of tensors as they lie in pages;
//! everything else is JSON in the file's metadata.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use crate::description::{KernelDescription, KernelSource, ProgramDescription, TensorDescription};
use crate::device::Device;
use crate::interleaving::Storage;
use crate::program::Program;

/// The entry of the metadata that holds everything but tensors.
const ENTRY: &str = "tilewright";

/// Programs that run one after another on a device, with all that they need.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The programs, in order.
    pub programs: Vec<ProgramDescription>,
    /// The seed of the run.
    pub seed: u64,
    /// The architecture's name.
    pub architecture: String,
    /// The version that made it.
    pub version: String,
    /// Kernels and the headers that they include: absolute path and text.
    pub files: BTreeMap<String, String>,
    /// The bytes of each tensor before the first program.
    tensors: BTreeMap<String, Vec<u8>>,
}

/// What the metadata holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    programs: Vec<ProgramDescription>,
    seed: u64,
    architecture: String,
    version: String,
    files: BTreeMap<String, String>,
}

impl Capture {
    /// Captures programs that have been compiled and not yet run, and their tensors as they are.
    pub fn new(
        programs: &[Program],
        device: &mut Device,
        seed: u64,
    ) -> Result<Capture, CaptureError> {
        let mut capture = Capture {
            programs: Vec::new(),
            seed,
            architecture: device.architecture().name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: BTreeMap::new(),
            tensors: BTreeMap::new(),
        };
        for program in programs {
            let description = program.description().clone();
            description.check_serialisable().map_err(|it| CaptureError(it.to_string()))?;
            for (tensor, placed) in description.tensors.iter().zip(tensors_of(program, device)?) {
                capture.tensors.insert(key(tensor), placed);
            }
            #[cfg(target_os = "linux")]
            for file in program.compiled().files() {
                let text = std::fs::read_to_string(&file).map_err(at(&file))?;
                // A header may be found by several spellings of its path.
                let name = below(Path::new("/"), &file)?;
                capture.files.insert(name.display().to_string(), text);
            }
            capture.programs.push(description.with_absolute_paths()?);
        }
        Ok(capture)
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CaptureError> {
        let form = Form {
            programs: self.programs.clone(),
            seed: self.seed,
            architecture: self.architecture.clone(),
            version: self.version.clone(),
            files: self.files.clone(),
        };
        let json = serde_json::to_string(&form).map_err(|it| CaptureError(it.to_string()))?;
        let metadata = std::iter::once((ENTRY.to_owned(), json)).collect();
        let view = |bytes| TensorView::new(Dtype::U8, vec![Vec::len(bytes)], bytes);
        let tensors: Result<Vec<_>, _> =
            self.tensors.iter().map(|(name, bytes)| Ok((name, view(bytes)?))).collect();
        let bytes = tensors.and_then(|tensors| safetensors::serialize(tensors, Some(metadata)));
        bytes.map_err(|error: safetensors::SafeTensorError| CaptureError(error.to_string()))
    }

    /// Reads a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Capture, CaptureError> {
        let wrong = |why: String| CaptureError(format!("not a capture: {why}"));
        let (_, header) =
            SafeTensors::read_metadata(bytes).map_err(|error| wrong(error.to_string()))?;
        let json = header.metadata().as_ref().and_then(|all| all.get(ENTRY));
        let json = json.ok_or_else(|| wrong("its metadata has no programs".to_owned()))?;
        let form: Form = serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
        let file = SafeTensors::deserialize(bytes).map_err(|error| wrong(error.to_string()))?;
        let tensors = file.iter().map(|(name, view)| (name.to_owned(), view.data().to_vec()));
        let Form { programs, seed, architecture, version, files } = form;
        let tensors = tensors.collect();
        Ok(Capture { programs, seed, architecture, version, files, tensors })
    }

    /// Writes the sources below a folder, puts the tensors into a new device's memory, and gives
    /// the programs, whose C++ kernels must be compiled.
    pub fn restore(
        &self,
        device: &mut Device,
        folder: &Path,
    ) -> Result<Vec<Program>, CaptureError> {
        if device.architecture().name != self.architecture {
            let (here, there) = (device.architecture().name, &self.architecture);
            return Err(CaptureError(format!("a capture of {there} on {here}; use {there}")));
        }
        for (file, text) in &self.files {
            let file = below(folder, Path::new(file))?;
            let parent = file.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).map_err(at(parent))?;
            std::fs::write(&file, text).map_err(at(&file))?;
        }
        let mut claimed = BTreeMap::new();
        for tensor in self.programs.iter().flat_map(|program| &program.tensors) {
            let placed =
                tensor.on(device.architecture()).map_err(|it| CaptureError(it.to_string()))?;
            if claimed.insert(key(tensor), ()).is_none() {
                device.claim(&placed.buffer).map_err(|it| CaptureError(it.to_string()))?;
                let none =
                    CaptureError(format!("the bytes of tensor `{}` are missing", tensor.name));
                let bytes = self.tensors.get(&key(tensor)).ok_or(none)?;
                let written = placed.buffer.write(device, bytes);
                written.map_err(|error| CaptureError(error.to_string()))?;
            }
        }
        let programs = self.programs.iter().map(|description| {
            let description = description.clone().moved_to(folder)?;
            Program::new(description, device).map_err(|it| CaptureError(it.to_string()))
        });
        programs.collect()
    }
}

/// What a tensor's bytes are called: two programs name the same memory differently.
fn key(tensor: &TensorDescription) -> String {
    let storage = match tensor.memory.storage {
        Storage::Dram => "dram",
        Storage::L1 => "l1",
    };
    format!("{storage}@{}", tensor.address)
}

/// The bytes of a program's tensors, in the order of its description.
fn tensors_of(program: &Program, device: &mut Device) -> Result<Vec<Vec<u8>>, CaptureError> {
    let mut all = Vec::new();
    for tensor in &program.description().tensors {
        let wrong = |error: String| CaptureError(format!("tensor `{}`: {error}", tensor.name));
        let placed = tensor.on(device.architecture()).map_err(|it| wrong(it.to_string()))?;
        all.push(placed.buffer.read(device).map_err(|it| wrong(it.to_string()))?);
    }
    Ok(all)
}

impl ProgramDescription {
    fn with_absolute_paths(mut self) -> Result<ProgramDescription, CaptureError> {
        for path in self.kernels.iter_mut().flat_map(paths) {
            *path = std::path::absolute(&*path).map_err(at(path))?;
        }
        Ok(self)
    }

    fn moved_to(mut self, folder: &Path) -> Result<ProgramDescription, CaptureError> {
        for path in self.kernels.iter_mut().flat_map(paths) {
            *path = below(folder, path)?;
        }
        Ok(self)
    }
}

/// Every path of a kernel.
fn paths(kernel: &mut KernelDescription) -> impl Iterator<Item = &mut PathBuf> {
    let file = match &mut kernel.source {
        KernelSource::File(file) => Some(file),
        KernelSource::Text(_) | KernelSource::Rust(_) => None,
    };
    file.into_iter().chain(&mut kernel.include_paths)
}

/// A path of the machine that made a capture, below a folder of this one.
fn below(folder: &Path, path: &Path) -> Result<PathBuf, CaptureError> {
    let mut found = folder.to_owned();
    for part in path.components() {
        match part {
            Component::Normal(name) => found.push(name),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            Component::ParentDir if found != folder => {
                found.pop();
            }
            Component::ParentDir => {
                let path = path.display();
                return Err(CaptureError(format!("path {path} leaves the capture's folder")));
            }
        }
    }
    Ok(found)
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> CaptureError {
    let path = path.display().to_string();
    move |error| CaptureError(format!("{path}: {error}"))
}

/// Why a capture cannot be made, read or restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureError(String);

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CaptureError {}
