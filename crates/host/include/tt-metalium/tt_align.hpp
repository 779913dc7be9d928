// Alignment of sizes.
#pragma once

#include <concepts>

namespace tt {

template <std::unsigned_integral A, std::unsigned_integral B>
constexpr auto align(A value, B alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

}  // namespace tt

namespace tt::tt_metal {

using tt::align;

}  // namespace tt::tt_metal
