// Rounding up to an alignment.

#pragma once

#include <cstdint>

constexpr uint32_t align_power_of_2(uint32_t value, uint32_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}
constexpr uint32_t align(uint32_t value, uint32_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}
constexpr bool is_power_of_2(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }
