//! The tool dst: what kernels do wrong with Dst.

mod capacity;
mod lost_on_release;
mod nested_acquire;
mod outside_section;
mod stale_accumulation;

pub use capacity::DstCapacity;
pub use lost_on_release::LostOnRelease;
pub use nested_acquire::NestedAcquire;
pub use outside_section::DstOutsideSection;
pub use stale_accumulation::StaleAccumulation;

use std::collections::BTreeMap;

use tilewright_machine::{ComputeSettings, CoreCoord, DstSync};
use tilewright_metal::Program;
use tilewright_tile::DstWidth;

/// What each core's compute kernel was compiled with.
#[derive(Default)]
pub(crate) struct Settings(BTreeMap<CoreCoord, ComputeSettings>);

impl Settings {
    pub(crate) fn of(program: &Program) -> Settings {
        let cores = program.cores();
        let settings = |core| program.compute_config(core).map(|config| (core, config.settings));
        Settings(cores.iter().filter_map(settings).collect())
    }

    /// Those of a core; the usual ones if it has no compute kernel.
    pub(crate) fn get(&self, core: CoreCoord) -> ComputeSettings {
        self.0.get(&core).copied().unwrap_or_default()
    }
}

/// Tiles of one section.
pub(crate) fn section_tiles(settings: &ComputeSettings) -> u32 {
    let tiles = match settings.width {
        DstWidth::Bits16 => 16,
        DstWidth::Bits32 => 8,
    };
    match settings.sync {
        DstSync::Half => tiles / 2,
        DstSync::Full => tiles,
    }
}
