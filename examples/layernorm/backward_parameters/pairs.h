// Pairs of tile-columns, and the share of their rows that a core has.

#pragma once

#include <cstdint>

#include "buffers.h"

// Tile-columns that are summed together: their four sums and what they need fill Dst.
constexpr uint32_t pair_tiles = 2;

// What the host tells all cores.
struct Rows {
    uint32_t row_tiles;
    // Tile-rows of one matrix, and valid rows of its last tile-row.
    uint32_t matrix_rows;
    uint32_t last_rows;
    // Cores that share the rows of a pair.
    uint32_t sharers;

    uint32_t tiles_of(uint32_t pair) const {
        const uint32_t left = row_tiles - pair * pair_tiles;
        return left < pair_tiles ? left : pair_tiles;
    }
    bool has_mask() const { return last_rows < 32; }
    bool is_masked(uint32_t row) const { return has_mask() && (row + 1) % matrix_rows == 0; }
    // Sums that the core at place 0 gets from the others.
    uint32_t parts() const { return 2 * pair_tiles * (sharers - 1); }
};

// A core's own work; the core at place 0 of those that share a pair adds their parts up.
struct Share {
    uint32_t first_pair;
    uint32_t pairs;
    uint32_t first_row;
    uint32_t rows;
    uint32_t place;
};

inline Rows rows_of_host() {
    return {
        get_common_arg_val<uint32_t>(0),
        get_common_arg_val<uint32_t>(1),
        get_common_arg_val<uint32_t>(2),
        get_common_arg_val<uint32_t>(3),
    };
}

inline Share share_from(uint32_t arg) {
    return {
        get_arg_val<uint32_t>(arg),
        get_arg_val<uint32_t>(arg + 1),
        get_arg_val<uint32_t>(arg + 2),
        get_arg_val<uint32_t>(arg + 3),
        get_arg_val<uint32_t>(arg + 4),
    };
}
