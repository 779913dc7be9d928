// A piece of this core's L1 by name.

#pragma once

#include "api/core_local_mem.h"
#include "api/debug/assert.h"
#include "experimental/kernel_args.h"

class ScratchpadBindingToken {
public:
    explicit constexpr ScratchpadBindingToken(uint32_t crta_offset, uint32_t bytes) :
        crta_offset_(crta_offset), bytes_(bytes) {}

private:
    template <typename T>
    friend class Scratchpad;
    uint32_t crta_offset_;
    uint32_t bytes_;
};

template <typename T>
class Scratchpad {
public:
    using pointer = CoreLocalMem<T>;

    explicit Scratchpad(const ScratchpadBindingToken& token) :
        base_(get_common_arg_val<uint32_t>(static_cast<int>(token.crta_offset_))), bytes_(token.bytes_) {}

    T& operator[](uint32_t index) const {
        ASSERT(index < size());
        return begin()[index];
    }
    uint32_t size() const { return bytes_ / sizeof(T); }
    uint32_t size_in_bytes() const { return bytes_; }
    uint32_t get_base_address() const { return base_; }
    pointer begin() const { return pointer(uintptr_t{base_}); }
    pointer end() const { return pointer(uintptr_t{base_} + bytes_); }
    pointer local_mem() const { return begin(); }

private:
    uint32_t base_;
    uint32_t bytes_;
};

#ifndef COMPILE_FOR_TRISC
template <typename T>
struct noc_traits_t<Scratchpad<T>> : tw::local_args {
    template <Noc::AddressType type>
    static uint32_t src_addr(const Scratchpad<T>& pad, const Noc&, const src_args_type& args) {
        must_be_local<type>();
        return pad.get_base_address() + args.offset_bytes;
    }
    template <Noc::AddressType type>
    static uint32_t dst_addr(const Scratchpad<T>& pad, const Noc&, const dst_args_type& args) {
        must_be_local<type>();
        return pad.get_base_address() + args.offset_bytes;
    }
};
#endif
