// A typed pointer into this core's L1.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "api/lock.h"
#include "internal/risc_attribs.h"
#ifndef COMPILE_FOR_TRISC
#include "api/dataflow/noc.h"
#endif

template <typename T, typename AddressType = uintptr_t>
class CoreLocalMem {
    using difference_type = std::ptrdiff_t;
    static_assert(std::is_unsigned_v<AddressType>, "addresses are unsigned");

public:
    CoreLocalMem(AddressType address) : address_(address) {}
    CoreLocalMem(T* pointer) : address_(reinterpret_cast<AddressType>(pointer)) {}

    tt_l1_ptr T* get_unsafe_ptr() const { return reinterpret_cast<T*>(address_); }
    AddressType get_address() const { return address_; }
    T& operator[](uint32_t index) const { return get_unsafe_ptr()[index]; }
    T& operator*() const { return *get_unsafe_ptr(); }
    tt_l1_ptr T* operator->() const { return get_unsafe_ptr(); }

    CoreLocalMem& operator+=(difference_type by) {
        address_ += by * sizeof(T);
        return *this;
    }
    CoreLocalMem& operator-=(difference_type by) {
        address_ -= by * sizeof(T);
        return *this;
    }
    CoreLocalMem& operator++() { return *this += 1; }
    CoreLocalMem& operator--() { return *this -= 1; }
    CoreLocalMem operator++(int) {
        CoreLocalMem before = *this;
        ++*this;
        return before;
    }
    CoreLocalMem operator--(int) {
        CoreLocalMem before = *this;
        --*this;
        return before;
    }
    CoreLocalMem operator+(difference_type by) const { return CoreLocalMem(AddressType(address_ + by * sizeof(T))); }
    CoreLocalMem operator-(difference_type by) const { return CoreLocalMem(AddressType(address_ - by * sizeof(T))); }
    difference_type operator-(const CoreLocalMem& other) const {
        const auto bytes = static_cast<difference_type>(address_) - static_cast<difference_type>(other.address_);
        return bytes / static_cast<difference_type>(sizeof(T));
    }

    // A note to tt-metal's debugger; the simulator sees every access anyway.
    [[nodiscard]] auto scoped_lock(std::size_t) {
        return Lock([]() {});
    }

    bool operator==(const CoreLocalMem& other) const { return address_ == other.address_; }
    bool operator!=(const CoreLocalMem& other) const { return address_ != other.address_; }
    bool operator<(const CoreLocalMem& other) const { return address_ < other.address_; }
    bool operator<=(const CoreLocalMem& other) const { return address_ <= other.address_; }
    bool operator>(const CoreLocalMem& other) const { return address_ > other.address_; }
    bool operator>=(const CoreLocalMem& other) const { return address_ >= other.address_; }
    explicit operator bool() const { return address_ != 0; }

private:
    AddressType address_;
};

#ifndef COMPILE_FOR_TRISC
template <typename T, typename AddressType>
struct noc_traits_t<CoreLocalMem<T, AddressType>> {
    struct src_args_type {
        AddressType offset_bytes = 0;
    };
    struct dst_args_type {
        AddressType offset_bytes = 0;
    };
    struct dst_args_mcast_type {};
    template <Noc::AddressType type>
    static uint32_t src_addr(const CoreLocalMem<T, AddressType>& at, const Noc&, const src_args_type& args) {
        tw::local_args::must_be_local<type>();
        return static_cast<uint32_t>(at.get_address() + args.offset_bytes);
    }
    template <Noc::AddressType type>
    static uint32_t dst_addr(const CoreLocalMem<T, AddressType>& at, const Noc&, const dst_args_type& args) {
        tw::local_args::must_be_local<type>();
        return static_cast<uint32_t>(at.get_address() + args.offset_bytes);
    }
};
#endif
