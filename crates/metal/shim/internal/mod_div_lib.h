// Division, as plain division: the host has an instruction for it.

#pragma once

#include <cstdint>

constexpr unsigned int mulsi3(unsigned int a, unsigned int b) { return a * b; }
template <uint32_t d>
constexpr uint32_t udivsi3_const_divisor(uint32_t n) {
    return n / d;
}
template <uint32_t d>
constexpr uint32_t umodsi3_const_divisor(uint32_t n) {
    return n % d;
}
constexpr uint32_t udivsi3(uint32_t n, uint32_t d) { return n / d; }
constexpr uint32_t umodsi3(uint32_t n, uint32_t d) { return n % d; }
