// The replay buffer of instructions.

#pragma once

#include "ckernel_ops.h"

namespace lltt {

enum ExecBool : bool { NoExec, Exec };

template <ExecBool exec = NoExec>
inline __attribute__((always_inline)) void record(unsigned start, unsigned length) {
    TT_REPLAY(start, length, exec, 1);
}
inline __attribute__((always_inline)) void replay(unsigned start, unsigned length) {
    TT_REPLAY(start, length, 0, 0);
}
constexpr std::uint32_t replay_insn(unsigned start, unsigned length) { return TT_OP_REPLAY(start, length, 0, 0); }

}  // namespace lltt

#ifdef ARCH_BLACKHOLE
namespace ckernel {

enum ExecBool : bool { NoExec, Exec };

// The instructions of a function.
template <ExecBool exec = NoExec, typename Function, typename... Arguments>
inline __attribute__((always_inline)) void load_replay_buf(
    std::uint32_t start, std::uint32_t length, Function&& function, Arguments&&... arguments) {
    lltt::record<static_cast<lltt::ExecBool>(exec)>(start, length);
    function(static_cast<Arguments&&>(arguments)...);
}

}  // namespace ckernel
#endif
