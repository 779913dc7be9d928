//! Circular buffers as the host asks for them.

use tilewright_machine::Site;
use tilewright_tile::DataFormat;

use crate::core_set::CoreSet;

/// A circular buffer as the host asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CbSpec {
    /// Its index.
    pub id: u8,
    /// What reports call it.
    pub name: String,
    /// The format of its values.
    pub format: DataFormat,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages of the ring.
    pub pages: u32,
    /// Whether kernels use it as plain memory: then nobody expects them to take turns at it.
    pub is_scratch: bool,
}

impl CbSpec {
    /// A ring of `pages` tiles.
    pub fn tiles(id: u8, name: &str, format: DataFormat, pages: u32) -> CbSpec {
        CbSpec::pages(id, name, format, format.tile_bytes() as u32, pages)
    }

    /// A ring of pages of any size, such as sticks.
    pub fn pages(id: u8, name: &str, format: DataFormat, page_bytes: u32, pages: u32) -> CbSpec {
        CbSpec { id, name: name.to_owned(), format, page_bytes, pages, is_scratch: false }
    }

    /// The same ring as scratch memory, which kernels use without taking turns.
    pub fn scratch(self) -> CbSpec {
        CbSpec { is_scratch: true, ..self }
    }

    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.page_bytes) * u64::from(self.pages)
    }
}

/// A declared buffer: what, where, and the line that declared it.
#[derive(Clone, Debug)]
pub struct CbDeclaration {
    /// What was asked for; several that share memory are declared together.
    pub specs: Vec<CbSpec>,
    /// On which cores.
    pub cores: CoreSet,
    /// The line.
    pub site: Site,
}

impl CbDeclaration {
    /// Bytes that it takes: those of the largest of its specs.
    pub(crate) fn bytes(&self) -> u64 {
        self.specs.iter().map(CbSpec::bytes).max().unwrap_or(0)
    }
}
