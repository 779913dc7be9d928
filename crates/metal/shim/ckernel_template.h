// Loops of instructions: they can be described, and running them is refused.

#pragma once

#include "ckernel_ops.h"

namespace ckernel {

TW_BELOW(tw_run_template, "loops of instructions");

class ckernel_template {
public:
    template <typename... Words>
    constexpr ckernel_template(std::uint32_t, std::uint32_t, Words...) {}
    template <typename... Words>
    constexpr void set_end_ops(Words...) {}
    constexpr void set_end_op(std::uint32_t) {}
    constexpr void set_start_op(std::uint32_t) {}
    constexpr void set_loop_op0(std::uint32_t) {}
    constexpr void set_loop_op1(std::uint32_t) {}
    constexpr void set_last_inner_loop_instr(std::uint32_t) {}
    constexpr void set_last_outer_loop_instr(std::uint32_t) {}
    template <typename... Any>
    ALWI void program(Any&&...) const { tw_run_template(); }
    template <typename... Any>
    ALWI void program_and_run(Any&&...) const { tw_run_template(); }
    template <typename... Any>
    ALWI static void run(Any&&...) { tw_run_template(); }
};

}  // namespace ckernel
