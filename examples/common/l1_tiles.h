// Tiles of bf16 or fp32 that a reader writes itself, or mends where they lie: scalers, masks, padding.
// Values are bf16 patterns, which are the upper halves of fp32 ones.

#pragma once

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t tile_side = 32;
constexpr uint32_t face_side = 16;
constexpr uint16_t bf16_zero = 0;
constexpr uint16_t bf16_one = 0x3f80;
constexpr uint16_t bf16_minus_infinity = 0xff80;

// Where a value of a tile lies: faces of 16x16 come one after another.
constexpr uint32_t place_of(uint32_t row, uint32_t column) {
    const uint32_t face = row / face_side * 2 + column / face_side;
    return (face * face_side + row % face_side) * face_side + column % face_side;
}

// Sets a value of a tile of a buffer's format.
inline void set(uint32_t cb, uint32_t tile, uint32_t place, uint16_t value) {
    if (get_tile_size(cb) == tile_side * tile_side * sizeof(uint32_t)) {
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(tile)[place] = uint32_t{value} << 16;
    } else {
        reinterpret_cast<volatile tt_l1_ptr uint16_t*>(tile)[place] = value;
    }
}

// Pushes a tile of values by row and column.
template <typename Value>
void push_tile(uint32_t cb, Value value) {
    cb_reserve_back(cb, 1);
    const uint32_t tile = get_write_ptr(cb);
    for (uint32_t row = 0; row < tile_side; ++row) {
        for (uint32_t column = 0; column < tile_side; ++column) {
            set(cb, tile, place_of(row, column), value(row, column));
        }
    }
    cb_push_back(cb, 1);
}

// The scaler tile of a reduction: row 0 of each face is one, everything else is zero.
inline void push_scaler(uint32_t cb) {
    push_tile(cb, [](uint32_t row, uint32_t) { return row % face_side == 0 ? bf16_one : bf16_zero; });
}

inline void push_ones(uint32_t cb) {
    push_tile(cb, [](uint32_t, uint32_t) { return bf16_one; });
}

inline void push_zeros(uint32_t cb) {
    push_tile(cb, [](uint32_t, uint32_t) { return bf16_zero; });
}

// Ones in the first columns, zeros elsewhere.
inline void push_column_mask(uint32_t cb, uint32_t columns) {
    push_tile(cb, [columns](uint32_t, uint32_t column) { return column < columns ? bf16_one : bf16_zero; });
}

// Ones in the first rows, zeros elsewhere.
inline void push_row_mask(uint32_t cb, uint32_t rows) {
    push_tile(cb, [rows](uint32_t row, uint32_t) { return row < rows ? bf16_one : bf16_zero; });
}

// Overwrites what a tile of a buffer holds beyond its first columns.
inline void fill_columns(uint32_t cb, uint32_t at, uint32_t columns, uint16_t value) {
    for (uint32_t row = 0; row < tile_side; ++row) {
        for (uint32_t column = columns; column < tile_side; ++column) {
            set(cb, at, place_of(row, column), value);
        }
    }
}
