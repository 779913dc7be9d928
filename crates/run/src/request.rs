//! A request: what to run, and how. With the seed it decides everything but the host's time.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tilewright_check::{FindingId, Tools};
use tilewright_metal::{
    Architecture, Cycle, Device, DstSync, Family, NocMode, Prepared, ProgramDescription,
    RunOptions, Shape,
};
use tilewright_tile::{DataFormat, DstWidth, Fidelity};

use crate::injection::Injection;
use crate::keep::Keep;
use crate::outcome::Outcome;
use crate::progress::{FrontEnd, Silent};
use crate::record::{self, Failure};
use crate::words::noc_word;

/// What to run, and how. [`Request::run`] runs it.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to run.
    pub subject: Subject,
    /// The device, as [`Architecture::NAMES`] has them; unless given the subject's own, or an n150.
    ///
    /// [`Architecture::NAMES`]: tilewright_metal::Architecture::NAMES
    pub device: Option<String>,
    /// Sizes of an operation's first input; 1x1x1024x1024 unless given.
    pub shape: Option<Shape>,
    /// Format of an operation's inputs and outputs; bf16 unless given.
    pub format: Option<DataFormat>,
    /// Bits of a value in Dst, unless the operation decides.
    pub dst: Option<DstWidth>,
    /// How math and pack share Dst, unless the operation decides.
    pub sync: Option<DstSync>,
    /// Phases of a product, unless the operation decides.
    pub fidelity: Option<Fidelity>,
    /// The most cores to use; all unless given.
    pub cores: Option<u32>,
    /// The first schedule; 0 is the nominal one. 0, or a capture's own, unless given.
    pub seed: Option<u64>,
    /// How many schedules to run, with seeds from `seed` on.
    pub seeds: u64,
    /// Host threads; they change no result. As many as are useful unless given.
    pub threads: Option<usize>,
    /// When transfers land.
    pub noc: NocMode,
    /// What inputs hold; uniform, or as the manifest says, unless given.
    pub input: Option<Family>,
    /// Values of an operation's inputs, by name; the others are as `input` says.
    pub given: BTreeMap<String, Vec<f32>>,
    /// What a LayerNorm adds to the variance; the operation's own unless given.
    pub epsilon: Option<f32>,
    /// The seed of the inputs.
    pub data_seed: u64,
    /// The tools that watch the run.
    pub check: Tools,
    /// Kinds of findings that are intended.
    pub allow: Vec<FindingId>,
    /// Calls that a processor may make while nothing changes; more are a livelock.
    pub step_budget: u64,
    /// The last cycle that happens; the run's end unless given.
    pub stop_at: Option<Cycle>,
    /// Cycles that a run may take; more are a hang. The machine's own limit unless given.
    pub cycle_limit: Option<u64>,
    /// Choices of an operation, or values of a manifest, by name.
    pub set: Vec<(String, String)>,
    /// The C++ compiler for a manifest's kernels.
    pub cxx: Option<PathBuf>,
    /// The compiler by which a schedule was found.
    pub compiled_by: Option<String>,
    /// The host's time that a kernel may take without a call; no limit unless given.
    pub silence: Option<Duration>,
    /// The host's time for one schedule of a manifest; no limit unless given.
    pub timeout: Option<Duration>,
    /// Where a manifest's kernels run.
    pub isolation: Isolation,
    /// Whether to run a second time on so few cores that every core repeats its loops.
    pub is_repeated_on_few_cores: bool,
    /// Tensors and circular buffers that the outcome holds.
    pub keep: Vec<Keep>,
    /// Whether the outcome also holds every output, after those of `keep`.
    pub keeps_outputs: bool,
    /// Whether the outcome also holds the tensors of a described program that the run has changed.
    pub keeps_changed: bool,
    /// A deliberate fault, to see who notices; the outcome's notes name it.
    pub injection: Option<Injection>,
    /// What the outputs of a described program are compared with.
    pub reference: Option<Reference>,
}

/// A reference by its name, as manifests have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// The operation or reference, as `tilewright list` shows them.
    pub operation: String,
    /// Its choices.
    pub choices: BTreeMap<String, String>,
    /// Which tensor is which of its inputs.
    pub inputs: BTreeMap<String, String>,
    /// Which tensor is which of its outputs; outputs left out are not judged.
    pub outputs: BTreeMap<String, String>,
}

/// Where foreign kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// In a worker process that writes no file, uses no network and starts no process.
    Sandboxed,
    /// In a worker process that may do what this one may.
    Worker,
    /// In this process: a kernel that crashes ends it.
    InProcess,
}

/// What to run.
#[derive(Clone, Debug)]
pub enum Subject {
    /// An operation by its name, a manifest by its file (`.toml`), or a capture by its (`.cap`).
    Named(String),
    /// A program of Rust kernels.
    Own(OwnProgram),
    /// A program as data, with what lies in the device's memory.
    Described(Arc<Described>),
}

/// A program as data, and what its tensors hold when it is launched.
#[derive(Debug)]
pub struct Described {
    /// The program, whose kernels are in C++.
    pub description: ProgramDescription,
    /// The bytes of tensors by name; one that is not named holds nothing yet.
    pub contents: BTreeMap<String, Vec<u8>>,
    /// The command that launches it again.
    pub command: LaunchCommand,
}

/// A command that launches programs, as words of a shell. The seed stands between the two parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchCommand {
    pub(crate) before: Vec<String>,
    pub(crate) subject: Vec<String>,
}

/// Puts tensors on a device and makes programs.
type Prepare = dyn Fn(&mut Device) -> Result<Prepared, Box<dyn Error>> + Send + Sync;

/// A program of Rust kernels, made anew for each schedule.
#[derive(Clone)]
pub struct OwnProgram {
    pub(crate) name: String,
    pub(crate) prepare: Arc<Prepare>,
}

impl fmt::Debug for OwnProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnProgram").field("name", &self.name).finish_non_exhaustive()
    }
}

impl OwnProgram {
    /// A program says itself what an operation is asked for.
    pub(crate) fn echo(&self, device: &str, options: RunOptions) -> record::Request {
        let unknown = || "-".to_owned();
        record::Request {
            operation: self.name.clone(),
            device: device.to_owned(),
            shape: unknown(),
            format: unknown(),
            dst_bits: 0,
            dst_sync: unknown(),
            fidelity: unknown(),
            cores: 0,
            threads: options.threads,
            noc: noc_word(options.noc).to_owned(),
            input: "declared".to_owned(),
            data_seed: 0,
            choices: BTreeMap::new(),
        }
    }
}

impl Request {
    /// An operation, as `tilewright list` shows them, or the file of a manifest or capture.
    pub fn new(name: impl Into<String>) -> Request {
        Request::of(Subject::Named(name.into()))
    }

    /// A program of Rust kernels. `prepare` puts its tensors on the device and builds it; it is
    /// called for each schedule.
    pub fn program(
        name: impl Into<String>,
        prepare: impl Fn(&mut Device) -> Result<Prepared, Box<dyn Error>> + Send + Sync + 'static,
    ) -> Request {
        Request::of(Subject::Own(OwnProgram { name: name.into(), prepare: Arc::new(prepare) }))
    }

    /// A program as data.
    pub fn described(described: Described) -> Request {
        Request::of(Subject::Described(Arc::new(described)))
    }

    fn of(subject: Subject) -> Request {
        Request {
            subject,
            device: None,
            shape: None,
            format: None,
            dst: None,
            sync: None,
            fidelity: None,
            cores: None,
            seed: None,
            seeds: 1,
            threads: None,
            noc: NocMode::Timed,
            input: None,
            given: BTreeMap::new(),
            epsilon: None,
            data_seed: 0,
            check: Tools::all(),
            allow: Vec::new(),
            step_budget: RunOptions::USUAL.step_budget,
            stop_at: None,
            cycle_limit: None,
            set: Vec::new(),
            cxx: None,
            compiled_by: None,
            silence: None,
            timeout: None,
            isolation: Isolation::Sandboxed,
            is_repeated_on_few_cores: false,
            keep: Vec::new(),
            injection: None,
            reference: None,
            keeps_outputs: false,
            keeps_changed: false,
        }
    }

    /// The same request on another device.
    pub fn device(mut self, name: impl Into<String>) -> Request {
        self.device = Some(name.into());
        self
    }

    /// The same request with another shape.
    pub fn shape(mut self, shape: Shape) -> Request {
        self.shape = Some(shape);
        self
    }

    /// The same request with these values for one of an operation's inputs.
    pub fn given(mut self, name: &str, values: Vec<f32>) -> Request {
        self.given.insert(name.to_owned(), values);
        self
    }

    /// The same request under so many schedules.
    pub fn seeds(mut self, seeds: u64) -> Request {
        self.seeds = seeds;
        self
    }

    /// The same request, with a tensor or circular buffer in its outcome.
    pub fn keep(mut self, name: &str) -> Request {
        self.keep.push(Keep::tensor(name));
        self
    }

    /// The same request with a deliberate fault.
    pub fn inject(mut self, injection: Injection) -> Request {
        self.injection = Some(injection);
        self
    }

    /// Runs it, and shows nobody how far it is.
    pub fn run(&self) -> Result<Outcome, Failure> {
        let front: Arc<dyn FrontEnd> = Arc::new(Silent);
        crate::run(self, &front, None)
    }

    /// The table of the device that it asks for; an n150's if it names none.
    pub fn architecture(&self) -> Result<Architecture, Failure> {
        crate::device::architecture(self, None)
    }

    /// The name of what is run.
    pub fn name(&self) -> &str {
        match &self.subject {
            Subject::Named(name) => name,
            Subject::Own(own) => &own.name,
            Subject::Described(described) => &described.description.name,
        }
    }

    /// Whether its kernels are foreign code.
    pub(crate) fn is_foreign(&self) -> bool {
        match &self.subject {
            Subject::Named(name) => crate::foreign::is_meant(name),
            Subject::Own(_) => false,
            Subject::Described(_) => true,
        }
    }

    /// Whether its kernels run in a process of their own.
    pub(crate) fn is_isolated(&self) -> bool {
        self.is_foreign() && self.isolation != Isolation::InProcess
    }

    /// The shape of an operation's first input.
    pub(crate) fn shape_or_usual(&self) -> Shape {
        let usual = || Shape::new(&[1, 1, 1024, 1024]).expect("four sizes");
        self.shape.unwrap_or_else(usual)
    }

    /// The format of an operation's inputs and outputs.
    pub(crate) fn format_or_usual(&self) -> DataFormat {
        self.format.unwrap_or(DataFormat::Bfloat16)
    }

    /// What an operation's inputs hold.
    pub(crate) fn family(&self) -> Family {
        self.input.unwrap_or(Family::Uniform)
    }

    /// How many schedules are run in all.
    pub(crate) fn runs(&self) -> u64 {
        self.seeds.saturating_add(u64::from(self.is_repeated_on_few_cores))
    }
}
