//! The host's C++ compiler: found, asked who it is, and called with our flags.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use super::cache::Cache;
use super::digest;
use super::error::CppError;
use super::headers;

/// Names that are looked for on PATH, in this order.
const NAMES: [&str; 4] = ["g++", "clang++", "c++", "g++-12"];

/// Flags of every compilation. Loops and raw accesses of kernels are shown to us by two
/// instrumentations. Frame pointers and calls that stay calls show who called whom.
const FLAGS: &[&str] = &[
    "-std=gnu++20",
    "-O1",
    "-g1",
    "-gcolumn-info",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fPIC",
    "-fvisibility=hidden",
    "-w",
    "-fno-strict-aliasing",
    "-fno-builtin",
    "-fwrapv",
    "-fno-delete-null-pointer-checks",
    "-fstack-clash-protection",
];

/// Flags of compilations that only show what is wrong. Code must come out: a call of a name that
/// is not served is told when its code is made, so that branches nobody takes do not count.
const SURVEY_FLAGS: &[&str] = &["-std=gnu++20", "-O0", "-w"];

/// Kernels keep pointers in 32 bits, which g++ and clang++ let pass for different words. Without a
/// limit, clang++ too tells all that is missing.
const GCC_DIALECT: &[&str] = &["-fpermissive"];
const CLANG_DIALECT: &[&str] = &["-fms-extensions", "-ferror-limit=0"];

/// Flags of kernels, which the runtime must not have: both instrumentations, and names of their own
/// for volatile accesses. Unless told so, clang++ leaves out blocks that others imply, such as the
/// body of an endless loop. What is constant after a loop of known length, g++ tells only if it is
/// asked after its loop passes, and if no call in the loop has a cleanup.
const GCC_KERNEL: &[&str] = &[
    "-fsanitize-coverage=trace-pc",
    "-fsanitize=thread",
    "--param",
    "tsan-distinguish-volatile=1",
    "--param",
    "tsan-instrument-func-entry-exit=0",
    "-fno-tree-dominator-opts",
];
const CLANG_KERNEL: &[&str] = &[
    "-fsanitize-coverage=trace-pc,no-prune",
    "-fsanitize=thread",
    "-mllvm",
    "-tsan-distinguish-volatile=1",
];

/// Flags of linking: no start files, so that `.data` and `.bss` hold what is the kernel's.
pub(super) const LINK_FLAGS: &[&str] =
    &["-shared", "-nostartfiles", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-z,now"];

/// What compilers read from their environment besides the language of their messages.
pub(super) const ENVIRONMENT: [&str; 6] = [
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "LIBRARY_PATH",
    "SOURCE_DATE_EPOCH",
];

/// A compiler that works.
#[derive(Clone, Debug)]
pub struct Compiler {
    path: PathBuf,
    version: String,
    is_clang: bool,
    adapt: Option<Adapt>,
}

/// Changes a command before it is run.
pub type Adapt = fn(&mut Command);

impl Compiler {
    /// The compiler that was asked for, or that of `CXX`, or the first on PATH. What compilers say
    /// of themselves is kept in `cache`.
    pub(super) fn find(
        asked: Option<&Path>,
        cache: &Cache,
        adapt: Option<Adapt>,
    ) -> Result<Compiler, CppError> {
        let ask = |path: &Path, from: &str| Compiler::known(path, cache, from, adapt);
        if let Some(path) = asked {
            return ask(path, "--cxx");
        }
        if let Some(path) = env::var_os("CXX").filter(|path| !path.is_empty()) {
            return ask(Path::new(&path), "the environment variable CXX");
        }
        let found = NAMES.iter().find_map(|name| ask(Path::new(name), "PATH").ok());
        found.ok_or_else(|| {
            let names = NAMES[..2].join(" or ");
            CppError::Compiler(format!(
                "C++ kernels need a C++20 compiler, and there is no {names} on PATH; install one, \
                 or name it with --cxx or in CXX"
            ))
        })
    }

    /// A compiler's own words from the cache, as long as its file is the same.
    fn known(
        path: &Path,
        cache: &Cache,
        from: &str,
        adapt: Option<Adapt>,
    ) -> Result<Compiler, CppError> {
        let note = executable(path).and_then(|file| note(&file));
        let known = note.as_ref().and_then(|note| cache.read(note));
        let known = known.and_then(|version| String::from_utf8(version).ok());
        let version = match known {
            Some(version) => version,
            None => {
                let version = Compiler::ask(path, from, adapt)?;
                note.iter().for_each(|note| cache.write(note, version.as_bytes()));
                version
            }
        };
        let is_clang = version.contains("clang");
        Ok(Compiler { path: path.to_owned(), version, is_clang, adapt })
    }

    fn ask(path: &Path, from: &str, adapt: Option<Adapt>) -> Result<String, CppError> {
        let refuse = |why: String| {
            let path = path.display();
            CppError::Compiler(format!("the C++ compiler `{path}` (from {from}) {why}"))
        };
        let mut command = Command::new(path);
        command.arg("--version").stdin(Stdio::null());
        adapt.iter().for_each(|adapt| adapt(&mut command));
        let output = command.output().map_err(|error| refuse(format!("cannot be run: {error}")))?;
        if !output.status.success() {
            return Err(refuse("does not tell its version".to_owned()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The first line of what it says of itself.
    pub fn version(&self) -> &str {
        self.version.lines().next().unwrap_or("")
    }

    /// A short name for what decides a kernel's blocks of code, besides its text: the compiler with
    /// its version, our flags and our headers.
    pub fn identity(&self) -> String {
        let kind = if self.is_clang { "clang" } else { "gcc" };
        let is_number = |word: &&str| word.starts_with(|it: char| it.is_ascii_digit());
        let number = self.version().split_whitespace().rfind(is_number);
        let all = format!("{}{}", self.fingerprint(), headers::fingerprint());
        let digest = digest::of(all.as_bytes());
        format!("{kind}-{}-{}", number.unwrap_or("unknown"), &digest[digest.len() - 8..])
    }

    /// All that decides an object's contents besides its text.
    pub(super) fn fingerprint(&self) -> String {
        let mut all = self.version.clone();
        for flag in self.kernel_flags().chain(LINK_FLAGS.iter().copied()) {
            all.push_str(flag);
            all.push('\n');
        }
        all
    }

    /// Flags of kernels.
    pub(super) fn kernel_flags(&self) -> impl Iterator<Item = &'static str> {
        let more = if self.is_clang { CLANG_KERNEL } else { GCC_KERNEL };
        self.runtime_flags().chain(more.iter().copied())
    }

    /// Flags of our own runtime.
    pub(super) fn runtime_flags(&self) -> impl Iterator<Item = &'static str> {
        FLAGS.iter().chain(self.dialect()).copied()
    }

    /// Flags of surveys.
    pub(super) fn survey_flags(&self) -> impl Iterator<Item = &'static str> {
        SURVEY_FLAGS.iter().chain(self.dialect()).copied()
    }

    /// Whether it includes a header where the precompiled one does not fit.
    pub(super) fn falls_back(&self) -> bool {
        !self.is_clang
    }

    fn dialect(&self) -> &'static [&'static str] {
        if self.is_clang { CLANG_DIALECT } else { GCC_DIALECT }
    }

    /// Runs it with arguments.
    pub(super) fn run<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Output, CppError> {
        let mut command = Command::new(&self.path);
        // Messages are read by us: English, without colours or typographic quotes.
        command.args(args).current_dir(folder).env("LC_ALL", "C").stdin(Stdio::null());
        // What it leaves behind when it is killed goes with the folder.
        command.env("TMPDIR", folder);
        self.adapt.iter().for_each(|adapt| adapt(&mut command));
        command.output().map_err(|error| CppError::Io { path: self.path.clone(), error })
    }
}

/// The flag for gold, where the host has it: the usual linker takes a sixth of a compilation, gold
/// a fifth of that.
pub(super) fn faster_linker() -> Option<&'static str> {
    static FLAG: OnceLock<Option<&'static str>> = OnceLock::new();
    *FLAG.get_or_init(|| executable(Path::new("ld.gold")).map(|_| "-fuse-ld=gold"))
}

/// The file that a name stands for, as the host would find it.
fn executable(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return Some(name.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// What the note on a compiler is called: another one as soon as its file is another.
fn note(file: &Path) -> Option<String> {
    let file = fs::canonicalize(file).ok()?;
    let about = fs::metadata(&file).ok()?;
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let known = format!("{} {} {}", file.display(), about.len(), changed.as_nanos());
    Some(format!("compiler-{}.txt", digest::of(known.as_bytes())))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use super::{Cache, Compiler};

    /// A compiler that counts how often it is asked.
    fn counting(folder: &std::path::Path, version: &str) -> PathBuf {
        let file = folder.join("cxx");
        let count = folder.join("asked").display().to_string();
        fs::write(&file, format!("#!/bin/sh\necho x >> {count}\necho {version}\n")).expect("room");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("ours");
        file
    }

    #[test]
    fn a_compiler_is_asked_once_until_its_file_changes() {
        let folder = std::env::temp_dir().join(format!("tilewright-cxx-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("room");
        let asked = || fs::read_to_string(folder.join("asked")).expect("asked").lines().count();
        let cache = Cache::new(Some(folder.join("cache")));
        let find = |file: &PathBuf| Compiler::find(Some(file), &cache, None).expect("it answers");
        let file = counting(&folder, "one");
        assert_eq!((find(&file).version(), find(&file).version(), asked()), ("one", "one", 1));
        let file = counting(&folder, "another");
        assert_eq!((find(&file).version(), asked()), ("another", 2));
        fs::remove_dir_all(&folder).expect("ours");
    }
}
