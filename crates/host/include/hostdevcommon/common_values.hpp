// Values that host programs and kernels agree on.
#pragma once

#include <cstdint>

constexpr std::uint32_t INVALID = 0;
constexpr std::uint32_t VALID = 1;
