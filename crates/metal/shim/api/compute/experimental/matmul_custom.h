// Products of blocks that are issued another way: the same values.

#pragma once

#include "api/compute/matmul.h"

namespace ckernel {

ALWI void mm_no_mop_init_short(
    uint32_t in0, uint32_t in1, bool transpose = false, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    matmul_init(in0, in1, transpose);
}
ALWI void mm_no_mop_reinit_short(
    uint32_t in0, uint32_t in1, bool transpose = false, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    matmul_init(in0, in1, transpose);
}
ALWI void matmul_block_no_mop(
    uint32_t in0,
    uint32_t in1,
    uint32_t tile0,
    uint32_t tile1,
    uint32_t dst,
    bool transpose,
    uint32_t ct,
    uint32_t rt,
    uint32_t kt) {
    matmul_block(in0, in1, tile0, tile1, dst, transpose, ct, rt, kt);
}

}  // namespace ckernel
