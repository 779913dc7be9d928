// What a kernel may ask of the processor it runs on.

#pragma once

#include <cstdint>

#include "tilewright/call.h"

// L1 is seen as it is: the processors modelled here have no cache in front of it.
FORCE_INLINE void invalidate_l1_cache() {}

namespace ckernel {

// A load that has arrived before anything else goes on: every load has here.
template <typename T>
FORCE_INLINE T load_blocking(volatile T* at) {
    return *at;
}

}  // namespace ckernel

// Spends time by asking for it.
inline void riscv_wait(uint32_t cycles) {
    const uint64_t start = tw_calls->cycle();
    while (tw_calls->cycle() - start < cycles) {
    }
}
inline uint64_t get_timestamp() { return tw_calls->cycle(); }
inline uint32_t get_timestamp_32b() { return static_cast<uint32_t>(tw_calls->cycle()); }
