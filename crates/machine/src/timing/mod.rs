//! How long things take. Timing chooses among legal orders; it never changes what is computed.
//!
//! The figures are estimates: instruction counts and link rates with their source, no contention.

mod wormhole;

pub use wormhole::wormhole;

/// Cycles of the core's clock for each kind of step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// A call that reads or writes a few registers: reserve, push, wait, pop, an argument.
    pub call: u64,
    /// Writing a network command.
    pub noc_issue: u64,
    /// From a network interface through its router to another's, without hops.
    pub noc_endpoint: u64,
    /// One hop between neighbouring routers.
    pub noc_hop: u64,
    /// Bytes that a link moves in a cycle.
    pub noc_bytes_per_cycle: u64,
    /// What DRAM adds to a transfer.
    pub dram: u64,
    /// No effect on another core or on DRAM comes sooner than this after its cause.
    pub noc_least: u64,
    /// A processor's store to L1, per word.
    pub l1_word: u64,
    /// Bytes of L1 that unpackers read in a cycle.
    pub unpack_bytes_per_cycle: u64,
    /// Bytes of L1 that packers write in a cycle.
    pub pack_bytes_per_cycle: u64,
    /// Starting an unpack, math or pack operation.
    pub operation: u64,
    /// One pass of an elementwise operation or a move over a tile.
    pub elementwise_pass: u64,
    /// One fidelity phase of a product of two tiles.
    pub matmul_phase: u64,
    /// One vector instruction over a tile.
    pub sfpu_instruction: u64,
    /// A configuration call.
    pub configure: u64,
}
