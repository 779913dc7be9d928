// How many circular buffers there are, and their indices.
#pragma once

#include <hostdevcommon/kernel_structs.h>

constexpr uint32_t NUM_CIRCULAR_BUFFERS = 64;
