// A ring's numbers as kernels read them, live. To move a pointer by hand is refused: the simulator's
// rings have the hardware's pointers, and only reserve, push, wait and pop move them.

#pragma once

#include <cstdint>

#include "internal/risc_attribs.h"
#include "tilewright/call.h"
#include "tilewright/lacks.h"

#ifndef NUM_CIRCULAR_BUFFERS
#define NUM_CIRCULAR_BUFFERS 32
#endif

// Compute processors count in units of 16 bytes.
#ifdef COMPILE_FOR_TRISC
constexpr uint32_t cb_addr_shift = 4;
#else
constexpr uint32_t cb_addr_shift = 0;
#endif

namespace tw {

inline tw_ring ring_of(uint32_t cb) {
    tw_ring ring;
    tw_calls->ring(TW_HERE, cb, &ring);
    return ring;
}

enum class ring_part { bytes, limit, page_bytes, pages, read_pointer, write_pointer };

TW_NOT_SERVED("a ring's pointers and sizes cannot be set by hand")
void set_ring_by_hand();

// One number of one ring.
template <ring_part Part>
struct ring_number {
    uint32_t cb;

    operator uint32_t() const {
        const tw_ring ring = ring_of(cb);
        switch (Part) {
            case ring_part::bytes: return ring.bytes >> cb_addr_shift;
            case ring_part::limit: return (ring.base + ring.bytes) >> cb_addr_shift;
            case ring_part::page_bytes: return ring.page_bytes >> cb_addr_shift;
            case ring_part::pages: return ring.pages;
            case ring_part::read_pointer: return ring.read_pointer >> cb_addr_shift;
            case ring_part::write_pointer: return ring.write_pointer >> cb_addr_shift;
        }
        __builtin_unreachable();
    }
    void operator=(uint32_t) const { set_ring_by_hand(); }
    void operator+=(uint32_t) const { set_ring_by_hand(); }
    void operator-=(uint32_t) const { set_ring_by_hand(); }
};

}  // namespace tw

struct LocalCBInterface {
    tw::ring_number<tw::ring_part::bytes> fifo_size;
    tw::ring_number<tw::ring_part::limit> fifo_limit;
    tw::ring_number<tw::ring_part::page_bytes> fifo_page_size;
    tw::ring_number<tw::ring_part::pages> fifo_num_pages;
    tw::ring_number<tw::ring_part::read_pointer> fifo_rd_ptr;
    tw::ring_number<tw::ring_part::write_pointer> fifo_wr_ptr;
};

namespace tw {

struct ring_interfaces {
    LocalCBInterface of[NUM_CIRCULAR_BUFFERS];
};

}  // namespace tw

FORCE_INLINE LocalCBInterface& get_local_cb_interface(uint32_t cb) {
    auto& all = tw::kept<tw::ring_interfaces, tw::kept_by::rings, tw::kept_by::print>();
    LocalCBInterface& interface = all.of[cb % NUM_CIRCULAR_BUFFERS];
    interface = {{cb}, {cb}, {cb}, {cb}, {cb}, {cb}};
    return interface;
}

inline bool cb_access_within_bounds(uint32_t cb, uint32_t first, uint32_t pages) {
    const tw_ring ring = tw::ring_of(cb);
    return ring.read_pointer + (first + pages) * ring.page_bytes <= ring.base + ring.bytes;
}
