//! Programs for this computer: a C++ file with a `main`, compiled against headers and a runtime
//! that the caller brings, kept by content as kernels are.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tilewright_machine::Site;

use super::build_folder::{BuildFolder, at};
use super::compiler::ENVIRONMENT;
use super::dependencies::{self, Files, Search};
use super::diagnostics;
use super::digest::Digest128;
use super::elf::Elf;
use super::error::{CppError, Diagnostic, DiagnosticKind};
use super::headers::HeaderSet;
use super::host_flags::{DIALECT, FLAGS, RUNTIME_FLAGS};
use super::lines::{Lines, SHIM_PREFIX, UNIT_FOLDER};
use super::precompiled;
use super::roots::Roots;
use super::stack::Calls;
use super::workshop::Workshop;

/// The file of a program.
const PROGRAM: &str = "program";
/// How the names of programs in the cache end.
const PROGRAMS: &str = ".program";

/// What a program is made of.
#[derive(Clone, Copy, Debug)]
pub struct ExecutableParts<'a> {
    /// The file with `main`.
    pub file: &'a Path,
    /// The headers that it is compiled against.
    pub headers: HeaderSet,
    /// What of them is compiled and linked to it.
    pub runtime: Runtime,
    /// Where its own headers are looked for, after the folder of the file.
    pub include_paths: &'a [PathBuf],
    /// Further arguments for the compiler and the linker.
    pub arguments: &'a [String],
}

/// Files among a program's headers that are compiled once and linked to programs.
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// What every program needs.
    pub core: &'static str,
    /// What only those need that use headers of `folders`.
    pub more: &'static str,
    /// Folders of headers whose users need more.
    pub folders: &'static [&'static str],
    /// What of it was compiled already, beside this command.
    pub prebuilt: &'static [Prebuilt],
}

/// A file of a runtime, compiled when this command was built. It serves the compiler that made it.
#[derive(Clone, Copy, Debug)]
pub struct Prebuilt {
    /// The file among the headers.
    pub file: &'static str,
    /// The first line of what the compiler says of its version.
    pub compiler: &'static str,
    /// The object.
    pub object: &'static [u8],
}

/// A program that was compiled, and a file to start it by, which is removed with it.
pub struct Executable {
    bytes: Vec<u8>,
    build_folder: BuildFolder,
}

impl Executable {
    /// The file.
    pub fn path(&self) -> PathBuf {
        self.build_folder.path.join(PROGRAM)
    }

    /// A folder for what belongs to one run of it.
    pub fn folder(&self) -> &Path {
        &self.build_folder.path
    }

    /// The line of addresses behind calls, the innermost first; counted from the program's start.
    pub fn site(&self, addresses: &[usize]) -> Option<Site> {
        // Lines are read where they lie, and never given up.
        let elf = Elf::parse(self.bytes.clone().leak())?;
        let mut calls = Calls::NONE;
        addresses.iter().filter(|address| **address > 0).for_each(|it| calls.add(*it));
        Lines::of(&elf, Roots::default()).site(0, calls.fingerprint(), || calls)
    }
}

impl Workshop {
    /// Compiles a program, unless nothing that it depends on has changed.
    pub fn executable(&self, parts: &ExecutableParts<'_>) -> Result<Executable, CppError> {
        let key = self.executable_key(parts);
        let listed = format!("{key}.deps");
        let known = self.cache().read(&listed).map(|list| dependencies::decode(&list));
        let known = known.and_then(|used| self.executable_entry(parts, &key, &used));
        if let Some(bytes) = known.and_then(|entry| self.cache().read(&entry)) {
            return self.started_from(bytes);
        }
        let place = self.scratch_folder()?;
        let headers = parts.headers.install(&place).map_err(at(&place))?;
        let build_folder = BuildFolder::new(&place)?;
        let standard = precompiled::found_for_host(&self.compiler, &place, &host_flags());
        // Other flags may make other headers of it.
        let standard = standard.filter(|_| parts.arguments.iter().all(|it| is_for_linker(it)));
        let runtime = std::thread::scope(|scope| {
            let compiled = |file| match self.prebuilt(&parts.runtime, file) {
                Some(object) => Ok(object.to_vec()),
                None => self.host_runtime((parts.headers, file), &place, &headers),
            };
            let core = scope.spawn(move || compiled(parts.runtime.core));
            scope.spawn(|| self.make_ready());
            // Beside the second program: the first is not to wait for it, and may be the last.
            if standard.is_none() && self.cache().has_any(PROGRAMS) {
                scope.spawn(|| precompiled::make_for_host(&self.compiler, &place, &host_flags()));
            }
            self.compile_program(parts, &build_folder, (&headers, standard.as_deref()))?;
            let more = self.needs_more(parts, &build_folder, &headers)?;
            let more = more.then(|| compiled(parts.runtime.more)).transpose()?;
            let core = core.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok::<_, CppError>(std::iter::once(core).chain(more).collect::<Vec<_>>())
        })?;
        let names: Vec<String> =
            (0..runtime.len()).map(|number| format!("runtime{number}.o")).collect();
        for (name, object) in names.iter().zip(runtime) {
            build_folder.write(name, object)?;
        }
        self.link_program(parts, &build_folder, (&headers, &names))?;
        let made = build_folder.path.join(PROGRAM);
        let bytes = fs::read(&made).map_err(at(&made))?;
        let ours = [&build_folder.path, &headers].into_iter().chain(&standard);
        let used = used_files(&build_folder, &ours.collect::<Vec<_>>())?;
        let entry = self.executable_entry(parts, &key, &used);
        if let Some(entry) = entry.filter(|_| !build_folder.is_outdated(&made, &used)) {
            self.cache().write(&entry, &bytes);
            self.cache().write(&listed, &dependencies::encode(&used));
        }
        Ok(Executable { bytes, build_folder })
    }

    /// A program that somebody else has compiled.
    pub fn compiled_elsewhere(&self, file: &Path) -> Result<Executable, CppError> {
        self.started_from(fs::read(file).map_err(at(file))?)
    }

    /// A program with a file of its own.
    fn started_from(&self, bytes: Vec<u8>) -> Result<Executable, CppError> {
        let place = self.cache().scratch().map(|_| self.cache().folder().to_owned());
        let build_folder = BuildFolder::new(&place.unwrap_or_else(|_| std::env::temp_dir()))?;
        build_folder.write(PROGRAM, &bytes)?;
        let file = build_folder.path.join(PROGRAM);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).map_err(at(&file))?;
        Ok(Executable { bytes, build_folder })
    }

    /// The flags for a program and the folder with its headers, for other build systems.
    pub fn executable_flags(&self, headers: HeaderSet) -> Result<(Vec<String>, PathBuf), CppError> {
        let place = self.scratch_folder()?;
        let folder = headers.install(&place).map_err(at(&place))?;
        Ok((FLAGS.iter().chain(DIALECT).map(|flag| (*flag).to_owned()).collect(), folder))
    }

    /// The object of a runtime, for other build systems.
    pub fn executable_runtime(
        &self,
        headers: HeaderSet,
        runtime: &'static str,
    ) -> Result<Vec<u8>, CppError> {
        let place = self.scratch_folder()?;
        let folder = headers.install(&place).map_err(at(&place))?;
        self.host_runtime((headers, runtime), &place, &folder)
    }

    /// What decides a program, but for the contents of the user's files.
    fn executable_key(&self, parts: &ExecutableParts<'_>) -> String {
        let mut digest = Digest128::new();
        let flags = FLAGS.iter().chain(DIALECT).copied();
        let words = [self.compiler.version(), &parts.headers.fingerprint(), SHIM_PREFIX];
        words.into_iter().chain(flags).for_each(|piece| digest.add(piece.as_bytes()));
        parts.arguments.iter().for_each(|argument| digest.add(argument.as_bytes()));
        let paths = std::iter::once(parts.file).chain(parts.include_paths.iter().map(|it| &**it));
        paths.chain([&*self.folder]).for_each(|it| digest.add(it.as_os_str().as_encoded_bytes()));
        for name in ENVIRONMENT {
            digest.add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
        }
        digest.hex()
    }

    /// What the program with these dependencies is kept under.
    fn executable_entry(
        &self,
        parts: &ExecutableParts<'_>,
        key: &str,
        used: &[PathBuf],
    ) -> Option<String> {
        let mut searched = self.searched_folders(parts);
        searched.extend(parts.file.parent().map(|folder| self.folder.join(folder)));
        let mut digest = Digest128::new();
        digest.add(key.as_bytes());
        let (roots, headers) = (&Roots::default(), parts.headers);
        let search = Search { folders: &searched, roots, headers };
        digest.add(Files::default().fingerprint(used, &search)?.as_bytes());
        Some(format!("{}{PROGRAMS}", digest.hex()))
    }

    fn searched_folders(&self, parts: &ExecutableParts<'_>) -> Vec<PathBuf> {
        parts.include_paths.iter().map(|path| self.folder.join(path)).collect()
    }

    /// The flags of every compilation against these headers.
    fn host_flags(&self, build_folder: &BuildFolder, headers: &Path) -> Vec<OsString> {
        let flags = FLAGS.iter().chain(DIALECT).map(OsString::from);
        let map = |folder: &Path, shown: &str| {
            OsString::from(format!("-ffile-prefix-map={}={shown}", folder.display()))
        };
        let maps = [map(headers, SHIM_PREFIX), map(&build_folder.path, UNIT_FOLDER)];
        let own = OsString::from(format!("-I{}", headers.display()));
        flags.chain(maps).chain([own]).collect()
    }

    fn compile_program(
        &self,
        parts: &ExecutableParts<'_>,
        build_folder: &BuildFolder,
        (headers, standard): (&Path, Option<&Path>),
    ) -> Result<(), CppError> {
        let file = self.folder.join(parts.file);
        let file = fs::canonicalize(&file).map_err(at(&file))?;
        let mut args = self.host_flags(build_folder, headers);
        // A precompiled header must come first.
        if let Some(standard) = standard {
            args.extend(["-include".into(), precompiled::header(standard).into()]);
        }
        if parts.file.is_relative() {
            // Lines are told as the user named the file.
            args.push(format!("-fmacro-prefix-map={}/=", self.folder.display()).into());
        }
        let searched = self.searched_folders(parts).into_iter();
        args.extend(searched.map(|it| OsString::from(format!("-I{}", it.display()))));
        args.extend(parts.arguments.iter().filter(|it| !is_for_linker(it)).map(OsString::from));
        args.extend(["-MD", "-MFunit.d", "-MTunit.o", "-c", "-o", "unit.o"].map(OsString::from));
        args.extend(["-x".into(), "c++".into(), file.into_os_string()]);
        self.run_for(parts.file, (build_folder, headers), args)
    }

    fn link_program(
        &self,
        parts: &ExecutableParts<'_>,
        build_folder: &BuildFolder,
        (headers, runtime): (&Path, &[String]),
    ) -> Result<(), CppError> {
        let mut args: Vec<OsString> = runtime.iter().map(OsString::from).collect();
        args.extend(["unit.o", "-pthread", "-o", PROGRAM].map(OsString::from));
        let more = parts.arguments.iter().filter(|it| is_for_linker(it)).map(OsString::from);
        args.extend(more);
        self.run_for(parts.file, (build_folder, headers), args)
    }

    /// Whether a program that was compiled uses headers that need more of the runtime.
    fn needs_more(
        &self,
        parts: &ExecutableParts<'_>,
        build_folder: &BuildFolder,
        headers: &Path,
    ) -> Result<bool, CppError> {
        let files = read_rule(build_folder)?;
        let is_one = |file: &PathBuf| {
            let mut folders = parts.runtime.folders.iter();
            folders.any(|folder| file.starts_with(headers.join(folder)))
        };
        Ok(files.iter().any(is_one))
    }

    /// Runs the compiler; what it says is a failure unless it succeeds.
    fn run_for(
        &self,
        file: &Path,
        (build_folder, headers): (&BuildFolder, &Path),
        args: Vec<OsString>,
    ) -> Result<(), CppError> {
        let output = self.compiler.run(&build_folder.path, args)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let name = file.display().to_string();
        let known = diagnostics::Folders {
            known: vec![
                (format!("{}/", headers.display()), diagnostics::SHIM.to_owned()),
                (format!("{}/", build_folder.path.display()), diagnostics::GENERATED.to_owned()),
                (format!("{}/", self.folder.display()), String::new()),
            ],
        };
        let mut found = diagnostics::parse(&name, &said, &known);
        if found.is_empty() {
            let (kind, message) = (DiagnosticKind::Other, said.trim().to_owned());
            let (kernel, file) = (name.clone(), name);
            found.push(Diagnostic { kernel, file, line: 0, column: 0, kind, message });
        }
        Err(CppError::Kernels(found))
    }

    /// The object of a runtime's file, if this compiler has made it for this command.
    fn prebuilt(&self, runtime: &Runtime, file: &str) -> Option<&'static [u8]> {
        let is_it = |it: &&Prebuilt| it.file == file && it.compiler == self.compiler.version();
        runtime.prebuilt.iter().find(is_it).map(|it| it.object)
    }

    /// The object of the runtime, compiled once for each compiler and set of headers.
    fn host_runtime(
        &self,
        (set, runtime): (HeaderSet, &'static str),
        place: &Path,
        headers: &Path,
    ) -> Result<Vec<u8>, CppError> {
        let mut digest = Digest128::new();
        let words = [self.compiler.version(), &set.fingerprint(), runtime];
        let flags = FLAGS.iter().chain(DIALECT).chain(RUNTIME_FLAGS).copied();
        words.into_iter().chain(flags).for_each(|it| digest.add(it.as_bytes()));
        let entry = format!("host-runtime-{}.o", digest.hex());
        if let Some(object) = self.cache().read(&entry) {
            return Ok(object);
        }
        let build_folder = BuildFolder::new(place)?;
        let mut args = self.host_flags(&build_folder, headers);
        args.extend(RUNTIME_FLAGS.iter().chain(&["-c", "-o", "runtime.o"]).map(OsString::from));
        args.push(headers.join(runtime).into_os_string());
        self.run_for(Path::new(runtime), (&build_folder, headers), args)?;
        let made = build_folder.path.join("runtime.o");
        let object = fs::read(&made).map_err(at(&made))?;
        self.cache().write(&entry, &object);
        Ok(object)
    }
}

/// Flags of programs that decide what a header means.
fn host_flags() -> Vec<&'static str> {
    FLAGS.iter().chain(DIALECT).copied().collect()
}

/// The files that went into a program, but for those in folders of ours.
fn used_files(build_folder: &BuildFolder, ours: &[&PathBuf]) -> Result<Vec<PathBuf>, CppError> {
    let files = read_rule(build_folder)?.into_iter();
    Ok(files.filter(|file| !ours.iter().any(|folder| file.starts_with(folder))).collect())
}

/// All files that a program was compiled from.
fn read_rule(build_folder: &BuildFolder) -> Result<Vec<PathBuf>, CppError> {
    let list = build_folder.path.join("unit.d");
    let rule = fs::read(&list).map_err(at(&list))?;
    let files = dependencies::parse_rule(&rule).into_iter();
    Ok(files.map(|name| build_folder.path.join(name)).collect())
}

/// Whether an argument says what to link.
fn is_for_linker(argument: &str) -> bool {
    argument.starts_with("-l") || argument.starts_with("-L") || argument.starts_with("-Wl,")
}
