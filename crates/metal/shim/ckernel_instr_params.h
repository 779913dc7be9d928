// Operands of the engine's instructions by name (ISA documentation, TensixTile/TensixCoprocessor).

#pragma once

#include <cstdint>

namespace ckernel {

struct p_setrwc {
    static constexpr std::uint32_t CLR_NONE = 0, CLR_A = 1, CLR_B = 2, CLR_AB = 3, SET_A = 1, SET_B = 2, SET_AB = 3,
        SET_D = 4, SET_AD = 5, SET_BD = 6, SET_ABD = 7, SET_F = 8, SET_A_F = 9, SET_B_F = 10,
        SET_AB_F = 11, SET_D_F = 12, SET_AD_F = 13, SET_BD_F = 14, SET_ABD_F = 15, CR_A = 1,
        CR_B = 2, CR_AB = 3, CR_D = 4, CR_AD = 5, CR_BD = 6, CR_ABD = 7, C_TO_CR_MODE = 8;
};
struct p_setadc {
    static constexpr std::uint32_t UNP0 = 1, UNP1 = 2, UNP_A = 1, UNP_B = 2, UNP_AB = 3, PAC = 4, SET_X = 0, SET_Y = 1,
        SET_Z = 2, SET_W = 3, CH_0 = 0, CH_1 = 1;
};
struct p_unpacr_nop {
    static constexpr std::uint32_t UNP_POP = 0, UNP_ZEROSRC = 1, UNP_NOP = 2, UNP_NEGINFSRC = 5, UNP_SET_DVALID = 7,
        UNP0 = 0, UNP1 = 1;
};
struct p_mova2d {
    static constexpr std::uint32_t MATH_HALO_ROWS = 0, MOV_1_ROW = 0, MOV_8_ROWS = 2;
};
struct p_movd2a {
    static constexpr std::uint32_t MOV_1_ROW = 0, MOV_4_ROWS = 2;
};
struct p_movb2d {
    static constexpr std::uint32_t SRC_ZERO_OFFSET = 0, SRC_ROW16_OFFSET = 16, MOV_1_ROW = 0, MOV_1_ROW_D0_BRCST = 1,
        MOV_8_ROW_BRCST = 2, MOV_8_ROW_BRCST_D0_BRCST = 3, MOV_4_ROWS = 4,
        MOV_4_ROWS_D0_BRCST = 5;
};
struct p_movd2b {
    static constexpr std::uint32_t SRC_ZERO_OFFSET = 0, SRC_ROW16_OFFSET = 16, MOV_1_ROW = 0, MOV_4_ROWS = 2;
};
struct p_movb2a {
    static constexpr std::uint32_t SRCA_ZERO_OFFSET = 0, SRCB_ZERO_OFFSET = 0, SRCB_ROW16_OFFSET = 16, MOV_1_ROW = 0,
        MOV_4_ROWS = 2;
};
struct p_stall {
    static constexpr std::uint32_t NONE = 0, THCON = 1, UNPACK0 = 2, UNPACK1 = 4, UNPACK = 6, PACK0 = 8, PACK1 = 16,
        PACK2 = 32, PACK3 = 64, PACK = 120, MATH = 128, SRCA_CLR = 256, SRCB_CLR = 512,
        SRCA_VLD = 1024, SRCB_VLD = 2048, XMOV = 4096, TRISC_CFG = 8192, SFPU1 = 16384,
        WAIT_SFPU = 16384, STALL_TDMA = 1, STALL_SYNC = 2, STALL_PACK = 4, STALL_UNPACK = 8,
        STALL_XMOV = 16, STALL_THCON = 32, STALL_MATH = 64, STALL_CFG = 128, STALL_SFPU = 256,
        STALL_THREAD = 511, STALL_ON_ZERO = 1, STALL_ON_MAX = 2, SEMAPHORE_0 = 1,
        SEMAPHORE_1 = 2, SEMAPHORE_2 = 4, SEMAPHORE_3 = 8, SEMAPHORE_4 = 16, SEMAPHORE_5 = 32,
        SEMAPHORE_6 = 64, SEMAPHORE_7 = 128;
};
struct p_zeroacc {
    static constexpr std::uint32_t CLR_SPECIFIC = 0, CLR_16 = 1, CLR_HALF = 2, CLR_ALL = 3, CLR_HALF_32B = 6,
        CLR_ALL_32B = 7;
};
struct p_zerosrc {
    static constexpr std::uint32_t CLR_A = 1, CLR_B = 2, CLR_AB = 3;
};
struct p_cfg {
    static constexpr std::uint32_t WRCFG_32b = 0, WRCFG_128b = 1;
};
struct p_gpool {
    static constexpr std::uint32_t DIM_1X16 = 0, DIM_16X16 = 1, INDEX_DIS = 0, INDEX_EN = 1;
};
struct p_elwise {
    static constexpr std::uint32_t SRCB_NO_BCAST = 0, SRCB_BCAST_COL = 1, SRCB_BCAST_ROW = 2, SRCB_BCAST_ALL = 3,
        DEST_ACCUM_DIS = 0, DEST_ACCUM_EN = 1, CLR_NONE = 0, CLR_A = 1, CLR_B = 2, CLR_AB = 3;
};
struct p_sfpu {
    static constexpr std::uint32_t LREG0 = 0, LREG1 = 1, LREG2 = 2, LREG3 = 3, LREG4 = 4, LREG5 = 5, LREG6 = 6, LREG7 = 7,
        LCONST_0_8373 = 8, LCONST_0 = 9, LCONST_1 = 10, LCONST_neg1 = 11, LREG11 = 11,
        LREG12 = 12, LREG13 = 13, LREG14 = 14, LTILEID = 15, kCONST_1_FP16B = 0x3f80,
        kCONST_1_FP16A = 0x3c00, kCONST_0 = 0;
};
struct p_sfpswap {
    static constexpr std::uint32_t UNCONDITIONALLY = 0, ALL_ROWS_MAX = 1, ROWS_01_MAX = 2, ROWS_02_MAX = 3,
        ROWS_03_MAX = 4, ROW_0_MAX = 5, ROW_1_MAX = 6, ROW_2_MAX = 5, ROW_3_MAX = 6;
};

struct p_exp {
    static constexpr std::uint32_t FRAC_BITS = 3, C23_73 = 0x4340, ADJ_EXP = 0xbd3f;
};

// The engine's semaphores, which are not those of programs.
struct semaphore {
    static constexpr std::uint32_t FPU_SFPU = 0, MATH_PACK = 1, UNPACK_TO_DEST = 2,
        UNPACK_OPERAND_SYNC = 3, PACK_DONE = 4, UNPACK_SYNC = 5, UNPACK_MATH_DONE = 6, MATH_DONE = 7;
    static constexpr std::uint16_t t6_sem(std::uint8_t index) { return 1 << index; }
};

inline constexpr std::uint8_t ADDR_MOD_0 = 0, ADDR_MOD_1 = 1, ADDR_MOD_2 = 2, ADDR_MOD_3 = 3, ADDR_MOD_4 = 4,
    ADDR_MOD_5 = 5, ADDR_MOD_6 = 6, ADDR_MOD_7 = 7;

}  // namespace ckernel
