//! From units to shared objects: compiled in parallel, kept by content, errors told all at once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::build_folder::{BuildFolder, at};
use super::cache::{Cache, Scratch};
use super::compile::{Purpose, unparsed};
use super::compiler::{self, Adapt, Compiler, LINK_FLAGS};
use super::dependencies::{self, Files};
use super::diagnostics;
use super::digest;
use super::error::CppError;
use super::headers;
use super::lines::{SHIM_PREFIX, UNIT_FOLDER};
use super::object::Code;
use super::precompiled::{self, Precompiled};
use super::recent::{Recent, Stamps};
use super::roots::Roots;
use super::tree;
use super::unit::Unit;

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// The compiler; otherwise that of `CXX`, or the first on PATH.
    pub cxx: Option<PathBuf>,
    /// Where objects are kept; otherwise `tilewright` in the user's folder for caches.
    pub cache: Option<PathBuf>,
    /// Compilations at the same time; 0 means as many as the host has processors.
    pub jobs: usize,
    /// Called with every command before it is run, such as to have it end with this process.
    pub adapt: Option<Adapt>,
}

/// Where the object of a unit is put once it is made.
type Slot = OnceLock<Result<Arc<Code>, CppError>>;

/// Called with how many units are done, and of how many.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// A compiler with a place for its work.
pub struct Workshop {
    pub(super) compiler: Compiler,
    pub(super) cache: Cache,
    pub(super) folder: PathBuf,
    /// The headers and the runtime's object, once something is compiled.
    tools: OnceLock<Tools>,
    making_tools: Mutex<()>,
    precompiled: Precompiled,
    pub(super) recent: Recent,
    /// How many objects were compiled.
    compiled: AtomicUsize,
    jobs: usize,
}

/// What every compilation needs.
pub(super) struct Tools {
    /// Where compilations have their folders.
    pub(super) scratch: PathBuf,
    pub(super) headers: PathBuf,
    /// The folder with the standard library's headers, if they are precompiled.
    pub(super) standard: Option<PathBuf>,
    runtime: Vec<u8>,
    /// What is removed with the workshop, where the cache cannot hold the above.
    _own: Option<Scratch>,
}

/// An object that was just made.
pub(super) struct Made {
    pub(super) bytes: Vec<u8>,
    /// The files that went into it, but for ours.
    pub(super) files: Vec<PathBuf>,
    /// Whether one of them has changed since.
    pub(super) is_outdated: bool,
}

/// How often a unit is compiled whose files change meanwhile.
const COMPILATIONS_MAX: usize = 3;

impl Workshop {
    /// Finds the compiler. Nothing is written before something must be compiled.
    pub fn open(options: &CompileOptions) -> Result<Workshop, CppError> {
        let cache = Cache::new(options.cache.clone());
        let compiler = Compiler::find(options.cxx.as_deref(), &cache, options.adapt)?;
        let folder = std::env::current_dir().map_err(at(Path::new(".")))?;
        let jobs = match options.jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        };
        let (tools, making_tools) = (OnceLock::new(), Mutex::new(()));
        let (precompiled, recent) = (Precompiled::default(), Recent::default());
        let compiled = AtomicUsize::new(0);
        Ok(Workshop {
            compiler,
            cache,
            folder,
            tools,
            making_tools,
            precompiled,
            recent,
            compiled,
            jobs,
        })
    }

    /// Where objects are kept.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Writes the headers and compiles the runtime, unless that is done.
    fn tools(&self) -> Result<&Tools, CppError> {
        let _one = self.making_tools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tools) = self.tools.get() {
            return Ok(tools);
        }
        let (scratch, own) = match self.cache.scratch() {
            Ok(_) => (self.cache.folder().to_owned(), None),
            Err(error) => {
                self.cache.complain(&error);
                let place = std::env::temp_dir();
                let own = Scratch::new(&place).map_err(at(&place))?;
                (own.0.clone(), Some(own))
            }
        };
        let scratch = fs::canonicalize(&scratch).map_err(at(&scratch))?;
        let headers = headers::install(&scratch).map_err(at(&scratch))?;
        let runtime = self.runtime_object(&scratch, &headers)?;
        let standard = precompiled::standard(&self.compiler, &scratch)?;
        Ok(self.tools.get_or_init(|| Tools { scratch, headers, standard, runtime, _own: own }))
    }

    /// The compiler.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Makes the objects of units, in their order. Either all are there, or everything that is
    /// wrong with any of them is told.
    pub fn build(
        &self,
        units: &[Unit],
        progress: Progress<'_>,
    ) -> Result<Vec<Arc<Code>>, CppError> {
        let before = self.compiled.load(Ordering::Relaxed);
        let (mut stamps, files) = (Stamps::default(), Files::default());
        let mut recent = |unit| match self.recent.find(&self.place_key(unit), &mut stamps) {
            Some(code) => Slot::from(Ok(code)),
            None => Slot::new(),
        };
        let results: Vec<Slot> = units.iter().map(&mut recent).collect();
        let slots = results.iter().zip(units);
        let missing: Vec<_> = slots.filter(|(slot, _)| slot.get().is_none()).collect();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(units.len() - missing.len()));
        let work = || {
            while let Some((slot, unit)) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                slot.get_or_init(|| self.object(unit, &files));
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, units.len());
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(missing.len()) {
                scope.spawn(work);
            }
        });
        if self.compiled.load(Ordering::Relaxed) > before {
            self.cache.trim();
        }
        collect(results.into_iter().map(|it| it.into_inner().expect("every unit was taken")))
    }

    /// Compiles a unit without keeping anything: what is wrong with it.
    pub fn check(&self, unit: &Unit) -> Result<(), CppError> {
        let tools = self.tools()?;
        let build_folder = BuildFolder::new(&tools.scratch)?;
        self.compile(unit, &build_folder, tools, Purpose::Object(&Roots::default()))
    }

    /// As `check`, and quicker: code comes out, without instrumentation, and is thrown away.
    pub fn survey(&self, unit: &Unit) -> Result<(), CppError> {
        let tools = self.tools()?;
        let build_folder = BuildFolder::new(&tools.scratch)?;
        let flags = self.survey_flags(tools);
        let before = self.precompiled.of(unit, &self.compiler, &tools.scratch, &flags)?;
        self.compile(unit, &build_folder, tools, Purpose::Survey(&before))
    }

    /// Where compilations have their folders.
    pub(super) fn scratch_folder(&self) -> Result<PathBuf, CppError> {
        if self.cache.scratch().is_err() {
            return self.tools().map(|tools| tools.scratch.clone());
        }
        let folder = self.cache.folder();
        fs::canonicalize(folder).map_err(at(folder))
    }

    /// Makes what every kernel needs, so that it is there when the first is compiled. What is wrong
    /// with it is told then.
    pub(super) fn make_ready(&self) {
        drop(self.tools());
    }

    /// Compilations at the same time.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Compiles and links a unit. Its object calls the folders of `roots` by their numbers.
    pub(super) fn make(&self, unit: &Unit, roots: &Roots) -> Result<Made, CppError> {
        self.compiled.fetch_add(1, Ordering::Relaxed);
        let tools = self.tools()?;
        let mut turns = COMPILATIONS_MAX;
        loop {
            turns -= 1;
            let build_folder = BuildFolder::new(&tools.scratch)?;
            self.compile(unit, &build_folder, tools, Purpose::Object(roots))?;
            self.link(unit, &build_folder, tools)?;
            let files = self.dependencies(&build_folder, tools)?;
            let made = build_folder.path.join("unit.so");
            let is_outdated = build_folder.is_outdated(&made, &files);
            if is_outdated && turns > 0 {
                continue;
            }
            let bytes = fs::read(&made).map_err(at(&made))?;
            return Ok(Made { bytes, files, is_outdated });
        }
    }

    /// The folders that a unit's author names for headers.
    fn included(&self, unit: &Unit) -> Vec<PathBuf> {
        unit.source.include_paths.iter().map(|path| self.folder.join(path)).collect()
    }

    /// Where headers of a unit are looked for, after ours.
    pub(super) fn searched(&self, unit: &Unit, file: &Path) -> Vec<PathBuf> {
        let mut folders = self.included(unit);
        if unit.source.text.is_none() {
            let own = self.folder.join(&unit.source.file);
            folders.insert(0, own.parent().unwrap_or(Path::new("/")).to_owned());
            folders.extend(file.parent().map(Path::to_owned));
        }
        // A kernel that lies in no tree takes the vector functions of the one that the user names.
        let home = std::env::var_os("TT_METAL_HOME").map(PathBuf::from);
        let places = folders.iter().map(PathBuf::as_path).chain(home.as_deref());
        let vector = tree::vector_folders(unit.chip_folder, places);
        folders.extend(vector);
        folders
    }

    /// Whether the tree of a unit has vector functions.
    pub(super) fn has_vector_functions(&self, unit: &Unit, file: &Path) -> bool {
        let folders = self.searched(unit, file);
        !tree::vector_folders(unit.chip_folder, folders.iter().map(PathBuf::as_path)).is_empty()
    }

    fn link(&self, unit: &Unit, build_folder: &BuildFolder, tools: &Tools) -> Result<(), CppError> {
        build_folder.write("runtime.o", &tools.runtime)?;
        let link = |linker: Option<&'static str>| {
            let args = LINK_FLAGS.iter().copied().chain(linker);
            let args = args.chain(["unit.o", "runtime.o", "-o", "unit.so"]);
            self.compiler.run(&build_folder.path, args)
        };
        if let Some(faster) = compiler::faster_linker()
            && link(Some(faster))?.status.success()
        {
            return Ok(());
        }
        // What the default linker says of a kernel is what `diagnostics` reads.
        let output = link(None)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let mut found = diagnostics::parse(&unit.kernel, &said, &self.folders(build_folder, tools));
        if found.is_empty() {
            found.push(unparsed(unit, &said));
        }
        found.sort();
        found.dedup();
        Err(CppError::Kernels(found))
    }

    /// The files that went into a unit, but for ours.
    fn dependencies(
        &self,
        build_folder: &BuildFolder,
        tools: &Tools,
    ) -> Result<Vec<PathBuf>, CppError> {
        let list = build_folder.path.join("unit.d");
        let rule = fs::read(&list).map_err(at(&list))?;
        let files = dependencies::parse_rule(&rule).into_iter();
        let files = files.map(|name| build_folder.path.join(name));
        let ours = [&build_folder.path, &tools.headers].into_iter().chain(&tools.standard);
        let ours: Vec<&PathBuf> = ours.collect();
        Ok(files.filter(|file| !ours.iter().any(|folder| file.starts_with(folder))).collect())
    }

    /// The runtime's object, compiled once for each compiler and set of headers.
    fn runtime_object(&self, build_folder: &Path, headers: &Path) -> Result<Vec<u8>, CppError> {
        let source = headers.join("tilewright/runtime.cpp");
        let (compiler, all) = (self.compiler.fingerprint(), headers::fingerprint());
        let known = format!("{compiler}{all}{SHIM_PREFIX}{UNIT_FOLDER}");
        let entry = format!("runtime-{}.o", digest::of(known.as_bytes()));
        if let Some(object) = self.cache.read(&entry) {
            return Ok(object);
        }
        let build_folder = BuildFolder::new(build_folder)?;
        let mut args: Vec<String> = self.compiler.runtime_flags().map(str::to_owned).collect();
        args.push(format!("-ffile-prefix-map={}={SHIM_PREFIX}", headers.display()));
        args.push(format!("-ffile-prefix-map={}={UNIT_FOLDER}", build_folder.path.display()));
        args.push(format!("-I{}", headers.display()));
        args.extend(["-c".to_owned(), source.display().to_string()]);
        args.extend(["-o", "runtime.o"].map(str::to_owned));
        let output = self.compiler.run(&build_folder.path, args)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let who = self.compiler.version();
            let why = format!("the C++ compiler ({who}) does not compile our runtime: {said}");
            return Err(CppError::Compiler(why));
        }
        let made = build_folder.path.join("runtime.o");
        let object = fs::read(&made).map_err(at(&made))?;
        self.cache.write(&entry, &object);
        Ok(object)
    }
}

/// All objects, or all complaints; the same complaint of several processors is one.
fn collect(
    results: impl Iterator<Item = Result<Arc<Code>, CppError>>,
) -> Result<Vec<Arc<Code>>, CppError> {
    let (mut objects, mut wrong) = (Vec::new(), BTreeSet::new());
    for result in results {
        match result {
            Ok(object) => objects.push(object),
            Err(CppError::Kernels(diagnostics)) => wrong.extend(diagnostics),
            Err(other) => return Err(other),
        }
    }
    if wrong.is_empty() { Ok(objects) } else { Err(CppError::Kernels(wrong.into_iter().collect())) }
}
