// Reads: from an address on the network to this core's L1.

#pragma once

#include "internal/dataflow/addresses.h"
#include "internal/dataflow/state.h"

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read(
    uint64_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC) {
    tw::read(noc, from, to, bytes);
}
template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_one_packet(
    uint64_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC) {
    tw::read(noc, from, to, bytes);
}
template <typename AddrGen, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_page(
    uint32_t page, const AddrGen& tensor, uint32_t to, uint32_t offset = 0, uint8_t noc = noc_index) {
    tw::read(noc, tensor.get_noc_addr(page, offset, noc), to, tw::page_bytes_of(tensor));
}
template <typename AddrGen>
FORCE_INLINE void noc_async_read_tile(
    uint32_t page, const AddrGen& tensor, uint32_t to, uint32_t offset = 0, uint8_t noc = noc_index) {
    noc_async_read_page(page, tensor, to, offset, noc);
}
template <typename Accessor>
FORCE_INLINE void noc_async_read_shard(
    uint32_t shard, const Accessor& tensor, uint32_t to, uint8_t noc = noc_index) {
    const uint32_t bytes = tensor.dspec().shard_volume() * tensor.get_aligned_page_size();
    tw::read(noc, tensor.get_shard_noc_addr(shard, 0, noc), to, bytes);
}

// Reads that share what they have in common.

template <bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_set_state(
    uint64_t from, uint32_t bytes, uint32_t = 0, uint8_t noc = noc_index) {
    tw::read_state(noc).address = from;
    tw::read_state(noc).bytes = bytes;
}
template <bool inc_num_issued = true, bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_with_state(
    uint32_t from, uint32_t to, uint32_t = 0, uint8_t noc = noc_index) {
    tw::read(noc, tw::read_state(noc).at(from), to, tw::read_state(noc).bytes);
}
FORCE_INLINE void noc_async_read_set_state(uint64_t from, uint8_t noc = noc_index) {
    tw::read_state(noc).address = from;
}
template <bool inc_num_issued = true>
FORCE_INLINE void noc_async_read_with_state(
    uint32_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index) {
    tw::read(noc, tw::read_state(noc).at(from), to, bytes);
}
// Every read counts when it is issued, so that nothing is left to count.
FORCE_INLINE void noc_async_read_inc_num_issued(uint32_t, uint8_t = noc_index) {}

// Transaction ids. One that is set stays until another is.

FORCE_INLINE void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    tw::read_state(noc).trid = trid;
}
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_one_packet_with_state_with_trid(
    uint32_t base, uint32_t from, uint32_t to, uint32_t trid = 0, uint8_t noc = noc_index) {
    tw::read_state(noc).trid = trid;
    tw::read(noc, tw::read_state(noc).at(base + from), to, tw::read_state(noc).bytes);
}

FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index) {
    tw::barrier(noc, TW_BARRIER_READS, TW_NONE);
}
FORCE_INLINE void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    tw::barrier(noc, TW_BARRIER_READS, trid);
}
FORCE_INLINE bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t trid) {
    return tw_calls->noc_under_way(TW_HERE, noc, TW_BARRIER_READS, trid) == 0;
}
FORCE_INLINE bool ncrisc_noc_reads_flushed(uint32_t noc) {
    return tw_calls->noc_under_way(TW_HERE, noc, TW_BARRIER_READS, TW_NONE) == 0;
}
