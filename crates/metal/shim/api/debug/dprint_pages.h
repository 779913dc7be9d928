// Pages of L1 as text, one line each.

#pragma once

#include "api/debug/dprint.h"

namespace tw {

template <typename T, typename Shown>
inline void print_pages(
    uint32_t address, uint32_t elements, uint32_t pages, uint32_t start) {
    auto* at = reinterpret_cast<volatile T*>(uintptr_t{address}) + start * elements;
    for (uint32_t page = 0; page < pages; ++page) {
        print(TW_HERE, "{}: ", start + page);
        for (uint32_t element = 0; element < elements; ++element) {
            T value = *at++;
            print(TW_HERE, "{} ", __builtin_bit_cast(Shown, value));
        }
        print(TW_HERE, "\n");
    }
}

}  // namespace tw

inline void print_bf16_pages(uint32_t address, uint32_t elements, uint32_t pages, uint32_t start = 0) {
    tw::print_pages<uint16_t, bf16_t>(address, elements, pages, start);
}
inline void print_f32_pages(uint32_t address, uint32_t elements, uint32_t pages, uint32_t start = 0) {
    tw::print_pages<uint32_t, float>(address, elements, pages, start);
}
inline void print_u8_pages(uint32_t address, uint32_t elements, uint32_t pages, uint32_t start = 0) {
    tw::print_pages<uint8_t, uint8_t>(address, elements, pages, start);
}
inline void print_u16_pages(uint32_t address, uint32_t elements, uint32_t pages, uint32_t start = 0) {
    tw::print_pages<uint16_t, uint16_t>(address, elements, pages, start);
}
inline void print_u32_pages(uint32_t address, uint32_t elements, uint32_t pages, uint32_t start = 0) {
    tw::print_pages<uint32_t, uint32_t>(address, elements, pages, start);
}
// The first rows of a tile in a ring, a line each.
inline void print_tile_rows(uint32_t cb, uint32_t rows = 32, uint32_t tile = 0, bool untilize = false) {
    for (uint32_t row = 0; row < rows && row < 32; ++row) {
        const SliceRange range{uint8_t(row), uint8_t(row + 1), 1, 0, 32, 1};
        tw::print(TW_HERE, "{}: {}", row, TileSlice<64>(cb, tile, range, true, untilize));
    }
}
// All of it.
inline void print_full_tile(uint32_t cb, uint32_t tile = 0, bool untilize = false) {
    print_tile_rows(cb, 32, tile, untilize);
}
