// Makes the tile that scales sums, and fetches the input's tile.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "mistakes.h"

void kernel_main() {
    constexpr uint32_t mistake = get_compile_time_arg_val(0);
    constexpr auto x_args = TensorAccessorArgs<1>();
    constexpr uint32_t cb_x = tt::CBIndex::c_0;
    constexpr uint32_t cb_scaler = tt::CBIndex::c_1;
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(cb_x));

    // Row 0 of each face, 16 of its 256 values, holds 1/32 as bf16.
    cb_reserve_back(cb_scaler, 1);
    auto* const tile = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb_scaler));
    if constexpr (mistake == early_push) {
        cb_push_back(cb_scaler, 1);
    }
    for (uint32_t place = 0; place < 1024; ++place) {
        tile[place] = place % 256 < 16 ? 0x3d00 : 0;
    }
    if constexpr (mistake != early_push) {
        cb_push_back(cb_scaler, 1);
    }

    cb_reserve_back(cb_x, 1);
    noc_async_read_page(0, x, get_write_ptr(cb_x));
    if constexpr (mistake != no_barrier) {
        noc_async_read_barrier();
    }
    cb_push_back(cb_x, 1);
}
