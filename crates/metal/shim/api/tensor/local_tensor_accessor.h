// A tensor's part in this core's L1, by element.

#pragma once

#include "api/core_local_mem.h"
#include "api/tensor/tensor_binding_token.h"
#include "internal/arguments.h"

template <typename T>
class LocalTensorAccessor {
public:
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    explicit LocalTensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>) :
        LocalTensorAccessor(get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / 4)) {
#ifndef TW_CORPUS
        static_assert(
            !tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>::args_t::is_dram,
            "a tensor in DRAM has no part in local L1");
#endif
    }
    explicit LocalTensorAccessor(uint32_t base) : mem_(uintptr_t{base}) {}

    T& operator[](uint32_t index) const { return mem_[index]; }
    uint32_t get_bank_base_address() const { return static_cast<uint32_t>(mem_.get_address()); }
    CoreLocalMem<T> local_mem() const { return mem_; }

private:
    CoreLocalMem<T> mem_;
};
