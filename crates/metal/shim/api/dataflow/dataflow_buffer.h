// A ring under its newer name: entries instead of pages.

#pragma once

#include <type_traits>

#include "api/core_local_mem.h"
#include "api/debug/assert.h"
#include "api/debug/waypoint.h"
#include "api/lock.h"
#include "chlkc_descriptors.h"
#include "internal/circular_buffer_interface.h"
#include "internal/data_format.h"
#ifdef COMPILE_FOR_TRISC
#include "api/compute/cb_api.h"
#else
#include "api/dataflow/noc.h"
#endif

// Pack sees the packer's descriptors, everyone else the unpackers'.
#ifdef UCK_CHLKC_PACK
#define TW_DESCRIPTOR(name) pack_##name
#else
#define TW_DESCRIPTOR(name) unpack_##name
#endif

struct DFBBindingToken {
    explicit constexpr DFBBindingToken(uint16_t id) noexcept : id_(id) {}
    constexpr operator uint32_t() const noexcept { return id_; }

private:
    uint16_t id_;
};

// An entry that is held for the length of a scope.
template <bool IsWrite, typename Release>
class DfbScopedLock {
public:
    DfbScopedLock(uint32_t pointer, Release release) : pointer_(pointer), release_(release) {}
    ~DfbScopedLock() { release_(); }
    DfbScopedLock(const DfbScopedLock&) = delete;

    template <typename T = uint32_t>
    [[nodiscard]] CoreLocalMem<std::conditional_t<IsWrite, T, const T>> get_ptr() const {
        return CoreLocalMem<std::conditional_t<IsWrite, T, const T>>(uintptr_t{pointer_});
    }

private:
    uint32_t pointer_;
    Release release_;
};

class DataflowBuffer {
public:
    DataflowBuffer(DFBBindingToken token) : id_(static_cast<uint16_t>(token)) {}
    DataflowBuffer(uint16_t id) : id_(id) {}

    uint16_t get_id() const { return id_; }

    uint32_t get_entry_size() const { return ring().page_bytes; }
    uint32_t get_stride_size() const { return ring().page_bytes; }
    uint32_t get_total_num_entries() const { return ring().pages; }
    uint32_t get_total_size_bytes() const { return ring().bytes; }
    uint32_t get_local_num_entries() const { return ring().pages; }
    uint32_t get_local_size_bytes() const { return ring().bytes; }
    uint32_t get_ring_span_bytes() const { return ring().bytes; }
    uint32_t get_ring_span_num_entries() const { return ring().pages; }

    constexpr uint32_t get_tile_size() const { return TW_DESCRIPTOR(tile_size)[id_]; }
    constexpr uint32_t get_tile_r_dim() const { return TW_DESCRIPTOR(tile_r_dim)[id_]; }
    constexpr uint32_t get_tile_c_dim() const { return TW_DESCRIPTOR(tile_c_dim)[id_]; }
    constexpr uint32_t get_tile_hw() const { return get_tile_r_dim() * get_tile_c_dim(); }
    constexpr uint32_t get_tile_num_faces() const { return TW_DESCRIPTOR(tile_num_faces)[id_]; }
    constexpr uint32_t get_face_r_dim() const { return TW_DESCRIPTOR(tile_face_r_dim)[id_]; }
    constexpr uint32_t get_partial_face() const { return TW_DESCRIPTOR(partial_face)[id_]; }
    constexpr uint32_t get_narrow_tile() const { return TW_DESCRIPTOR(narrow_tile)[id_]; }
    constexpr uint32_t get_num_faces_r_dim() const { return TW_DESCRIPTOR(num_faces_r_dim)[id_]; }
    constexpr uint32_t get_num_faces_c_dim() const { return TW_DESCRIPTOR(num_faces_c_dim)[id_]; }
    constexpr DataFormat get_dataformat() const {
#ifdef UCK_CHLKC_PACK
        return static_cast<DataFormat>(pack_dst_format[id_]);
#else
        return static_cast<DataFormat>(unpack_src_format[id_]);
#endif
    }
#ifndef UCK_CHLKC_PACK
    constexpr DataFormat get_unpack_dst_format() const { return static_cast<DataFormat>(unpack_dst_format[id_]); }
#endif
#if !defined(UCK_CHLKC_MATH) && !defined(UCK_CHLKC_UNPACK)
    constexpr DataFormat get_pack_src_format() const { return static_cast<DataFormat>(pack_src_format[id_]); }
    constexpr DataFormat get_pack_dst_format() const { return static_cast<DataFormat>(pack_dst_format[id_]); }
#endif

#ifdef COMPILE_FOR_TRISC
    void reserve_back(uint16_t entries) { ckernel::cb_reserve_back(id_, entries); }
    void push_back(uint16_t entries) { ckernel::cb_push_back(id_, entries); }
    void wait_front(uint16_t entries) { ckernel::cb_wait_front(id_, entries); }
    void pop_front(uint16_t entries) { ckernel::cb_pop_front(id_, entries); }
    uint32_t get_tile_address(uint32_t tile) { return ckernel::get_tile_address(id_, tile); }
    template <typename T = uint32_t>
    T read_tile_value(uint32_t tile, uint32_t element) {
        static_assert(std::is_unsigned_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 4, "an unsigned word or less");
        return tw::read_tile_element<T>(id_, tile, element);
    }
#else
    void reserve_back(uint16_t entries) { cb_reserve_back(id_, entries); }
    void push_back(uint16_t entries) { cb_push_back(id_, entries); }
    void wait_front(uint16_t entries) { cb_wait_front(id_, entries); }
    void pop_front(uint16_t entries) { cb_pop_front(id_, entries); }
    bool pages_reservable_at_back(int32_t pages) const { return cb_pages_reservable_at_back(id_, pages); }
    bool pages_available_at_front(int32_t pages) const { return cb_pages_available_at_front(id_, pages); }
    void write_barrier(const Noc& noc) const { noc.async_write_barrier({}); }
#endif
    // Needed on architectures whose buffers hand over in the background; Wormhole's do not.
    void finish() {}

    uint32_t get_write_ptr() const { return ring().write_pointer >> cb_addr_shift; }
    uint32_t get_read_ptr() const { return ring().read_pointer >> cb_addr_shift; }
    void evil_set_write_ptr(uint32_t to) { get_local_cb_interface(id_).fifo_wr_ptr = to; }
    void evil_set_read_ptr(uint32_t to) { get_local_cb_interface(id_).fifo_rd_ptr = to; }

    // A note to tt-metal's debugger; the simulator sees every access anyway.
    [[nodiscard]] auto scoped_write_lock(uint16_t = 1) {
        auto release = []() {};
        return DfbScopedLock<true, decltype(release)>(get_write_ptr(), release);
    }
    [[nodiscard]] auto scoped_read_lock(uint16_t = 1) {
        auto release = []() {};
        return DfbScopedLock<false, decltype(release)>(get_read_ptr(), release);
    }

private:
    // Math has no view of a ring: zeros, as on silicon.
    tw_ring ring() const {
#ifdef UCK_CHLKC_MATH
        return {};
#else
        return tw::ring_of(id_);
#endif
    }

    uint16_t id_;
};

#ifndef COMPILE_FOR_TRISC

template <>
struct noc_traits_t<DataflowBuffer> : tw::local_args {
    using src_args_type = DataflowBufferArgs;
    using dst_args_type = DataflowBufferArgs;

    template <Noc::AddressType type>
    static uint32_t src_addr(const DataflowBuffer& buffer, const Noc&, const src_args_type& args) {
        must_be_local<type>();
        return buffer.get_read_ptr() + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint32_t dst_addr(const DataflowBuffer& buffer, const Noc&, const dst_args_type& args) {
        must_be_local<type>();
        return buffer.get_write_ptr() + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint64_t dst_addr_mcast(const DataflowBuffer& buffer, const Noc&, const dst_args_mcast_type& args) {
        return on_rectangle(buffer.get_write_ptr(), args);
    }
};

// Kernels that hold a buffer also pass tensors to the network.
#include "api/tensor/noc_traits.h"

#endif
