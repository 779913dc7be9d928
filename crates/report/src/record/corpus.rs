//! The answer of `tilewright corpus`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
#[cfg(target_os = "linux")]
use tilewright_run::corpus::{Answer, NOTE, OpStrings, Surveyed, Tally};

/// How much of a tree of C++ kernels the headers serve.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Corpus {
    /// Kernels of the compute processors, each compiled for all three.
    pub compute: CorpusRole,
    /// Kernels that move data.
    pub dataflow: CorpusRole,
    /// Operations that hosts write into macros of their kernels, by the host's file. The kernels
    /// are compiled without them.
    pub op_strings: Vec<CorpusOpStrings>,
    /// What is assumed of hosts.
    pub note: String,
    /// The compiler, as it names itself.
    pub compiler: String,
    /// Every kernel that does not compile: its file, and what it wants or why it is refused.
    pub not_compiled: Vec<NotCompiled>,
}

/// The kernels of one role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusRole {
    /// Kernels in all.
    pub total: usize,
    /// Kernels that compile, with no name left that is not served.
    pub compiles: usize,
    /// Names that are not there or not served, and how many kernels want each.
    pub missing: BTreeMap<String, usize>,
    /// Why kernels are not served, and how many.
    pub refused: BTreeMap<String, usize>,
}

/// The operations that one host's file injects into kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusOpStrings {
    /// The file, below the folder that was asked for.
    pub file: String,
    /// Calls in all.
    pub total: usize,
    /// Calls that compile.
    pub served: usize,
    /// Calls that do not.
    pub missing: Vec<String>,
}

/// A kernel that does not compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotCompiled {
    /// The file, below the folder that was asked for.
    pub file: String,
    /// Why it is not served; null if only names are missing.
    pub refused: Option<String>,
    /// Names that are missing, or that are below the interface or beyond the card.
    pub missing: Vec<String>,
}

impl CorpusRole {
    /// Kernels that could be served: all but those that are refused.
    pub fn servable(&self) -> usize {
        self.total - self.refused.values().sum::<usize>()
    }
}

#[cfg(target_os = "linux")]
impl From<&Surveyed> for Corpus {
    fn from(all: &Surveyed) -> Corpus {
        let not_compiled = all.not_compiled.iter().map(|(file, answer)| (file.clone(), answer));
        Corpus {
            compute: (&all.compute).into(),
            dataflow: (&all.dataflow).into(),
            op_strings: all.op_strings.iter().map(CorpusOpStrings::from).collect(),
            note: NOTE.to_owned(),
            compiler: all.compiler.clone(),
            not_compiled: not_compiled.filter_map(|(it, why)| NotCompiled::of(it, why)).collect(),
        }
    }
}

#[cfg(target_os = "linux")]
impl From<&Tally> for CorpusRole {
    fn from(tally: &Tally) -> CorpusRole {
        CorpusRole {
            total: tally.total,
            compiles: tally.compiles,
            missing: tally.missing.clone(),
            refused: tally.refused.clone(),
        }
    }
}

#[cfg(target_os = "linux")]
impl NotCompiled {
    /// A kernel's answer, unless it compiles.
    fn of(file: String, answer: &Answer) -> Option<NotCompiled> {
        match answer {
            Answer::Compiles => None,
            Answer::Refused { why, names } => {
                let missing = names.iter().cloned().collect();
                Some(NotCompiled { file, refused: Some((*why).to_owned()), missing })
            }
            Answer::Missing(names) => {
                let missing = names.iter().cloned().collect();
                Some(NotCompiled { file, refused: None, missing })
            }
        }
    }
}

#[cfg(target_os = "linux")]
impl From<&OpStrings> for CorpusOpStrings {
    fn from(strings: &OpStrings) -> CorpusOpStrings {
        let file = strings.file.display().to_string();
        let missing = strings.calls.iter().filter(|(_, is_served)| !**is_served);
        let missing: Vec<String> = missing.map(|(call, _)| call.clone()).collect();
        let total = strings.calls.len();
        CorpusOpStrings { file, total, served: total - missing.len(), missing }
    }
}
