// Reads, step by step along K, the tiles of A and B that each block needs.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "blocks.h"
#include "movement.h"

void kernel_main() {
    const uint32_t first_block = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const Blocks blocks = blocks_of_host();
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb_a = tt::CBIndex::c_0;
    constexpr uint32_t cb_b = tt::CBIndex::c_1;
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(cb_a));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(cb_b));
    for (uint32_t block = first_block; block < first_block + count; ++block) {
        for (uint32_t step = 0; step < blocks.steps; ++step) {
            ask_for_tiles(cb_a, blocks.a_tiles(), a, blocks.a_tiles(), blocks.a_pages(block, step));
            ask_for_tiles(cb_b, blocks.b_tiles(), b, blocks.b_tiles(), blocks.b_pages(block, step));
#ifndef FAULT_MISSING_READ_BARRIER
            noc_async_read_barrier();
#endif
            cb_push_back(cb_a, blocks.a_tiles());
            cb_push_back(cb_b, blocks.b_tiles());
        }
    }
}
