//! From units to shared objects: compiled in parallel, kept by content, errors told all at once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::bench::{Bench, at};
use super::compiler::{Compiler, LINK_FLAGS};
use super::diagnostics::{self, Folders};
use super::digest::{self, Digest128};
use super::error::{CppError, Diagnostic, DiagnosticKind};
use super::headers;
use super::lines::SHIM_PREFIX;
use super::precompiled::Precompiled;
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
}

/// Called with how many units are done, and of how many.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// A compiler with a place for its work.
pub struct Workshop {
    compiler: Compiler,
    cache: PathBuf,
    headers: PathBuf,
    folder: PathBuf,
    runtime: PathBuf,
    precompiled: Precompiled,
    jobs: usize,
}

/// What a compilation is for.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    /// An object that runs.
    Object,
    /// What is wrong, and nothing else; the text before the kernel is in this header.
    Survey(&'a Path),
}

/// Missing headers that are passed over to see what else is missing.
const MISSING_HEADERS_MAX: usize = 64;

impl Workshop {
    /// Finds the compiler, writes the headers and compiles the runtime, unless that is done.
    pub fn open(options: &CompileOptions) -> Result<Workshop, CppError> {
        let cache = options.cache.clone().unwrap_or_else(default_cache);
        fs::create_dir_all(&cache).map_err(at(&cache))?;
        let cache = fs::canonicalize(&cache).map_err(at(&cache))?;
        let compiler = Compiler::find(options.cxx.as_deref(), &cache)?;
        let headers = headers::install(&cache).map_err(at(&cache))?;
        let folder = std::env::current_dir().map_err(at(Path::new(".")))?;
        let jobs = match options.jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        };
        let runtime = PathBuf::new();
        let precompiled = Precompiled::default();
        let mut workshop =
            Workshop { compiler, cache, headers, folder, runtime, precompiled, jobs };
        workshop.runtime = workshop.runtime_object()?;
        Ok(workshop)
    }

    /// The compiler.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Makes the objects of units, in their order. Either all are there, or everything that is
    /// wrong with any of them is told.
    pub fn build(&self, units: &[Unit], progress: Progress<'_>) -> Result<Vec<PathBuf>, CppError> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results: Vec<Mutex<Option<Result<PathBuf, CppError>>>> =
            units.iter().map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(units.len()) {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(unit) = units.get(place) else { break };
                        let result = self.object(unit);
                        *results[place].lock().unwrap_or_else(PoisonError::into_inner) =
                            Some(result);
                        progress(done.fetch_add(1, Ordering::Relaxed) + 1, units.len());
                    }
                });
            }
        });
        collect(results.into_iter().map(|slot| {
            slot.into_inner().ok().flatten().expect("every unit was taken by somebody")
        }))
    }

    /// Compiles a unit without keeping anything: what is wrong with it.
    pub fn check(&self, unit: &Unit) -> Result<(), CppError> {
        let bench = Bench::new(&self.cache, &self.key(unit))?;
        self.compile(unit, &bench, Purpose::Object)
    }

    /// As `check`, and quicker: code comes out, without instrumentation, and is thrown away.
    pub fn survey(&self, unit: &Unit) -> Result<(), CppError> {
        let bench = Bench::new(&self.cache, "survey")?;
        let flags = self.survey_flags();
        let before = self.precompiled.of(unit, &self.compiler, &self.cache, &flags)?;
        self.compile(unit, &bench, Purpose::Survey(&before))
    }

    /// Compilations at the same time.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// The object of a unit, from the cache if nothing it depends on has changed.
    fn object(&self, unit: &Unit) -> Result<PathBuf, CppError> {
        let key = self.key(unit);
        let listed = self.cache.join(format!("{key}.deps"));
        if let Ok(list) = fs::read_to_string(&listed) {
            let object = self.kept(&key, list.lines().map(Path::new));
            if object.is_file() {
                return Ok(object);
            }
        }
        let bench = Bench::new(&self.cache, &key)?;
        self.compile(unit, &bench, Purpose::Object)?;
        self.link(unit, &bench)?;
        let dependencies = self.dependencies(&bench)?;
        let object = self.kept(&key, dependencies.iter().map(PathBuf::as_path));
        let made = bench.folder.join("unit.so");
        fs::rename(&made, &object).map_err(at(&object))?;
        let list: Vec<String> =
            dependencies.iter().map(|path| path.display().to_string()).collect();
        let draft = bench.folder.join("deps");
        fs::write(&draft, list.join("\n")).map_err(at(&draft))?;
        fs::rename(&draft, &listed).map_err(at(&listed))?;
        Ok(object)
    }

    /// What decides an object, but for the contents of the user's files.
    fn key(&self, unit: &Unit) -> String {
        let mut digest = Digest128::new();
        for piece in [
            &self.compiler.fingerprint(),
            headers::fingerprint(),
            &unit.text,
            &unit.prelude,
            &unit.descriptors,
            &self.folder.display().to_string(),
            &unit.source.file.display().to_string(),
        ] {
            digest.add(piece.as_bytes());
        }
        for path in &unit.source.include_paths {
            digest.add(path.as_os_str().as_encoded_bytes());
        }
        digest.hex()
    }

    /// Where the object with these dependencies is kept.
    fn kept<'a>(&self, key: &str, files: impl Iterator<Item = &'a Path>) -> PathBuf {
        let mut digest = Digest128::new();
        digest.add(key.as_bytes());
        for file in files {
            digest.add(file.as_os_str().as_encoded_bytes());
            digest.add(&fs::read(file).unwrap_or_default());
        }
        self.cache.join(format!("{}.so", digest.hex()))
    }

    fn compile(&self, unit: &Unit, bench: &Bench, purpose: Purpose<'_>) -> Result<(), CppError> {
        let file = self.folder.join(&unit.source.file);
        let file = fs::canonicalize(&file).map_err(at(&file))?;
        let behind = format!("{}\n#include \"{}\"\n", unit.prelude, file.display());
        match purpose {
            Purpose::Object => {
                bench.write("unit.cpp", &format!("{}{behind}", unit.text))?;
                bench.write("chlkc_descriptors.h", &unit.descriptors)?;
            }
            Purpose::Survey(_) => bench.write("unit.cpp", &behind)?,
        }
        let mut found = BTreeSet::new();
        for _ in 0..MISSING_HEADERS_MAX {
            let output = self.compiler.run(&bench.folder, self.arguments(unit, bench, purpose))?;
            if output.status.success() && found.is_empty() {
                return Ok(());
            }
            let said = String::from_utf8_lossy(&output.stderr);
            let mut more = diagnostics::parse(&unit.kernel, &said, &self.folders(bench));
            if more.is_empty() && !output.status.success() {
                more.push(unparsed(unit, &said));
            }
            let header = more.iter().find_map(|it| match &it.kind {
                DiagnosticKind::MissingHeader(header) => Some(header.clone()),
                DiagnosticKind::MissingName(_) | DiagnosticKind::Other => None,
            });
            found.extend(more);
            match header {
                // An empty one in its place shows what else is missing.
                Some(header) if bench.stand_in(&header)? => {}
                _ => break,
            }
        }
        Err(CppError::Kernels(found.into_iter().collect()))
    }

    fn arguments(&self, unit: &Unit, bench: &Bench, purpose: Purpose<'_>) -> Vec<String> {
        let mut args = match purpose {
            Purpose::Object => self.object_flags(unit, bench),
            Purpose::Survey(before) => {
                let mut flags = self.survey_flags();
                flags.extend(["-include".to_owned(), before.display().to_string()]);
                flags.extend(before.parent().map(|folder| format!("-I{}", folder.display())));
                flags
            }
        };
        let headers = self.headers.display();
        let own = self.folder.join(&unit.source.file);
        let own = own.parent().unwrap_or(Path::new("/")).to_owned();
        let theirs = unit.source.include_paths.iter().map(|path| self.folder.join(path));
        args.push(format!("-I{}", bench.folder.display()));
        args.push(format!("-I{headers}"));
        for path in std::iter::once(own).chain(theirs) {
            args.push(format!("-I{}", path.display()));
        }
        args.push(format!("-I{}", bench.folder.join("missing").display()));
        let ends: &[&str] = match purpose {
            Purpose::Object => &["-MMD", "-MF", "unit.d", "-c", "unit.cpp", "-o", "unit.o"],
            Purpose::Survey(_) => &["-S", "unit.cpp", "-o", "unit.s"],
        };
        args.extend(ends.iter().map(|end| (*end).to_owned()));
        args
    }

    fn object_flags(&self, unit: &Unit, bench: &Bench) -> Vec<String> {
        let mut args: Vec<String> = self.compiler.kernel_flags().map(str::to_owned).collect();
        args.push(format!("-ffile-prefix-map={}/={SHIM_PREFIX}", self.headers.display()));
        args.push(format!("-ffile-prefix-map={}/=", bench.folder.display()));
        if unit.source.file.is_relative() {
            args.push(format!("-ffile-prefix-map={}/=", self.folder.display()));
        }
        args
    }

    /// Flags that a header and whoever includes it precompiled must have in common.
    fn survey_flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = self.compiler.survey_flags().map(str::to_owned).collect();
        flags.push(format!("-I{}", self.headers.display()));
        flags
    }

    fn link(&self, unit: &Unit, bench: &Bench) -> Result<(), CppError> {
        let runtime = self.runtime.display().to_string();
        let args = LINK_FLAGS.iter().copied().chain(["unit.o", &runtime, "-o", "unit.so"]);
        let output = self.compiler.run(&bench.folder, args)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let mut found = diagnostics::parse(&unit.kernel, &said, &self.folders(bench));
        if found.is_empty() {
            found.push(unparsed(unit, &said));
        }
        found.sort();
        found.dedup();
        Err(CppError::Kernels(found))
    }

    /// The user's files that went into a unit.
    fn dependencies(&self, bench: &Bench) -> Result<Vec<PathBuf>, CppError> {
        let list = bench.folder.join("unit.d");
        let text = fs::read_to_string(&list).map_err(at(&list))?;
        let names = text.replace("\\\n", " ");
        let names = names.split_once(':').map_or("", |(_, names)| names);
        let files = names.split_whitespace().map(|name| bench.folder.join(name));
        Ok(files
            .filter(|file| !file.starts_with(&bench.folder) && !file.starts_with(&self.headers))
            .collect())
    }

    fn folders(&self, bench: &Bench) -> Folders {
        Folders {
            known: vec![
                (format!("{}/", self.headers.display()), SHIM_PREFIX.to_owned()),
                (format!("{}/", bench.folder.display()), "generated/".to_owned()),
                (format!("{}/", self.folder.display()), String::new()),
            ],
        }
    }

    /// The runtime's object, compiled once for each compiler and set of headers.
    fn runtime_object(&self) -> Result<PathBuf, CppError> {
        let source = self.headers.join("tilewright/runtime.cpp");
        let known = format!("{}{}", self.compiler.fingerprint(), headers::fingerprint());
        let key = digest::of(known.as_bytes());
        let object = self.cache.join(format!("runtime-{key}.o"));
        if object.is_file() {
            return Ok(object);
        }
        let bench = Bench::new(&self.cache, &key)?;
        let mut args: Vec<String> = self.compiler.runtime_flags().map(str::to_owned).collect();
        args.push(format!("-ffile-prefix-map={}/={SHIM_PREFIX}", self.headers.display()));
        args.push(format!("-I{}", self.headers.display()));
        args.extend(["-c".to_owned(), source.display().to_string()]);
        args.extend(["-o", "runtime.o"].map(str::to_owned));
        let output = self.compiler.run(&bench.folder, args)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let who = self.compiler.version();
            let why = format!("the C++ compiler ({who}) does not compile our runtime: {said}");
            return Err(CppError::Compiler(why));
        }
        fs::rename(bench.folder.join("runtime.o"), &object).map_err(at(&object))?;
        Ok(object)
    }
}

/// All objects, or all complaints; the same complaint of several processors is one.
fn collect(
    results: impl Iterator<Item = Result<PathBuf, CppError>>,
) -> Result<Vec<PathBuf>, CppError> {
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

fn unparsed(unit: &Unit, said: &str) -> Diagnostic {
    Diagnostic {
        kernel: unit.kernel.clone(),
        file: unit.source.file.display().to_string(),
        line: 0,
        column: 0,
        kind: DiagnosticKind::Other,
        message: said.trim().to_owned(),
    }
}

fn default_cache() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    folder.join("tilewright")
}
