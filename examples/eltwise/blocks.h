// Which tiles a block has: all of the tensor's tiles in order, `block` at a time.

#pragma once

#include <algorithm>
#include <cstdint>

struct Tiles {
    uint32_t start;
    uint32_t end;
};

inline Tiles tiles_of(uint32_t index, uint32_t block, uint32_t all) {
    const uint32_t start = index * block;
    return {start, std::min(all, start + block)};
}
