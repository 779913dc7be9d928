// `size_t` has 32 bits on the device, so that kernels compare it with a `uint32_t`.

#pragma once

#include <algorithm>
#include <cstdint>

namespace std {

constexpr uint32_t min(uint32_t a, unsigned long b) { return b < a ? static_cast<uint32_t>(b) : a; }
constexpr uint32_t min(unsigned long a, uint32_t b) { return min(b, a); }
constexpr uint32_t max(uint32_t a, unsigned long b) { return b > a ? static_cast<uint32_t>(b) : a; }
constexpr uint32_t max(unsigned long a, uint32_t b) { return max(b, a); }

}  // namespace std
