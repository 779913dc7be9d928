// Pages in turn over the banks of DRAM, or over the cores' L1.

#pragma once

#include <cstdint>

#include "tilewright/address.h"
#include "tilewright/call.h"

namespace tw {

template <bool Dram>
struct interleaved {
    static constexpr bool is_dram = Dram;
    static constexpr bool is_interleaved = true;
    static constexpr bool tensor_shape_static = false;
    static constexpr uint32_t banks = Dram ? NUM_DRAM_BANKS : NUM_L1_BANKS;
    static constexpr uint32_t alignment = Dram ? TW_DRAM_ALIGNMENT : TW_L1_ALIGNMENT;

    static constexpr uint32_t stride(uint32_t page_bytes) {
        return (page_bytes + alignment - 1) & ~(alignment - 1);
    }
    static constexpr uint64_t place(uint32_t base, uint32_t stride, uint32_t page) {
        uint32_t offset = base + page / banks * stride;
        return Dram ? dram_address(page % banks, offset) : l1_bank_address(page % banks, offset);
    }
    // The same for who goes there: the simulator knows how many pages there are.
    static inline __attribute__((always_inline)) uint64_t page_address(uint32_t base, uint32_t stride, uint32_t page) {
        const uint64_t at = place(base, stride, page);
        tw_calls->page_addressed(at, base, page);
        return at;
    }
};

}  // namespace tw
