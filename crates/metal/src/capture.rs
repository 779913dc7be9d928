//! A capture: programs, the tensors they meet and the sources of their kernels in one file, to run
//! elsewhere as they ran here.
//!
//! The file is a safetensors file. Its entries are the bytes of tensors as they lie in pages, and
//! what outputs must hold; everything else is JSON in the file's metadata.

mod output;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use self::output::{CapturedOutput, OutputForm};
use crate::description::{KernelDescription, KernelSource, ProgramDescription, TensorDescription};
use crate::device::Device;
use crate::interleaving::Storage;
use crate::prepared::Prepared;
use crate::program::Program;

/// The entry of the metadata that holds everything but tensors.
const ENTRY: &str = "tilewright";

/// Programs that run one after another on a device, with all that they need.
#[derive(Clone, Debug)]
pub struct Capture {
    /// What reports call it.
    pub name: String,
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
    /// Tiles of all inputs.
    input_tiles: u64,
    /// What outputs must hold.
    outputs: Vec<CapturedOutput>,
    /// The bytes of each tensor before the first program.
    tensors: BTreeMap<String, Vec<u8>>,
}

/// What the metadata holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    name: String,
    programs: Vec<ProgramDescription>,
    seed: u64,
    architecture: String,
    version: String,
    files: BTreeMap<String, String>,
    input_tiles: u64,
    outputs: Vec<OutputForm>,
}

impl Capture {
    /// Captures programs that have been compiled and not yet run, their tensors as they are, and
    /// what their outputs must hold.
    pub fn new(
        name: &str,
        prepared: &Prepared,
        device: &mut Device,
        seed: u64,
    ) -> Result<Capture, CaptureError> {
        let mut capture = Capture {
            name: name.to_owned(),
            programs: Vec::new(),
            seed,
            architecture: device.architecture().name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: BTreeMap::new(),
            input_tiles: prepared.input_tiles,
            outputs: prepared.outputs.iter().map(CapturedOutput::new).collect(),
            tensors: BTreeMap::new(),
        };
        for program in &prepared.programs {
            capture.add(program, device)?;
        }
        Ok(capture)
    }

    fn add(&mut self, program: &Program, device: &mut Device) -> Result<(), CaptureError> {
        let description = program.description().clone();
        description.check_serialisable().map_err(|it| CaptureError(it.to_string()))?;
        for (tensor, bytes) in description.tensors.iter().zip(tensors_of(program, device)?) {
            self.tensors.insert(key(tensor), bytes);
        }
        #[cfg(target_os = "linux")]
        for file in program.compiled().files() {
            let text = std::fs::read_to_string(&file).map_err(at(&file))?;
            // A header may be found by several spellings of its path.
            let name = below(Path::new("/"), &file)?;
            self.files.insert(name.display().to_string(), text);
        }
        self.programs.push(description.with_absolute_paths()?);
        Ok(())
    }

    /// How many tensors it holds.
    pub fn tensor_count(&self) -> usize {
        self.tensors.len()
    }

    /// The outputs of which it holds what they must be.
    pub fn compared(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().map(CapturedOutput::name)
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CaptureError> {
        let form = Form {
            name: self.name.clone(),
            programs: self.programs.clone(),
            seed: self.seed,
            architecture: self.architecture.clone(),
            version: self.version.clone(),
            files: self.files.clone(),
            input_tiles: self.input_tiles,
            outputs: self.outputs.iter().map(CapturedOutput::form).collect(),
        };
        let json = serde_json::to_string(&form).map_err(|it| CaptureError(it.to_string()))?;
        let metadata = std::iter::once((ENTRY.to_owned(), json)).collect();
        let pages = self.tensors.iter();
        let pages = pages.map(|(name, bytes)| (name.clone(), Dtype::U8, bytes.clone()));
        let numbered = self.outputs.iter().enumerate();
        let outputs = numbered.flat_map(|(number, output)| output.entries(number));
        let entries: Vec<_> = pages.chain(outputs).collect();
        let view = |dtype: Dtype, bytes| {
            TensorView::new(dtype, vec![Vec::len(bytes) * 8 / dtype.bitsize()], bytes)
        };
        let views = entries.iter().map(|(name, dtype, bytes)| Ok((name, view(*dtype, bytes)?)));
        let views: Result<Vec<_>, _> = views.collect();
        let bytes = views.and_then(|views| safetensors::serialize(views, Some(metadata)));
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
        let numbered = form.outputs.into_iter().enumerate();
        let outputs = numbered.map(|(number, form)| CapturedOutput::read(form, number, &file));
        let outputs = outputs.collect::<Result<_, _>>()?;
        let pages = file.iter().filter(|(_, view)| view.dtype() == Dtype::U8);
        let tensors = pages.map(|(name, view)| (name.to_owned(), view.data().to_vec()));
        let tensors = tensors.collect();
        let Form { name, programs, seed, architecture, version, files, input_tiles, .. } = form;
        Ok(Capture {
            name,
            programs,
            seed,
            architecture,
            version,
            files,
            input_tiles,
            outputs,
            tensors,
        })
    }

    /// Writes the sources below a folder. A file that is there with the same text is left alone.
    pub fn extract(&self, folder: &Path) -> Result<(), CaptureError> {
        for (file, text) in &self.files {
            let file = below(folder, Path::new(file))?;
            if std::fs::read_to_string(&file).is_ok_and(|there| there == *text) {
                continue;
            }
            let parent = file.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).map_err(at(parent))?;
            std::fs::write(&file, text).map_err(at(&file))?;
        }
        Ok(())
    }

    /// Puts the tensors into a new device's memory, and gives the programs, whose C++ kernels must
    /// be compiled. Their sources have been extracted below `folder`.
    pub fn restore(&self, device: &mut Device, folder: &Path) -> Result<Prepared, CaptureError> {
        if device.architecture().name != self.architecture {
            let (here, there) = (device.architecture().name, &self.architecture);
            return Err(CaptureError(format!("a capture of {there} on {here}; use {there}")));
        }
        let mut claimed = BTreeMap::new();
        for tensor in self.programs.iter().flat_map(|program| &program.tensors) {
            if claimed.insert(key(tensor), ()).is_none() {
                self.place(tensor, device)?;
            }
        }
        let programs = self.programs.iter().map(|description| {
            let description = description.clone().moved_to(folder)?;
            Program::new(description, device).map_err(|it| CaptureError(it.to_string()))
        });
        let programs = programs.collect::<Result<_, _>>()?;
        let outputs = self.outputs.iter().map(|output| output.expected(device.architecture()));
        let outputs = outputs.collect::<Result<_, _>>()?;
        Ok(Prepared { programs, input_tiles: self.input_tiles, outputs })
    }

    fn place(&self, tensor: &TensorDescription, device: &mut Device) -> Result<(), CaptureError> {
        let wrong = |error: String| CaptureError(format!("tensor `{}`: {error}", tensor.name));
        let placed = tensor.on(device.architecture()).map_err(|it| wrong(it.to_string()))?;
        device.claim(&placed.buffer).map_err(|it| wrong(it.to_string()))?;
        let bytes = self.tensors.get(&key(tensor));
        let bytes = bytes.ok_or_else(|| wrong("its bytes are missing".to_owned()))?;
        placed.buffer.write(device, bytes).map_err(|error| wrong(error.to_string()))
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
