// What hosts would define, for `tilewright corpus`, which compiles kernels without them.
//
// One plausible value for each macro: operations are empty, sizes are one.

#pragma once

#define REDUCE_OP PoolType::SUM
#define REDUCE_DIM ReduceDim::REDUCE_ROW
#define BINARY_OP add_tiles
#define BINARY_OP_INIT add_init
#define BINARY_OP_TYPE EltwiseBinaryType::ELWADD
#define ELTWISE_OP add_tiles
#define ELTWISE_OP_TYPE EltwiseBinaryType::ELWADD
#define ELTWISE_OP_INIT add_init
#define BINARY_SFPU_OP add_binary_tile
#define BINARY_SFPU_INIT add_binary_tile_init();
#define BCAST_LLKOP EltwiseBinaryType::ELWADD
#define BCAST_DIM BroadcastType::COL
#define BCAST_OP add_tiles_bcast
#define BCAST_INPUT 0
#define SFPU_OP_CHAIN_0
#define SFPU_OP_INIT_0
#define SFPU_OP_FUNC_0
#define PROCESS_POST_ACTIVATIONS(dst)
#define PROCESS_LHS_ACTIVATIONS(dst)
#define PROCESS_RHS_ACTIVATIONS(dst)
#define HAS_ACTIVATIONS(op) 0
#define TYPECAST_LLK_INIT(...)
#define TYPECAST_LLK(...)
#define FILL_LLK fill_tile
#define LOOP_COUNT 1
#define LOOP_SIZE 1
