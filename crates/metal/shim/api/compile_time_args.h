// Compile-time arguments, by position and by name.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tilewright/call.h"

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif

namespace tw {

template <typename... Values>
constexpr std::array<uint32_t, sizeof...(Values)> words(Values... values) {
    return {static_cast<uint32_t>(values)...};
}

}  // namespace tw

#ifdef TW_CORPUS

// `tilewright corpus` compiles kernels without their hosts: `TW_CORPUS` makes an argument from its
// place, or from the length of its name.
inline constexpr std::array<uint32_t, 256> kernel_compile_time_args = [] {
    std::array<uint32_t, 256> all{};
    for (uint32_t place = 0; place < all.size(); ++place) {
        all[place] = TW_CORPUS(place);
    }
    return all;
}();
constexpr uint32_t get_named_ct_arg([[maybe_unused]] std::string_view name) { return TW_CORPUS(name.size()); }

#else

constexpr auto kernel_compile_time_args = tw::words(KERNEL_COMPILE_TIME_ARGS);

#ifdef KERNEL_COMPILE_TIME_ARG_MAP
namespace tw {

inline constexpr std::pair<std::string_view, uint32_t> named_args[] = {KERNEL_COMPILE_TIME_ARG_MAP};

}  // namespace tw

// A name that was not given is an error of compilation: nothing follows the loop.
constexpr uint32_t get_named_ct_arg(std::string_view name) {
    for (const auto& [given, value] : tw::named_args) {
        if (name == given) {
            return value;
        }
    }
    __builtin_trap();
}
#endif

#endif

template <uint32_t Index>
constexpr uint32_t get_ct_arg() {
    static_assert(Index < kernel_compile_time_args.size(), "the kernel was not given this compile-time argument");
    return kernel_compile_time_args[Index];
}

#define get_compile_time_arg_val(index) get_ct_arg<index>()

#if defined(TW_CORPUS) || defined(KERNEL_COMPILE_TIME_ARG_MAP)
constexpr uint32_t get_named_compile_time_arg_val(std::string_view name) { return get_named_ct_arg(name); }
#endif
