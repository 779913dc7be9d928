// Runtime arguments and the place of the core, the same for every processor.

#pragma once

#include <cstdint>
#include <cstring>

#include "internal/risc_attribs.h"
#include "tilewright/call.h"

FORCE_INLINE uint32_t get_arg_addr(int index) {
    return tw_calls->arg_address(TW_HERE, TW_ARG_RUNTIME, static_cast<uint32_t>(index));
}
FORCE_INLINE uint32_t get_common_arg_addr(int index) {
    return tw_calls->arg_address(TW_HERE, TW_ARG_COMMON, static_cast<uint32_t>(index));
}

template <typename T>
FORCE_INLINE T get_arg_val(int index) {
    static_assert(sizeof(T) == 4, "arguments are four bytes each");
    return __builtin_bit_cast(T, tw_calls->arg(TW_HERE, TW_ARG_RUNTIME, static_cast<uint32_t>(index)));
}
template <typename T>
FORCE_INLINE T get_common_arg_val(int index) {
    static_assert(sizeof(T) == 4, "arguments are four bytes each");
    return __builtin_bit_cast(T, tw_calls->arg(TW_HERE, TW_ARG_COMMON, static_cast<uint32_t>(index)));
}

inline uint8_t get_absolute_logical_x() { return static_cast<uint8_t>(tw_calls->core()); }
inline uint8_t get_absolute_logical_y() { return static_cast<uint8_t>(tw_calls->core() >> 8); }
