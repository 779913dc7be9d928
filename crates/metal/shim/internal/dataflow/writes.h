// Writes: from this core's L1 to one place or to every core of a rectangle.

#pragma once

#include "internal/dataflow/addresses.h"
#include "internal/dataflow/state.h"
#include "tilewright/lacks.h"

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write(
    uint32_t from, uint64_t to, uint32_t bytes, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC) {
    tw::write(noc, from, to, bytes, posted ? TW_POSTED : 0);
}
template <bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(
    uint32_t from, uint64_t to, uint32_t bytes, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC) {
    tw::write(noc, from, to, bytes, posted ? TW_POSTED : 0);
}
template <typename AddrGen, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(
    uint32_t page,
    const AddrGen& tensor,
    uint32_t from,
    uint32_t bytes = 0,
    uint32_t offset = 0,
    uint8_t noc = noc_index) {
    const uint32_t size = bytes != 0 ? bytes : tw::page_bytes_of(tensor);
    tw::write(noc, from, tensor.get_noc_addr(page, offset, noc), size, posted ? TW_POSTED : 0);
}
template <typename AddrGen>
FORCE_INLINE void noc_async_write_tile(
    uint32_t page, const AddrGen& tensor, uint32_t from, uint8_t noc = noc_index) {
    noc_async_write_page(page, tensor, from, 0, 0, noc);
}
template <typename Accessor, bool posted = false>
FORCE_INLINE void noc_async_write_shard(
    uint32_t shard, const Accessor& tensor, uint32_t from, uint8_t noc = noc_index) {
    const uint32_t bytes = tensor.dspec().shard_volume() * tensor.get_aligned_page_size();
    tw::write(noc, from, tensor.get_shard_noc_addr(shard, 0, noc), bytes, posted ? TW_POSTED : 0);
}

// To every core of a rectangle. Linked packets travel like others here.

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_write_multicast(
    uint32_t from,
    uint64_t to,
    uint32_t bytes,
    uint32_t cores,
    bool = false,
    uint8_t noc = noc_index,
    uint8_t = NOC_MULTICAST_WRITE_VC) {
    tw::write(noc, from, to, bytes, TW_TO_CORES(cores));
}
// The older form also says whether a path is reserved, which makes no difference here.
FORCE_INLINE void noc_async_write_multicast(
    uint32_t from, uint64_t to, uint32_t bytes, uint32_t cores, bool linked, bool, uint8_t noc = noc_index) {
    noc_async_write_multicast(from, to, bytes, cores, linked, noc);
}
template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_write_multicast_one_packet(
    uint32_t from, uint64_t to, uint32_t bytes, uint32_t cores, bool = false, uint8_t noc = noc_index) {
    tw::write(noc, from, to, bytes, TW_TO_CORES(cores));
}
FORCE_INLINE void noc_async_write_multicast_loopback_src(
    uint32_t from, uint64_t to, uint32_t bytes, uint32_t cores, bool = false, uint8_t noc = noc_index) {
    tw::write(noc, from, to, bytes, TW_TO_CORES(cores) | TW_INCLUDE_SELF);
}
FORCE_INLINE void noc_async_write_multicast_loopback_src(
    uint32_t from, uint64_t to, uint32_t bytes, uint32_t cores, bool linked, bool, uint8_t noc = noc_index) {
    noc_async_write_multicast_loopback_src(from, to, bytes, cores, linked, noc);
}

// Writes that share what they have in common.

template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_set_state(
    uint64_t to, uint32_t bytes, uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC) {
    tw::write_state(noc).address = to;
    tw::write_state(noc).bytes = bytes;
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_state(
    uint32_t from, uint32_t to, uint8_t noc = noc_index) {
    const tw::command_buffer& state = tw::write_state(noc);
    tw::write(noc, from, state.at(to), state.bytes, posted ? TW_POSTED : 0);
}

// Transaction ids. One that is set stays until another is.

FORCE_INLINE void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    tw::write_state(noc).trid = trid;
}
template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid(
    uint32_t from,
    uint64_t to,
    uint32_t bytes,
    uint32_t trid,
    uint8_t = write_cmd_buf,
    uint8_t noc = noc_index,
    uint8_t = NOC_UNICAST_WRITE_VC) {
    tw::write_state(noc).trid = trid;
    tw::write(noc, from, to, bytes, posted ? TW_POSTED : 0);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_set_state(
    uint64_t to, uint8_t = write_cmd_buf, uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC) {
    tw::write_state(noc).address = to;
}
template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_with_state(
    uint32_t from,
    uint32_t to,
    uint32_t bytes,
    uint32_t trid,
    uint8_t = write_cmd_buf,
    uint8_t noc = noc_index) {
    tw::write_state(noc).trid = trid;
    tw::write(noc, from, tw::write_state(noc).at(to), bytes, posted ? TW_POSTED : 0);
}
// Every transfer counts by itself when it is issued, so that no counter is behind and none is to be reset.
FORCE_INLINE void reset_noc_trid_barrier_counter(uint32_t = 0, uint32_t = noc_index) {}
FORCE_INLINE void ncrisc_noc_counters_init() {}
FORCE_INLINE void dynamic_noc_local_state_init() {}

// Words.

namespace tw {

// Parts of a word are not written: the machine writes whole words.
FORCE_INLINE void write_word(
    uint32_t noc, uint64_t to, uint32_t value, uint8_t bytes, uint32_t flags) {
    if (bytes != 0xf) {
        tw_calls->not_modelled(TW_HERE, "inline writes of parts of a word");
    }
    tw_calls->noc_inline_write(TW_HERE, noc, 0, to, value, flags);
}

}  // namespace tw

template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_dw_write(
    uint64_t to,
    uint32_t value,
    uint8_t bytes = 0xf,
    uint8_t noc = noc_index,
    uint8_t = NOC_UNICAST_WRITE_VC,
    uint32_t = 0) {
    tw::write_word(noc, to, value, bytes, posted ? TW_POSTED : 0);
}
template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_mcast_dw_write(
    uint64_t to,
    uint32_t value,
    uint8_t bytes = 0xf,
    uint8_t noc = noc_index,
    uint8_t = NOC_MULTICAST_WRITE_VC,
    uint32_t = 0,
    uint32_t = 1) {
    tw::write_word(noc, to, value, bytes, TW_MULTICAST | (posted ? TW_POSTED : 0));
}
template <bool posted = false, bool set_val = false>
FORCE_INLINE void noc_inline_dw_write_set_state(
    uint64_t to,
    uint32_t value = 0,
    uint8_t = 0xf,
    uint8_t = write_at_cmd_buf,
    uint8_t noc = noc_index,
    uint8_t = NOC_UNICAST_WRITE_VC) {
    tw::inline_state(noc).address = to;
    if (set_val) {
        tw::inline_state(noc).value = value;
    }
}
template <
    bool update_addr_lo = false,
    bool update_counter = true,
    bool posted = false,
    bool update_addr_hi = false,
    bool update_val = false,
    InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
FORCE_INLINE void noc_inline_dw_write_with_state(
    uint32_t value, uint32_t low = 0, uint8_t = write_at_cmd_buf, uint8_t noc = noc_index) {
    static_assert(!update_addr_hi, "the target of an inline write with state cannot move to another core");
    tw::command_buffer& state = tw::inline_state(noc);
    if (update_addr_lo) {
        state.address = state.at(low);
    }
    if (update_val) {
        state.value = value;
    }
    tw::write_word(noc, state.address, state.value, 0xf, posted ? TW_POSTED : 0);
}

// Barriers.

FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index) {
    tw::barrier(noc, TW_BARRIER_WRITES, TW_NONE);
}
FORCE_INLINE void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    tw::barrier(noc, TW_BARRIER_WRITES, trid);
}
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index) {
    tw::barrier(noc, TW_BARRIER_WRITES_DEPARTED, TW_NONE);
}
FORCE_INLINE void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    tw::barrier(noc, TW_BARRIER_WRITES_DEPARTED, trid);
}
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index) {
    tw::barrier(noc, TW_BARRIER_POSTED_WRITES_DEPARTED, TW_NONE);
}
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc = noc_index) {
    tw::barrier(noc, TW_BARRIER_ATOMICS, TW_NONE);
}
FORCE_INLINE void noc_async_full_barrier(uint8_t noc = noc_index) {
    for (uint32_t kind : {TW_BARRIER_READS, TW_BARRIER_WRITES, TW_BARRIER_POSTED_WRITES_DEPARTED, TW_BARRIER_ATOMICS}) {
        tw::barrier(noc, kind, TW_NONE);
    }
}
