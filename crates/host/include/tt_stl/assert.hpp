// Assertions of host programs. They throw, with tt-metal's texts and the line.
#pragma once

#include <fmt/format.h>

#include <tilewright/host/site.hpp>

namespace tilewright::host {

inline std::string message() { return {}; }

template <class... Args>
std::string message(fmt::format_string<Args...> text, const Args&... args) {
    return fmt::format(text, args...);
}

}  // namespace tilewright::host

#define TT_THROW(...)                                                                          \
    ::tilewright::host::fail("TT_THROW", "tt::exception",                                      \
                             ::tilewright::host::message(__VA_ARGS__), __FILE__, __LINE__)

#define TT_FATAL(condition, ...)                                                               \
    do {                                                                                       \
        if (!(condition)) [[unlikely]] {                                                       \
            ::tilewright::host::fail("TT_FATAL", #condition,                                   \
                                     ::tilewright::host::message(__VA_ARGS__), __FILE__,       \
                                     __LINE__);                                                \
        }                                                                                      \
    } while (0)

// Checked in every build: a simulator is there to find what is wrong.
#define TT_ASSERT(condition, ...)                                                              \
    do {                                                                                       \
        if (!(condition)) [[unlikely]] {                                                       \
            ::tilewright::host::fail("TT_ASSERT", #condition,                                  \
                                     ::tilewright::host::message(__VA_ARGS__), __FILE__,       \
                                     __LINE__);                                                \
        }                                                                                      \
    } while (0)
