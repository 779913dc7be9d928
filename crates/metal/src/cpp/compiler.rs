//! The host's C++ compiler: found, asked who it is, and called with our flags.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::error::CppError;

/// Names that are looked for on PATH, in this order.
const NAMES: [&str; 4] = ["g++", "clang++", "c++", "g++-12"];

/// Flags of every compilation. Kernels keep pointers in 32 bits, which `-fpermissive` lets pass;
/// their loops and raw accesses are shown to us by two instrumentations; line tables in version 4
/// are those that `lines` reads.
pub(super) const FLAGS: &[&str] = &[
    "-std=gnu++20",
    "-O1",
    "-g1",
    "-gdwarf-4",
    "-gcolumn-info",
    "-fPIC",
    "-fvisibility=hidden",
    "-fpermissive",
    "-w",
    "-fno-strict-aliasing",
    "-fno-builtin",
    "-fwrapv",
    "-fno-delete-null-pointer-checks",
    "-fstack-clash-protection",
];

/// Flags of compilations that only show what is wrong. Code must come out: a call of a name that
/// is not served is told when its code is made, so that branches nobody takes do not count.
pub(super) const SURVEY_FLAGS: &[&str] = &["-std=gnu++20", "-O0", "-fpermissive", "-w"];

/// Flags of kernels, which the runtime must not have.
pub(super) const KERNEL_FLAGS: &[&str] = &["-fsanitize-coverage=trace-pc", "-fsanitize=thread"];

/// Flags of linking: no start files, so that `.data` and `.bss` hold what is the kernel's.
pub(super) const LINK_FLAGS: &[&str] =
    &["-shared", "-nostartfiles", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-z,now"];

/// A compiler that works.
#[derive(Clone, Debug)]
pub struct Compiler {
    path: PathBuf,
    version: String,
    is_clang: bool,
}

impl Compiler {
    /// The compiler that was asked for, or that of `CXX`, or the first on PATH.
    pub fn find(asked: Option<&Path>) -> Result<Compiler, CppError> {
        if let Some(path) = asked {
            return Compiler::ask(path, "--cxx");
        }
        if let Some(path) = env::var_os("CXX").filter(|path| !path.is_empty()) {
            return Compiler::ask(Path::new(&path), "the environment variable CXX");
        }
        let found = NAMES.iter().find_map(|name| Compiler::ask(Path::new(name), "PATH").ok());
        found.ok_or_else(|| {
            let names = NAMES[..2].join(" or ");
            CppError::Compiler(format!(
                "C++ kernels need a C++20 compiler, and there is no {names} on PATH; install one, \
                 or name it with --cxx or in CXX"
            ))
        })
    }

    fn ask(path: &Path, from: &str) -> Result<Compiler, CppError> {
        let refuse = |why: String| {
            let path = path.display();
            CppError::Compiler(format!("the C++ compiler `{path}` (from {from}) {why}"))
        };
        let output = Command::new(path)
            .arg("--version")
            .output()
            .map_err(|error| refuse(format!("cannot be run: {error}")))?;
        if !output.status.success() {
            return Err(refuse("does not tell its version".to_owned()));
        }
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_clang = version.contains("clang");
        Ok(Compiler { path: path.to_owned(), version, is_clang })
    }

    /// The first line of what it says of itself.
    pub fn version(&self) -> &str {
        self.version.lines().next().unwrap_or("")
    }

    /// All flags that decide an object's contents.
    pub(super) fn fingerprint(&self) -> String {
        let mut all = self.version.clone();
        for flag in FLAGS.iter().chain(self.kernel_flags()).chain(LINK_FLAGS) {
            all.push_str(flag);
            all.push('\n');
        }
        all
    }

    /// Volatile accesses have names of their own, if the compiler can.
    pub(super) fn kernel_flags(&self) -> impl Iterator<Item = &&'static str> {
        const GCC: &[&str] = &["--param", "tsan-distinguish-volatile=1"];
        const CLANG: &[&str] = &["-mllvm", "-tsan-distinguish-volatile=1"];
        KERNEL_FLAGS.iter().chain(if self.is_clang { CLANG } else { GCC })
    }

    /// Runs it with arguments.
    pub(super) fn run<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Output, CppError> {
        let mut command = Command::new(&self.path);
        // Messages are read by us: English, without colours or typographic quotes.
        command.args(args).current_dir(folder).env("LC_ALL", "C");
        command.output().map_err(|error| CppError::Io { path: self.path.clone(), error })
    }
}
