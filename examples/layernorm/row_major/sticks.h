// How sticks, rows of a row-major tensor, are cut into blocks of columns.

#pragma once

#include <algorithm>
#include <cstdint>

#include "buffers.h"

constexpr uint32_t tile_rows = 32;
// One row of one tile of bf16.
constexpr uint32_t tile_row_bytes = 64;

// Tiles across a block of sticks. Wide blocks make long reads; where the row is not kept, what is
// tilized at a time is what the arithmetic takes at a time.
constexpr uint32_t stick_tiles(bool keeps_row) {
    return keeps_row ? 8 : block_tiles;
}

// Calls `each(column, tiles)` for every block of a row.
template <typename Each>
void stick_blocks(bool keeps_row, uint32_t row_tiles, Each each) {
    const uint32_t block = stick_tiles(keeps_row);
    for (uint32_t column = 0; column < row_tiles; column += block) {
        each(column, std::min(block, row_tiles - column));
    }
}
