// Arguments by name: `get_arg(args::name)`. The names are generated with the kernel.

#pragma once

#include <cstdint>

#include "internal/arguments.h"

#define TT_KERNEL static FORCE_INLINE

namespace experimental {

template <typename T>
struct RtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CrtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CtaVal {
    T value;
};

template <typename T>
FORCE_INLINE T get_arg(RtaArg<T> arg) {
    return get_arg_val<T>(static_cast<int>(arg.byte_offset / 4));
}
template <typename T>
FORCE_INLINE T get_arg(CrtaArg<T> arg) {
    return get_common_arg_val<T>(static_cast<int>(arg.byte_offset / 4));
}
template <typename T>
FORCE_INLINE constexpr T get_arg(CtaVal<T> arg) {
    return arg.value;
}

}  // namespace experimental
