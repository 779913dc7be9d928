// Words of L1 and of rings, printed.

#pragma once

#include "api/debug/dprint.h"
#include "internal/circular_buffer_interface.h"

inline void debug_dump_l1(uint32_t address, uint32_t words) {
    const auto* at = reinterpret_cast<const volatile uint32_t*>(static_cast<uintptr_t>(address));
    for (uint32_t word = 0; word < words; ++word) {
        DPRINT("[{}] {}\n", word, uint32_t{at[word]});
    }
}
inline void debug_dump_cb([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t words = 0) {
// Math has no view of a ring.
#ifndef UCK_CHLKC_MATH
    const tw_ring ring = tw::ring_of(cb);
    DPRINT("CB{} size {} read {} write {}\n", cb, ring.bytes, ring.read_pointer, ring.write_pointer);
    debug_dump_l1(ring.read_pointer, words);
#endif
}
