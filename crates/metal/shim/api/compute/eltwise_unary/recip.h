// One over each value.

#pragma once

#include "internal/sfpu.h"
// Some kernels call what lies beneath: the functions of their own tree.
#if !defined(TRISC_UNPACK) && defined(TW_WITH_FUNCTIONS) && __has_include("ckernel_sfpu_recip.h")
#include "ckernel_sfpu_recip.h"
#endif

namespace ckernel {

// `math_approx_mode`: one Newton step, or Blackhole's estimate alone; the older algorithm leaves out its last step.
template <bool legacy_compat = true>
ALWI void recip_tile_init() {
    if constexpr (TW_APPROX_MODE) {
        if constexpr (!legacy_compat) {
            tw::function_init<TW_HASH("recip_tile<APPROX>")>();
        } else {
            tw::function_init<TW_HASH("recip_tile<APPROX,legacy>")>();
        }
        return;
    }
    tw::vector_init(tw::unary<TW_HASH("recip_tile")>(legacy_compat ? TW_LEGACY : 0));
}
template <bool legacy_compat = true>
ALWI void recip_tile(uint32_t dst, tw::faces mode = VectorMode::RC) {
    tw::whole_tile(mode);
    if constexpr (TW_APPROX_MODE) {
        if constexpr (!legacy_compat) {
            tw::function<1, TW_HASH("recip_tile<APPROX>")>(dst, dst);
        } else {
            tw::function<1, TW_HASH("recip_tile<APPROX,legacy>")>(dst, dst);
        }
        return;
    }
    tw::vector(tw::unary<TW_HASH("recip_tile")>(legacy_compat ? TW_LEGACY : 0), dst, dst, dst);
}

}  // namespace ckernel
