// Makes the scaler of the sums, then reads rows of tiles.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

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

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
    constexpr auto x_args = TensorAccessorArgs<1>();
    constexpr uint32_t cb_x = tt::CBIndex::c_0;
    constexpr uint32_t cb_scaler = tt::CBIndex::c_1;
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(cb_x));
    push_scaler(cb_scaler);
    for (uint32_t tile = first_row * row_tiles; tile < (first_row + rows) * row_tiles; ++tile) {
        cb_reserve_back(cb_x, 1);
        noc_async_read_page(tile, x, get_write_ptr(cb_x));
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
}
