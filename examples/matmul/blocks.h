// How a product is cut into blocks of output tiles, and which pages each block needs.
//
// The sizes are arguments that all cores share, not of compile time: one object serves all shapes.

#pragma once

#include <cstdint>

// Pages of a rectangle, row after row, in a matrix whose rows have `row_pages`.
inline auto rectangle(uint32_t first, uint32_t columns, uint32_t row_pages) {
    return [=](uint32_t place) { return first + place / columns * row_pages + place % columns; };
}

struct Blocks {
    uint32_t rows;
    uint32_t columns;
    uint32_t depth;
    uint32_t steps;
    uint32_t row_blocks;
    uint32_t column_blocks;

    uint32_t tiles() const { return rows * columns; }
    uint32_t a_tiles() const { return rows * depth; }
    uint32_t b_tiles() const { return depth * columns; }

    // Matrices lie below each other, so that rows of blocks are counted through all of them.
    auto a_pages(uint32_t block, uint32_t step) const {
        const uint32_t row_pages = steps * depth;
        return rectangle(block / column_blocks * rows * row_pages + step * depth, depth, row_pages);
    }
    auto b_pages(uint32_t block, uint32_t step) const {
        const uint32_t matrix = block / (row_blocks * column_blocks);
        const uint32_t row_pages = column_blocks * columns;
        const uint32_t first_row = (matrix * steps + step) * depth;
        return rectangle(first_row * row_pages + block % column_blocks * columns, columns, row_pages);
    }
    auto out_pages(uint32_t block) const {
        const uint32_t row_pages = column_blocks * columns;
        const uint32_t first_row = block / column_blocks * rows;
        return rectangle(first_row * row_pages + block % column_blocks * columns, columns, row_pages);
    }
};

inline Blocks blocks_of_host() {
    return {
        get_common_arg_val<uint32_t>(0),
        get_common_arg_val<uint32_t>(1),
        get_common_arg_val<uint32_t>(2),
        get_common_arg_val<uint32_t>(3),
        get_common_arg_val<uint32_t>(4),
        get_common_arg_val<uint32_t>(5),
    };
}
