// What the kernels of all trials have in common.

#pragma once

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

using word = volatile tt_l1_ptr uint32_t*;
static inline word at(uint32_t address) { return reinterpret_cast<word>(address); }
[[maybe_unused]] static inline void work(uint32_t rounds) {
    for (volatile uint32_t round = 0; round < rounds; round = round + 1) {
    }
}
