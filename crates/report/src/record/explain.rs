//! The answer of `tilewright explain`.

use schemars::JsonSchema;
use serde::Serialize;
use tilewright_check::FindingId;

/// What findings mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explain {
    /// Those asked for.
    pub findings: Vec<Manual>,
}

/// One kind of finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Manual {
    /// Its stable name.
    pub id: String,
    /// The tool that finds it, as `--check` takes it; null for what ends a run anyway.
    pub tool: Option<String>,
    /// What it is, in a sentence.
    pub about: String,
    /// What it finds, why that matters and what to do instead, in Markdown.
    pub manual: String,
}

impl Explain {
    /// The manuals of these kinds.
    pub fn new(ids: &[FindingId]) -> Explain {
        let manual = |id: &FindingId| Manual {
            id: id.name().to_owned(),
            tool: id.tool().map(|tool| tool.name().to_owned()),
            about: id.summary(),
            manual: id.manual(),
        };
        Explain { findings: ids.iter().map(manual).collect() }
    }
}
