//! The circular buffers of a program as checkers need them: name, place, formats.

use tilewright_machine::{CbConfig, CbId, CoreCoord, PackFormats, Site};
use tilewright_metal::Program;

use crate::finding::Mark;
use crate::per_core::PerCore;

/// One ring of a core.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    /// What the program calls it.
    pub(crate) name: String,
    /// Where it lies, its pages and its format.
    pub(crate) config: CbConfig,
    /// What the packers should be set for.
    pub(crate) pack: PackFormats,
    /// The line that declared it.
    pub(crate) declared: Site,
}

impl Ring {
    /// Bytes of a tile of its format.
    pub(crate) fn tile_bytes(&self) -> u32 {
        self.config.format.tile_bytes() as u32
    }

    /// The line that declared it, and something about it.
    pub(crate) fn declaration(&self, role: String) -> Mark {
        Mark { role, site: self.declared, processor: None }
    }
}

/// All rings of all cores.
#[derive(Default)]
pub(crate) struct Rings(PerCore<Vec<Option<Ring>>>);

impl Rings {
    pub(crate) fn of(program: &Program) -> Rings {
        let mut cores: PerCore<Vec<Option<Ring>>> = PerCore::default();
        for core in program.cores().iter() {
            for config in program.placed_buffers(core) {
                let (id, rings) = (usize::from(config.id.0), cores.at(core));
                if rings.len() <= id {
                    rings.resize_with(id + 1, || None);
                }
                rings[id] = ring(program, core, config);
            }
        }
        Rings(cores)
    }

    /// A ring of a core.
    pub(crate) fn get(&self, core: CoreCoord, cb: CbId) -> Option<&Ring> {
        self.0.get(core)?.get(usize::from(cb.0))?.as_ref()
    }

    /// Every ring of a core.
    pub(crate) fn on(&self, core: CoreCoord) -> impl Iterator<Item = &Ring> {
        self.0.get(core).into_iter().flatten().flatten()
    }
}

fn ring(program: &Program, core: CoreCoord, config: &CbConfig) -> Option<Ring> {
    let (spec, declared) = program.buffer(core, config.id)?;
    let (_, pack) = program.buffer_formats(core, config.id)?;
    Some(Ring { name: spec.name.clone(), config: *config, pack, declared })
}
