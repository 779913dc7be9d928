//! What differs between chips, as a table. Nothing else in the code asks which chip it is.

use std::fmt;

use tilewright_tile::Chip;

use crate::grid::{CoreCoord, CoreRange};
use crate::timing::{self, Timing};

/// One product's figures.
#[derive(Clone, Debug)]
pub struct Architecture {
    /// The product's name, as the command line takes it.
    pub name: &'static str,
    /// The chip, which decides about arithmetic.
    pub chip: Chip,
    /// The chip's number in tt-metal's `ARCH`.
    pub tt_metal_arch: u32,
    /// The macro that tt-metal's build defines for the chip.
    pub tt_metal_macro: &'static str,
    /// The chip in the names of tt-metal's folders.
    pub tt_metal_folder: &'static str,
    /// Columns and rows of cores that run kernels.
    pub grid_columns: u8,
    /// See `grid_columns`.
    pub grid_rows: u8,
    /// Bytes of L1 a core.
    pub l1_bytes: u32,
    /// The first byte of L1 that buffers may use; firmware, mailboxes and kernels lie below.
    pub l1_base: u32,
    /// Where in L1 a core's semaphores begin; they are `semaphore_stride` apart.
    pub semaphore_base: u32,
    /// See `semaphore_base`.
    pub semaphore_stride: u32,
    /// How many semaphores a program may have.
    pub semaphores: u32,
    /// How many circular buffers a core has.
    pub circular_buffers: u8,
    /// Banks of DRAM over which pages are interleaved.
    pub dram_banks: u8,
    /// Bytes of one bank.
    pub dram_bank_bytes: u64,
    /// A transfer between L1s needs both addresses congruent modulo this.
    pub l1_alignment: u32,
    /// A read from DRAM needs both addresses congruent modulo this.
    pub dram_read_alignment: u32,
    /// A write to DRAM needs both addresses congruent modulo this.
    pub dram_write_alignment: u32,
    /// How long things take.
    pub timing: Timing,
}

impl Architecture {
    /// The names of all products.
    pub const NAMES: [&'static str; 3] = ["n150", "p100a", "p150"];

    /// The product of a name.
    pub fn named(name: &str) -> Result<Architecture, UnknownDevice> {
        match name {
            "n150" => Ok(Architecture::wormhole_n150()),
            "p100a" => Ok(Architecture::blackhole_p100a()),
            "p150" => Ok(Architecture::blackhole_p150()),
            _ => Err(UnknownDevice { name: name.to_owned() }),
        }
    }

    /// A product with the chip, for who asks about its arithmetic alone.
    pub fn of_chip(chip: Chip) -> Architecture {
        match chip {
            Chip::Wormhole => Architecture::wormhole_n150(),
            Chip::Blackhole => Architecture::blackhole_p150(),
        }
    }

    /// Wormhole on an n150 board: 64 cores for kernels, 12 GiB of DRAM.
    ///
    /// Sizes and alignments are those of tt-metal's HAL for Wormhole
    /// (`tt_metal/llrt/hal/tt-1xx/wormhole`); the grid is that of an n150 with its dispatch
    /// cores taken away.
    pub fn wormhole_n150() -> Architecture {
        Architecture {
            name: "n150",
            chip: Chip::Wormhole,
            tt_metal_arch: 2,
            tt_metal_macro: "ARCH_WORMHOLE",
            tt_metal_folder: "wormhole_b0",
            grid_columns: 8,
            grid_rows: 8,
            l1_bytes: 1464 * 1024,
            l1_base: 105_664,
            semaphore_base: 16 * 1024,
            semaphore_stride: 16,
            semaphores: 16,
            circular_buffers: 32,
            dram_banks: 12,
            dram_bank_bytes: 1 << 30,
            l1_alignment: 16,
            dram_read_alignment: 32,
            dram_write_alignment: 16,
            timing: timing::wormhole(),
        }
    }

    /// Blackhole on a p150 board: 130 cores for kernels, 32 GB of DRAM.
    ///
    /// Where each figure is in tt-metal: the grid without the dispatch column, in
    /// `tt_metal/core_descriptors/blackhole_140_arch.yaml` (unharvested, one command queue); L1 in
    /// `hw/inc/internal/tt-1xx/blackhole/dev_mem_map.h` (`MEM_L1_SIZE`); its base as
    /// `llrt/hal/tt-1xx/blackhole/bh_hal_tensix.cpp` makes it (`MEM_MAP_END`, 69 KiB of kernel
    /// configuration, aligned to 64 bytes); banks and their size in
    /// `tt_metal/soc_descriptors/blackhole_140_arch.yaml`; alignments in
    /// `hw/inc/internal/tt-1xx/blackhole/noc/noc_parameters.h`; circular buffers in
    /// `api/tt-metalium/circular_buffer_constants.h`; semaphores in
    /// `impl/buffers/semaphore.hpp`, as on Wormhole.
    pub fn blackhole_p150() -> Architecture {
        Architecture {
            name: "p150",
            chip: Chip::Blackhole,
            tt_metal_arch: 3,
            tt_metal_macro: "ARCH_BLACKHOLE",
            tt_metal_folder: "blackhole",
            grid_columns: 13,
            grid_rows: 10,
            l1_bytes: 1536 * 1024,
            l1_base: 111_616,
            circular_buffers: 64,
            dram_banks: 8,
            dram_bank_bytes: 4_278_190_080,
            dram_read_alignment: 64,
            timing: timing::blackhole(),
            ..Architecture::wormhole_n150()
        }
    }

    /// Blackhole on a p100a board: 110 cores for kernels, 28 GB of DRAM.
    ///
    /// Two columns of cores and a bank of DRAM are harvested; the grid is the one that
    /// `blackhole_140_arch.yaml` gives a chip of two harvested columns.
    pub fn blackhole_p100a() -> Architecture {
        Architecture {
            name: "p100a",
            grid_columns: 11,
            dram_banks: 7,
            ..Architecture::blackhole_p150()
        }
    }

    /// Every core that runs kernels.
    pub fn grid(&self) -> CoreRange {
        CoreRange::new(
            CoreCoord::new(0, 0),
            CoreCoord::new(self.grid_columns - 1, self.grid_rows - 1),
        )
    }

    /// How many cores run kernels.
    pub fn cores(&self) -> usize {
        usize::from(self.grid_columns) * usize::from(self.grid_rows)
    }

    /// Whether the grid has such a core.
    pub fn has_core(&self, core: CoreCoord) -> bool {
        core.x < self.grid_columns && core.y < self.grid_rows
    }

    /// A core's number in row order.
    pub fn core_index(&self, core: CoreCoord) -> usize {
        usize::from(core.y) * usize::from(self.grid_columns) + usize::from(core.x)
    }

    /// The core with a number in row order.
    pub fn core_at(&self, index: usize) -> CoreCoord {
        let columns = usize::from(self.grid_columns);
        CoreCoord::new((index % columns) as u8, (index / columns) as u8)
    }
}

/// A name that no product has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDevice {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Architecture::NAMES.join(", ");
        write!(f, "unknown device `{}`; known: {known}", self.name)
    }
}

impl std::error::Error for UnknownDevice {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_product() {
        for name in Architecture::NAMES {
            assert_eq!(Architecture::named(name).map(|arch| arch.name), Ok(name));
        }
        let error = Architecture::named("n300").unwrap_err();
        assert_eq!(error.to_string(), "unknown device `n300`; known: n150, p100a, p150");
    }

    #[test]
    fn grids_are_those_that_programs_get() {
        let grid = |name| Architecture::named(name).map(|arch| (arch.cores(), arch.dram_banks));
        assert_eq!(grid("n150"), Ok((64, 12)));
        assert_eq!(grid("p100a"), Ok((110, 7)));
        assert_eq!(grid("p150"), Ok((130, 8)));
    }
}
