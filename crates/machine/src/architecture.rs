//! What differs between chips, as a table. Nothing else in the code asks which chip it is.

use crate::grid::{CoreCoord, CoreRange};
use crate::timing::{self, Timing};

/// One product's figures.
#[derive(Clone, Debug)]
pub struct Architecture {
    /// The product's name, as the command line takes it.
    pub name: &'static str,
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
    /// Wormhole on an n150 board: 64 cores for kernels, 12 GiB of DRAM.
    ///
    /// Sizes and alignments are those of tt-metal's HAL for Wormhole
    /// (`tt_metal/llrt/hal/tt-1xx/wormhole`); the grid is that of an n150 with its dispatch
    /// cores taken away.
    pub fn wormhole_n150() -> Architecture {
        Architecture {
            name: "n150",
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
