// Makes the scaler of the sums, reads gamma and beta once, then the sticks of each tile-row.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t tile_rows = 32;
// One row of one tile of bf16.
constexpr uint32_t tile_row_bytes = 64;

// A scaler has its value in row 0 of each face of 16x16, and zeros elsewhere.
void push_scaler(uint32_t cb) {
    constexpr uint32_t face = 16;
    constexpr uint16_t one = 0x3f80;
    cb_reserve_back(cb, 1);
    const auto values = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb));
    for (uint32_t place = 0; place < 4 * face * face; ++place) {
        values[place] = place % (face * face) < face ? one : 0;
    }
    cb_push_back(cb, 1);
}

// The only stick of a parameter, with 31 of zeros below it: tilize reads them all.
template <typename Tensor>
void push_parameter(uint32_t cb, const Tensor& from, uint32_t row_tiles) {
    const uint32_t stick_bytes = row_tiles * tile_row_bytes;
    cb_reserve_back(cb, row_tiles);
    const uint32_t to = get_write_ptr(cb);
    const auto below = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(to + stick_bytes);
    for (uint32_t word = 0; word < (tile_rows - 1) * stick_bytes / sizeof(uint32_t); ++word) {
        below[word] = 0;
    }
    noc_async_read(from.get_noc_addr(0), to, stick_bytes);
    noc_async_read_barrier();
    cb_push_back(cb, row_tiles);
}

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(3);
    const uint32_t rows = get_arg_val<uint32_t>(4);
    constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t stick_bytes = row_tiles * tile_row_bytes;
    constexpr auto x_args = TensorAccessorArgs<1>();
    constexpr auto gamma_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr auto beta_args = TensorAccessorArgs<gamma_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb_sticks = tt::CBIndex::c_0;
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), stick_bytes);
    const auto gamma = TensorAccessor(gamma_args, get_arg_val<uint32_t>(1), stick_bytes);
    const auto beta = TensorAccessor(beta_args, get_arg_val<uint32_t>(2), stick_bytes);
    push_scaler(tt::CBIndex::c_2);
    push_parameter(tt::CBIndex::c_4, gamma, row_tiles);
    push_parameter(tt::CBIndex::c_5, beta, row_tiles);
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        cb_reserve_back(cb_sticks, row_tiles);
        for (uint32_t place = 0; place < tile_rows; ++place) {
            const uint64_t stick = x.get_noc_addr(row * tile_rows + place);
            noc_async_read(stick, get_write_ptr(cb_sticks) + place * stick_bytes, stick_bytes);
        }
        noc_async_read_barrier();
        cb_push_back(cb_sticks, row_tiles);
    }
}
