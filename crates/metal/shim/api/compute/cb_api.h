// Rings, on the compute side: unpack waits and pops, pack reserves and pushes.

#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void cb_wait_front(uint32_t cb, uint32_t pages, TW_AT) { UNPACK((tw_calls->wait_front(TW_HERE, cb, pages))); }
ALWI void cb_pop_front(uint32_t cb, uint32_t pages, TW_AT) { UNPACK((tw_calls->pop_front(TW_HERE, cb, pages))); }
ALWI void cb_reserve_back(uint32_t cb, uint32_t pages, TW_AT) { PACK((tw_calls->reserve_back(TW_HERE, cb, pages))); }
ALWI void cb_push_back(uint32_t cb, uint32_t pages, TW_AT) { PACK((tw_calls->push_back(TW_HERE, cb, pages))); }

}  // namespace ckernel
