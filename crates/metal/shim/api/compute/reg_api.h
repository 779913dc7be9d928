// Who holds Dst: math, then pack.

#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void tile_regs_acquire() { MATH((tw_calls->acquire(TW_HERE))); }
ALWI void tile_regs_commit() { MATH((tw_calls->commit(TW_HERE))); }
ALWI void tile_regs_wait() { PACK((tw_calls->wait_commit(TW_HERE))); }
ALWI void tile_regs_release() { PACK((tw_calls->release(TW_HERE))); }

ALWI void acquire_dst() {
    tile_regs_acquire();
    tile_regs_wait();
}
ALWI void release_dst() {
    tile_regs_commit();
    tile_regs_release();
}

ALWI void acquire_dst(tt::DstMode) { acquire_dst(); }
ALWI void release_dst(tt::DstMode) { release_dst(); }

}  // namespace ckernel
