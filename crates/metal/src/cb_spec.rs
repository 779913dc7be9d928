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
    /// Rows and columns of its tiles, if they were given; only 32 by 32 is modelled.
    pub tile: Option<[u32; 2]>,
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
        let (name, tile, is_scratch) = (name.to_owned(), None, false);
        CbSpec { id, name, format, page_bytes, pages, tile, is_scratch }
    }

    /// The same ring as scratch memory, which kernels use without taking turns.
    pub fn scratch(self) -> CbSpec {
        CbSpec { is_scratch: true, ..self }
    }

    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.page_bytes) * u64::from(self.pages)
    }
}

/// Where in L1 a circular buffer lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CbPlacement {
    /// Where the program's own buffers are put.
    #[default]
    Allocated,
    /// In the memory of a declared tensor: on each core, in that core's shard.
    Tensor {
        /// The tensor's name.
        name: String,
        /// Bytes from the start of the shard.
        offset: u32,
    },
    /// At an address, the same on all its cores.
    Address(u32),
}

/// A circular buffer of a description: what, where, and the line that declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CbDescription {
    /// What was asked for; several that share memory are declared together.
    pub specs: Vec<CbSpec>,
    /// On which cores.
    pub cores: CoreSet,
    /// Where in L1.
    pub placement: CbPlacement,
    /// The line.
    pub site: Site,
}

impl CbDescription {
    /// Bytes that it takes: those of the largest of its specs.
    pub(crate) fn bytes(&self) -> u64 {
        self.specs.iter().map(CbSpec::bytes).max().unwrap_or(0)
    }

    /// Whether the program gives it a place of its own.
    pub(crate) fn is_allocated(&self) -> bool {
        self.placement == CbPlacement::Allocated
    }

    /// What reports call it and those that share its memory.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        names.join("`, `")
    }
}
