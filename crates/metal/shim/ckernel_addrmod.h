// How instructions move their addresses. Of a mode that is set the part for Dst counts, for instructions
// of the vector unit: those of other units are not executed.

#pragma once

#include "ckernel_instr_params.h"
#include "ckernel_ops.h"
#include "tilewright/lacks.h"

namespace ckernel {

struct addr_mod_t {
    struct addr_mod_src_t {
        std::uint8_t incr = 0, clr = 0, cr = 0;
    };
    struct addr_mod_dest_t {
        std::int16_t incr = 0;
        std::uint8_t clr = 0, cr = 0, c_to_cr = 0;
    };
    struct addr_mod_fidelity_t {
        std::uint8_t incr = 0, clr = 0;
    };

    addr_mod_src_t srca = {}, srcb = {};
    addr_mod_dest_t dest = {};
    addr_mod_fidelity_t fidelity = {}, bias = {};
    addr_mod_src_t pack_ysrc = {}, pack_ydst = {};

    ALWI void set([[maybe_unused]] std::uint8_t number) const {
#ifdef TRISC_MATH
        const std::uint32_t moves = dest.clr | dest.cr << 1 | dest.c_to_cr << 2;
        tw_calls->vector_control(
            TW_HERE, TW_VECTOR_ADDRESS_MODE, number, static_cast<std::uint16_t>(dest.incr) | moves << 16);
#else
        tw_calls->not_modelled(TW_HERE, "address modes of instructions");
#endif
    }
};

}  // namespace ckernel
