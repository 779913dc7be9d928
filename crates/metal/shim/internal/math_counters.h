// Where instructions of the vector unit find Dst. The pack processor may name what it does not execute.

#pragma once

#include "ckernel.h"
#include "internal/function_name.h"
#include "llk_assert.h"

// The registers that vector code sets by itself; of the others none is modelled.
inline constexpr std::uint32_t ADDR_MOD_SET_Base_ADDR32 = 2;
inline constexpr std::uint32_t DEST_REGISTER_HALF_SIZE = 512, DEST_REGISTER_FULL_SIZE = 1024;

#ifndef TRISC_UNPACK
inline __attribute__((always_inline)) void TT_SETC16(std::uint32_t which, std::uint32_t value) {
    if (which == DEST_TARGET_REG_CFG_MATH_Offset_ADDR32) {
        tw_calls->vector_control(TW_HERE, TW_VECTOR_BASE, value, 0);
    } else if (which == ADDR_MOD_SET_Base_ADDR32) {
        tw_calls->vector_control(TW_HERE, TW_VECTOR_UPPER_MODES, value, 0);
    } else {
        tw_calls->not_modelled(TW_HERE, "the instruction SETC16");
    }
}
#define TTI_SETC16 TT_SETC16

namespace ckernel {
// Sets the generator of random numbers.
ALWI void init_prng_seed([[maybe_unused]] std::uint32_t seed) {
#ifdef TRISC_MATH
    const std::uint32_t words[] = {0, seed};
    tw_calls->function(TW_HERE, TW_HASH("prng_seed"), words, 0, 1);
#endif
}
// The section that math owns begins at 0.
constexpr std::uint32_t get_dest_buffer_base() { return 0; }
}

namespace ckernel::math {

// The replay buffer is shared: the first half is for vector code.
inline constexpr std::uint32_t replay_buf_offset = 16;

// Relative to the section of Dst that math owns.
template <DstTileShape shape = DstTileShape::Tile32x32, UnpackDestination destination = UnpackDestination::SrcRegs>
ALWI void set_dst_write_addr(std::uint32_t tile) {
    static_assert(destination == UnpackDestination::SrcRegs, "only the unpacker can be told of its own tile");
    tw_calls->vector_control(TW_HERE, TW_VECTOR_BASE, tile << (6 - static_cast<std::uint32_t>(shape)), 0);
}
ALWI void clear_dst_reg_addr() { TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D); }
ALWI void reset_counters(std::uint32_t counters) { TT_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, counters); }
ALWI void incr_counters(std::uint32_t a, std::uint32_t b, std::uint32_t d, std::uint32_t copies) {
    TT_INCRWC(copies, d, b, a);
}
template <std::uint32_t rows = 8>
ALWI void inc_dst_addr() {
    static_assert(rows <= 15, "an instruction moves the counter by 15 rows at most");
    TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, rows, 0, 0, p_setrwc::SET_D);
}
ALWI void set_addr_mod_base() { tw_calls->vector_control(TW_HERE, TW_VECTOR_UPPER_MODES, 1, 0); }
ALWI void clear_addr_mod_base() { tw_calls->vector_control(TW_HERE, TW_VECTOR_UPPER_MODES, 0, 0); }

}  // namespace ckernel::math
#endif
