// Which part of a compute kernel this object is.

#pragma once

#include <cstdint>

#include "chlkc_descriptors.h"
#include "hostdevcommon/kernel_structs.h"
#include "internal/data_format.h"
#include "internal/engine.h"
#include "internal/processor.h"
#include "internal/risc_attribs.h"
#include "llk_defs.h"
#include "tilewright/call.h"
#include "tilewright/lacks.h"

typedef unsigned int uint;

#ifdef TRISC_MATH
#define MATH(...) __VA_ARGS__
#else
#define MATH(...)
#endif

#ifdef TRISC_PACK
#define PACK(...) __VA_ARGS__
#else
#define PACK(...)
#endif

#ifdef TRISC_UNPACK
#define UNPACK(...) __VA_ARGS__
#else
#define UNPACK(...)
#endif

// The entry that compute kernels had before 2026: `namespace NAMESPACE { void MAIN { … } }`, or
// `void MAIN { … }` alone. Both are `kernel_main` to the linker, and stay if they are inline.
#define NAMESPACE chlkc_kernel
#define MAIN kernel_main()
void kernel_main() __attribute__((used));
namespace NAMESPACE {
void kernel_main() __asm__("_Z11kernel_mainv") __attribute__((used));
}

// The parts of operations, in the table's words.
namespace tw {

inline constexpr tw_unpack_op unpack_one = {TW_UNPACK_ONE, TW_SRC_A, 0, 0, 0};
inline constexpr tw_unpack_op unpack_transposed = {TW_UNPACK_ONE, TW_SRC_A, TW_TRANSPOSE_WHOLE, 0, 0};
// The order of faces, and the values within each, are transposed apart from each other.
ALWI constexpr tw_unpack_op unpack_as(bool faces, bool within) {
    const uint8_t how = faces && within ? TW_TRANSPOSE_WHOLE
                        : faces         ? TW_TRANSPOSE_FACES
                        : within        ? TW_TRANSPOSE_WITHIN
                                        : TW_TRANSPOSE_NONE;
    return {TW_UNPACK_ONE, TW_SRC_A, how, 0, 0};
}
inline constexpr tw_unpack_op unpack_both = {TW_UNPACK_BOTH, 0, 0, 0, 0};
constexpr tw_unpack_op unpack_tilize(uint32_t row_tiles) { return {TW_UNPACK_TILIZE, 0, 0, 0, row_tiles}; }
inline constexpr tw_math_op math_copy = {TW_MATH_COPY, 0, 0, 0, 0, 0, {0, 0}};
inline constexpr tw_math_op math_move = {TW_MATH_MOVE, 0, 0, 0, 0, 0, {0, 0}};

constexpr tw_unpack_op unpack_to(uint8_t source) { return {TW_UNPACK_ONE, source, 0, 0, 0}; }
constexpr tw_math_op elementwise(uint8_t op, uint8_t broadcast, bool accumulate) {
    return {TW_MATH_ELEMENTWISE, op, broadcast, TW_NO_REUSE, accumulate, 0, {0, 0}};
}
// What a call means when its init said nothing of accumulation: products add to Dst, sums do not.
constexpr tw_math_op elementwise(uint8_t op, uint8_t broadcast) { return elementwise(op, broadcast, op == TW_MUL); }

constexpr uint8_t code_of(ckernel::EltwiseBinaryType op) {
    switch (op) {
        case ckernel::EltwiseBinaryType::ELWADD: return TW_ADD;
        case ckernel::EltwiseBinaryType::ELWSUB: return TW_SUB;
        case ckernel::EltwiseBinaryType::ELWMUL: return TW_MUL;
        case ckernel::EltwiseBinaryType::ELWDIV:
        case ckernel::EltwiseBinaryType::ELWLESS: break;
    }
    __builtin_trap();
}
// Before tt-metal v0.74 sums of rows were pooled, with the data in SrcA.
constexpr uint8_t code_of(ckernel::PoolType pool) {
#ifdef TILEWRIGHT_API_BEFORE_V0_74
    constexpr uint8_t sum = TW_POOL_POOLED_SUM;
#else
    constexpr uint8_t sum = TW_POOL_SUM;
#endif
    return pool == ckernel::PoolType::MAX ? static_cast<uint8_t>(TW_POOL_MAX) : sum;
}
// COL, ROW and SCALAR have the table's numbers.
constexpr uint8_t code_of(ckernel::BroadcastType type) { return static_cast<uint8_t>(type); }

ALWI void configure(tw_unpack_op unpack, tw_math_op math) {
    UNPACK((tw_calls->configure_unpack(TW_HERE, unpack)));
    MATH((tw_calls->configure_math(TW_HERE, math)));
}
// One operand through `unpack` and `math` to a tile of Dst.
ALWI void one(
    tw_unpack_op unpack, tw_math_op math, uint32_t cb, uint32_t tile, uint32_t dst) {
    UNPACK((tw_calls->unpack(TW_HERE, unpack, cb, tile, TW_NONE, 0)));
    MATH((tw_calls->compute(TW_HERE, math, dst)));
}
// Two operands, one to each source.
ALWI void both(
    tw_math_op math,
    uint32_t a_cb,
    uint32_t a_tile,
    uint32_t b_cb,
    uint32_t b_tile,
    uint32_t dst) {
    UNPACK((tw_calls->unpack(TW_HERE, unpack_both, a_cb, a_tile, b_cb, b_tile)));
    MATH((tw_calls->compute(TW_HERE, math, dst)));
}
// A variant of a served call that the machine lacks: a finding at the kernel's line.
ALWI void require(bool is_modelled, const char* what) {
    if (!is_modelled) {
        tw_calls->not_modelled(TW_HERE, what);
    }
}

}  // namespace tw

#include "internal/vector_drivers.h"
