//! Wormhole's figures, each with its source.
//!
//! Pages are those of Tenstorrent's ISA documentation below `WormholeB0/`. Measurements are those
//! of tt-metal's NoC estimator, `tt_metal/impl/experimental/noc_estimator/latencies/`.

use super::{Evidence, Figure, Timing};

/// Wormhole B0, whose clock has 1 GHz: a cycle is a nanosecond.
pub fn wormhole() -> Timing {
    Timing {
        call: CALL.value,
        block: BLOCK.value,
        noc_issue: NOC_ISSUE.value,
        noc_endpoint: NOC_ENDPOINT.value,
        noc_hop: NOC_HOP.value,
        noc_bytes_per_cycle: NOC_BYTES.value,
        dram: DRAM.value,
        noc_least: NOC_LEAST.value,
        l1_word: L1_STORE.value,
        l1_four_loads: L1_LOADS.value,
        unpack_bytes_per_cycle: UNPACK_BYTES.value,
        pack_bytes_per_cycle: PACK_BYTES.value,
        operation: OPERATION.value,
        elementwise_pass: ELEMENTWISE.value,
        matmul_phase: MATMUL.value,
        sfpu_instruction: SFPU.value,
        configure: CONFIGURE.value,
        figures: &FIGURES,
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

const fn cycles(name: &'static str, value: u64, evidence: Evidence) -> Figure {
    Figure { name, value, unit: "cycles", evidence }
}

const fn bytes(name: &'static str, value: u64, evidence: Evidence) -> Figure {
    Figure { name, value, unit: "bytes a cycle", evidence }
}

pub(super) const CALL: Figure = cycles(
    "reserve, push, wait or pop; a barrier's or a semaphore's call",
    12,
    Evidence::Estimate("a handful of RISC-V instructions around one register access"),
);

pub(super) const BLOCK: Figure = cycles(
    "a block of a C++ kernel's plain code, from one branch to the next",
    4,
    Evidence::Estimate("three or four RISC-V instructions, one a cycle, and a branch"),
);

pub(super) const NOC_ISSUE: Figure = cycles(
    "writing a network command",
    40,
    Evidence::Measured(
        "noc_latencies.yaml, 256 transfers of 64 bytes with interleaved DRAM: 37.2 cycles a read, \
         41.2 a write",
    ),
);

pub(super) const NOC_ENDPOINT: Figure = cycles(
    "from a network interface to its router, and back at the far end",
    10,
    Evidence::Documented("NoC/README.md, Performance: about 5 cycles each way"),
);

pub(super) const NOC_HOP: Figure = cycles(
    "one hop between neighbouring routers",
    9,
    Evidence::Documented("NoC/README.md, Performance: 9 cycles"),
);

pub(super) const NOC_BYTES: Figure = bytes(
    "a link of the network",
    32,
    Evidence::Documented("NoC/README.md, Performance: one flit of 256 bits a cycle"),
);

/// One read of 64 bytes from interleaved DRAM, its barrier included, was measured at 390 cycles
/// and one of 2,048 at 479; with the other figures of this table this one makes them 401 and 463.
pub(super) const DRAM: Figure = cycles(
    "what DRAM adds to a transfer",
    300,
    Evidence::Measured(
        "noc_latencies.yaml, one read of 64 bytes from interleaved DRAM: 390 cycles in all, less \
         command, barrier, endpoints, four hops and flits",
    ),
);

/// Orders finer than this are not told apart between cores, which lets them advance alone for as
/// long. A write and its acknowledgement between L1s were measured at 205 to 293 cycles
/// (noc_latencies.yaml, 64 bytes); here they take twice this figure.
pub(super) const NOC_LEAST: Figure = cycles(
    "the least time from a cause to its effect on another core or on DRAM",
    192,
    Evidence::Estimate("endpoints, hops and the L1 access at the far end; above what was measured"),
);

pub(super) const L1_STORE: Figure = cycles(
    "a processor's store to L1, a word",
    5,
    Evidence::Documented("TensixTile/L1.md: stores are narrow, one 32-bit write every five cycles"),
);

pub(super) const L1_LOADS: Figure = cycles(
    "a processor's loads from L1, four words",
    7,
    Evidence::Documented("TensixTile/L1.md: four 32-bit reads every seven cycles, sustained"),
);

pub(super) const UNPACK_BYTES: Figure = bytes(
    "an unpacker's reads from L1",
    64,
    Evidence::Documented("TensixTile/L1.md: one unpacker reads four times 128 bits a cycle"),
);

pub(super) const PACK_BYTES: Figure = bytes(
    "the packers' writes to L1",
    64,
    Evidence::Documented("TensixTile/L1.md: four packers, 128 bits a cycle each"),
);

pub(super) const OPERATION: Figure = cycles(
    "starting an unpack, math or pack operation",
    16,
    Evidence::Estimate("the macro-operation's start and the semaphores around it"),
);

pub(super) const ELEMENTWISE: Figure = cycles(
    "one pass of the matrix unit over a tile",
    8,
    Evidence::Documented(
        "TensixTile/TensixCoprocessor/MatrixUnit.md: ELWADD and ELWMUL do 8 rows of 16 an \
         instruction, one a cycle",
    ),
);

pub(super) const MATMUL: Figure = cycles(
    "one fidelity phase of a product of two tiles",
    16,
    Evidence::Documented(
        "TensixTile/TensixCoprocessor/MatrixUnit.md: MVMUL does 8x16 by 16x16, one a cycle",
    ),
);

pub(super) const SFPU: Figure = cycles(
    "one vector instruction over a tile",
    32,
    Evidence::Documented(
        "TensixTile/TensixCoprocessor/VectorUnit.md: 32 lanes, one instruction a cycle; how many \
         instructions a function has is an estimate",
    ),
);

pub(super) const CONFIGURE: Figure = cycles(
    "a configuration call",
    40,
    Evidence::Estimate("a few configuration writes and a stall until the unit is idle"),
);
