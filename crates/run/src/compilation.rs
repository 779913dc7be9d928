//! C++ kernels of a subject: compiled once, and given to every program that is made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tilewright_metal::cpp::{
    Cache, CompileOptions, Compiled, CppError, Diagnostic, DiagnosticKind, Workshop,
};
use tilewright_metal::{Device, Prepared};

use crate::ask::Ask;
use crate::guard::{Guard, adapt};
use crate::lock;
use crate::progress::{FrontEnd, Progress, Silent};
use crate::record::{self, Failure};
use crate::request::{Request, Subject};
use crate::worker_link::is_worker;

/// The code of each program's kernels.
pub(crate) struct Compilation {
    programs: Vec<Compiled>,
    /// Who compiled it.
    pub(crate) compiled_by: String,
    /// Why nothing could be kept for the next run, if that is so.
    pub(crate) cache_problem: Option<String>,
}

impl Compilation {
    /// Compiles what has changed since the last time. A worker takes what was compiled before it
    /// was started.
    pub(crate) fn new(
        asked: &Request,
        (device, prepared): (&Device, &mut Prepared),
        progress: &Progress,
    ) -> Result<Compilation, Failure> {
        if is_worker() {
            let before = compiled_before(asked).map(|(programs, compiled_by)| Compilation {
                programs,
                compiled_by,
                cache_problem: None,
            });
            let refused = || Failure::new("the kernels have not been compiled for so many cores");
            return before.ok_or_else(refused);
        }
        let _guard = Guard::share();
        let workshop = workshop(asked.cxx.as_deref())?;
        compile_programs(&workshop, device, prepared, progress)?;
        let programs = prepared.programs.iter().map(|it| it.compiled().clone()).collect();
        let (compiled_by, cache_problem) =
            (workshop.compiler().identity(), workshop.cache().problem());
        let compilation = Compilation { programs, compiled_by, cache_problem };
        keep(asked, &compilation.programs, &compilation.compiled_by);
        Ok(compilation)
    }

    /// The user's files that the code was made from.
    pub(crate) fn files(&self) -> BTreeSet<PathBuf> {
        self.programs.iter().flat_map(Compiled::files).collect()
    }

    /// Gives programs their code.
    pub(crate) fn put_into(&self, prepared: &mut Prepared) {
        for (program, compiled) in prepared.programs.iter_mut().zip(&self.programs) {
            program.take_compiled(compiled);
        }
    }
}

/// Compiles the kernels of a request, so that a run of it finds them in the cache.
pub fn compile(request: &Request) -> Result<(), Failure> {
    let front: Arc<dyn FrontEnd> = Arc::new(Silent);
    let compiled = Ask::new(request, &Progress::new(&front)).map(drop);
    forget(request);
    compiled
}

/// The compilers that this process has found.
static WORKSHOPS: Mutex<BTreeMap<Place, Arc<Workshop>>> = Mutex::new(BTreeMap::new());

/// What decides which compiler is found, and where its work is kept.
type Place = (Option<PathBuf>, Option<OsString>, PathBuf, Option<PathBuf>);

/// The compiler, which is looked for once: a process that runs the same kernels again need not read
/// their files again.
fn workshop(cxx: Option<&Path>) -> Result<Arc<Workshop>, Failure> {
    let options = CompileOptions {
        cxx: cxx.map(Path::to_owned),
        adapt: Some(adapt as _),
        ..CompileOptions::default()
    };
    let place = (
        options.cxx.clone(),
        std::env::var_os("CXX"),
        Cache::new(None).folder().to_owned(),
        std::env::current_dir().ok(),
    );
    let mut all = lock(&WORKSHOPS);
    if let Some(known) = all.get(&place) {
        return Ok(Arc::clone(known));
    }
    let workshop = Workshop::open(&options).map_err(|error| not_compiled(&error))?;
    let workshop = Arc::new(workshop);
    all.insert(place, Arc::clone(&workshop));
    Ok(workshop)
}

/// The user's files from which this process has compiled the kernels of a request, if it has.
pub fn compiled_sources(asked: &Request) -> BTreeSet<PathBuf> {
    let programs = compiled_before(asked).map(|(programs, _)| programs).unwrap_or_default();
    programs.iter().flat_map(Compiled::files).collect()
}

/// Compiled programs, and what compiled them.
type CompiledBy = (Vec<Compiled>, String);

/// What kernels depend on besides files: the subject, the cores asked for, and values that are set.
type Key = (String, Option<u32>, Vec<(String, String)>);

/// What this process has compiled, for the workers that it starts: they cannot compile anything.
static COMPILED: Mutex<BTreeMap<Key, CompiledBy>> = Mutex::new(BTreeMap::new());

fn key(asked: &Request) -> Key {
    let name = match &asked.subject {
        Subject::Named(_) | Subject::Own(_) => asked.name().to_owned(),
        // Alive as long as the request, so that no other one is there.
        Subject::Described(described) => format!("{:p}", Arc::as_ptr(described)),
    };
    (name, asked.cores, asked.set.clone())
}

fn compiled_before(asked: &Request) -> Option<CompiledBy> {
    lock(&COMPILED).get(&key(asked)).cloned()
}

fn keep(asked: &Request, compiled: &[Compiled], by: &str) {
    let mut all = lock(&COMPILED);
    all.insert(key(asked), (compiled.to_vec(), by.to_owned()));
}

/// Does something while nobody else can take a lock of this module.
pub(crate) fn hold_locks(work: impl FnOnce()) {
    let _held = (lock(&WORKSHOPS), lock(&COMPILED));
    work();
}

/// Drops the code of a subject that has been run.
pub(crate) fn forget(asked: &Request) {
    lock(&COMPILED).remove(&key(asked));
}

/// Compiles what has not been compiled before.
fn compile_programs(
    workshop: &Workshop,
    device: &Device,
    prepared: &mut Prepared,
    progress: &Progress,
) -> Result<(), Failure> {
    let show = |done: usize, all: usize| progress.bar("kernels compiled", done as u64, all as u64);
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
            let complaint = |it: &Diagnostic| record::Place {
                file: it.file.clone(),
                line: it.line,
                column: it.column,
                width: 0,
                message: it.message.clone(),
                help: missing_header(it),
            };
            let places: Vec<record::Place> = diagnostics.iter().map(complaint).collect();
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

/// Where a header is that was not found, if that can be said.
fn missing_header(it: &Diagnostic) -> Option<String> {
    let DiagnosticKind::MissingHeader(header) = &it.kind else { return None };
    if let Some(folder) = folder_nearby(Path::new(&it.file), header) {
        let folder = folder.display();
        return Some(format!(
            "{folder} has it: name that folder, by `-I {folder}` or by `include` in a manifest"
        ));
    }
    is_of_vector_code(it).then(|| VECTOR_CODE.to_owned())
}

/// Which folder around a source file has a header: beside its own folder, or one deeper.
fn folder_nearby(source: &Path, header: &str) -> Option<PathBuf> {
    let above = source.parent()?.parent()?;
    let folders = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> =
            entries.map(|it| it.path()).filter(|it| it.is_dir()).collect();
        found.sort();
        found
    };
    let beside = folders(above);
    let deeper = beside.iter().flat_map(|folder| folders(folder)).collect::<Vec<_>>();
    let mut all = std::iter::once(above.to_owned()).chain(beside).chain(deeper);
    all.find(|folder| folder.join(header).is_file())
}

/// Vector code of tt-metal is no part of the kernel API that we serve.
const VECTOR_CODE: &str = "this is tt-metal's own vector code, which is taken from its tree: run \
    the kernel inside a tt-metal clone (tt_metal/hw and tt_metal/tt-llk), or name one in \
    TT_METAL_HOME or as a folder for headers";

/// Whether a header is missing that only tt-metal's own tree has.
fn is_of_vector_code(it: &Diagnostic) -> bool {
    let parts = ["llk_", "ckernel_", "sfpu"];
    it.message.contains("No such file") && parts.iter().any(|part| it.message.contains(part))
}

pub(crate) fn counted(problems: usize, what: &str) -> String {
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tilewright_metal::cpp::{CppError, Diagnostic, DiagnosticKind};

    use super::not_compiled;

    #[test]
    fn a_header_that_is_nearby_is_named_with_its_folder() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let help = |header: &str| {
            let complaint = Diagnostic {
                kernel: "compute".to_owned(),
                file: examples.join("eltwise/compute.cpp").display().to_string(),
                line: 1,
                column: 1,
                kind: DiagnosticKind::MissingHeader(header.to_owned()),
                message: format!("{header}: No such file or directory"),
            };
            not_compiled(&CppError::Kernels(vec![complaint])).places[0].help.clone()
        };
        let folder = examples.join("tutorial");
        assert!(help("mistakes.h").is_some_and(|it| it.starts_with(&folder.display().to_string())));
        assert!(help("copy/kernels/reader.cpp").is_some_and(|it| it.contains("host has it")));
        assert!(help("llk_math.h").is_some_and(|it| it.contains("TT_METAL_HOME")));
        assert_eq!(help("nowhere.h"), None);
    }
}
