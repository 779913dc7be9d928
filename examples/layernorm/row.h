// What the LayerNorm compute kernels share: operands into Dst without loss, and row sums.
//
// All arithmetic on values is the vector unit's, in a 32-bit Dst; the matrix unit only moves,
// broadcasts and sums. Its sums take 11 bits of a value, so that a sum goes there in two parts.
// DATA_FP32 is defined for tensors of fp32, whose buffers go straight to Dst.

#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/mask.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "buffers.h"

// Consecutive tiles to consecutive registers.
inline void load_tiles(uint32_t from, uint32_t first, uint32_t to, uint32_t tiles) {
    reconfig_data_format_srca(from);
    copy_tile_init(from);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        copy_tile(from, first + tile, to + tile);
    }
}

inline void load(uint32_t from, uint32_t tile, uint32_t to) {
    load_tiles(from, tile, to, 1);
}

// Column 0 of a tile, in every column.
inline void load_column(uint32_t from, uint32_t to) {
    reconfig_data_format(from, from);
    unary_bcast_init<BroadcastType::COL>(from);
    unary_bcast<BroadcastType::COL>(from, 0, to);
}

// The same of a buffer like the last one: only the vector unit has worked since.
inline void load_next_column(uint32_t from, uint32_t to) {
    unary_bcast<BroadcastType::COL>(from, 0, to);
}

// Columns of two buffers that are alike, in consecutive registers.
inline void load_columns(uint32_t from, uint32_t second, uint32_t to) {
    load_column(from, to);
    load_next_column(second, to + 1);
}

// Zeroes consecutive registers: products add to what is in Dst, and acquiring a section clears nothing.
inline void zero_all(uint32_t first, uint32_t tiles) {
    fill_tile_init();
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        fill_tile(tile, 0.0f);
    }
}

inline void zero(uint32_t to) {
    zero_all(to, 1);
}

// Zeroes the registers of products.
inline void zero_products(uint32_t first, uint32_t tiles) {
#ifndef FAULT_STALE_ACCUMULATION
    zero_all(first, tiles);
#endif
}

inline void load_rows_init(uint32_t from) {
#ifdef DATA_FP32
    reconfig_data_format(from, from);
    unary_bcast_init<BroadcastType::ROW>(from);
#else
    reconfig_data_format(cb_zeros, from);
    add_bcast_rows_init(cb_zeros, from);
#endif
}

// Row 0 of consecutive tiles, in every row of consecutive registers. A 16-bit row cannot be
// broadcast into a 32-bit Dst by a move; a sum with zeros does it, exactly.
inline void load_rows(uint32_t from, uint32_t first, uint32_t to, uint32_t tiles) {
    for (uint32_t tile = 0; tile < tiles; ++tile) {
#ifdef DATA_FP32
        unary_bcast<BroadcastType::ROW>(from, first + tile, to + tile);
#else
        add_tiles_bcast_rows(cb_zeros, from, 0, first + tile, to + tile);
#endif
    }
}

inline void load_row(uint32_t from, uint32_t tile, uint32_t to) {
    load_rows_init(from);
    load_rows(from, tile, to, 1);
}

// Loads rows for as many of the first registers at a time as there are spare ones, and calls
// `each(tile, row)`.
template <typename Each>
inline void with_rows(uint32_t from, uint32_t first, uint32_t tiles, uint32_t spare, uint32_t spares, Each each) {
    for (uint32_t tile = 0; tile < tiles; tile += spares) {
        const uint32_t group = std::min(spares, tiles - tile);
        load_rows(from, first + tile, spare, group);
        for (uint32_t place = 0; place < group; ++place) {
            each(tile + place, spare + place);
        }
    }
}

// The first registers multiplied by row 0 of consecutive tiles, in every row.
inline void multiply_by_rows(uint32_t from, uint32_t first, uint32_t tiles, uint32_t spare, uint32_t spares) {
    load_rows_init(from);
    mul_binary_tile_init();
    with_rows(from, first, tiles, spare, spares, [](uint32_t tile, uint32_t row) {
        mul_binary_tile(tile, row, tile);
    });
}

// Row 0 of consecutive tiles, in every row, added to the first registers.
inline void add_rows(uint32_t from, uint32_t first, uint32_t tiles, uint32_t spare, uint32_t spares) {
    load_rows_init(from);
    add_binary_tile_init();
    with_rows(from, first, tiles, spare, spares, [](uint32_t tile, uint32_t row) {
        add_binary_tile(tile, row, tile);
    });
}

inline void add(uint32_t x, uint32_t y, uint32_t out) {
    add_binary_tile_init();
    add_binary_tile(x, y, out);
}

inline void subtract(uint32_t x, uint32_t y, uint32_t out) {
    sub_binary_tile_init();
    sub_binary_tile(x, y, out);
}

inline void multiply(uint32_t x, uint32_t y, uint32_t out) {
    mul_binary_tile_init();
    mul_binary_tile(x, y, out);
}

// The same tile subtracted from consecutive ones.
inline void subtract_from_each(uint32_t first, uint32_t tiles, uint32_t taken) {
    sub_binary_tile_init();
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        sub_binary_tile(tile, taken, tile);
    }
}

// Consecutive tiles multiplied by the same one.
inline void multiply_all(uint32_t first, uint32_t tiles, uint32_t factor) {
    mul_binary_tile_init();
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        mul_binary_tile(tile, factor, tile);
    }
}

// The same tile added to consecutive ones.
inline void add_to_each(uint32_t first, uint32_t tiles, uint32_t added) {
    add_binary_tile_init();
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        add_binary_tile(tile, added, tile);
    }
}

// Tiles times row 0 of others: products of bf16 are exact in a 32-bit Dst. Those of fp32 are the
// vector unit's, with a register more.
inline void load_times_rows(
    uint32_t factor, uint32_t row, uint32_t first, uint32_t to, uint32_t spare, uint32_t tiles) {
#ifdef DATA_FP32
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        load(factor, first + tile, to + tile);
        load_row(row, first + tile, spare);
        multiply(to + tile, spare, to + tile);
    }
#else
    zero_products(to, tiles);
    reconfig_data_format(factor, row);
    mul_bcast_rows_init(factor, row);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        mul_tiles_bcast_rows(factor, row, first + tile, first + tile, to + tile);
    }
#endif
}

// Consecutive tiles added to a sum.
inline void add_all(uint32_t sum, uint32_t first, uint32_t tiles) {
    add_binary_tile_init();
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        add_binary_tile(sum, tile, sum);
    }
}

// Zeroes what the mask in the next register leaves out.
inline void mask_with_next(uint32_t data) {
    mask_tile_init();
    mask_tile(data, data + 1);
}

// Cuts a tile of Dst into a part of ten bits, which goes to `high`, and the rest, which stays. Both
// are exact: moving Dst to SrcA cuts it to that source's format, and a product uses ten bits of it.
inline void split(uint32_t sum, uint32_t high) {
    copy_dest_values_init();
    copy_dest_values(sum, high);
    reconfig_data_format(cb_split, cb_ones);
    binary_reuse_dest_init<EltwiseBinaryType::ELWMUL, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(cb_ones);
    binary_reuse_dest_tiles<EltwiseBinaryType::ELWMUL, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(cb_ones, 0, high);
    subtract(sum, high, sum);
}

// Packs registers to consecutive pages of a buffer.
inline void pack_registers(std::initializer_list<uint32_t> registers, uint32_t to) {
    cb_reserve_back(to, registers.size());
    pack_reconfig_data_format(to);
    for (const uint32_t each : registers) {
        pack_tile(each, to);
    }
    cb_push_back(to, registers.size());
}

// Adds up the rows, or the columns, of both parts of a split sum: page `first` and the next.
// Row sums have their data in SrcB, column sums in SrcA.
template <ReduceDim dim>
inline void reduce_parts(uint32_t first, uint32_t to) {
    zero(to);
    if constexpr (dim == ReduceDim::REDUCE_ROW) {
        reconfig_data_format(cb_ones, cb_split);
    } else {
        reconfig_data_format(cb_split, cb_ones);
    }
    reduce_init<PoolType::SUM, dim>(cb_split, cb_ones, cb_split);
    for (uint32_t part = first; part < first + 2; ++part) {
        reduce_tile<PoolType::SUM, dim>(cb_split, cb_ones, part, 0, to);
    }
}

// A tile times 1/N, which the host rounds to fp32.
inline void over_features(uint32_t to, uint32_t reciprocal_bits) {
    binop_with_scalar_tile_init();
    mul_unary_tile(to, reciprocal_bits);
}
