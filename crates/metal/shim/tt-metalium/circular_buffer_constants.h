// Numbers of rings.

#pragma once

#include <cstdint>

#ifndef NUM_CIRCULAR_BUFFERS
#define NUM_CIRCULAR_BUFFERS 32
#endif

// Compute processors count in units of 16 bytes.
constexpr static std::uint32_t CIRCULAR_BUFFER_COMPUTE_WORD_SIZE = 16;
constexpr static std::uint32_t CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT = 4;
