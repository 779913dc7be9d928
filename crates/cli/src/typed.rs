//! Values that are typed in a form of their own: threads, and choices as `name=value`.

use std::str::FromStr;

use crate::host;

/// How many host threads to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// As many as the host has.
    Auto,
    /// So many.
    Count(usize),
}

impl Threads {
    /// The number of threads.
    pub fn count(self) -> usize {
        match self {
            Threads::Auto => host::threads(),
            Threads::Count(count) => count,
        }
    }
}

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Threads, String> {
        match text.parse() {
            Ok(count @ 1..=1024) => Ok(Threads::Count(count)),
            _ if text == "auto" => Ok(Threads::Auto),
            _ => Err("it may be auto, or a number from 1 to 1024".to_owned()),
        }
    }
}

/// A choice as it is typed: `name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The choice.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let halves = text.split_once('=').filter(|(name, _)| !name.is_empty());
        let (name, value) = halves.ok_or("write a choice as name=value")?;
        Ok(Setting { name: name.to_owned(), value: value.to_owned() })
    }
}
