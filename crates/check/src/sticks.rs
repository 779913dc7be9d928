//! Pages of one stick each before tilize: a block of fewer than 32 sticks ends many a tensor.
//!
//! Tilize reads 32 rows whatever is there. That is right as long as the kernel waits for all sticks
//! that come: what lies in the other rows is garbage, which `init` follows. Whether more sticks
//! came is known at the end of a run.

use tilewright_machine::{CbConfig, CbId, CoreCoord, Ending, Outcome};
use tilewright_tile::TILE_SIDE;

/// Whether each page of a ring is one row of a block so many tiles wide.
pub(crate) fn are_pages(config: &CbConfig, row_tiles: u32) -> bool {
    let row_bytes = config.format.tile_bytes() as u64 / TILE_SIDE as u64;
    u64::from(config.page_bytes) == row_bytes * u64::from(row_tiles)
}

/// Whether a run has completed and every page that was pushed to a ring has been popped, so that no
/// stick was left out.
pub(crate) fn are_all_taken(outcome: &Outcome, core: CoreCoord, cb: CbId) -> bool {
    let state = outcome.cores.iter().find(|state| state.core == core);
    let ledger = state.and_then(|state| state.buffers.iter().find(|it| it.config.id == cb));
    outcome.ending == Ending::Completed && ledger.is_some_and(|it| it.pushed == it.popped)
}
