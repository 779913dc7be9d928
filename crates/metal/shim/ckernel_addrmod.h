// How instructions move their addresses: a mode can be described, and setting one is refused.

#pragma once

#include "ckernel_instr_params.h"
#include "tilewright/lacks.h"

namespace ckernel {

TW_BELOW(tw_set_address_mode, "address modes of instructions");

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

    ALWI void set(std::uint8_t) const { tw_set_address_mode(); }
};

}  // namespace ckernel
