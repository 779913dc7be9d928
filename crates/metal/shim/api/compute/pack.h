// Packing whole tiles.

#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

template <bool out_of_order_output = false>
ALWI void pack_tile(uint32_t dst, uint32_t ocb, uint32_t page = 0) {
    PACK((tw_calls->pack_tile(TW_HERE, dst, ocb, out_of_order_output ? page : TW_NONE)));
}
ALWI void pack_block(uint32_t dst, uint32_t ocb, uint32_t tiles) {
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        PACK((tw_calls->pack_tile(TW_HERE, dst + tile, ocb, TW_NONE)));
    }
}
ALWI void pack_tile_block(uint32_t dst, uint32_t ocb, uint32_t tiles) { pack_block(dst, ocb, tiles); }
ALWI void matmul_pack_tile(uint32_t dst, uint32_t ocb, uint32_t tiles) { pack_block(dst, ocb, tiles); }
ALWI void pack_reconfig_l1_acc(uint32_t enable) { PACK((tw_calls->configure_accumulate(TW_HERE, enable))); }

ALWI void pack_init(uint32_t, uint32_t = 0) { PACK((tw_calls->configure_pack(TW_HERE, 0, 0))); }
ALWI void pack_relu_config(const ReluConfig& config) {
    PACK((tw_calls->configure_relu(TW_HERE, static_cast<uint32_t>(config.get_mode()), config.get_threshold())));
}
TW_LACKS(pack_rows_init, "packing of rows");
TW_LACKS(pack_rows, "packing of rows");
TW_LACKS(pack_rows_uninit, "packing of rows");

}  // namespace ckernel
