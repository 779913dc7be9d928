// Rings, on the compute side: unpack waits and pops, pack reserves and pushes.

#pragma once

#include "api/compute/common_globals.h"
#include "internal/circular_buffer_interface.h"

namespace tw {

// Unpack tells the other two, so that all three go on with the same word.
ALWI uint32_t shared_word(uint32_t word) {
    UNPACK((tw_calls->mailbox_write(TW_HERE, 1, word)));
    UNPACK((tw_calls->mailbox_write(TW_HERE, 2, word)));
    MATH((word = tw_calls->mailbox_read(TW_HERE, 0)));
    PACK((word = tw_calls->mailbox_read(TW_HERE, 0)));
    return word;
}
ALWI uint32_t own_tile_address(uint32_t cb, uint32_t tile) {
    const uint32_t first = tw_calls->read_pointer(TW_HERE, cb);
    return tile == 0 ? first : first + ring_of(cb).page_bytes * tile;
}
template <typename T>
ALWI T read_tile_element(uint32_t cb, uint32_t tile, uint32_t element) {
    uint32_t word = 0;
    UNPACK((word = reinterpret_cast<volatile T*>(uintptr_t{own_tile_address(cb, tile)})[element]));
    return static_cast<T>(shared_word(word));
}

}  // namespace tw

namespace ckernel {

ALWI void cb_wait_front(uint32_t cb, uint32_t pages) { UNPACK((tw_calls->wait_front(TW_HERE, cb, pages))); }
ALWI void cb_pop_front(uint32_t cb, uint32_t pages) { UNPACK((tw_calls->pop_front(TW_HERE, cb, pages))); }
ALWI void cb_reserve_back(uint32_t cb, uint32_t pages) { PACK((tw_calls->reserve_back(TW_HERE, cb, pages))); }
ALWI void cb_push_back(uint32_t cb, uint32_t pages) { PACK((tw_calls->push_back(TW_HERE, cb, pages))); }

ALWI uint32_t get_tile_address(uint32_t cb, uint32_t tile) {
    uint32_t address = 0;
    UNPACK((address = tw::own_tile_address(cb, tile)));
    return tw::shared_word(address);
}
ALWI uint32_t read_tile_value(uint32_t cb, uint32_t tile, uint32_t element) {
    return tw::read_tile_element<uint32_t>(cb, tile, element);
}

}  // namespace ckernel
