//! The memories of the device: each core's L1, and the banks of DRAM.

mod dram;
mod l1;
#[cfg(target_os = "linux")]
mod slot;

pub use dram::{Dram, DramView};
pub use l1::L1;
