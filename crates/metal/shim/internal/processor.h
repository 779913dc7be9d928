// What a kernel may ask of the processor it runs on.

#pragma once

#include <cstdint>

#include "llk_defs.h"
#include "tilewright/call.h"

// L1 is seen as it is: the processors modelled here have no cache in front of it.
FORCE_INLINE void invalidate_l1_cache() {}

namespace ckernel {

// A load that has arrived before anything else goes on: every load has here.
template <typename T>
FORCE_INLINE T load_blocking(volatile T* at) {
    return *at;
}

FORCE_INLINE uint32_t reg_read(uint32_t at) {
    return *reinterpret_cast<volatile uint32_t*>(static_cast<uintptr_t>(at));
}

// Words between the compute processors and BRISC.
FORCE_INLINE void mailbox_write(uint32_t to, uint32_t word) { tw_calls->mailbox_write(TW_HERE, to, word); }
FORCE_INLINE uint32_t mailbox_read(uint32_t from) { return tw_calls->mailbox_read(TW_HERE, from); }

inline uint64_t read_wall_clock() { return tw_calls->cycle(); }

}  // namespace ckernel

// Spends time by asking for it.
inline void riscv_wait(uint32_t cycles) {
    const uint64_t start = tw_calls->cycle();
    while (tw_calls->cycle() - start < cycles) {
    }
}
// The wall clock's registers, for kernels that read them through pointers.
#define RISCV_DEBUG_REG_WALL_CLOCK_L (tw_calls->l1_base() + TW_CLOCK)
#define RISCV_DEBUG_REG_WALL_CLOCK_H (tw_calls->l1_base() + TW_CLOCK + 4)

inline uint64_t get_timestamp() { return tw_calls->cycle(); }
inline uint32_t get_timestamp_32b() { return static_cast<uint32_t>(tw_calls->cycle()); }
