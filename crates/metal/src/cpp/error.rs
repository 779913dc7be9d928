//! Why C++ kernels cannot run: no compiler, or what the compiler says, line by line.

use std::fmt;
use std::path::PathBuf;

/// Why kernels could not be compiled or loaded.
#[derive(Debug)]
pub enum CppError {
    /// There is no C++ compiler, or it does not work.
    Compiler(String),
    /// The kernels do not compile: everything the compiler has to say, in the order of kernels.
    Kernels(Vec<Diagnostic>),
    /// A file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// An object that was compiled cannot be loaded.
    Load(String),
}

/// What a diagnostic is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiagnosticKind {
    /// A name that no header declares, or that is declared and has no body.
    MissingName(String),
    /// A header that is not there.
    MissingHeader(String),
    /// Anything else.
    Other,
}

/// One complaint of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The kernel.
    pub kernel: String,
    /// The file, as the user named it.
    pub file: String,
    /// The line, 0 if there is none.
    pub line: u32,
    /// The column, 0 if there is none.
    pub column: u32,
    /// What it is about.
    pub kind: DiagnosticKind,
    /// The compiler's words.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        match &self.kind {
            DiagnosticKind::MissingName(name) => {
                write!(f, "`{name}` is not there ({})", self.message)
            }
            DiagnosticKind::MissingHeader(name) => write!(f, "there is no header `{name}`"),
            DiagnosticKind::Other => f.write_str(&self.message),
        }
    }
}

impl fmt::Display for CppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CppError::Compiler(why) | CppError::Load(why) => f.write_str(why),
            CppError::Kernels(diagnostics) => {
                for (place, diagnostic) in diagnostics.iter().enumerate() {
                    let separator = if place == 0 { "" } else { "\n" };
                    write!(f, "{separator}{diagnostic}")?;
                }
                Ok(())
            }
            CppError::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for CppError {}
