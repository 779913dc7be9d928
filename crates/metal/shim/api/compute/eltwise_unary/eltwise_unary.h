// Start-up of kernels with one operand, the older form: the copy to Dst is configured as well.

#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void unary_op_init_common(uint32_t icb, uint32_t ocb = 16) {
    tw_hw_configure(icb, icb, ocb);
    tw::configure(tw::unpack_one, tw::math_copy);
}
ALWI void init_sfpu(uint32_t icb, uint32_t ocb = 16) { unary_op_init_common(icb, ocb); }

}  // namespace ckernel
