// How a header calls the simulator: the table, and the place in the kernel's code that calls it.
//
//     ALWI void cb_pop_front(uint32_t cb, uint32_t pages) {
//         UNPACK((tw_calls->pop_front(TW_HERE, cb, pages)));
//     }
//
// `TW_HERE` is an address in the object and the stack frame that it belongs to. The simulator reads
// the lines from the object's debugging information: the first outside these headers is the
// kernel's, and those of its callers follow, whether they are inlined or not.

#pragma once

#include "tilewright/abi.h"

// Set by `tw_bind` when the object is loaded, before any kernel runs: constant for kernels, so that
// reading it is not taken for an access of theirs.
extern "C" const tw_table* const tw_calls __attribute__((visibility("hidden")));

namespace tw {

// Who keeps what in the processor's memory, and where. Variables of the object would make each core
// need an object of its own.
enum class kept_by : uint32_t { commands = 0, tilize = 256, rings = 512, print = 4096, end = TW_SCRATCH_BYTES };

template <typename T, kept_by Who, kept_by Next>
inline __attribute__((always_inline)) T& kept() {
    static_assert(static_cast<uint32_t>(Who) + sizeof(T) <= static_cast<uint32_t>(Next));
    return *reinterpret_cast<T*>(static_cast<char*>(tw_calls->scratch()) + static_cast<uint32_t>(Who));
}

// Volatile, and so neither merged with another one nor moved to another line.
inline __attribute__((always_inline)) tw_site here() {
    const void* pc;
#if defined(__x86_64__)
    asm volatile("lea 0(%%rip), %0" : "=r"(pc));
#elif defined(__aarch64__)
    asm volatile("adr %0, . + 4" : "=r"(pc));
#else
#error "C++ kernels run on x86-64 and AArch64 hosts"
#endif
    return {pc, __builtin_frame_address(0)};
}

}  // namespace tw

#define TW_HERE tw::here()

#ifndef ALWI
#define ALWI inline __attribute__((always_inline))
#endif
#ifndef FORCE_INLINE
#define FORCE_INLINE inline __attribute__((always_inline))
#endif
