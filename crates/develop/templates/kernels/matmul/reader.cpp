// Reads, for each tile of the output, a row of tiles of A and a column of tiles of B.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first_tile = get_arg_val<uint32_t>(2);
    const uint32_t tiles = get_arg_val<uint32_t>(3);
    constexpr uint32_t depth = get_compile_time_arg_val(0);
    constexpr uint32_t columns = get_compile_time_arg_val(1);
    constexpr uint32_t cb_a = tt::CBIndex::c_0;
    constexpr uint32_t cb_b = tt::CBIndex::c_1;
    constexpr auto a_args = TensorAccessorArgs<2>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(cb_a));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(cb_b));
    for (uint32_t tile = first_tile; tile < first_tile + tiles; ++tile) {
        const uint32_t row = tile / columns;
        const uint32_t column = tile % columns;
        for (uint32_t k = 0; k < depth; ++k) {
            cb_reserve_back(cb_a, 1);
            cb_reserve_back(cb_b, 1);
            noc_async_read_page(row * depth + k, a, get_write_ptr(cb_a));
            noc_async_read_page(k * columns + column, b, get_write_ptr(cb_b));
            noc_async_read_barrier();
            cb_push_back(cb_a, 1);
            cb_push_back(cb_b, 1);
        }
    }
}
