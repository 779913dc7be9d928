// How functions of vector code are run on tiles of Dst (tt-llk `llk_math_eltwise_*_sfpu_params.h`, and tt-metal's
// macros over them). A function works on one face, and moves the counter of Dst as it goes.

#pragma once

#include <utility>

#include "internal/math_counters.h"
#include "llk_sfpu_types.h"

#ifndef TRISC_UNPACK

ALWI void _llk_math_eltwise_sfpu_start_(std::uint32_t dst) {
    ckernel::math::set_dst_write_addr(dst);
    ckernel::math::set_addr_mod_base();
}
ALWI void _llk_math_eltwise_sfpu_done_() {
    ckernel::math::clear_dst_reg_addr();
    ckernel::math::clear_addr_mod_base();
}
ALWI void _llk_math_eltwise_sfpu_inc_dst_face_addr_() {
    ckernel::math::inc_dst_addr<8>();
    ckernel::math::inc_dst_addr<8>();
}

namespace tw {

ALWI void skip_faces(int faces) {
    for (; faces > 0; --faces) {
        _llk_math_eltwise_sfpu_inc_dst_face_addr_();
    }
}
// All faces; the upper two, for a row; the left two, for a column; or whatever the function does.
template <typename Function, typename... Arguments>
ALWI void each_face(Function&& function, ckernel::VectorMode mode, Arguments&&... arguments) {
    if (mode != ckernel::VectorMode::RC && mode != ckernel::VectorMode::R && mode != ckernel::VectorMode::C) {
        function(arguments...);
        return;
    }
    const int faces = mode == ckernel::VectorMode::RC ? 4 : 2;
    for (int face = 0; face < faces; ++face) {
        function(arguments...);
        skip_faces(mode == ckernel::VectorMode::C ? 2 : 1);
    }
    skip_faces(mode == ckernel::VectorMode::R ? 2 : 0);
}

}  // namespace tw

template <typename Function, typename... Arguments>
ALWI void _llk_math_eltwise_sfpu_apply_vector_mode_(
    Function&& function, ckernel::VectorMode mode, Arguments&&... arguments) {
    tw::each_face(function, mode, arguments...);
}
// Older kernels give a template argument, and the mode as a number.
template <bool... approximate, typename Function, typename Mode = ckernel::VectorMode, typename... Arguments>
ALWI void _llk_math_eltwise_unary_sfpu_params_(
    Function&& function, std::uint32_t dst, Mode mode = ckernel::VectorMode::RC, Arguments&&... arguments) {
    _llk_math_eltwise_sfpu_start_(dst);
    tw::each_face(function, static_cast<ckernel::VectorMode>(mode), arguments...);
    _llk_math_eltwise_sfpu_done_();
}
template <bool... approximate, typename Function, typename Mode = ckernel::VectorMode, typename... Arguments>
ALWI void _llk_math_eltwise_binary_sfpu_params_(
    Function&& function,
    std::uint32_t in0,
    std::uint32_t in1,
    std::uint32_t out,
    Mode mode = ckernel::VectorMode::RC,
    Arguments&&... arguments) {
    _llk_math_eltwise_sfpu_start_(0);
    tw::each_face(function, static_cast<ckernel::VectorMode>(mode), in0, in1, out, arguments...);
    _llk_math_eltwise_sfpu_done_();
}
template <bool... approximate, typename Function, typename Mode = ckernel::VectorMode, typename... Arguments>
ALWI void _llk_math_eltwise_ternary_sfpu_params_(
    Function&& function,
    std::uint32_t in0,
    std::uint32_t in1,
    std::uint32_t in2,
    std::uint32_t out,
    Mode mode = ckernel::VectorMode::RC,
    Arguments&&... arguments) {
    _llk_math_eltwise_sfpu_start_(0);
    tw::each_face(function, static_cast<ckernel::VectorMode>(mode), in0, in1, in2, out, arguments...);
    _llk_math_eltwise_sfpu_done_();
}

namespace tw {

// Functions that walk by an address mode use the sixth.
constexpr bool walks_by_mode(SfpuType type) {
    switch (type) {
        case SfpuType::typecast:
        case SfpuType::unary_max:
        case SfpuType::unary_min:
        case SfpuType::unary_max_int32:
        case SfpuType::unary_min_int32:
        case SfpuType::unary_max_uint32:
        case SfpuType::unary_min_uint32:
        case SfpuType::signbit:
        case SfpuType::not_equal_zero:
        case SfpuType::equal_zero:
        case SfpuType::less_than_zero:
        case SfpuType::greater_than_equal_zero:
        case SfpuType::greater_than_zero:
        case SfpuType::less_than_equal_zero:
        case SfpuType::mul_int32:
        case SfpuType::mul_uint16:
        case SfpuType::max:
        case SfpuType::min:
        case SfpuType::max_int32:
        case SfpuType::min_int32:
        case SfpuType::max_uint32:
        case SfpuType::min_uint32:
        case SfpuType::lt_int:
        case SfpuType::gt_int:
        case SfpuType::le_int:
        case SfpuType::ge_int:
        case SfpuType::eq_int:
        case SfpuType::ne_int:
        case SfpuType::lt:
        case SfpuType::gt:
        case SfpuType::le:
        case SfpuType::ge:
        case SfpuType::eq:
        case SfpuType::ne:
        case SfpuType::where: return true;
        default: return false;
    }
}
// Every init sets the lanes' configuration back, whatever code before it has left.
ALWI void reset_lanes() { TTI_SFPCONFIG(0, 15, 1); }
template <SfpuType type>
ALWI void init_vector_code() {
    reset_lanes();
    ckernel::addr_mod_t{}.set(ckernel::ADDR_MOD_7);
    if constexpr (walks_by_mode(type)) {
        ckernel::addr_mod_t{.dest = {.incr = 2}}.set(ckernel::ADDR_MOD_6);
    } else if constexpr (type == SfpuType::topk_local_sort) {
        ckernel::addr_mod_t{.dest = {.incr = 32}}.set(ckernel::ADDR_MOD_6);
    }
    ckernel::math::reset_counters(ckernel::p_setrwc::SET_ABD_F);
}

}  // namespace tw

// Before any function of vector code, and with what the function needs itself.
#define TW_VECTOR_INIT(kind)                                                             \
    template <SfpuType type, bool... more>                                               \
    ALWI void _llk_math_eltwise_##kind##_sfpu_init_() {                                  \
        tw::init_vector_code<type>();                                                    \
    }                                                                                    \
    namespace ckernel {                                                                  \
    template <SfpuType type, bool... more>                                               \
    ALWI void llk_math_eltwise_##kind##_sfpu_init() {                                    \
        tw::init_vector_code<type>();                                                    \
    }                                                                                    \
    template <SfpuType type, bool... more, typename Init, typename... Arguments>         \
    ALWI void llk_math_eltwise_##kind##_sfpu_init(Init&& init, Arguments&&... arguments) { \
        tw::init_vector_code<type>();                                                    \
        init(std::forward<Arguments>(arguments)...);                                     \
    }                                                                                    \
    }
TW_VECTOR_INIT(unary)
TW_VECTOR_INIT(binary)
TW_VECTOR_INIT(ternary)
#undef TW_VECTOR_INIT
ALWI void _llk_math_eltwise_unary_sfpu_init_once_() {
    tw::reset_lanes();
    ckernel::addr_mod_t{}.set(ckernel::ADDR_MOD_7);
}
namespace ckernel {
ALWI void llk_math_sfpu_init_once() { _llk_math_eltwise_unary_sfpu_init_once_(); }
}

#define TW_SFPU_EXPAND(...) __VA_ARGS__
#define SFPU_UNARY_CALL(sync, accum, function, templates, dst, mode, ...) \
    _llk_math_eltwise_unary_sfpu_params_(                                 \
        ::ckernel::sfpu::function<TW_SFPU_EXPAND templates>, dst, mode, ##__VA_ARGS__)
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(sync, accum, function, dst, mode, ...) \
    _llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::function, dst, mode, ##__VA_ARGS__)
#define SFPU_BINARY_CALL(sync, accum, function, templates, in0, in1, out, mode, ...) \
    _llk_math_eltwise_binary_sfpu_params_(                                           \
        ::ckernel::sfpu::function<TW_SFPU_EXPAND templates>, in0, in1, out, mode, ##__VA_ARGS__)
#define SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(sync, accum, function, in0, in1, out, mode, ...) \
    _llk_math_eltwise_binary_sfpu_params_(::ckernel::sfpu::function, in0, in1, out, mode, ##__VA_ARGS__)
#define SFPU_TERNARY_CALL(sync, accum, function, templates, in0, in1, in2, out, mode, ...) \
    _llk_math_eltwise_ternary_sfpu_params_(                                                \
        ::ckernel::sfpu::function<TW_SFPU_EXPAND templates>, in0, in1, in2, out, mode, ##__VA_ARGS__)
#define SFPU_TERNARY_CALL_NO_TEMPLATE_ARGS(sync, accum, function, in0, in1, in2, out, mode, ...) \
    _llk_math_eltwise_ternary_sfpu_params_(::ckernel::sfpu::function, in0, in1, in2, out, mode, ##__VA_ARGS__)
#define SFPU_UNARY_INIT(type) ::ckernel::llk_math_eltwise_unary_sfpu_init<::SfpuType::type>()
#define SFPU_UNARY_INIT_FN(type, init, templates) \
    ::ckernel::llk_math_eltwise_unary_sfpu_init<::SfpuType::type>(init<TW_SFPU_EXPAND templates>)
#define SFPU_UNARY_INIT_FN_ARGS(type, init, templates, ...) \
    ::ckernel::llk_math_eltwise_unary_sfpu_init<::SfpuType::type>(init<TW_SFPU_EXPAND templates>, ##__VA_ARGS__)
#define SFPU_BINARY_INIT(type) ::ckernel::llk_math_eltwise_binary_sfpu_init<::SfpuType::type>()
#define SFPU_BINARY_INIT_FN_NO_ARGS(type, init) ::ckernel::llk_math_eltwise_binary_sfpu_init<::SfpuType::type>(init)
#define SFPU_BINARY_INIT_FN(type, init, templates) \
    ::ckernel::llk_math_eltwise_binary_sfpu_init<::SfpuType::type>(init<TW_SFPU_EXPAND templates>)
#define SFPU_BINARY_INIT_FN_ARGS(type, init, templates, ...) \
    ::ckernel::llk_math_eltwise_binary_sfpu_init<::SfpuType::type>(init<TW_SFPU_EXPAND templates>, ##__VA_ARGS__)
#define SFPU_TERNARY_INIT(type) ::ckernel::llk_math_eltwise_ternary_sfpu_init<::SfpuType::type>()
#define SFPU_TERNARY_INIT_FN_NO_ARGS(type, init) ::ckernel::llk_math_eltwise_ternary_sfpu_init<::SfpuType::type>(init)
#define SFPU_TERNARY_INIT_FN(type, init, templates) \
    ::ckernel::llk_math_eltwise_ternary_sfpu_init<::SfpuType::type>(init<TW_SFPU_EXPAND templates>)

#endif
