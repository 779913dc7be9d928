// Writes dγ and dβ of each pair, or sends this core's part to the core that adds the parts up.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "movement.h"
#include "pairs.h"

// Puts this core's sums into its own slot on the other core, then raises that core's semaphore.
// Buffers have the same addresses on every core.
void send_part(uint32_t place, uint32_t root_x, uint32_t root_y) {
    const uint32_t bytes = 2 * pair_tiles * get_tile_size(cb_partial_out);
    const uint32_t slot = get_write_ptr(cb_partial_in) + (place - 1) * bytes;
    cb_wait_front(cb_partial_out, 2 * pair_tiles);
    noc_async_write(get_read_ptr(cb_partial_out), get_noc_addr(root_x, root_y, slot), bytes);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(root_x, root_y, get_semaphore(0)), 1);
    noc_async_atomic_barrier();
    cb_pop_front(cb_partial_out, 2 * pair_tiles);
}

void kernel_main() {
    const Rows host = rows_of_host();
    const Share share = share_from(2);
    constexpr auto dgamma_args = TensorAccessorArgs<0>();
    constexpr auto dbeta_args = TensorAccessorArgs<dgamma_args.next_compile_time_args_offset()>();
    const auto dgamma = TensorAccessor(dgamma_args, get_arg_val<uint32_t>(0), get_tile_size(cb_out));
    const auto dbeta = TensorAccessor(dbeta_args, get_arg_val<uint32_t>(1), get_tile_size(cb_dbeta));
    if (share.place > 0) {
        send_part(share.place, get_arg_val<uint32_t>(7), get_arg_val<uint32_t>(8));
        return;
    }
    for (uint32_t pair = share.first_pair; pair < share.first_pair + share.pairs; ++pair) {
        const uint32_t first = pair * pair_tiles;
        write_tiles(cb_out, pair_tiles, dgamma, host.tiles_of(pair), from_page(first));
        write_tiles(cb_dbeta, pair_tiles, dbeta, host.tiles_of(pair), from_page(first));
    }
}
