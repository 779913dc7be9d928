//! Places of each core's L1 that are no program's: below its buffers, above its semaphores.

use std::ops::Range;

/// Where C++ kernels read zeros from (`MEM_ZEROS_BASE`).
pub const ZEROS: Range<u32> = 0x8000..0x8200;

/// Where the mailboxes of C++ kernels lie: what they keep of values under way, which on the device
/// are no words of L1.
pub const MAILBOXES: Range<u32> = 0x7000..0x7190;
