// Addresses on the network, as 64-bit words that kernels may add bytes to.
//
// The fields lie where Wormhole has them (36 bits of address, 6 each of x and y). Coordinates are
// those of the grid of cores that run kernels; banks of DRAM have a row of their own.

#pragma once

#include <cstdint>

namespace tw {

inline constexpr uint32_t address_bits = 36;
inline constexpr uint32_t coordinate_bits = 6;
inline constexpr uint32_t dram_row = 32;

constexpr uint64_t place(uint32_t x, uint32_t y, uint32_t address) {
    return uint64_t{x} << address_bits | uint64_t{y} << (address_bits + coordinate_bits) | address;
}

// Notes in the object that the kernel has code which makes addresses from coordinates: it may reach
// another core. Nothing is executed.
constexpr void may_reach_cores() {
    if (!__builtin_is_constant_evaluated()) {
        __asm__ volatile(".pushsection .tilewright.reach,\"\",@progbits\n.byte 1\n.popsection");
    }
}

// A byte of a core's L1. The address may be a pointer of any core: its lower 21 bits count.
constexpr uint64_t noc_address(uint32_t x, uint32_t y, uint32_t address) {
    may_reach_cores();
    return place(x, y, address);
}

// A byte of a bank of DRAM.
constexpr uint64_t dram_address(uint32_t bank, uint32_t offset) {
    return place(bank, dram_row, offset);
}

// The same byte of every core of a rectangle; both corners belong to it.
constexpr uint64_t rectangle(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t address) {
    uint32_t high = address_bits + 2 * coordinate_bits;
    may_reach_cores();
    return place(x1, y1, address) | uint64_t{x0} << high | uint64_t{y0} << (high + coordinate_bits);
}

// The core whose L1 is bank `bank` of interleaved L1.
constexpr uint64_t l1_bank_address(uint32_t bank, uint32_t offset) {
    return noc_address(bank % TW_GRID_COLUMNS, bank / TW_GRID_COLUMNS, offset);
}

}  // namespace tw
