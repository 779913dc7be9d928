// Which part of a compute kernel this object is.

#pragma once

#include <cstdint>

#include "chlkc_descriptors.h"
#include "hostdevcommon/kernel_structs.h"
#include "internal/data_format.h"
#include "tilewright/call.h"

#ifdef TRISC_MATH
#define MATH(...) __VA_ARGS__
#define MAIN math_main()
#else
#define MATH(...)
#endif

#ifdef TRISC_PACK
#define PACK(...) __VA_ARGS__
#define MAIN pack_main()
#else
#define PACK(...)
#endif

#ifdef TRISC_UNPACK
#define UNPACK(...) __VA_ARGS__
#define MAIN unpack_main()
#else
#define UNPACK(...)
#endif

// The parts of operations, in the table's words.
namespace tw {

inline constexpr tw_unpack_op unpack_one = {TW_UNPACK_ONE, TW_SRC_A, 0, 0, 0};
inline constexpr tw_unpack_op unpack_transposed = {TW_UNPACK_ONE, TW_SRC_A, 1, 0, 0};
inline constexpr tw_unpack_op unpack_both = {TW_UNPACK_BOTH, 0, 0, 0, 0};
inline constexpr tw_math_op math_copy = {TW_MATH_COPY, 0, 0, 0, 0, 0, {0, 0}};

constexpr tw_math_op elementwise(uint8_t op, uint8_t broadcast, bool accumulate) {
    return {TW_MATH_ELEMENTWISE, op, broadcast, TW_NO_REUSE, accumulate, 0, {0, 0}};
}

}  // namespace tw
