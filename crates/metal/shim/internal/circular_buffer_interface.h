// A ring's numbers as kernels read and set them, live. The pointers are this processor's own, as in the
// firmware. Place and sizes are the host's, and setting them is refused.

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

enum class ring_part { bytes, limit, page_bytes, pages, read_pointer, write_pointer, packed };

TW_NOT_SERVED("a ring's place and sizes cannot be set by hand")
void set_ring_size_by_hand();

// One number of one ring. It is no copy, so that `auto` cannot take it for one.
template <ring_part Part>
struct ring_number {
    uint32_t cb;

    ring_number() = default;
    ring_number(const ring_number&) = delete;

    operator uint32_t() const {
        const tw_ring ring = ring_of(cb);
        switch (Part) {
            case ring_part::bytes: return ring.bytes >> cb_addr_shift;
            case ring_part::limit: return (ring.base + ring.bytes) >> cb_addr_shift;
            case ring_part::page_bytes: return ring.page_bytes >> cb_addr_shift;
            case ring_part::pages: return ring.pages;
            case ring_part::read_pointer: return ring.read_pointer >> cb_addr_shift;
            case ring_part::write_pointer: return ring.write_pointer >> cb_addr_shift;
            case ring_part::packed: return ring.packed * (ring.page_bytes >> cb_addr_shift);
        }
        __builtin_unreachable();
    }
    const ring_number& operator=(uint32_t value) const {
        if constexpr (Part == ring_part::read_pointer) {
            tw_calls->set_ring(TW_HERE, cb, TW_RING_READ, value << cb_addr_shift);
        } else if constexpr (Part == ring_part::write_pointer) {
            tw_calls->set_ring(TW_HERE, cb, TW_RING_WRITE, value << cb_addr_shift);
        } else if constexpr (Part == ring_part::packed) {
            const uint32_t page = ring_of(cb).page_bytes >> cb_addr_shift;
            if (value % page != 0) {
                tw_calls->not_modelled(TW_HERE, "a packer that begins inside a page");
            }
            tw_calls->set_ring(TW_HERE, cb, TW_RING_PACKED, value / page);
        } else {
            set_ring_size_by_hand();
        }
        return *this;
    }
    const ring_number& operator=(const ring_number& other) const { return *this = uint32_t{other}; }
    const ring_number& operator+=(uint32_t by) const { return *this = uint32_t{*this} + by; }
    const ring_number& operator-=(uint32_t by) const { return *this = uint32_t{*this} - by; }
};

}  // namespace tw

struct LocalCBInterface {
    tw::ring_number<tw::ring_part::bytes> fifo_size;
    tw::ring_number<tw::ring_part::limit> fifo_limit;
    tw::ring_number<tw::ring_part::page_bytes> fifo_page_size;
    tw::ring_number<tw::ring_part::pages> fifo_num_pages;
    tw::ring_number<tw::ring_part::read_pointer> fifo_rd_ptr;
    tw::ring_number<tw::ring_part::write_pointer> fifo_wr_ptr;
    // Where pack goes on, from the write pointer.
    tw::ring_number<tw::ring_part::packed> fifo_wr_tile_ptr;
};

namespace tw {

struct ring_interfaces {
    LocalCBInterface of[NUM_CIRCULAR_BUFFERS];
};

}  // namespace tw

FORCE_INLINE LocalCBInterface& get_local_cb_interface(uint32_t cb) {
    auto& all = tw::kept<tw::ring_interfaces, tw::kept_by::rings, tw::kept_by::print>();
    LocalCBInterface& interface = all.of[cb % NUM_CIRCULAR_BUFFERS];
    interface.fifo_size.cb = interface.fifo_limit.cb = interface.fifo_page_size.cb = cb;
    interface.fifo_num_pages.cb = interface.fifo_wr_tile_ptr.cb = cb;
    interface.fifo_rd_ptr.cb = interface.fifo_wr_ptr.cb = cb;
    return interface;
}

inline bool cb_access_within_bounds(uint32_t cb, uint32_t first, uint32_t pages) {
    const tw_ring ring = tw::ring_of(cb);
    return ring.read_pointer + (first + pages) * ring.page_bytes <= ring.base + ring.bytes;
}
