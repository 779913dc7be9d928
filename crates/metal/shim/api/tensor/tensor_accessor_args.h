// What a kernel knows of a tensor when it is compiled: two words for an interleaved one.

#pragma once

#include <cstddef>
#include <cstdint>

#include "api/compile_time_args.h"

namespace tensor_accessor {

inline constexpr std::size_t UNKNOWN = static_cast<std::size_t>(-1);

}  // namespace tensor_accessor

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
    static constexpr uint32_t config = get_compile_time_arg_val(CTA_OFFSET);
    static constexpr bool is_sharded = (config & 1) != 0;
    static constexpr bool is_dram = (config & 2) != 0;
    static_assert(!is_sharded, "sharded tensors are not modelled");
    static_assert((config & ~3u) == 0, "this compile-time argument does not describe an interleaved tensor");
    static constexpr uint32_t AlignedPageSize = get_compile_time_arg_val(CTA_OFFSET + 1);
    static constexpr uint32_t NumArgsCT = 2;

    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t) {}

    constexpr uint32_t get_aligned_page_size() const { return AlignedPageSize; }
    static constexpr std::size_t next_compile_time_args_offset() { return CTA_OFFSET + NumArgsCT; }
    static constexpr std::size_t next_common_runtime_args_offset() {
        return CRTA_OFFSET == tensor_accessor::UNKNOWN ? 0 : CRTA_OFFSET;
    }
};
