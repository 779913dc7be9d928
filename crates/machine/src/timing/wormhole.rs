//! Wormhole's figures.

use super::Timing;

/// Wormhole B0. Each figure names its source in the ISA documentation or says that it is assumed.
pub fn wormhole() -> Timing {
    Timing {
        // Assumed: a handful of RISC-V instructions around one register access.
        call: 12,
        // Assumed: six stores to the command buffer's registers and the check that it is free.
        noc_issue: 40,
        // NoC/README.md, Performance: about 5 cycles from NIU to router and 5 back.
        noc_endpoint: 10,
        // NoC/README.md, Performance: 9 cycles between neighbouring routers.
        noc_hop: 9,
        // NoC/README.md: one flit of 32 bytes per cycle.
        noc_bytes_per_cycle: 32,
        // Assumed: GDDR6 access and its controller, about 300 ns at 1 GHz.
        dram: 300,
        // Assumed: endpoints, a hop and the L1 access at the far end are below this; orders finer
        // than it are not told apart between cores, which lets cores advance alone for as long.
        noc_least: 192,
        // L1.md: baby RISC-V stores are narrow and take five cycles each.
        l1_word: 5,
        // L1.md: unpackers read up to 128 bytes in two cycles, shared by both.
        unpack_bytes_per_cycle: 64,
        // L1.md: four packers, 16 bytes a cycle each.
        pack_bytes_per_cycle: 64,
        // Assumed: the MOP's start and the semaphore around it.
        operation: 16,
        // ELWADD.md, ELWMUL.md: 8 rows of 16 a cycle, so 8 instructions a tile.
        elementwise_pass: 8,
        // MVMUL.md: 8x16 by 16x16 a cycle, so 16 instructions a tile product.
        matmul_phase: 16,
        // LReg.md: 32 lanes a cycle, so 32 issues a tile.
        sfpu_instruction: 32,
        // Assumed: a few configuration writes and a stall for them.
        configure: 40,
    }
}
