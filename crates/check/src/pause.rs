//! Where a run was when it stopped, asked to or not: every processor, its line and what it waits
//! for, the buffers' pages, and who has Dst.
//!
//! Says what there is. Judges nothing.

use tilewright_machine::{
    Activity, CbLedger, CoreCoord, CoreState, Cycle, DstSections, Ending, Outcome, Processor,
    ProcessorId, ProcessorState, Site,
};
use tilewright_metal::Program;

use crate::ending::{name, waits};

/// A run that stopped before its kernels had returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The last cycle that happened.
    pub cycle: Cycle,
    /// The program that was under way.
    pub program: String,
    /// Its cores, in row order.
    pub cores: Vec<PausedCore>,
}

/// A core of a paused run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausedCore {
    /// The core.
    pub core: CoreCoord,
    /// Its processors that have a kernel.
    pub processors: Vec<PausedProcessor>,
    /// Its circular buffers.
    pub buffers: Vec<PausedBuffer>,
    /// Who has Dst; nothing without a compute kernel.
    pub dst: Option<String>,
}

/// A processor of a paused run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausedProcessor {
    /// The processor.
    pub id: ProcessorId,
    /// The call it is in, or made last.
    pub site: Site,
    /// Its clock.
    pub cycle: Cycle,
    /// What it does, in words that follow its name.
    pub doing: String,
}

/// A circular buffer of a paused run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausedBuffer {
    /// What the program calls it.
    pub name: String,
    /// Its counts.
    pub ledger: CbLedger,
}

/// The state of every processor; nothing for a run that completed.
pub fn pause(program: &Program, outcome: &Outcome) -> Option<Pause> {
    let cycle = match outcome.ending {
        Ending::Completed => return None,
        Ending::Paused(cycle) => cycle,
        Ending::Stuck | Ending::Stopped(_) => outcome.cycles,
    };
    let cores = outcome.cores.iter().map(|core| paused(program, core, cycle));
    let cores = cores.filter(|core| !core.processors.is_empty()).collect();
    Some(Pause { cycle, program: program.name().to_owned(), cores })
}

fn paused(program: &Program, core: &CoreState, at: Cycle) -> PausedCore {
    let has_kernel = |state: &&ProcessorState| state.activity != Activity::Idle;
    let processor = |state: &ProcessorState| PausedProcessor {
        id: state.id,
        site: state.site,
        cycle: state.cycle,
        doing: doing(program, core, state, at),
    };
    let buffer = |ledger: &CbLedger| PausedBuffer {
        name: name(program, core.core, ledger.config.id),
        ledger: *ledger,
    };
    let processors: Vec<_> = core.processors.iter().filter(has_kernel).map(processor).collect();
    let computes = processors.iter().any(|it| it.id.processor == Processor::Math);
    let buffers = core.buffers.iter().map(buffer).collect();
    PausedCore { core: core.core, processors, buffers, dst: computes.then(|| dst(core.dst)) }
}

fn doing(program: &Program, core: &CoreState, state: &ProcessorState, at: Cycle) -> String {
    match state.activity {
        Activity::Idle => "has no kernel".to_owned(),
        Activity::Finished => "has returned".to_owned(),
        Activity::Blocked(waiting) => waits(program, core, waiting),
        Activity::Ready if state.site == Site::KERNEL => "begins".to_owned(),
        Activity::Ready if state.cycle > at => {
            format!("is in a call until cycle {}", state.cycle)
        }
        Activity::Ready => "goes on".to_owned(),
    }
}

fn dst(sections: DstSections) -> String {
    let DstSections { committed, limit, math_half, pack_half } = sections;
    let owner = match (committed, committed < limit) {
        (0, _) => "math may have it, pack waits".to_owned(),
        (_, true) => "pack may drain a section, math may fill another".to_owned(),
        (_, false) => "pack has it, math must wait".to_owned(),
    };
    format!(
        "{committed} of {limit} sections committed: {owner}; \
         math is at half {math_half}, pack at half {pack_half}"
    )
}
