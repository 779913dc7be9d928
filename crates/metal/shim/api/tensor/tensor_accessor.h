// From page index to bank and address: interleaved tensors.

#pragma once

#include <cstdint>

#include "api/tensor/tensor_accessor_args.h"
#include "tilewright/address.h"

namespace tw {

// Pages in turn over the banks of DRAM, or over the cores' L1.
template <bool Dram>
struct interleaved {
    static constexpr bool is_dram = Dram;
    static constexpr uint32_t banks = Dram ? NUM_DRAM_BANKS : NUM_L1_BANKS;
    static constexpr uint32_t alignment = Dram ? TW_DRAM_ALIGNMENT : TW_L1_ALIGNMENT;

    static constexpr uint32_t stride(uint32_t page_bytes) {
        return (page_bytes + alignment - 1) & ~(alignment - 1);
    }
    static constexpr uint64_t place(uint32_t base, uint32_t stride, uint32_t page) {
        uint32_t offset = base + page / banks * stride;
        return Dram ? dram_address(page % banks, offset) : l1_bank_address(page % banks, offset);
    }
};

}  // namespace tw

template <typename DSpecT>
struct TensorAccessor {
    using DSpec = DSpecT;
    static constexpr bool is_dram = DSpec::is_dram;

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    constexpr TensorAccessor(
        const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&,
        std::size_t address,
        uint32_t page_size = TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::AlignedPageSize) :
        base(static_cast<uint32_t>(address)), bytes(DSpec::stride(page_size)) {}

    constexpr uint32_t get_aligned_page_size() const { return bytes; }
    constexpr uint32_t get_bank_base_address() const { return base; }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = 0) const {
        return DSpec::place(base + offset, bytes, page);
    }

private:
    uint32_t base;
    uint32_t bytes;
};

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET, typename... Rest>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, Rest...)
    -> TensorAccessor<tw::interleaved<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_dram>>;
