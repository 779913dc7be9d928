// Reads a tile of a and a row of tiles of b for each step.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t rows = get_arg_val<uint32_t>(3);
    const uint32_t kt = get_arg_val<uint32_t>(4);
    const uint32_t nt = get_arg_val<uint32_t>(5);
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(1));
    for (uint32_t r = first; r < first + rows; ++r) {
        for (uint32_t k = 0; k < kt; ++k) {
            cb_reserve_back(0, 1);
            noc_async_read_tile(r * kt + k, a, get_write_ptr(0));
            cb_reserve_back(1, nt);
            uint32_t at = get_write_ptr(1);
            for (uint32_t n = 0; n < nt; ++n) {
                noc_async_read_tile(k * nt + n, b, at);
                at += get_tile_size(1);
            }
            noc_async_read_barrier();
            cb_push_back(0, 1);
            cb_push_back(1, nt);
        }
    }
}
