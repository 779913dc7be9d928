// Helpers of kernels that forget something.

#pragma once

#include "api/dataflow/dataflow_api.h"

template <uint32_t cb>
inline void give(uint32_t pages) {
    cb_push_back(cb, pages);
}

__attribute__((noinline)) inline void fetch(uint32_t cb, uint32_t place) {
    const uint64_t from = get_noc_addr_from_bank_id<true>(0, place);
    noc_async_read(from, get_write_ptr(cb), 2048);
}
