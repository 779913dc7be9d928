// Start-up of the compute side.

#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace ckernel {

// What start-up does, also for older calls that contain it.
template <SrcOrder order = SrcOrder::Regular>
ALWI void tw_hw_configure(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
    constexpr bool reverse = order == SrcOrder::Reverse;
    [[maybe_unused]] const uint32_t a = reverse ? icb1 : icb0;
    [[maybe_unused]] const uint32_t b = reverse ? icb0 : icb1;
    UNPACK((tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_A, a)));
    UNPACK((tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_B, b)));
    MATH((tw_calls->start_math(TW_HERE)));
    MATH((tw_calls->configure_alu_format(TW_HERE, TW_SRC_A, a)));
    MATH((tw_calls->configure_alu_format(TW_HERE, TW_SRC_B, b)));
    PACK((tw_calls->configure_pack_formats(TW_HERE, ocb)));
    PACK((tw_calls->configure_pack(TW_HERE, 0, 0)));
    PACK((tw_calls->start_pack(TW_HERE)));
    tw_calls->started_up(TW_HERE);
}

// To be called once, before everything else.
template <SrcOrder order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
    tw_calls->start_up(TW_HERE);
    tw_hw_configure<order>(icb0, icb1, ocb);
}
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb) {
    compute_kernel_hw_startup(icb0, icb0, ocb);
}

TW_LACKS(enable_fp32_dest_acc, "a change of Dst's width inside a kernel");
TW_LACKS(disable_fp32_dest_acc, "a change of Dst's width inside a kernel");
TW_LACKS(set_fp32_dest_acc, "a change of Dst's width inside a kernel");
TW_LACKS(restore_fp32_dest_acc, "a change of Dst's width inside a kernel");

}  // namespace ckernel
