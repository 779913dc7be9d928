//! Findings: what is wrong, where, and whose fault it is.
//!
//! Data only. How it looks is `report`'s business.

use std::fmt;

use tilewright_machine::{Cycle, ProcessorId, Site};

use crate::FindingId;

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Blame {
    /// The kernel's.
    KernelBug,
    /// The host program's: what it declares does not fit its kernels.
    HostBug,
    /// The program may be right; the simulator does not model what it does.
    NotModelled,
    /// The simulator's.
    SimulatorBug,
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Blame::KernelBug => "kernel bug",
            Blame::HostBug => "host program bug",
            Blame::NotModelled => "not modelled",
            Blame::SimulatorBug => "simulator bug",
        })
    }
}

/// A line of source and what it has to do with a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What happened at the line, in a few words.
    pub role: String,
    /// The line.
    pub site: Site,
    /// The processor; none for lines of the host.
    pub processor: Option<ProcessorId>,
}

/// More pages that may help. They are advised once a run with them has completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The rings of which one might do with more pages.
    pub rings: Vec<u8>,
    /// The fewest pages that can do.
    pub least: Option<u32>,
}

/// What a checker knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind it is.
    pub id: FindingId,
    /// Whose fault it is.
    pub blame: Blame,
    /// What happened, and to what.
    pub title: String,
    /// Lines of source, in causal order.
    pub marks: Vec<Mark>,
    /// What else is known, the proof first.
    pub facts: Vec<String>,
    /// When it happened, at its program's clock; one of the facts says it, too.
    pub cycle: Option<Cycle>,
    /// One action that would help.
    pub help: Option<String>,
    /// On how many cores it happened in the same way.
    pub count: usize,
    /// Titles of what was found besides and only follows from this.
    pub consequences: Vec<String>,
    /// Which program it is of, where several ran one after the other.
    pub program: Option<String>,
    /// What may help and has to be tried first.
    pub remedy: Option<Remedy>,
}

impl Finding {
    /// A finding of a kind, on one core, with nothing filled in yet.
    pub(crate) fn of(id: FindingId) -> Finding {
        Finding {
            id,
            blame: id.blame(),
            title: String::new(),
            marks: Vec::new(),
            facts: Vec::new(),
            cycle: None,
            help: None,
            count: 1,
            consequences: Vec::new(),
            program: None,
            remedy: None,
        }
    }

    /// The same with when it happened, which its checker's last fact says.
    pub(crate) fn at(mut self, cycle: Cycle) -> Finding {
        self.facts.push(format!("cycle {cycle}"));
        self.cycle = Some(cycle);
        self
    }
}

/// A line as a help names it: `line 24 of compute.cpp`.
pub(crate) fn line_of(site: Site) -> String {
    if site == Site::KERNEL {
        return "the beginning of the kernel".to_owned();
    }
    let file = site.file.rsplit('/').next().unwrap_or(site.file);
    format!("line {} of {file}", site.line)
}
