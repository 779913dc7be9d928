//! Where in a kernel's source an event was caused, and by which calls.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;

/// File, line and column of the call that caused an event.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The file as the compiler was given it.
    pub file: &'static str,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
    /// Where the function with this line was called, if that is known: of C++ kernels, up to the
    /// kernel's entry. Rust knows one caller only, which is this site itself.
    pub caller: Option<&'static Site>,
}

impl Site {
    /// The place of the caller, through every `#[track_caller]` function between.
    #[inline]
    #[track_caller]
    pub fn here() -> Site {
        Site::from(Location::caller())
    }

    /// The start or end of a kernel, which no line of it caused.
    pub const KERNEL: Site = Site::new("", 0, 0);

    /// A place without a caller.
    pub const fn new(file: &'static str, line: u32, column: u32) -> Site {
        Site { file, line, column, caller: None }
    }

    /// Whether both are the same place, whoever called the function that it is in.
    pub fn is_at(&self, other: &Site) -> bool {
        (self.line, self.column, self.file) == (other.line, other.column, other.file)
    }

    /// The calls that led here, the innermost first.
    pub fn callers(self) -> impl Iterator<Item = Site> {
        std::iter::successors(self.caller, |site| site.caller).copied()
    }
}

/// Mostly the same file or caller is the same text in memory.
impl PartialEq for Site {
    #[inline]
    fn eq(&self, other: &Site) -> bool {
        let is_same_file = || std::ptr::eq(self.file, other.file) || self.file == other.file;
        let is_same_caller = || match (self.caller, other.caller) {
            (None, None) => true,
            (Some(caller), Some(other)) => std::ptr::eq(caller, other) || caller == other,
            (None, Some(_)) | (Some(_), None) => false,
        };
        (self.line, self.column) == (other.line, other.column) && is_same_file() && is_same_caller()
    }
}

impl Hash for Site {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.file, self.line, self.column, self.caller).hash(state);
    }
}

impl From<&'static Location<'static>> for Site {
    #[inline]
    fn from(location: &'static Location<'static>) -> Site {
        Site::new(location.file(), location.line(), location.column())
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
