// Makes the scaler, then reads rows of tiles.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void fill_scaler(uint32_t cb) {
    cb_reserve_back(cb, 1);
    volatile tt_l1_ptr uint16_t* p = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb));
    for (uint32_t i = 0; i < 1024; ++i) p[i] = 0;
    for (uint32_t f = 0; f < 4; ++f)
        for (uint32_t i = 0; i < 16; ++i) p[f * 256 + i] = 0x3f80;
    cb_push_back(cb, 1);
}
void kernel_main() {
    const uint32_t addr = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    const uint32_t wt = get_arg_val<uint32_t>(3);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, addr, get_tile_size(0));
    fill_scaler(1);
    for (uint32_t r = first; r < first + rows; ++r) {
        for (uint32_t c = 0; c < wt; ++c) {
            cb_reserve_back(0, 1);
            noc_async_read_tile(r * wt + c, x, get_write_ptr(0));
            noc_async_read_barrier();
            cb_push_back(0, 1);
        }
    }
}
