// Start-up of kernels with one operand, the older form: the copy to Dst is configured as well.

#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void unary_op_init_common(uint32_t icb, uint32_t ocb, TW_AT) {
    compute_kernel_hw_startup(icb, ocb, tw_at);
    tw::configure(tw::unpack_one, tw::math_copy, tw_at);
}
ALWI void init_sfpu(uint32_t icb, uint32_t ocb, TW_AT) { unary_op_init_common(icb, ocb, tw_at); }

}  // namespace ckernel
