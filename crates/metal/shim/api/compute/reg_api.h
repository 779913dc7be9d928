// Who holds Dst: math, then pack.

#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void tile_regs_acquire(TW_AT) { MATH((tw_calls->acquire(TW_HERE))); }
ALWI void tile_regs_commit(TW_AT) { MATH((tw_calls->commit(TW_HERE))); }
ALWI void tile_regs_wait(TW_AT) { PACK((tw_calls->wait_commit(TW_HERE))); }
ALWI void tile_regs_release(TW_AT) { PACK((tw_calls->release(TW_HERE))); }

ALWI void acquire_dst(TW_AT) {
    tile_regs_acquire(tw_at);
    tile_regs_wait(tw_at);
}
ALWI void release_dst(TW_AT) {
    tile_regs_commit(tw_at);
    tile_regs_release(tw_at);
}

}  // namespace ckernel
