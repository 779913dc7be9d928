// How a header calls the simulator: the table, and the line of the kernel that called the header.
//
// A function that a kernel may call ends its parameters with `TW_AT` and passes `TW_HERE` on:
//
//     ALWI void cb_pop_front(uint32_t cb, uint32_t pages, TW_AT) {
//         UNPACK((tw_calls->pop_front(TW_HERE, cb, pages)));
//     }
//
// A header function that calls another passes `tw_at`, so that the line stays the kernel's. All of
// them are inlined by force (`ALWI`, `FORCE_INLINE`): the line is a constant then.

#pragma once

#include <source_location>

#include "tilewright/abi.h"

// Set by `tw_bind` when the object is loaded, before any kernel runs: constant for kernels, so that
// reading it is not taken for an access of theirs.
extern "C" const tw_table* const tw_calls __attribute__((visibility("hidden")));

namespace tw {

inline __attribute__((always_inline)) tw_site site(std::source_location at) {
    return tw_site{at.file_name(), at.line(), at.column()};
}

}  // namespace tw

#define TW_AT std::source_location tw_at = std::source_location::current()
#define TW_HERE tw::site(tw_at)

#ifndef ALWI
#define ALWI inline __attribute__((always_inline))
#endif
#ifndef FORCE_INLINE
#define FORCE_INLINE inline __attribute__((always_inline))
#endif
