// Calls a function of the vector unit on up to three tiles of Dst; its result is the first.

#include <cstdint>

#include "api/compute/add_int_sfpu.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/cumsum.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/clamp.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/relu.h"
#include "api/compute/eltwise_unary/sqrt.h"
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 0, 16);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        tile_regs_acquire();
        for (uint32_t cb = 0; cb < 3; ++cb) {
            cb_wait_front(cb, 1);
            if (cb < OPERANDS) {
                copy_tile_init(cb);
                copy_tile(cb, 0, cb);
            }
            cb_pop_front(cb, 1);
        }
        VECTOR_INIT;
        VECTOR_CALL;
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
