//! Tools: groups of checkers that are switched on and off together.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A group of checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// Waits that cannot end, pages and transfers left behind.
    Sync,
    /// The use of Dst.
    Dst,
    /// Bytes that are used while somebody else may still be at them.
    Race,
    /// Uninitialised data.
    Init,
    /// What must be in a result, and how far off it may be.
    Value,
    /// Formats and inits against what is called.
    Format,
    /// What is touched of rings, and when.
    Memory,
}

impl Tool {
    /// Every tool.
    pub const ALL: [Tool; 7] =
        [Tool::Sync, Tool::Race, Tool::Init, Tool::Memory, Tool::Dst, Tool::Format, Tool::Value];

    /// The name that people type.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Sync => "sync",
            Tool::Dst => "dst",
            Tool::Race => "race",
            Tool::Init => "init",
            Tool::Value => "value",
            Tool::Format => "format",
            Tool::Memory => "memory",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The tools that watch a run.
///
/// ```
/// use tilewright_check::{Tool, Tools};
///
/// let tools = Tools::parse("sync,race")?;
/// assert!(tools.has(Tool::Race) && !tools.has(Tool::Dst));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools(BTreeSet<Tool>);

impl Tools {
    /// Every tool.
    pub fn all() -> Tools {
        Tools(Tool::ALL.into())
    }

    /// No tool.
    pub fn none() -> Tools {
        Tools::default()
    }

    /// Reads `all`, `none` or names with commas between them.
    pub fn parse(text: &str) -> Result<Tools, String> {
        match text {
            "all" => return Ok(Tools::all()),
            "none" => return Ok(Tools::none()),
            _ => {}
        }
        let tool = |name: &str| {
            let found = Tool::ALL.into_iter().find(|tool| tool.name() == name);
            found.ok_or_else(|| {
                let names = Tool::ALL.map(Tool::name).join(", ");
                format!("unknown tool `{name}`; expected all, none, or some of {names}")
            })
        };
        text.split(',').map(tool).collect::<Result<_, _>>().map(Tools)
    }

    /// Whether a tool is among them.
    pub fn has(&self, tool: Tool) -> bool {
        self.0.contains(&tool)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Tools {
    type Err = String;

    fn from_str(text: &str) -> Result<Tools, String> {
        Tools::parse(text)
    }
}

impl fmt::Display for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        if *self == Tools::all() {
            return f.write_str("all");
        }
        let names: Vec<&str> = self.0.iter().map(|tool| tool.name()).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        for text in ["all", "none", "sync", "dst", "sync,dst", "init,value", "format,memory"] {
            assert_eq!(Tools::parse(text).map(|tools| tools.to_string()), Ok(text.to_owned()));
        }
        let every = Tool::ALL.map(Tool::name).join(",");
        assert_eq!(Tools::parse(&every), Ok(Tools::all()));
        let wrong = "unknown tool `sink`; expected all, none, or some of sync, ";
        assert!(Tools::parse("dst,sink").is_err_and(|error| error.starts_with(wrong)));
        assert!(Tools::parse("").is_err());
    }
}
