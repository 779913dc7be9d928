// Circular buffers in one call.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>

#include <tt-metalium/host_api.hpp>

namespace tt::tt_metal {

// One buffer with several indices; in the memory of `buffer`, if there is one.
template <std::size_t N>
std::tuple<std::array<uint32_t, N>, CBHandle> create_cb(
    const uint32_t (&indices)[N], Program& program, const CoreSpec& cores, uint32_t page_size,
    uint32_t num_pages, DataFormat format, Buffer* buffer = nullptr,
    std::source_location here = std::source_location::current()) {
    std::map<uint8_t, DataFormat> formats;
    for (uint32_t index : indices) { formats[index] = format; }
    CircularBufferConfig config(num_pages * page_size, formats, here);
    for (uint32_t index : indices) { config.set_page_size(index, page_size, here); }
    if (buffer != nullptr) { config.set_globally_allocated_address(*buffer, here); }
    std::array<uint32_t, N> all{};
    std::copy(indices, indices + N, all.begin());
    return {all, CreateCircularBuffer(program, cores, config, here)};
}

inline std::tuple<uint32_t, CBHandle> create_cb(
    uint32_t index, Program& program, const CoreSpec& cores, uint32_t page_size,
    uint32_t num_pages, DataFormat format, Buffer* buffer = nullptr,
    std::source_location here = std::source_location::current()) {
    uint32_t indices[] = {index};
    auto made = create_cb(indices, program, cores, page_size, num_pages, format, buffer, here);
    return {index, std::get<1>(made)};
}

// Bytes of L1 that a program's circular buffers take; those in a buffer's memory take none.
uint32_t calculate_total_cb_size(const Program& program);

}  // namespace tt::tt_metal
