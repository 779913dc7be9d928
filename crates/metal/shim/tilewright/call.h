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

namespace tw {

#ifdef __cpp_lib_source_location
using std::source_location;
#else
// The library has it only for compilers that can fill it; older ones of clang have the three parts.
struct source_location {
    const char* file = "";
    uint32_t at_line = 0;
    uint32_t at_column = 0;

    static constexpr source_location current(
        const char* file = __builtin_FILE(),
        uint32_t line = __builtin_LINE(),
        uint32_t column = __builtin_COLUMN()) {
        return {file, line, column};
    }
    constexpr const char* file_name() const { return file; }
    constexpr uint32_t line() const { return at_line; }
    constexpr uint32_t column() const { return at_column; }
};
#endif

}  // namespace tw

// Set by `tw_bind` when the object is loaded, before any kernel runs: constant for kernels, so that
// reading it is not taken for an access of theirs.
extern "C" const tw_table* const tw_calls __attribute__((visibility("hidden")));

namespace tw {

// Who keeps what in the processor's memory, and where. Variables of the object would make each core
// need an object of its own.
enum class kept_by : uint32_t { commands = 0, tilize = 256, rings = 512, end = TW_SCRATCH_BYTES };

template <typename T, kept_by Who, kept_by Next>
inline __attribute__((always_inline)) T& kept() {
    static_assert(static_cast<uint32_t>(Who) + sizeof(T) <= static_cast<uint32_t>(Next));
    return *reinterpret_cast<T*>(static_cast<char*>(tw_calls->scratch()) + static_cast<uint32_t>(Who));
}

inline __attribute__((always_inline)) tw_site site(tw::source_location at) {
    return tw_site{at.file_name(), at.line(), at.column()};
}

}  // namespace tw

#define TW_AT tw::source_location tw_at = tw::source_location::current()
#define TW_HERE tw::site(tw_at)

#ifndef ALWI
#define ALWI inline __attribute__((always_inline))
#endif
#ifndef FORCE_INLINE
#define FORCE_INLINE inline __attribute__((always_inline))
#endif
