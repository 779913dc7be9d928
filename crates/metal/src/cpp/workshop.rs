//! From units to shared objects: compiled in parallel, kept by content, errors told all at once.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::bench::{Bench, at};
use super::compiler::{Compiler, ENVIRONMENT, LINK_FLAGS};
use super::dependencies::{self, Files};
use super::diagnostics::{self, Folders};
use super::digest::{self, Digest128};
use super::error::{CppError, Diagnostic, DiagnosticKind};
use super::headers;
use super::lines::{SHIM_PREFIX, UNIT_FOLDER};
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
/// How often a unit is compiled whose files change meanwhile.
const COMPILATIONS_MAX: usize = 3;
/// The file with what comes before a kernel.
const BEFORE: &str = "unit.h";

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
        let files = Files::default();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results: Vec<Mutex<Option<Result<PathBuf, CppError>>>> =
            units.iter().map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(units.len()) {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(unit) = units.get(place) else { break };
                        let result = self.object(unit, &files);
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
    fn object(&self, unit: &Unit, files: &Files) -> Result<PathBuf, CppError> {
        let key = self.key(unit);
        let listed = self.cache.join(format!("{key}.deps"));
        if let Ok(list) = fs::read(&listed) {
            let object = self.kept(unit, &key, &dependencies::decode(&list), files);
            if let Some(object) = object.filter(|object| object.is_file()) {
                return Ok(object);
            }
        }
        let mut turns = COMPILATIONS_MAX;
        loop {
            turns -= 1;
            let bench = Bench::new(&self.cache, &key)?;
            self.compile(unit, &bench, Purpose::Object)?;
            self.link(unit, &bench)?;
            let used = self.dependencies(&bench)?;
            let made = bench.folder.join("unit.so");
            let is_outdated = bench.is_outdated(&made, &used);
            if is_outdated && turns > 0 {
                continue;
            }
            // Files are read again: what was known of them may be older than the object.
            let object = self.kept(unit, &key, &used, &Files::default());
            let object = match object.filter(|_| !is_outdated) {
                Some(object) => object,
                None => self.unkept(&made)?,
            };
            fs::rename(&made, &object).map_err(at(&object))?;
            let draft = bench.folder.join("deps");
            fs::write(&draft, dependencies::encode(&used)).map_err(at(&draft))?;
            fs::rename(&draft, &listed).map_err(at(&listed))?;
            return Ok(object);
        }
    }

    /// What decides an object, but for the contents of the user's files.
    fn key(&self, unit: &Unit) -> String {
        let mut digest = Digest128::new();
        for piece in [
            &self.compiler.fingerprint(),
            headers::fingerprint(),
            SHIM_PREFIX,
            UNIT_FOLDER,
            &unit.text,
            &unit.prelude,
            &unit.descriptors,
        ] {
            digest.add(piece.as_bytes());
        }
        let paths = [&self.folder, &unit.source.file].into_iter().chain(&unit.source.include_paths);
        for path in paths {
            digest.add(path.as_os_str().as_encoded_bytes());
        }
        for name in ENVIRONMENT {
            digest.add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
        }
        digest.hex()
    }

    /// Where the object with these dependencies is kept; nothing if they do not tell its contents.
    fn kept(&self, unit: &Unit, key: &str, used: &[PathBuf], files: &Files) -> Option<PathBuf> {
        let file = fs::canonicalize(self.folder.join(&unit.source.file)).ok()?;
        if !used.contains(&file) {
            return None;
        }
        let mut digest = Digest128::new();
        digest.add(key.as_bytes());
        digest.add(files.fingerprint(used, &self.searched(unit, &file))?.as_bytes());
        Some(self.cache.join(format!("{}.so", digest.hex())))
    }

    /// Where an object lies that nobody will look for.
    fn unkept(&self, made: &Path) -> Result<PathBuf, CppError> {
        let content = fs::read(made).map_err(at(made))?;
        Ok(self.cache.join(format!("{}.so", digest::of(&content))))
    }

    /// Where headers of a unit are looked for, after ours.
    fn searched(&self, unit: &Unit, file: &Path) -> Vec<PathBuf> {
        let own = self.folder.join(&unit.source.file);
        let own = own.parent().unwrap_or(Path::new("/")).to_owned();
        let theirs = unit.source.include_paths.iter().map(|path| self.folder.join(path));
        let beside = file.parent().map(Path::to_owned);
        std::iter::once(own).chain(theirs).chain(beside).collect()
    }

    fn compile(&self, unit: &Unit, bench: &Bench, purpose: Purpose<'_>) -> Result<(), CppError> {
        let file = self.folder.join(&unit.source.file);
        let file = fs::canonicalize(&file).map_err(at(&file))?;
        match purpose {
            Purpose::Object => {
                bench.write(BEFORE, &format!("{}{}\n", unit.text, unit.prelude))?;
                bench.write("chlkc_descriptors.h", &unit.descriptors)?;
            }
            Purpose::Survey(_) => bench.write(BEFORE, &format!("{}\n", unit.prelude))?,
        }
        let mut found = BTreeSet::new();
        for _ in 0..MISSING_HEADERS_MAX {
            let args = self.arguments(unit, &file, bench, purpose);
            let output = self.compiler.run(&bench.folder, args)?;
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

    fn arguments(
        &self,
        unit: &Unit,
        file: &Path,
        bench: &Bench,
        purpose: Purpose<'_>,
    ) -> Vec<OsString> {
        let mut args = match purpose {
            Purpose::Object => self.object_flags(unit, bench),
            Purpose::Survey(before) => {
                let mut flags: Vec<OsString> =
                    self.survey_flags().into_iter().map(OsString::from).collect();
                flags.extend(["-include".into(), before.into()]);
                flags.extend(before.parent().map(|folder| joined("-I", folder)));
                flags
            }
        };
        // The kernel is the file that is compiled: no `#include` can spell every path.
        args.extend(["-include", BEFORE].map(OsString::from));
        args.extend([&bench.folder, &self.headers].map(|folder| joined("-I", folder)));
        args.extend(self.searched(unit, file).iter().map(|folder| joined("-I", folder)));
        args.push(joined("-I", &bench.folder.join("missing")));
        let ends: &[&str] = match purpose {
            Purpose::Object => &["-MD", "-MF", "unit.d", "-MT", "unit.o", "-c", "-o", "unit.o"],
            Purpose::Survey(_) => &["-S", "-o", "unit.s"],
        };
        args.extend(ends.iter().map(OsString::from));
        args.extend(["-x".into(), "c++".into(), file.into()]);
        args
    }

    fn object_flags(&self, unit: &Unit, bench: &Bench) -> Vec<OsString> {
        let mut args: Vec<OsString> = self.compiler.kernel_flags().map(OsString::from).collect();
        let mut map = |flag: &str, folder: &Path, shown: &str| {
            let mut flag = joined(flag, folder);
            flag.push(format!("={shown}"));
            args.push(flag);
        };
        map("-ffile-prefix-map=", &self.headers, SHIM_PREFIX);
        map("-ffile-prefix-map=", &bench.folder, UNIT_FOLDER);
        if unit.source.file.is_relative() {
            // Not for lines: compilers differ in which of several maps they follow.
            map("-fmacro-prefix-map=", &self.folder.join(""), "");
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

    /// The files that went into a unit, but for ours.
    fn dependencies(&self, bench: &Bench) -> Result<Vec<PathBuf>, CppError> {
        let list = bench.folder.join("unit.d");
        let rule = fs::read(&list).map_err(at(&list))?;
        let files = dependencies::parse_rule(&rule).into_iter();
        let files = files.map(|name| bench.folder.join(name));
        Ok(files
            .filter(|file| !file.starts_with(&bench.folder) && !file.starts_with(&self.headers))
            .collect())
    }

    fn folders(&self, bench: &Bench) -> Folders {
        Folders {
            known: vec![
                (format!("{}/", self.headers.display()), "tilewright/shim/".to_owned()),
                (format!("{}/", bench.folder.display()), "generated/".to_owned()),
                (format!("{}/", self.folder.display()), String::new()),
            ],
        }
    }

    /// The runtime's object, compiled once for each compiler and set of headers.
    fn runtime_object(&self) -> Result<PathBuf, CppError> {
        let source = self.headers.join("tilewright/runtime.cpp");
        let (compiler, headers) = (self.compiler.fingerprint(), headers::fingerprint());
        let known = format!("{compiler}{headers}{SHIM_PREFIX}{UNIT_FOLDER}");
        let key = digest::of(known.as_bytes());
        let object = self.cache.join(format!("runtime-{key}.o"));
        if object.is_file() {
            return Ok(object);
        }
        let bench = Bench::new(&self.cache, &key)?;
        let mut args: Vec<String> = self.compiler.runtime_flags().map(str::to_owned).collect();
        args.push(format!("-ffile-prefix-map={}={SHIM_PREFIX}", self.headers.display()));
        args.push(format!("-ffile-prefix-map={}={UNIT_FOLDER}", bench.folder.display()));
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

/// A flag and its path as one argument.
fn joined(flag: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push(path);
    argument
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
