//! The answer of `tilewright replay`: a run, and where it was when it was stopped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_check::pause;
use tilewright_machine::Processor;

use super::run::Run;

/// A run up to a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replay {
    /// What came of it until then.
    #[serde(flatten)]
    pub run: Run,
    /// Where it was; null if every kernel had returned.
    pub pause: Option<Pause>,
}

/// Where a run was when it was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// The last cycle that happened, counted from the program's launch.
    pub cycle: u64,
    /// The program that was under way.
    pub program: String,
    /// Its cores.
    pub cores: Vec<PausedCore>,
}

/// A core of a stopped run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PausedCore {
    /// The core, such as `(0,0)`.
    pub core: String,
    /// Its processors that have a kernel.
    pub processors: Vec<PausedProcessor>,
    /// Its circular buffers.
    pub buffers: Vec<PausedBuffer>,
    /// Who has Dst; null without a compute kernel.
    pub dst: Option<String>,
}

/// A processor of a stopped run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PausedProcessor {
    /// The processor, such as `reader`.
    pub processor: String,
    /// What it does, in words that follow its name.
    pub doing: String,
    /// The file of the call it is in or made last; empty if there is none.
    pub file: String,
    /// The line, counted from 1; 0 if there is none.
    pub line: u32,
    /// The column, counted from 1; 0 if there is none.
    pub column: u32,
    /// Its clock.
    pub cycle: u64,
}

/// A circular buffer of a stopped run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PausedBuffer {
    /// What the program calls it.
    pub name: String,
    /// Pages it has.
    pub pages: u32,
    /// Pages that a consumer can see.
    pub visible: u32,
    /// Pages that a producer can reserve.
    pub free: u32,
    /// Who has pushed how many, such as `12 by reader`; empty if nobody has.
    pub pushed: String,
    /// Who has popped how many.
    pub popped: String,
}

impl From<&pause::Pause> for Pause {
    fn from(pause: &pause::Pause) -> Pause {
        let cores = pause.cores.iter().map(PausedCore::from).collect();
        Pause { cycle: pause.cycle.0, program: pause.program.clone(), cores }
    }
}

impl From<&pause::PausedCore> for PausedCore {
    fn from(core: &pause::PausedCore) -> PausedCore {
        PausedCore {
            core: core.core.to_string(),
            processors: core.processors.iter().map(PausedProcessor::from).collect(),
            buffers: core.buffers.iter().map(PausedBuffer::from).collect(),
            dst: core.dst.clone(),
        }
    }
}

impl From<&pause::PausedProcessor> for PausedProcessor {
    fn from(it: &pause::PausedProcessor) -> PausedProcessor {
        PausedProcessor {
            processor: it.id.processor.to_string(),
            doing: it.doing.clone(),
            file: it.site.file.to_owned(),
            line: it.site.line,
            column: it.site.column,
            cycle: it.cycle.0,
        }
    }
}

impl From<&pause::PausedBuffer> for PausedBuffer {
    fn from(buffer: &pause::PausedBuffer) -> PausedBuffer {
        let by = |counts: &[u64; 5]| {
            let counts = Processor::ALL.into_iter().zip(counts).filter(|(_, pages)| **pages > 0);
            let texts = counts.map(|(processor, pages)| format!("{pages} by {processor}"));
            texts.collect::<Vec<_>>().join(", ")
        };
        PausedBuffer {
            name: buffer.name.clone(),
            pages: buffer.ledger.config.pages,
            visible: buffer.ledger.visible,
            free: buffer.ledger.free,
            pushed: by(&buffer.ledger.pushed_by),
            popped: by(&buffer.ledger.popped_by),
        }
    }
}
