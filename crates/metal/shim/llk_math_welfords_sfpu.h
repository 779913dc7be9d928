// How Welford's running statistics are driven (tt-llk `llk_math_welfords_sfpu.h`). What they compute is the
// vector code of the kernel's own tree.

#pragma once

#include "chlkc_descriptors.h"
#include "cmath_common.h"
#include "internal/llk.h"
#include "internal/vector_drivers.h"
#include "lltt.h"

#if !defined(TRISC_UNPACK) && __has_include("sfpu/ckernel_sfpu_welfords.h")
#include "sfpu/ckernel_sfpu_welfords.h"

namespace ckernel {
constexpr std::uint32_t get_operand_num_faces(std::uint32_t) { return TILE_NUM_FACES; }
constexpr std::uint32_t get_operand_dst_format(std::uint32_t cb) { return unpack_dst_format[cb]; }
}

ALWI void _llk_math_welfords_sfpu_init_() {
    tw::init_vector_code<SfpuType::unused>();
    _program_welfords_replay_buffer_();
}
// After another operation of math: copies again, and nothing of the statistics is lost.
template <bool fp32>
ALWI void _llk_math_welfords_sfpu_reinit_(std::uint32_t, std::uint32_t) {
    tw_calls->configure_math(TW_HERE, tw::math_copy);
    ckernel::math::reset_counters(ckernel::p_setrwc::SET_ABD_F);
}
ALWI void _llk_math_welfords_sfpu_uninit_() {}

template <typename Function, typename... Arguments>
ALWI void _llk_math_welfords_sfpu_params_(Function&& function, std::uint32_t dst, Arguments&&... arguments) {
    _llk_math_eltwise_sfpu_start_(dst);
    function(std::forward<Arguments>(arguments)...);
    _llk_math_eltwise_sfpu_done_();
}
#endif
