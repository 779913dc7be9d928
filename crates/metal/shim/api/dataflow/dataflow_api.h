// The free functions of data-movement kernels: rings, transfers, barriers, semaphores.

#pragma once

#include <cstdint>

#include "api/compile_time_args.h"
#include "api/debug/assert.h"
#include "api/debug/waypoint.h"
#include "api/tensor/tensor_accessor.h"
#include "chlkc_descriptors.h"
#include "hostdevcommon/kernel_structs.h"
#include "internal/arguments.h"
#include "internal/data_format.h"
#include "tilewright/address.h"
#include "tilewright/call.h"

inline constexpr uint8_t noc_index = NOC_INDEX;
inline constexpr uint32_t NOC_MAX_BURST_SIZE = 8192;
inline constexpr uint32_t NOC_UNICAST_WRITE_VC = 1;
inline constexpr uint32_t NOC_MULTICAST_WRITE_VC = 4;

namespace tw {

// This core's place on the network, by network: it is the same on both.
template <int Shift>
struct own_coordinate {
    uint8_t operator[](int) const { return static_cast<uint8_t>(tw_calls->core() >> Shift); }
};

}  // namespace tw

inline constexpr tw::own_coordinate<0> my_x{};
inline constexpr tw::own_coordinate<8> my_y{};

// Rings.

FORCE_INLINE void cb_reserve_back(int32_t cb, int32_t pages, TW_AT) {
    tw_calls->reserve_back(TW_HERE, static_cast<uint32_t>(cb), static_cast<uint32_t>(pages));
}
FORCE_INLINE void cb_push_back(int32_t cb, int32_t pages, TW_AT) {
    tw_calls->push_back(TW_HERE, static_cast<uint32_t>(cb), static_cast<uint32_t>(pages));
}
FORCE_INLINE void cb_wait_front(int32_t cb, int32_t pages, TW_AT) {
    tw_calls->wait_front(TW_HERE, static_cast<uint32_t>(cb), static_cast<uint32_t>(pages));
}
FORCE_INLINE void cb_pop_front(int32_t cb, int32_t pages, TW_AT) {
    tw_calls->pop_front(TW_HERE, static_cast<uint32_t>(cb), static_cast<uint32_t>(pages));
}
FORCE_INLINE bool cb_pages_reservable_at_back(int32_t cb, int32_t pages, TW_AT) {
    tw_ring ring;
    tw_calls->ring(TW_HERE, static_cast<uint32_t>(cb), &ring);
    return ring.free >= static_cast<uint32_t>(pages);
}
FORCE_INLINE bool cb_pages_available_at_front(int32_t cb, int32_t pages, TW_AT) {
    tw_ring ring;
    tw_calls->ring(TW_HERE, static_cast<uint32_t>(cb), &ring);
    return ring.visible >= static_cast<uint32_t>(pages);
}
FORCE_INLINE uint32_t get_write_ptr(uint32_t cb, TW_AT) { return tw_calls->write_pointer(TW_HERE, cb); }
FORCE_INLINE uint32_t get_read_ptr(uint32_t cb, TW_AT) { return tw_calls->read_pointer(TW_HERE, cb); }

constexpr int32_t get_tile_size(int32_t cb) { return unpack_tile_size[cb]; }
constexpr uint32_t get_tile_hw(int32_t cb) { return uint32_t{unpack_tile_r_dim[cb]} * unpack_tile_c_dim[cb]; }
constexpr DataFormat get_dataformat(int32_t cb) { return static_cast<DataFormat>(unpack_src_format[cb]); }

// Addresses.

FORCE_INLINE uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address, uint8_t = noc_index) {
    return tw::noc_address(x, y, address);
}
FORCE_INLINE uint64_t get_noc_addr(uint32_t address, uint8_t noc = noc_index) {
    return tw::noc_address(my_x[noc], my_y[noc], address);
}
template <typename AddrGen>
    requires requires(const AddrGen& tensor) { tensor.get_noc_addr(0u); }
FORCE_INLINE uint64_t get_noc_addr(
    uint32_t page, const AddrGen& tensor, uint32_t offset = 0, uint8_t noc = noc_index) {
    return tensor.get_noc_addr(page, offset, noc);
}
FORCE_INLINE uint64_t get_noc_multicast_addr(
    uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t address, uint8_t = noc_index) {
    return tw::rectangle(x0, y0, x1, y1, address);
}
template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t offset, uint8_t = noc_index) {
    return DRAM ? tw::dram_address(bank, offset) : tw::l1_bank_address(bank, offset);
}

// Reads.

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read(
    uint64_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index, uint32_t = 0, TW_AT) {
    tw_calls->noc_read(TW_HERE, noc, 0, from, to, bytes);
}
template <typename AddrGen, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_page(
    uint32_t page, const AddrGen& tensor, uint32_t to, uint32_t offset = 0, uint8_t noc = noc_index, TW_AT) {
    tw_calls->noc_read(
        TW_HERE, noc, 0, tensor.get_noc_addr(page, offset, noc), to, tensor.get_aligned_page_size());
}
template <typename AddrGen>
FORCE_INLINE void noc_async_read_tile(
    uint32_t page, const AddrGen& tensor, uint32_t to, uint32_t offset = 0, uint8_t noc = noc_index, TW_AT) {
    noc_async_read_page(page, tensor, to, offset, noc, tw_at);
}
FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index, TW_AT) {
    tw_calls->noc_barrier(TW_HERE, noc, TW_BARRIER_READS, TW_NONE);
}

// Writes.

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write(
    uint32_t from, uint64_t to, uint32_t bytes, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC, TW_AT) {
    tw_calls->noc_write(TW_HERE, noc, 0, from, to, bytes, posted ? TW_POSTED : 0);
}
template <typename AddrGen, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(
    uint32_t page,
    const AddrGen& tensor,
    uint32_t from,
    uint32_t bytes = 0,
    uint32_t offset = 0,
    uint8_t noc = noc_index,
    TW_AT) {
    tw_calls->noc_write(
        TW_HERE,
        noc,
        0,
        from,
        tensor.get_noc_addr(page, offset, noc),
        bytes != 0 ? bytes : tensor.get_aligned_page_size(),
        posted ? TW_POSTED : 0);
}
template <typename AddrGen>
FORCE_INLINE void noc_async_write_tile(
    uint32_t page, const AddrGen& tensor, uint32_t from, uint8_t noc = noc_index, TW_AT) {
    noc_async_write_page(page, tensor, from, 0, 0, noc, tw_at);
}
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_write_multicast(
    uint32_t from,
    uint64_t to,
    uint32_t bytes,
    uint32_t,
    bool = false,
    uint8_t noc = noc_index,
    uint32_t = NOC_MULTICAST_WRITE_VC,
    TW_AT) {
    tw_calls->noc_write(TW_HERE, noc, 0, from, to, bytes, TW_MULTICAST);
}
FORCE_INLINE void noc_async_write_multicast_loopback_src(
    uint32_t from, uint64_t to, uint32_t bytes, uint32_t, bool = false, uint8_t noc = noc_index, TW_AT) {
    tw_calls->noc_write(TW_HERE, noc, 0, from, to, bytes, TW_MULTICAST | TW_INCLUDE_SELF);
}
FORCE_INLINE void noc_inline_dw_write(
    uint64_t to, uint32_t value, uint8_t = 0xf, uint8_t noc = noc_index, uint8_t = 0, TW_AT) {
    tw_calls->noc_inline_write(TW_HERE, noc, 0, to, value, 0);
}
FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index, TW_AT) {
    tw_calls->noc_barrier(TW_HERE, noc, TW_BARRIER_WRITES, TW_NONE);
}
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index, TW_AT) {
    tw_calls->noc_barrier(TW_HERE, noc, TW_BARRIER_WRITES_DEPARTED, TW_NONE);
}
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc = noc_index, TW_AT) {
    tw_calls->noc_barrier(TW_HERE, noc, TW_BARRIER_ATOMICS, TW_NONE);
}
FORCE_INLINE void noc_async_full_barrier(uint8_t noc = noc_index, TW_AT) {
    for (uint32_t barrier :
         {TW_BARRIER_READS, TW_BARRIER_WRITES, TW_BARRIER_POSTED_WRITES_DEPARTED, TW_BARRIER_ATOMICS}) {
        tw_calls->noc_barrier(TW_HERE, noc, barrier, TW_NONE);
    }
}

// Semaphores. Pointers to L1 fit into 32 bits.

namespace tw {

inline uint32_t address_of(const volatile void* at) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(at));
}

}  // namespace tw

FORCE_INLINE uint32_t get_semaphore(uint32_t id, TW_AT) { return tw_calls->semaphore_address(TW_HERE, id); }
FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t* at, uint32_t value, TW_AT) {
    tw_calls->semaphore_set(TW_HERE, tw::address_of(at), value);
}
FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* at, uint32_t value, TW_AT) {
    tw_calls->semaphore_wait(TW_HERE, tw::address_of(at), value, 0);
}
FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* at, uint32_t value, TW_AT) {
    tw_calls->semaphore_wait(TW_HERE, tw::address_of(at), value, 1);
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(
    uint64_t to, uint32_t by, uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC, TW_AT) {
    tw_calls->noc_increment(TW_HERE, noc, 0, to, by, posted ? TW_POSTED : 0);
}
FORCE_INLINE void noc_semaphore_set_multicast(
    uint32_t from, uint64_t to, uint32_t, bool = false, uint8_t noc = noc_index, TW_AT) {
    tw_calls->noc_write(TW_HERE, noc, 0, from, to, 4, TW_MULTICAST);
}
FORCE_INLINE void noc_semaphore_set_multicast_loopback_src(
    uint32_t from, uint64_t to, uint32_t, bool = false, uint8_t noc = noc_index, TW_AT) {
    tw_calls->noc_write(TW_HERE, noc, 0, from, to, 4, TW_MULTICAST | TW_INCLUDE_SELF);
}
