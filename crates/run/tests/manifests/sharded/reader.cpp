// Gives away the shard of the first input, which is there, and reads that of the second.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_first = 0;
    constexpr uint32_t cb_second = 1;
    constexpr auto second_args = TensorAccessorArgs<0>();
    const auto second = TensorAccessor(second_args, get_arg_val<uint32_t>(0), get_tile_size(cb_second));
    const uint32_t shard = get_arg_val<uint32_t>(1);
    const uint32_t tiles = get_arg_val<uint32_t>(2);
    static_assert(NOC_INDEX == 1, "the manifest says which network it is");
    cb_reserve_back(cb_first, tiles);
    cb_push_back(cb_first, tiles);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_reserve_back(cb_second, 1);
        const uint64_t from = second.get_shard_noc_addr(shard) + tile * get_tile_size(cb_second);
        noc_async_read(from, get_write_ptr(cb_second), get_tile_size(cb_second));
        noc_async_read_barrier();
        cb_push_back(cb_second, 1);
    }
}
