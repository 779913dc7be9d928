// A ring as an object, on every processor.

#pragma once

#include "api/lock.h"
#include "internal/circular_buffer_interface.h"
#ifdef COMPILE_FOR_TRISC
#include "api/compute/cb_api.h"
#else
#include "api/dataflow/noc.h"
#endif

class CircularBuffer {
public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };

    explicit CircularBuffer(uint32_t cb_id) : cb_id_(cb_id) {}

    uint32_t get_cb_id() const { return cb_id_; }

#ifdef COMPILE_FOR_TRISC
    void reserve_back(int32_t pages) { ckernel::cb_reserve_back(cb_id_, pages); }
    void push_back(int32_t pages) { ckernel::cb_push_back(cb_id_, pages); }
    void wait_front(int32_t pages) { ckernel::cb_wait_front(cb_id_, pages); }
    void pop_front(int32_t pages) { ckernel::cb_pop_front(cb_id_, pages); }
    uint32_t get_tile_address(uint32_t tile) { return ckernel::get_tile_address(cb_id_, tile); }
    uint32_t read_tile_value(uint32_t tile, uint32_t element) {
        return ckernel::read_tile_value(cb_id_, tile, element);
    }
    uint32_t get_write_ptr() const { return tw::ring_of(cb_id_).write_pointer >> cb_addr_shift; }
    uint32_t get_read_ptr() const { return tw::ring_of(cb_id_).read_pointer >> cb_addr_shift; }
#else
    void reserve_back(int32_t pages) { cb_reserve_back(cb_id_, pages); }
    void push_back(int32_t pages) { cb_push_back(cb_id_, pages); }
    void wait_front(int32_t pages) { cb_wait_front(cb_id_, pages); }
    void pop_front(int32_t pages) { cb_pop_front(cb_id_, pages); }
    uint32_t get_tile_size() const { return ::get_tile_size(cb_id_); }
    uint32_t get_tile_hw() const { return ::get_tile_hw(cb_id_); }
    DataFormat get_dataformat() const { return ::get_dataformat(cb_id_); }
    bool pages_reservable_at_back(int32_t pages) const {
        return cb_pages_reservable_at_back(cb_id_, pages);
    }
    bool pages_available_at_front(int32_t pages) const {
        return cb_pages_available_at_front(cb_id_, pages);
    }
    uint32_t get_write_ptr() const { return ::get_write_ptr(cb_id_); }
    uint32_t get_read_ptr() const { return ::get_read_ptr(cb_id_); }
#endif

    // A note to tt-metal's debugger; the simulator sees every access anyway.
    [[nodiscard]] auto scoped_lock() {
        return Lock([]() {});
    }

private:
    uint32_t cb_id_;
};

#ifndef COMPILE_FOR_TRISC

template <CircularBuffer::AddrSelector Selector>
struct CircularBufferView {
    const CircularBuffer& cb;
    explicit constexpr CircularBufferView(const CircularBuffer& buffer) : cb(buffer) {}

    uint32_t address() const {
        return Selector == CircularBuffer::AddrSelector::READ_PTR ? cb.get_read_ptr() : cb.get_write_ptr();
    }
};

template <CircularBuffer::AddrSelector Selector>
constexpr auto use(const CircularBuffer& cb) {
    return CircularBufferView<Selector>(cb);
}

template <>
struct noc_traits_t<CircularBuffer> : tw::local_args {
    template <Noc::AddressType type>
    static uint32_t src_addr(const CircularBuffer& cb, const Noc&, const src_args_type& args) {
        must_be_local<type>();
        return cb.get_read_ptr() + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint32_t dst_addr(const CircularBuffer& cb, const Noc&, const dst_args_type& args) {
        must_be_local<type>();
        return cb.get_write_ptr() + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint64_t dst_addr_mcast(const CircularBuffer& cb, const Noc&, const dst_args_mcast_type& args) {
        return on_rectangle(cb.get_write_ptr(), args);
    }
};

template <CircularBuffer::AddrSelector Selector>
struct noc_traits_t<CircularBufferView<Selector>> : tw::local_args {
    template <Noc::AddressType type>
    static uint32_t src_addr(const CircularBufferView<Selector>& view, const Noc&, const src_args_type& args) {
        must_be_local<type>();
        return view.address() + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint32_t dst_addr(const CircularBufferView<Selector>& view, const Noc&, const dst_args_type& args) {
        must_be_local<type>();
        return view.address() + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint64_t dst_addr_mcast(
        const CircularBufferView<Selector>& view, const Noc&, const dst_args_mcast_type& args) {
        return on_rectangle(view.address(), args);
    }
};

// Kernels that hold a buffer also pass tensors to the network.
#include "api/tensor/noc_traits.h"

#endif
