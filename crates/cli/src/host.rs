//! What this computer has: threads and memory.

use std::num::NonZero;

pub use tilewright_run::memory::available_bytes;

/// Threads that the host runs at once.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
