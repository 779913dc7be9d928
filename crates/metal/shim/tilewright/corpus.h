// What hosts would define, for `tilewright corpus`, which compiles kernels without them.
//
// One plausible value for each macro: activations are empty, operations are additions.

#pragma once

#include "internal/arguments.h"
#include "llk_defs.h"

#ifdef COMPILE_FOR_TRISC
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/fill.h"
#endif

#define REDUCE_OP ckernel::PoolType::SUM
#define REDUCE_DIM ckernel::ReduceDim::REDUCE_ROW
#define BINARY_OP add_tiles
#define BINARY_OP_INIT add_binary_tile_init
#define BINARY_OP_TYPE EltwiseBinaryType::ELWADD
#define ELTWISE_OP add_tiles
#define ELTWISE_OP_TYPE EltwiseBinaryType::ELWADD
#define ELTWISE_OP_INIT add_init
#define BINARY_SFPU_OP(x, y, ...) add_binary_tile(x, y, x)
#define BINARY_SFPU_INIT add_binary_tile_init();
#define TERNARY_SFPU_OP_INIT() add_binary_tile_init()
#define TERNARY_SFPU_OP_FUNC(x, y, ...) add_binary_tile(x, y, x)
#define BCAST_LLKOP EltwiseBinaryType::ELWADD
#define BCAST_DIM BroadcastType::COL
#define BCAST_OP add_tiles_bcast
#define BCAST_INPUT 0
#ifdef COMPILE_FOR_TRISC
#define SRC_BCAST 1
#define SRC_BCAST_B 0
#endif
#define BROADCAST_TYPE BroadcastType::COL
#define SFPU_OP_CHAIN_0
#define SFPU_OP_INIT_0
#define SFPU_OP_FUNC_0
#define PROCESS_POST_ACTIVATIONS(dst)
#define PROCESS_LHS_ACTIVATIONS(dst)
#define PROCESS_RHS_ACTIVATIONS(dst)
#define TYPECAST_LLK_INIT(...)
#define TYPECAST_LLK(...)
#define FILL_LLK fill_tile
#define FILL_TILE fill_tile_bitcast
#define COPY_DEST_VALUES copy_dest_values
#define EXP_APPROX 0
#define EXP_APPROX_MODE 0
#define FILL_TILE_WITH_FIRST_ROW_RM fill_tile_with_first_row_rm_bfloat16
#define FILL_TILE_WITH_FIRST_COLUMN_RM fill_tile_with_first_column_rm_bfloat16
#define FILL_TILE_WITH_FIRST_ROW fill_tile_with_first_row_bfloat16
#define FILL_TILE_WITH_FIRST_COLUMN fill_tile_with_first_column_bfloat16
#define FILL_TILE_WITH_FIRST_COLUMN_B fill_tile_with_first_column_bfloat16
#define FILL_TILE_WITH_FIRST_ROW_B fill_tile_with_first_row_bfloat16
#define FILL_TILE_WITH_FIRST_ELEMENT fill_tile_with_first_element_bfloat16
#define FILL_WITH_VALUE fill_with_val_bfloat16
#define ENABLE_FP32_DEST_ACC 0
#define DST_SYNC_FULL 0
#define LOOP_COUNT 1
#define Y_AXIS_CORES 1
#define LOOP_SIZE 1

// Arguments behind those with names.
FORCE_INLINE uint32_t get_vararg(uint32_t index) {
    return get_arg_val<uint32_t>(static_cast<int>(index));
}
FORCE_INLINE uint32_t get_common_vararg(uint32_t index) {
    return get_common_arg_val<uint32_t>(static_cast<int>(index));
}
