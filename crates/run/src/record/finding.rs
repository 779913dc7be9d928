//! A finding as data: its marks, whose fault it is, and what other runs know it by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_check as check;
use tilewright_machine::Site;

use crate::source;

/// Whose fault a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Blame {
    /// The kernel's.
    KernelBug,
    /// The host program's: what it declares does not fit its kernels.
    HostBug,
    /// Nobody's: silicon can do it, the simulator cannot.
    NotModelled,
    /// The simulator's.
    SimulatorBug,
}

impl From<check::Blame> for Blame {
    fn from(blame: check::Blame) -> Blame {
        match blame {
            check::Blame::KernelBug => Blame::KernelBug,
            check::Blame::HostBug => Blame::HostBug,
            check::Blame::NotModelled => Blame::NotModelled,
            check::Blame::SimulatorBug => Blame::SimulatorBug,
        }
    }
}

impl Blame {
    /// The words that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Blame::KernelBug => "kernel bug",
            Blame::HostBug => "host program bug",
            Blame::NotModelled => "not modelled; silicon may do this, the simulator does not",
            Blame::SimulatorBug => "simulator bug; please report it with the line below",
        }
    }
}

/// Something wrong, with its cause and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What kind of finding; ids are stable.
    pub id: String,
    /// What happened, to what.
    pub title: String,
    /// Whose fault it is.
    pub blame: Blame,
    /// How many cores met it at the same place.
    pub count: usize,
    /// The lines that led to it, in causal order.
    pub marks: Vec<Mark>,
    /// What is known, the proof first.
    pub facts: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// What was found besides and only follows from this: ids and titles.
    pub consequences: Vec<String>,
    /// Which program it is of, where several ran one after the other.
    pub program: Option<String>,
    /// The simulated cycle, counted from the beginning of its program, if it is known.
    #[serde(default)]
    pub cycle: Option<u64>,
    /// The seeds of the schedules that show it, ascending; empty where only one was run.
    pub seeds: Vec<u64>,
    /// The command that shows it again and stops there, if it is not the run's.
    pub replay: Option<String>,
    /// The line by which other runs know it; no part of what is printed.
    #[serde(skip)]
    pub distinguished_by: check::FindingLine,
}

impl From<&check::Finding> for Finding {
    fn from(finding: &check::Finding) -> Finding {
        let line = finding.marks.first().map_or(Site::KERNEL, |mark| mark.site);
        Finding {
            id: finding.id.to_string(),
            title: finding.title.clone(),
            blame: finding.blame.into(),
            count: finding.count,
            marks: finding.marks.iter().map(Mark::from).collect(),
            facts: finding.facts.clone(),
            help: finding.help.clone(),
            consequences: finding.consequences.clone(),
            program: finding.program.clone(),
            cycle: finding.cycle.map(|cycle| cycle.0),
            seeds: Vec::new(),
            replay: None,
            distinguished_by: line.into(),
        }
    }
}

/// What a finding is known by in other runs of the same program.
pub type FindingIdentity = check::Identity<String, check::FindingLine>;

/// The identities of a run's findings, in order.
pub fn identities(findings: &[Finding]) -> Vec<FindingIdentity> {
    let mut run = check::Identities::default();
    let identity = |it: &Finding| run.next(it.id.clone(), it.distinguished_by.clone());
    findings.iter().map(identity).collect()
}

impl Finding {
    /// The line of the kernel's own file of the first mark that has one: in a library, the line
    /// that calls it.
    pub fn own_line(&self) -> Option<Caller> {
        let mark = self.marks.iter().find(|mark| mark.line > 0)?;
        let own = mark.called_from.last().map_or(&mark.file, |caller| &caller.file);
        let here = Caller {
            file: mark.file.clone(),
            line: mark.line,
            column: mark.column,
            end_column: mark.end_column,
        };
        std::iter::once(&here).chain(&mark.called_from).find(|it| it.file == *own).cloned()
    }

    /// The marks, each with what it begins with: `(1) ` for the first of several steps of
    /// processors, in causal order; lines of the host are not steps.
    pub fn numbered_marks(&self) -> impl Iterator<Item = (String, &Mark)> {
        let is_step = |mark: &Mark| mark.processor.is_some();
        let has_several = self.marks.iter().filter(|mark| is_step(mark)).count() > 1;
        let mut step = 0;
        self.marks.iter().map(move |mark| {
            step += usize::from(is_step(mark));
            let is_numbered = has_several && is_step(mark);
            (if is_numbered { format!("({step}) ") } else { String::new() }, mark)
        })
    }
}

/// A line of source and its part in a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The file, as the compiler was given it; empty if no line of a kernel caused it.
    pub file: String,
    /// The line, counted from 1; 0 if there is none.
    pub line: u32,
    /// The column where the call starts, counted from 1 in characters; 0 if there is none.
    pub column: u32,
    /// The column behind the call's last character in this line; `column` if it is not known.
    pub end_column: u32,
    /// The calls that led there, the innermost first; the last one is the kernel's own line. Empty
    /// if the kernel itself has the line, and for kernels in Rust.
    pub called_from: Vec<Caller>,
    /// Its part in the finding.
    pub role: String,
    /// The processor that was there, such as `reader`, if one was.
    pub processor: Option<String>,
    /// The core of that processor, such as `(0,0)`.
    pub core: Option<String>,
}

/// A line that calls the function which an earlier line is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Caller {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column where the call starts, counted from 1 in characters; 0 if there is none.
    pub column: u32,
    /// The column behind the call's last character in this line; `column` if it is not known.
    pub end_column: u32,
}

impl From<Site> for Caller {
    fn from(site: Site) -> Caller {
        let end_column = source::end_column(site.file, site.line, site.column);
        let (line, column) = (site.line, site.column);
        Caller { file: site.file.to_owned(), line, column, end_column }
    }
}

impl From<&check::Mark> for Mark {
    fn from(mark: &check::Mark) -> Mark {
        let Caller { file, line, column, end_column } = mark.site.into();
        Mark {
            file,
            line,
            column,
            end_column,
            called_from: mark.site.callers().map(Caller::from).collect(),
            role: mark.role.clone(),
            processor: mark.processor.map(|id| id.processor.to_string()),
            core: mark.processor.map(|id| id.core.to_string()),
        }
    }
}
