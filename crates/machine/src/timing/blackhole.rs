//! Blackhole's figures, each with its source.
//!
//! Measurements are those of tt-metal's NoC estimator,
//! `tt_metal/impl/experimental/noc_estimator/latencies/`, in cycles of the chip's own clock of 1.35
//! GHz. Figures that are not published for Blackhole are Wormhole's, and estimates here.

use super::{Evidence, Figure, Timing, wormhole};

/// Blackhole A0.
pub fn blackhole() -> Timing {
    Timing {
        noc_issue: NOC_ISSUE.value,
        noc_bytes_per_cycle: NOC_BYTES.value,
        dram: DRAM.value,
        figures: &FIGURES,
        ..wormhole()
    }
}

/// In the order of the fields of `Timing`.
static FIGURES: [&Figure; 17] = [
    &CALL,
    &BLOCK,
    &NOC_ISSUE,
    &NOC_ENDPOINT,
    &NOC_HOP,
    &NOC_BYTES,
    &DRAM,
    &NOC_LEAST,
    &L1_STORE,
    &L1_LOADS,
    &UNPACK_BYTES,
    &PACK_BYTES,
    &OPERATION,
    &ELEMENTWISE,
    &MATMUL,
    &SFPU,
    &CONFIGURE,
];

const AS_WORMHOLE: Evidence = Evidence::Estimate("Wormhole's figure; Blackhole's is unpublished");

/// A figure of Wormhole.
const fn same(figure: Figure) -> Figure {
    Figure { evidence: AS_WORMHOLE, ..figure }
}

const CALL: Figure = same(wormhole::CALL);
const BLOCK: Figure = same(wormhole::BLOCK);
const NOC_ENDPOINT: Figure = same(wormhole::NOC_ENDPOINT);
const NOC_HOP: Figure = same(wormhole::NOC_HOP);
const NOC_LEAST: Figure = same(wormhole::NOC_LEAST);
const L1_STORE: Figure = same(wormhole::L1_STORE);
const L1_LOADS: Figure = same(wormhole::L1_LOADS);
const UNPACK_BYTES: Figure = same(wormhole::UNPACK_BYTES);
const PACK_BYTES: Figure = same(wormhole::PACK_BYTES);
const OPERATION: Figure = same(wormhole::OPERATION);
const ELEMENTWISE: Figure = same(wormhole::ELEMENTWISE);
const MATMUL: Figure = same(wormhole::MATMUL);
const SFPU: Figure = same(wormhole::SFPU);
const CONFIGURE: Figure = same(wormhole::CONFIGURE);

const NOC_ISSUE: Figure = Figure {
    value: 30,
    evidence: Evidence::Measured(
        "noc_latencies.yaml, 256 transfers of 64 bytes with interleaved DRAM: 28.8 cycles a read, \
         32.4 a write",
    ),
    ..wormhole::NOC_ISSUE
};

const NOC_BYTES: Figure = Figure {
    value: 64,
    evidence: Evidence::Measured(
        "noc_latencies.yaml, one transfer of 65,536 bytes between L1s takes 1,084 cycles more \
         than one of 64: 60 bytes a cycle, and links of 512 bits",
    ),
    ..wormhole::NOC_BYTES
};

/// One read of 64 bytes from interleaved DRAM, its barrier included, was measured at 482 cycles
/// and one of 2,048 at 539; with the other figures of this table this one makes them 478 and 509
/// on a p150.
const DRAM: Figure = Figure {
    value: 370,
    evidence: Evidence::Measured(
        "noc_latencies.yaml, one read of 64 bytes from interleaved DRAM: 482 cycles in all, less \
         command, barrier, endpoints, six hops and flits",
    ),
    ..wormhole::DRAM
};
