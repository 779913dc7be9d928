//! The tool dst: what kernels do wrong with Dst.

mod capacity;
mod lost_on_release;
mod nested_acquire;
mod outside_section;
mod stale_accumulation;
mod unreleased_section;

pub use capacity::DstCapacity;
pub use lost_on_release::LostOnRelease;
pub use nested_acquire::NestedAcquire;
pub use outside_section::DstOutsideSection;
pub use stale_accumulation::StaleAccumulation;
pub use unreleased_section::UnreleasedSection;

use tilewright_machine::{ComputeSettings, CoreCoord};
use tilewright_metal::Program;

use crate::per_core::PerCore;

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
