// Reads sticks in blocks of columns: γ and β once and each row once, or in three passes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "l1_tiles.h"
#include "sticks.h"

// A tile of zeros in this core's L1, for the compute kernel too.
uint64_t make_zeros() {
    const uint32_t at = get_write_ptr(cb_zeros);
    push_zeros(cb_zeros);
    return get_noc_addr(at);
}

// The ring moves on by whole blocks, whatever the tail's size, so that no block wraps.
template <typename Ask>
void push_sticks(uint32_t pages, Ask ask) {
    cb_reserve_back(cb_sticks, pages);
    ask(get_write_ptr(cb_sticks));
#ifndef FAULT_MISSING_READ_BARRIER
    noc_async_read_barrier();
#endif
    cb_push_back(cb_sticks, pages);
}

// The 32 sticks of a tile-row, `tiles` tiles wide from tile column `column`.
template <typename Tensor>
void read_sticks(uint32_t pages, const Tensor& from, uint32_t row, uint32_t column, uint32_t tiles) {
    push_sticks(pages, [&](uint32_t to) {
        for (uint32_t place = 0; place < tile_rows; ++place) {
            const uint64_t segment = from.get_noc_addr(row * tile_rows + place, column * tile_row_bytes);
            noc_async_read(segment, to + place * tiles * tile_row_bytes, tiles * tile_row_bytes);
        }
    });
}

// The only stick of γ or β, with 31 of zeros below it: tilize reads them all.
template <typename Tensor>
void read_parameter(uint32_t pages, const Tensor& from, uint64_t zeros, uint32_t column, uint32_t tiles) {
    push_sticks(pages, [&](uint32_t to) {
        constexpr uint32_t zero_bytes = (tile_rows - 1) * tile_row_bytes;
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            noc_async_read(zeros, to + tiles * tile_row_bytes + tile * zero_bytes, zero_bytes);
        }
        noc_async_read(from.get_noc_addr(0, column * tile_row_bytes), to, tiles * tile_row_bytes);
    });
}

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(3);
    const uint32_t rows = get_arg_val<uint32_t>(4);
    const uint32_t row_tiles = get_common_arg_val<uint32_t>(0);
    const bool keeps_row = get_common_arg_val<uint32_t>(1) != 0;
    const uint32_t stick_bytes = row_tiles * tile_row_bytes;
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto gamma_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr auto beta_args = TensorAccessorArgs<gamma_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), stick_bytes);
    const auto gamma = TensorAccessor(gamma_args, get_arg_val<uint32_t>(1), stick_bytes);
    const auto beta = TensorAccessor(beta_args, get_arg_val<uint32_t>(2), stick_bytes);
    const uint32_t pages = stick_tiles(keeps_row);
    push_ones(cb_ones);
    const uint64_t zeros = make_zeros();
    const auto read_row = [&](uint32_t row, bool with_parameters) {
        stick_blocks(keeps_row, row_tiles, [&](uint32_t column, uint32_t tiles) {
            read_sticks(pages, x, row, column, tiles);
            if (with_parameters) {
                read_parameter(pages, gamma, zeros, column, tiles);
                read_parameter(pages, beta, zeros, column, tiles);
            }
        });
    };
    if (keeps_row) {
        for (const auto& parameter : {gamma, beta}) {
            stick_blocks(keeps_row, row_tiles, [&](uint32_t column, uint32_t tiles) {
                read_parameter(pages, parameter, zeros, column, tiles);
            });
        }
        for (uint32_t row = first_row; row < first_row + rows; ++row) {
            read_row(row, false);
        }
        return;
    }
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        read_row(row, false);
        read_row(row, false);
        read_row(row, true);
    }
}
