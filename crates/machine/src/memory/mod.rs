//! The memories of the device: each core's L1, the banks of DRAM, and a shadow for facts.

mod dram;
mod l1;
mod prefetch;
mod runs;
mod shadow;
#[cfg(target_os = "linux")]
mod slot;

pub(crate) use dram::{Bank, Leaf, Part, SpareLeaves};
pub use dram::{Dram, DramView};
pub use l1::L1;
pub use shadow::{GRANULE_BYTES, Granule, Shadow, Snapshot};
