// The engine's instructions by name (ISA documentation, TensixTile/TensixCoprocessor). Those of the vector
// unit are executed. Kernels may hold the others in code that they do not execute; to execute one is
// refused by its name.

#pragma once

#include <cstdint>

#include "llk_defs.h"
#include "tilewright/lacks.h"

// `TTI_` issues an instruction of constant operands, `TT_` one of any, and `TT_OP_` is its word.
#define TW_INSTRUCTION(name)                                       \
    TW_BELOW(TTI_##name, "the instruction " #name)                 \
    ;                                                              \
    TW_BELOW(TT_##name, "the instruction " #name)                  \
    ;                                                              \
    template <typename... Operands>                                \
    constexpr std::uint32_t TT_OP_##name(Operands...) {            \
        return 0;                                                  \
    }

TW_INSTRUCTION(ADDDMAREG) TW_INSTRUCTION(ADDRCRXY) TW_INSTRUCTION(ADDRCRZW)
TW_INSTRUCTION(APOOL3S1) TW_INSTRUCTION(APOOL3S2) TW_INSTRUCTION(ATCAS) TW_INSTRUCTION(ATGETM)
TW_INSTRUCTION(ATINCGET) TW_INSTRUCTION(ATINCGETPTR) TW_INSTRUCTION(ATRELM) TW_INSTRUCTION(ATSWAP)
TW_INSTRUCTION(BITWOPDMAREG) TW_INSTRUCTION(CLEARDVALID) TW_INSTRUCTION(CMPDMAREG)
TW_INSTRUCTION(CONV3S1) TW_INSTRUCTION(CONV3S2) TW_INSTRUCTION(DOTPV) TW_INSTRUCTION(ELWADD)
TW_INSTRUCTION(ELWMUL) TW_INSTRUCTION(ELWSUB) TW_INSTRUCTION(FLUSHDMA) TW_INSTRUCTION(GAPOOL)
TW_INSTRUCTION(GATESRCRST) TW_INSTRUCTION(GMPOOL) TW_INSTRUCTION(INCADCXY) TW_INSTRUCTION(INCADCZW)
TW_INSTRUCTION(LOADIND) TW_INSTRUCTION(LOADREG) TW_INSTRUCTION(MFCONV3S1)
TW_INSTRUCTION(MOP) TW_INSTRUCTION(MOP_CFG) TW_INSTRUCTION(MOVA2D) TW_INSTRUCTION(MOVB2A)
TW_INSTRUCTION(MOVB2D) TW_INSTRUCTION(MOVD2A) TW_INSTRUCTION(MOVD2B) TW_INSTRUCTION(MOVDBGA2D)
TW_INSTRUCTION(MPOOL3S1) TW_INSTRUCTION(MPOOL3S2) TW_INSTRUCTION(MULDMAREG) TW_INSTRUCTION(MVMUL)
TW_INSTRUCTION(PACR) TW_INSTRUCTION(PACR_SETREG) TW_INSTRUCTION(RDCFG) TW_INSTRUCTION(REG2FLOP)
TW_INSTRUCTION(RMWCIB0) TW_INSTRUCTION(RMWCIB1) TW_INSTRUCTION(RMWCIB2)
TW_INSTRUCTION(RMWCIB3) TW_INSTRUCTION(SEMGET) TW_INSTRUCTION(SEMINIT) TW_INSTRUCTION(SEMPOST)
TW_INSTRUCTION(SEMWAIT) TW_INSTRUCTION(SETADC) TW_INSTRUCTION(SETADCXX) TW_INSTRUCTION(SETADCXY)
TW_INSTRUCTION(SETADCZW) TW_INSTRUCTION(SETASHRMH) TW_INSTRUCTION(SETASHRMH0)
TW_INSTRUCTION(SETASHRMH1) TW_INSTRUCTION(SETASHRMV)
TW_INSTRUCTION(SETDMAREG) TW_INSTRUCTION(SETDVALID) TW_INSTRUCTION(SETIBRWC)
TW_INSTRUCTION(SETPKEDGOF) TW_INSTRUCTION(SHIFTDMAREG)
TW_INSTRUCTION(SHIFTXA) TW_INSTRUCTION(SHIFTXB) TW_INSTRUCTION(STOREIND)
TW_INSTRUCTION(STOREREG) TW_INSTRUCTION(SUBDMAREG) TW_INSTRUCTION(UNPACR)
TW_INSTRUCTION(UNPACR_NOP) TW_INSTRUCTION(WRCFG) TW_INSTRUCTION(XMOV) TW_INSTRUCTION(ZEROACC)
TW_INSTRUCTION(ZEROSRC)

// Those of the vector unit are executed, and the counters and the replay buffer that they use. `first` and
// so on are the lowest bits of the operands; the first operand may reach beyond its bits.
namespace tw {

template <std::uint32_t opcode, std::uint32_t... first, typename... Operands>
constexpr std::uint32_t instruction_word(Operands... operands) {
    static_assert(sizeof...(first) == sizeof...(Operands), "an instruction with all its operands");
    return opcode << 24 | (((static_cast<std::uint32_t>(operands) << first) | ...) & 0xffffff);
}
inline __attribute__((always_inline)) void issue(std::uint32_t word) {
    tw_calls->vector_instruction(TW_HERE, word);
}

}  // namespace tw

#define TW_VECTOR_INSTRUCTION(name, ...)                                                     \
    template <typename... Operands>                                                          \
    constexpr std::uint32_t TT_OP_##name(Operands... operands) {                             \
        return tw::instruction_word<__VA_ARGS__>(operands...);                               \
    }                                                                                        \
    template <typename... Operands>                                                          \
    inline __attribute__((always_inline)) void TTI_##name(Operands... operands) {            \
        tw::issue(TT_OP_##name(operands...));                                                \
    }                                                                                        \
    template <typename... Operands>                                                          \
    inline __attribute__((always_inline)) void TT_##name(Operands... operands) {             \
        tw::issue(TT_OP_##name(operands...));                                                \
    }

// Accesses of Dst have one of four address modes, Blackhole's one of eight.
#ifdef ARCH_BLACKHOLE
#define TW_ADDRESS_MODE 13
#else
#define TW_ADDRESS_MODE 14
#endif

TW_VECTOR_INSTRUCTION(REPLAY, 0x04, 14, 4, 1, 0)
TW_VECTOR_INSTRUCTION(SETRWC, 0x37, 22, 18, 14, 10, 6, 0)
TW_VECTOR_INSTRUCTION(INCRWC, 0x38, 18, 14, 10, 6)
TW_VECTOR_INSTRUCTION(SFPLOAD, 0x70, 20, 16, TW_ADDRESS_MODE, 0)
TW_VECTOR_INSTRUCTION(SFPLOADI, 0x71, 20, 16, 0)
TW_VECTOR_INSTRUCTION(SFPSTORE, 0x72, 20, 16, TW_ADDRESS_MODE, 0)
TW_VECTOR_INSTRUCTION(SFPLUT, 0x73, 20, 16, 0)
TW_VECTOR_INSTRUCTION(SFPMULI, 0x74, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPADDI, 0x75, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPDIVP2, 0x76, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPEXEXP, 0x77, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPEXMAN, 0x78, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPIADD, 0x79, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPSHFT, 0x7a, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPSETCC, 0x7b, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPMOV, 0x7c, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPABS, 0x7d, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPAND, 0x7e, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPOR, 0x7f, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPNOT, 0x80, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPLZ, 0x81, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPSETEXP, 0x82, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPSETMAN, 0x83, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPMAD, 0x84, 16, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPADD, 0x85, 16, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPMUL, 0x86, 16, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPPUSHC, 0x87, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPPOPC, 0x88, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPSETSGN, 0x89, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPENCC, 0x8a, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPCOMPC, 0x8b, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPTRANSP, 0x8c, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPXOR, 0x8d, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFP_STOCH_RND, 0x8e, 21, 16, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPCAST, 0x90, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPCONFIG, 0x91, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPSWAP, 0x92, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPLOADMACRO, 0x93, 20, 16, TW_ADDRESS_MODE, 0)
TW_VECTOR_INSTRUCTION(SFPSHFT2, 0x94, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPLUTFP32, 0x95, 4, 0)
#ifdef ARCH_BLACKHOLE
TW_VECTOR_INSTRUCTION(SFPLE, 0x96, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPGT, 0x97, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPMUL24, 0x98, 16, 12, 8, 4, 0)
TW_VECTOR_INSTRUCTION(SFPARECIP, 0x99, 12, 8, 4, 0)
#endif

// Waits for units that the same processor uses: here everything is done when its call returns. A wait for
// what another processor does is refused.
template <typename... Operands>
inline __attribute__((always_inline)) void TTI_STALLWAIT(std::uint32_t, std::uint32_t wait, Operands...) {
    constexpr std::uint32_t of_others = 0xf00;
    if ((wait & of_others) != 0) {
        tw_calls->not_modelled(TW_HERE, "the instruction STALLWAIT for a source register");
    }
}
#define TT_STALLWAIT TTI_STALLWAIT
constexpr std::uint32_t TT_OP_STALLWAIT(std::uint32_t, std::uint32_t) { return 0; }

// Instructions without operands have no brackets. Those that do nothing but take time do nothing.
TW_BELOW(TTI_TRNSPSRCB_, "the instruction TRNSPSRCB");
#define TTI_NOP static_cast<void>(0)
#define TTI_DMANOP static_cast<void>(0)
#define TTI_SFPNOP tw::issue(TT_OP_SFPNOP)
#define TTI_TRNSPSRCB TTI_TRNSPSRCB_()
#define TT_OP_NOP 0u
#define TT_OP_SFPNOP 0x8f000000u
#define TT_OP_TRNSPSRCB 0u

#ifdef ARCH_BLACKHOLE
namespace ckernel {

// A cast that leaves the sign alone.
inline void apply_sign_magnitude_conversion(std::uint32_t from, std::uint32_t to, InstrModCast mode) {
    TTI_SFPCAST(from, to, mode);
    TTI_SFPSETSGN(0, to, from, 0);
}

}  // namespace ckernel
#endif
