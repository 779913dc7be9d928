// What formats the sources and the packer work with from here on.
//
// Forms with old and new operands do the same: the hardware is written when the formats differ, and
// writing what is there already changes nothing.

#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace tw {

ALWI void set_source_format(uint32_t source, uint32_t cb) {
    UNPACK((tw_calls->configure_unpack_formats(TW_HERE, source, cb)));
    MATH((tw_calls->configure_alu_format(TW_HERE, source, cb)));
}

}  // namespace tw

namespace ckernel {

template <SrcOrder order = SrcOrder::Regular>
ALWI void reconfig_data_format(uint32_t icb0, uint32_t icb1) {
    constexpr bool reverse = order == SrcOrder::Reverse;
    tw::set_source_format(TW_SRC_A, reverse ? icb1 : icb0);
    tw::set_source_format(TW_SRC_B, reverse ? icb0 : icb1);
}
template <SrcOrder order = SrcOrder::Regular>
ALWI void reconfig_data_format(uint32_t, uint32_t icb0, uint32_t, uint32_t icb1) {
    reconfig_data_format<order>(icb0, icb1);
}
ALWI void reconfig_data_format_srca(uint32_t icb) { tw::set_source_format(TW_SRC_A, icb); }
ALWI void reconfig_data_format_srca(uint32_t, uint32_t icb) { tw::set_source_format(TW_SRC_A, icb); }
ALWI void reconfig_data_format_srcb(uint32_t icb) { tw::set_source_format(TW_SRC_B, icb); }
ALWI void reconfig_data_format_srcb(uint32_t, uint32_t icb) { tw::set_source_format(TW_SRC_B, icb); }
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t ocb) {
    PACK((tw_calls->configure_pack_formats(TW_HERE, ocb)));
}
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t, uint32_t ocb) {
    PACK((tw_calls->configure_pack_formats(TW_HERE, ocb)));
}

// Formats and tile shape; every tile here is 32 by 32, so the shape is what it was.
template <SrcOrder order = SrcOrder::Regular>
ALWI void reconfig_full_operand(uint32_t icb0, uint32_t icb1) {
    reconfig_data_format<order>(icb0, icb1);
}
template <SrcOrder order = SrcOrder::Regular>
ALWI void reconfig_full_operand(uint32_t, uint32_t icb0, uint32_t, uint32_t icb1) {
    reconfig_data_format<order>(icb0, icb1);
}
ALWI void reconfig_full_operand_srca(uint32_t icb) { reconfig_data_format_srca(icb); }
ALWI void reconfig_full_operand_srca(uint32_t, uint32_t icb) { reconfig_data_format_srca(icb); }
ALWI void reconfig_full_operand_srcb(uint32_t icb) { reconfig_data_format_srcb(icb); }
ALWI void reconfig_full_operand_srcb(uint32_t, uint32_t icb) { reconfig_data_format_srcb(icb); }
TW_LACKS(reconfig_tile_shape, "tiles other than 32 by 32");
TW_LACKS(reconfig_tile_shape_srca, "tiles other than 32 by 32");
TW_LACKS(reconfig_tile_shape_srcb, "tiles other than 32 by 32");

// Older names.
ALWI void unpack_reconfig_data_format(uint32_t icb0, uint32_t icb1) { reconfig_data_format(icb0, icb1); }
ALWI void unpack_reconfig_data_format(uint32_t, uint32_t icb0, uint32_t, uint32_t icb1) {
    reconfig_data_format(icb0, icb1);
}
ALWI void unpack_reconfig_data_format_srca(uint32_t icb) { reconfig_data_format_srca(icb); }
ALWI void unpack_reconfig_data_format_srca(uint32_t, uint32_t icb) { reconfig_data_format_srca(icb); }
ALWI void unpack_reconfig_data_format_srcb(uint32_t icb) { reconfig_data_format_srcb(icb); }
ALWI void unpack_reconfig_data_format_srcb(uint32_t, uint32_t icb) { reconfig_data_format_srcb(icb); }

}  // namespace ckernel
