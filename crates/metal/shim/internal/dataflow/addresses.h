// From page, bank or core to an address on the network: free functions and the older generators.

#pragma once

#include <type_traits>

#include "api/alignment.h"
#include "internal/data_format.h"
#include "internal/dataflow/places.h"
#include "internal/tensor/interleaved.h"

FORCE_INLINE uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address, uint8_t = noc_index) {
    return tw::noc_address(x, y, address);
}
FORCE_INLINE uint64_t get_noc_addr(uint32_t address, uint8_t noc = noc_index) {
    return tw::place(my_x[noc], my_y[noc], address);
}
FORCE_INLINE uint64_t get_noc_addr_helper(uint32_t noc_xy, uint32_t address) {
    tw::may_reach_cores();
    return uint64_t{noc_xy} << NOC_ADDR_COORD_SHIFT | address;
}
template <typename AddrGen>
    requires std::is_class_v<AddrGen>
FORCE_INLINE uint64_t get_noc_addr(
    uint32_t page, const AddrGen& tensor, uint32_t offset = 0, uint8_t noc = noc_index) {
    return tensor.get_noc_addr(page, offset, noc);
}
FORCE_INLINE uint64_t get_noc_multicast_addr(
    uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t address, uint8_t = noc_index) {
    return tw::rectangle(x0, y0, x1, y1, address);
}
template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t offset, uint8_t = noc_index) {
    return DRAM ? tw::dram_address(bank, offset) : tw::l1_bank_address(bank, offset);
}
FORCE_INLINE uint64_t get_dram_noc_addr(
    uint32_t page, uint32_t page_bytes, uint32_t base, uint32_t offset = 0, uint8_t = noc_index) {
    using banks = tw::interleaved<true>;
    return banks::page_address(base + offset, banks::stride(page_bytes), page);
}
FORCE_INLINE uint64_t get_l1_noc_addr(
    uint32_t page, uint32_t page_bytes, uint32_t base, uint32_t offset = 0, uint8_t = noc_index) {
    using banks = tw::interleaved<false>;
    return banks::page_address(base + offset, banks::stride(page_bytes), page);
}

namespace tw {

// Where banks are, in the tables that older kernels read: by network, then by bank.
template <bool DRAM>
struct bank_coordinates {
    struct of_network {
        uint16_t operator[](uint32_t bank) const {
            return static_cast<uint16_t>(get_noc_addr_from_bank_id<DRAM>(bank, 0) >> NOC_ADDR_COORD_SHIFT);
        }
    };
    of_network operator[](uint32_t) const { return {}; }
};
// Every bank begins at the same address.
struct bank_offsets {
    constexpr int32_t operator[](uint32_t) const { return 0; }
};

}  // namespace tw

inline constexpr tw::bank_coordinates<true> dram_bank_to_noc_xy{};
inline constexpr tw::bank_coordinates<false> l1_bank_to_noc_xy{};
inline constexpr tw::bank_offsets bank_to_dram_offset{};
inline constexpr tw::bank_offsets bank_to_l1_offset{};

// What helpers ask of an address generator.
template <typename T>
inline constexpr bool has_get_noc_addr_v = requires(T tensor) { tensor.get_noc_addr(0u, 0u, uint8_t{0}); };
template <typename T>
inline constexpr bool has_page_size_v = requires(T tensor) { tensor.page_size; };
template <typename T>
inline constexpr bool has_get_aligned_page_size_v = requires(T tensor) { tensor.get_aligned_page_size(); };
template <typename T>
inline constexpr bool has_log_base_2_of_page_size_v = requires(T tensor) { tensor.log_base_2_of_page_size; };
template <typename T>
inline constexpr bool has_required_addrgen_traits_v =
    has_get_noc_addr_v<T> &&
    (has_get_aligned_page_size_v<T> || has_page_size_v<T> || has_log_base_2_of_page_size_v<T>);

namespace interleaved_addr_gen {

template <bool DRAM>
constexpr uint32_t get_bank_offset_index(uint32_t page) {
    return page / tw::interleaved<DRAM>::banks;
}
template <bool DRAM>
constexpr uint32_t get_bank_index(uint32_t page, uint32_t bank_offset_index) {
    return page - bank_offset_index * tw::interleaved<DRAM>::banks;
}
template <bool DRAM>
constexpr uint32_t get_allocator_alignment() {
    return tw::interleaved<DRAM>::alignment;
}
template <bool DRAM>
FORCE_INLINE uint32_t get_noc_xy(uint32_t bank, uint8_t = noc_index) {
    return static_cast<uint32_t>(get_noc_addr_from_bank_id<DRAM>(bank, 0) >> NOC_ADDR_COORD_SHIFT);
}
// Every bank begins at the same address.
template <bool DRAM>
constexpr uint32_t get_bank_offset(uint32_t) {
    return 0;
}

}  // namespace interleaved_addr_gen

// Bytes of `index` tiles of a format: values, and one exponent for sixteen of them in block formats.
template <uint32_t tile_hw = 1024>
constexpr uint32_t MUL_WITH_TILE_SIZE(uint format, uint index) {
    const uint32_t exponents = tile_hw / 16 > 16 ? tile_hw / 16 : 16;
    switch (static_cast<DataFormat>(format & 0x1f)) {
        case DataFormat::UInt8: return index * tile_hw;
        case DataFormat::UInt16:
        case DataFormat::Float16:
        case DataFormat::Float16_b: return index * tile_hw * 2;
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::Float32: return index * tile_hw * 4;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return index * (tile_hw / 4 + exponents);
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return index * (tile_hw / 2 + exponents);
        default: return index * (tile_hw + exponents);
    }
}

template <bool DRAM>
struct InterleavedAddrGen {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t page_size;
    const uint32_t aligned_page_size = tw::interleaved<DRAM>::stride(page_size);

    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = noc_index) const {
        return tw::interleaved<DRAM>::page_address(bank_base_address + offset, aligned_page_size, page);
    }
};

template <bool DRAM>
struct InterleavedPow2AddrGen {
    static constexpr bool is_dram = DRAM;
    const uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    const uint32_t aligned_log_base_2_of_page_size =
        log_base_2_of_page_size > log_of_alignment ? log_base_2_of_page_size : log_of_alignment;

    static constexpr uint32_t log_of_alignment = DRAM ? LOG_BASE_2_OF_DRAM_ALIGNMENT : LOG_BASE_2_OF_L1_ALIGNMENT;

    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = noc_index) const {
        return tw::interleaved<DRAM>::page_address(
            bank_base_address + offset, 1u << aligned_log_base_2_of_page_size, page);
    }
};

template <bool DRAM>
struct InterleavedPow2AddrGenFast {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    const uint32_t aligned_log_base_2_of_page_size =
        log_base_2_of_page_size > log_of_alignment ? log_base_2_of_page_size : log_of_alignment;

    static constexpr uint32_t log_of_alignment = DRAM ? LOG_BASE_2_OF_DRAM_ALIGNMENT : LOG_BASE_2_OF_L1_ALIGNMENT;

    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = noc_index) const {
        return tw::interleaved<DRAM>::page_address(
            bank_base_address + offset, 1u << aligned_log_base_2_of_page_size, page);
    }
};

template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;

    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = noc_index) const {
        const uint32_t stride = MUL_WITH_TILE_SIZE<tile_hw>(static_cast<uint>(data_format), 1);
        return tw::interleaved<DRAM>::page_address(bank_base_address + offset, stride, page);
    }
};

namespace tw {

// How much one page of a generator holds.
template <typename AddrGen>
FORCE_INLINE uint32_t page_bytes_of(const AddrGen& tensor) {
    if constexpr (requires { tensor.get_aligned_page_size(); }) {
        return tensor.get_aligned_page_size();
    } else if constexpr (requires { tensor.page_size; }) {
        return tensor.page_size;
    } else {
        return 1u << tensor.log_base_2_of_page_size;
    }
}

}  // namespace tw
