//! Where in a kernel's source an event was caused.

use std::fmt;
use std::panic::Location;

/// File, line and column of the call that caused an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The file as the compiler was given it.
    pub file: &'static str,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

impl Site {
    /// The place of the caller, through every `#[track_caller]` function between.
    #[track_caller]
    pub fn here() -> Site {
        Site::from(Location::caller())
    }

    /// The start or end of a kernel, which no line of it caused.
    pub const KERNEL: Site = Site { file: "", line: 0, column: 0 };
}

impl From<&'static Location<'static>> for Site {
    fn from(location: &'static Location<'static>) -> Site {
        Site { file: location.file(), line: location.line(), column: location.column() }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
