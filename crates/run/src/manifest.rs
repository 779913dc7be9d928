//! Program manifests: read, prepared, and their kernels compiled.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use tilewright_manifest::{Manifest, ManifestError, Overrides, Problem};
use tilewright_metal::cpp::{CompileOptions, Compiled, CppError, Diagnostic, Workshop};
use tilewright_metal::{
    API_VERSION, ComputeSettings, Device, DeviceTensor, HOST_BYTES_PER_VALUE, Prepared, RunOptions,
    nearest,
};

use crate::guard::adapt;
use crate::operation::check_cores;
use crate::progress::Progress;
use crate::record::{self, Failure, Place};
use crate::references::Catalogue;
use crate::request::Request;
use crate::words::{dst_bits, noc_word, sync_word};
use crate::worker_link::is_worker;
use crate::{memory, names};

/// Whether a name is a manifest's and not an operation's.
pub(crate) fn is_meant(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

/// A manifest that was asked for, read and made once, so that all that is wrong is known.
pub(crate) struct Asked {
    manifest: Manifest,
    overrides: Overrides,
    /// The code of each program's kernels.
    compiled: Vec<Compiled>,
    /// Who compiled it.
    compiled_by: String,
    /// Why nothing could be kept for the next run, if that is so.
    cache_problem: Option<String>,
    cores: u32,
    few_cores: Option<u32>,
    values: BTreeMap<String, i64>,
    first: Option<DeviceTensor>,
    settings: ComputeSettings,
}

impl Asked {
    /// Reads the manifest and compiles its kernels.
    pub(crate) fn new(asked: &Request, progress: &Progress) -> Result<Asked, Failure> {
        refuse_choices_of_operations(asked)?;
        let path = Path::new(asked.name());
        let text = fs::read_to_string(path).map_err(|error| unreadable(asked.name(), &error))?;
        if text.trim().is_empty() {
            return Err(Failure::new(format!("{} is empty", asked.name()))
                .help("a manifest has kernels, buffers and tensors: docs/src/manifest.md"));
        }
        let manifest = Manifest::parse(path, &text).map_err(|error| told(&error))?;
        let overrides = overrides(asked, &manifest)?;
        let mut device = Device::n150();
        let mut made =
            manifest.prepare(&mut device, &overrides, &Catalogue).map_err(|error| told(&error))?;
        let (cxx, adapt) = (asked.cxx.clone(), Some(adapt as _));
        let options = CompileOptions { cxx, adapt, ..CompileOptions::default() };
        let mut cache_problem = None;
        let compiled_by = match compiled_before(asked.cores) {
            Some((compiled, by)) => {
                take(&mut made.prepared, &compiled);
                by
            }
            None if is_worker() => {
                return Err(Failure::new("the kernels have not been compiled for so many cores"));
            }
            None => {
                let workshop = Workshop::open(&options).map_err(|error| not_compiled(&error))?;
                compile(&workshop, &device, &mut made.prepared, progress)?;
                cache_problem = workshop.cache().problem();
                workshop.compiler().identity()
            }
        };
        let compiled: Vec<Compiled> =
            made.prepared.programs.iter().map(|it| it.compiled().clone()).collect();
        keep(asked.cores, &compiled, &compiled_by);
        let program = made.prepared.programs.first();
        let config = program.and_then(|program| {
            program.cores().iter().find_map(|core| program.compute_config(core))
        });
        Ok(Asked {
            cores: made.cores() as u32,
            few_cores: made.few_cores,
            first: made.tensors.first().map(|(_, tensor)| *tensor),
            settings: config.unwrap_or_default().settings,
            values: made.values,
            compiled,
            compiled_by,
            cache_problem,
            manifest,
            overrides,
        })
    }

    /// What it calls itself.
    pub(crate) fn name(&self) -> &str {
        self.manifest.name()
    }

    /// Who compiled its kernels.
    pub(crate) fn compiled_by(&self) -> String {
        self.compiled_by.clone()
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
        let older = match self.manifest.has_older_api() {
            true => "; of before v0.74 where a kernel asks for it",
            false => "",
        };
        let api = format!("C++ kernels have tt-metal's API of {API_VERSION}{older}");
        self.cache_problem.iter().cloned().chain([api]).collect()
    }

    /// Puts its tensors on a device; its kernels have been compiled before.
    pub(crate) fn prepare(&self, device: &mut Device) -> Result<Prepared, Failure> {
        let made = self.manifest.prepare(device, &self.overrides, &Catalogue);
        let made = made.map_err(|error| told(&error))?;
        let mut prepared = made.prepared;
        take(&mut prepared, &self.compiled);
        Ok(prepared)
    }

    /// What was asked for, as far as a manifest says it.
    pub(crate) fn echo(&self, asked: &Request, options: RunOptions) -> record::Request {
        let (first, settings) = (self.first, self.settings);
        let values = self.values.iter().map(|(name, value)| (name.clone(), value.to_string()));
        record::Request {
            operation: asked.name().to_owned(),
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

fn unreadable(name: &str, error: &io::Error) -> Failure {
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
        check_cores(cores, Device::n150().architecture())?;
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

/// Compiled programs, and what compiled them.
type CompiledBy = (Vec<Compiled>, String);

/// What this process has compiled of its manifest, by the cores asked for: a worker that runs it on
/// others, too, cannot compile anything.
static COMPILED: Mutex<BTreeMap<Option<u32>, CompiledBy>> = Mutex::new(BTreeMap::new());

fn compiled_before(cores: Option<u32>) -> Option<CompiledBy> {
    COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get(&cores).cloned()
}

fn keep(cores: Option<u32>, compiled: &[Compiled], by: &str) {
    let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    all.insert(cores, (compiled.to_vec(), by.to_owned()));
}

fn take(prepared: &mut Prepared, compiled: &[Compiled]) {
    for (program, compiled) in prepared.programs.iter_mut().zip(compiled) {
        program.take_compiled(compiled);
    }
}

/// Compiles what has not been compiled before.
fn compile(
    workshop: &Workshop,
    device: &Device,
    prepared: &mut Prepared,
    progress: &Progress,
) -> Result<(), Failure> {
    let show = |done, all| progress.show(&format!("compiling kernels: {done} of {all}"));
    for program in &mut prepared.programs {
        let arch = device.architecture();
        program.compile(arch, workshop, &show).map_err(|error| not_compiled(&error))?;
    }
    Ok(())
}

/// Why kernels could not be compiled.
pub fn not_compiled(error: &CppError) -> Failure {
    match error {
        CppError::Kernels(diagnostics) => {
            let complaint = |it: &Diagnostic| Place {
                file: it.file.clone(),
                line: it.line,
                column: it.column,
                width: 0,
                message: it.message.clone(),
                help: None,
            };
            let places: Vec<Place> = diagnostics.iter().map(complaint).collect();
            Failure::new(counted(places.len(), "the kernels do not compile")).places(places)
        }
        CppError::Compiler(why) => {
            Failure::new(why.clone()).help("`tilewright doctor` shows what this computer has")
        }
        CppError::Io { .. } => Failure::new(error.to_string())
            .help("compiled kernels are kept there; XDG_CACHE_HOME names another folder"),
        CppError::Load(_) => Failure::new(error.to_string()),
    }
}

/// Everything that is wrong with a manifest.
fn told(error: &ManifestError) -> Failure {
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

fn counted(problems: usize, what: &str) -> String {
    let word = if problems == 1 { "problem" } else { "problems" };
    format!("{what}: {problems} {word}")
}

/// What to know of a schedule that another compiler's kernels had: how many blocks of code a kernel
/// runs between two calls is part of it.
pub(crate) fn other_compiler(asked: &Request, here: &str) -> Option<String> {
    let there = asked.compiled_by.as_deref().filter(|there| *there != here)?;
    Some(format!(
        "compiled by {here}, not by {there}: a seed's schedule also depends on the compiler, and \
         this run may be another one"
    ))
}
