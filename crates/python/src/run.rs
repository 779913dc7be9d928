//! Runs one description: its tensors are put on a chip of its own, and copied back.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tilewright_check::{Loss, Session, lost_worker};
use tilewright_metal::cpp::{CompileOptions, CppError, Workshop};
use tilewright_metal::{
    Architecture, Capture, Device, DeviceTensor, Observer, Prepared, Program, ProgramDescription,
    RunOptions, Storage,
};
use tilewright_report::record::RunVerdict;
use tilewright_run::Witness as _;
use tilewright_run::grade::FaultLister;
use tilewright_run::supervision::{Ending, Limits, supervise};

use crate::contents::Contents;
use crate::device::{failed, invalid};
use crate::outcome::Record;
use crate::request::Options;

/// Time without a call or a step of any kernel after which a run is given up.
const SILENCE: Duration = Duration::from_secs(20);

/// Tensors' contents by name.
type Tensors = BTreeMap<String, Contents>;

/// Why there is no outcome.
type Failure = Box<dyn std::error::Error>;

/// Runs a program. `contents` maps names of tensors to address and size of their bytes, which are
/// replaced.
#[pyfunction]
pub fn run(
    description: &str,
    options: &str,
    contents: BTreeMap<String, (usize, usize)>,
) -> PyResult<String> {
    let options: Options = serde_json::from_str(options).map_err(invalid)?;
    let description = ProgramDescription::from_json(description).map_err(failed)?;
    let tensors = contents.into_iter().map(|(name, (at, size))| (name, Contents::new(at, size)));
    let mut tensors: Tensors = tensors.collect();
    let program = compiled(description, &options).map_err(failed)?;
    let record = if options.is_forked {
        forked(&program, &options, &mut tensors)
    } else {
        simulated(&program, &options, &mut tensors)
    };
    serde_json::to_string(&record.map_err(failed)?).map_err(invalid)
}

/// A program with its tensors as they are and the sources of its kernels: the bytes of a capture.
#[pyfunction]
pub fn capture<'py>(
    py: Python<'py>,
    description: &str,
    options: &str,
    contents: BTreeMap<String, (usize, usize)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let options: Options = serde_json::from_str(options).map_err(invalid)?;
    let description = ProgramDescription::from_json(description).map_err(failed)?;
    let tensors = contents.into_iter().map(|(name, (at, size))| (name, Contents::new(at, size)));
    let program = compiled(description, &options).map_err(failed)?;
    let mut device = Device::named(&options.device).map_err(failed)?;
    put(&program, &mut device, &options, &tensors.collect()).map_err(failed)?;
    let (name, prepared) = (program.name().to_owned(), Prepared::from(program));
    let capture = Capture::new(&name, &prepared, &mut device, options.seed).map_err(failed)?;
    Ok(PyBytes::new(py, &capture.to_bytes().map_err(failed)?))
}

/// Compiles a program's kernels, so that a run finds them in the cache.
#[pyfunction]
pub fn compile(description: &str, options: &str) -> PyResult<()> {
    let options: Options = serde_json::from_str(options).map_err(invalid)?;
    let description = ProgramDescription::from_json(description).map_err(failed)?;
    compiled(description, &options).map(drop).map_err(failed)
}

/// Checks a description and compiles its kernels.
fn compiled(description: ProgramDescription, options: &Options) -> Result<Program, Failure> {
    static WORKSHOPS: Mutex<BTreeMap<Option<String>, Workshop>> = Mutex::new(BTreeMap::new());
    let arch = Architecture::named(&options.device)?;
    let in_l1 = description.tensors.iter().filter(|it| it.memory.storage == Storage::L1);
    let l1_end = in_l1.map(|tensor| tensor.address).min().unwrap_or(arch.l1_bytes);
    let mut program = Program::on(description, &arch, l1_end)?;
    let mut workshops = WORKSHOPS.lock().unwrap_or_else(PoisonError::into_inner);
    if !workshops.contains_key(&options.cxx) {
        let cxx = options.cxx.as_ref().map(PathBuf::from);
        let asked = CompileOptions { cxx, ..CompileOptions::default() };
        workshops.insert(options.cxx.clone(), Workshop::open(&asked)?);
    }
    let workshop = &workshops[&options.cxx];
    program.compile(&arch, workshop, &|_, _| {}).map_err(|error| complaint(&error))?;
    Ok(program)
}

/// Everything that the compiler says, one line each.
fn complaint(error: &CppError) -> Failure {
    let CppError::Kernels(diagnostics) = error else { return error.to_string().into() };
    let mut text = "the kernels do not compile:".to_owned();
    for it in diagnostics {
        text.push_str(&format!("\n{}:{}:{}: {}", it.file, it.line, it.column, it.message));
    }
    text.into()
}

/// Runs a compiled program in this process.
fn simulated(
    program: &Program,
    options: &Options,
    tensors: &mut Tensors,
) -> Result<Record, Failure> {
    let injection = options.injection()?;
    let changed = injection.as_ref().and_then(|it| it.changed(program));
    let program = changed.as_ref().unwrap_or(program);
    let mut device = Device::named(&options.device)?;
    let placed = put(program, &mut device, options, tensors)?;
    program.load(&mut device)?;
    let mut session = Session::new(program, &options.tools());
    #[expect(clippy::disallowed_methods, reason = "the user asks how fast the simulation is")]
    let started = Instant::now();
    let mut observers: Vec<&mut dyn Observer> = Vec::new();
    if session.is_watching() {
        observers.push(&mut session);
    }
    let mut lister = FaultLister::default();
    if options.lists_faults {
        lister.begin(program);
        observers.push(lister.observer());
    }
    let edit = injection.as_ref().and_then(|it| it.edit(0));
    let asked = RunOptions { edit, ..options.run_options() };
    let outcome = program.run(&mut device, asked, &mut observers)?;
    let wall_seconds = started.elapsed().as_secs_f64();
    for (name, tensor) in &placed {
        if let Some(contents) = tensors.get_mut(name) {
            contents.replace(tensor.to_host(&mut device)?.bytes());
        }
    }
    let report = session.report(program, &outcome);
    let mut record = Record::of(program, &outcome, report, options, wall_seconds);
    if options.lists_faults {
        lister.end(&outcome);
        record.faults = lister.listed();
    }
    Ok(record)
}

/// Puts the tensors where the description says, with contents if they have any.
fn put(
    program: &Program,
    device: &mut Device,
    options: &Options,
    tensors: &Tensors,
) -> Result<Vec<(String, DeviceTensor)>, Failure> {
    let mut placed = Vec::new();
    for described in &program.description().tensors {
        let contents = tensors.get(&described.name);
        let contents = contents.filter(|_| options.filled.contains(&described.name));
        let tensor = described.put(device, contents.map(Contents::bytes))?;
        placed.push((described.name.clone(), tensor));
    }
    Ok(placed)
}

/// Runs a compiled program in a process of its own, whatever becomes of that.
fn forked(program: &Program, options: &Options, tensors: &mut Tensors) -> Result<Record, Failure> {
    let timeout = options.timeout.filter(|it| *it > 0.0).map(Duration::from_secs_f64);
    let limits = Limits { timeout, silence: Some(SILENCE), runs: 1, memory_bytes: None };
    let work = |_link| {
        let _running = tilewright_metal::cpp::worker::Running::begin();
        let answer = simulated(program, options, tensors).map_err(|error| error.to_string());
        serde_json::to_vec(&answer).unwrap_or_default()
    };
    let outcome = supervise(limits, true, |_| {}, work)?;
    let mut record = match outcome.ending {
        Ending::Finished(bytes) => serde_json::from_slice::<Result<Record, String>>(&bytes)??,
        Ending::Lost(lost) => {
            let verdict = match lost.loss {
                Loss::Silent(_) | Loss::TimeLimit(_) => RunVerdict::Hang,
                Loss::Ended(_) => RunVerdict::Fail,
            };
            Record::lost(&lost_worker(&lost), verdict, options)
        }
        Ending::OutOfMemory(_) => return Err("the run ran out of this computer's memory".into()),
        Ending::Failed(what) => return Err(format!("the simulator itself failed: {what}").into()),
    };
    for stream in [&outcome.printed.stdout, &outcome.printed.stderr] {
        record.printed.extend(stream.text().lines().map(str::to_owned));
    }
    Ok(record)
}
