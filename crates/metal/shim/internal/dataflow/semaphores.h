// Semaphores: words in L1. Pointers to L1 fit into 32 bits.

#pragma once

#include "internal/dataflow/state.h"
#include "internal/risc_attribs.h"

template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
FORCE_INLINE uint32_t get_semaphore(uint32_t id) {
    static_assert(type == ProgrammableCoreType::TENSIX, "only Tensix cores have semaphores here");
    return tw_calls->semaphore_address(TW_HERE, id);
}
FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t* at, uint32_t value) {
    tw_calls->semaphore_set(TW_HERE, tw::address_of(at), value);
}
FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* at, uint32_t value) {
    tw_calls->semaphore_wait(TW_HERE, tw::address_of(at), value, 0);
}
FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* at, uint32_t value) {
    tw_calls->semaphore_wait(TW_HERE, tw::address_of(at), value, 1);
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(
    uint64_t to, uint32_t by, uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC) {
    tw_calls->noc_increment(TW_HERE, noc, 0, to, by, posted ? TW_POSTED : 0);
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc_multicast(
    uint64_t to, uint32_t by, uint32_t cores, uint8_t noc = noc_index, uint8_t = NOC_MULTICAST_WRITE_VC) {
    tw_calls->noc_increment(TW_HERE, noc, 0, to, by, TW_TO_CORES(cores) | (posted ? TW_POSTED : 0));
}
FORCE_INLINE void noc_semaphore_set_remote(uint32_t from, uint64_t to, uint8_t noc = noc_index) {
    tw::write(noc, from, to, 4, 0);
}
FORCE_INLINE void noc_semaphore_set_multicast(
    uint32_t from,
    uint64_t to,
    uint32_t cores,
    bool = false,
    uint8_t noc = noc_index,
    uint8_t = NOC_MULTICAST_WRITE_VC) {
    tw::write(noc, from, to, 4, TW_TO_CORES(cores));
}
// The older form also says whether a path is reserved, which makes no difference here.
FORCE_INLINE void noc_semaphore_set_multicast(
    uint32_t from, uint64_t to, uint32_t cores, bool linked, bool, uint8_t noc = noc_index) {
    noc_semaphore_set_multicast(from, to, cores, linked, noc);
}
FORCE_INLINE void noc_semaphore_set_multicast_loopback_src(
    uint32_t from, uint64_t to, uint32_t cores, bool = false, uint8_t noc = noc_index) {
    tw::write(noc, from, to, 4, TW_TO_CORES(cores) | TW_INCLUDE_SELF);
}
