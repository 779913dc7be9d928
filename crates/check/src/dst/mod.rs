//! The tool dst: what kernels do wrong with Dst.

mod capacity;
mod lost_on_release;
mod nested_acquire;
mod outside_section;
mod sections;
mod stale_accumulation;
mod unreleased_section;

pub use capacity::DstCapacity;
pub use lost_on_release::LostOnRelease;
pub use nested_acquire::NestedAcquire;
pub use outside_section::DstOutsideSection;
pub(crate) use sections::Sections;
pub use stale_accumulation::StaleAccumulation;
pub use unreleased_section::UnreleasedSection;

use std::sync::Arc;

use tilewright_machine::{ComputeSettings, CoreCoord, Processor, ProcessorId};
use tilewright_metal::Program;

use crate::finding::{Finding, Mark};
use crate::flow::Step;
use crate::per_core::PerCore;
use crate::rings::Rings;
use crate::session::Checker;

/// The checkers of this tool.
pub(crate) fn checkers(program: &Program, _: &Arc<Rings>) -> Vec<Box<dyn Checker>> {
    vec![
        Box::new(StaleAccumulation::new(program)),
        Box::new(Sections::default()),
        Box::new(DstCapacity::new(program)),
        Box::new(LostOnRelease::new(program)),
    ]
}

/// What each core's compute kernel was compiled with.
#[derive(Default)]
pub(crate) struct Settings(PerCore<ComputeSettings>);

impl Settings {
    pub(crate) fn of(program: &Program) -> Settings {
        let mut settings = PerCore::default();
        for core in program.cores().iter() {
            if let Some(config) = program.compute_config(core) {
                *settings.at(core) = config.settings;
            }
        }
        Settings(settings)
    }

    /// Those of a core; the usual ones if it has no compute kernel.
    pub(crate) fn get(&self, core: CoreCoord) -> ComputeSettings {
        self.0.get(core).copied().unwrap_or_default()
    }
}

/// The words for one side of the protocol of Dst.
struct Words {
    name: Processor,
    verb: &'static str,
    take: &'static str,
    give: &'static str,
    gives: &'static str,
}

fn words(who: ProcessorId) -> Words {
    let name = who.processor;
    match name {
        Processor::Pack => Words {
            name,
            verb: "reads",
            take: "tile_regs_wait",
            give: "tile_regs_release",
            gives: "releases",
        },
        Processor::Reader | Processor::Unpack | Processor::Math | Processor::Writer => Words {
            name,
            verb: "works on",
            take: "tile_regs_acquire",
            give: "tile_regs_commit",
            gives: "commits",
        },
    }
}

/// A step with its line.
fn mark(step: Step, role: String) -> Mark {
    Mark { role, site: step.site, processor: Some(step.processor) }
}

/// Uses the names of calls that take a section for both sides, and give it away for both.
fn rename(finding: &mut Finding) {
    let renamed = |text: &mut String| {
        for (new, old) in [
            ("tile_regs_acquire", "acquire_dst"),
            ("tile_regs_wait", "acquire_dst"),
            ("tile_regs_commit", "release_dst"),
            ("tile_regs_release", "release_dst"),
        ] {
            *text = text.replace(new, old);
        }
    };
    renamed(&mut finding.title);
    finding.facts.iter_mut().chain(&mut finding.help).for_each(renamed);
}
